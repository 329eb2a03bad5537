#include "work.hpp"

#include "sabotage.hpp"
#include "state.hpp"

#include <cstdlib>
#include <cstring>

namespace simulated_cuda::inside {

namespace {

/// Rule: a range lies in one piece of memory that has not been freed.
bool find_place(call& c, const void* p, std::size_t bytes, place* out) {
    *out = the_simulation().memory.find(p, bytes);
    if (out->what != place::state::dead) return true;
    misuse(c, "memory that is not, or not wholly, allocated");
    return false;
}

bool on_device(const place& p) {
    return p.what == place::state::live &&
           (p.kind == memory_kind::device || p.kind == memory_kind::managed);
}

/// Rule: a direction that is given must be that of the addresses. Managed memory is at home on
/// both sides.
bool direction_fits(cudaMemcpyKind kind, const place& dst, const place& src) {
    const auto host = [](const place& p) { return p.on_host() || p.kind == memory_kind::managed; };
    switch (kind) {
        case cudaMemcpyHostToHost:
            return host(dst) && host(src);
        case cudaMemcpyHostToDevice:
            return on_device(dst) && host(src);
        case cudaMemcpyDeviceToHost:
            return host(dst) && on_device(src);
        case cudaMemcpyDeviceToDevice:
            return on_device(dst) && on_device(src);
        default:
            return true;
    }
}

/// Rows as they are reached, from both sides.
struct reached_rows {
    std::byte* dst;
    std::size_t dst_pitch;
    const std::byte* src;
    std::size_t src_pitch;
    std::size_t width;
    std::size_t height;

    void copy() const noexcept {
        for (std::size_t i = 0; i < height; ++i) {
            std::memcpy(dst + i * dst_pitch, src + i * src_pitch, width);
        }
    }
    /// Whether a row that is written shares bytes with one that is read.
    bool overlap() const noexcept {
        if (dst >= src + (height - 1) * src_pitch + width) return false;
        if (src >= dst + (height - 1) * dst_pitch + width) return false;
        for (std::size_t i = 0; i < height; ++i) {
            const std::byte* written = dst + i * dst_pitch;
            for (std::size_t j = 0; j < height; ++j) {
                const std::byte* read = src + j * src_pitch;
                if (written < read + width && read < written + width) return true;
            }
        }
        return false;
    }
};

/// Rule: a copy from pageable memory has read it when the call returns, unless the device reads
/// pageable memory by itself.
queue_mark copy_staged(const reached_rows& rows, CUstream_st& s) {
    auto* staged = static_cast<std::byte*>(std::malloc(rows.width * rows.height));
    if (staged == nullptr) std::abort();
    reached_rows{staged, rows.width, rows.src, rows.src_pitch, rows.width, rows.height}.copy();
    reached_rows rest = rows;
    rest.src = staged;
    rest.src_pitch = rows.width;
    return enqueue_call(s, [rest]() noexcept {
        rest.copy();
        std::free(const_cast<std::byte*>(rest.src));
    });
}

queue_mark queue_copy(const place& dst, const place& src, const reached_rows& rows,
                      CUstream_st& s) {
    const bool staged = src.what == place::state::pageable && on_device(dst) &&
                        !the_simulation().pageable_is_accessible;
    if (staged) return copy_staged(rows, s);
    return enqueue_call(s, [rows]() noexcept { rows.copy(); });
}

/// Rule: copies from host to host, and to pageable memory, keep the caller until they are done.
bool keeps_caller(const place& dst, const place& src) {
    if (dst.on_host() && src.on_host()) return true;
    return dst.what == place::state::pageable && !the_simulation().pageable_is_accessible;
}

/// Rule: a copy from pageable memory may wait for its stream before it stages.
bool may_wait(const place& dst, const place& src) {
    if (keeps_caller(dst, src)) return true;
    return src.what == place::state::pageable && !the_simulation().pageable_is_accessible;
}

template <class Word>
void write_row(std::byte* row, std::uint32_t value, std::size_t width) {
    const auto word = static_cast<Word>(value);
    for (std::size_t i = 0; i < width; ++i) std::memcpy(row + i * sizeof word, &word, sizeof word);
}

void write_rows(const fill& f, std::byte* at) {
    for (std::size_t i = 0; i < f.height; ++i, at += f.pitch) {
        if (f.element == 1) write_row<std::uint8_t>(at, f.value, f.width);
        if (f.element == 2) write_row<std::uint16_t>(at, f.value, f.width);
        if (f.element == 4) write_row<std::uint32_t>(at, f.value, f.width);
    }
}

}  // namespace

int copy_rows_async(call& c, const copied_rows& rows, cudaMemcpyKind kind, CUstream_st& stream) {
    simulation& s = the_simulation();
    c.bytes = rows.width * rows.height;
    c.address = rows.dst;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    // Rule: a row is no longer than a pitch, and a pitch no longer than the device's longest.
    constexpr std::size_t longest_pitch = 0x7FFF'FFFF;
    if (rows.width > rows.dst_pitch || rows.width > rows.src_pitch ||
        (rows.height > 1 && (rows.dst_pitch > longest_pitch || rows.src_pitch > longest_pitch))) {
        misuse(c, "rows longer than a pitch, or a pitch longer than any");
        return cudaErrorInvalidPitchValue;
    }
    if (const int refusal = refusal_of(stream); refusal != 0) return refusal;
    if (c.bytes == 0) {
        misuse(c, "zero bytes");
        return cudaSuccess;
    }
    place to;
    place from;
    if (!find_place(c, rows.dst, rows.extent(rows.dst_pitch), &to) ||
        !find_place(c, rows.src, rows.extent(rows.src_pitch), &from)) {
        return cudaErrorInvalidValue;
    }
    if (!direction_fits(kind, to, from)) {
        misuse(c, "the direction is not that of the addresses");
        return cudaErrorInvalidValue;
    }
    const reached_rows reached{to.reached,     rows.dst_pitch, from.reached,
                               rows.src_pitch, rows.width,     rows.height};
    // Rule: the two ranges do not overlap.
    if (reached.overlap()) {
        misuse(c, "the ranges overlap");
        return cudaErrorInvalidValue;
    }
    if (is_sabotaged(sabotage::copy)) return cudaSuccess;
    const queue_mark mark = queue_copy(to, from, reached, stream);
    s.memory.note_use(rows.dst, mark);
    s.memory.note_use(rows.src, mark);
    c.waited = c.waited || may_wait(to, from);
    return keeps_caller(to, from) ? result_of(mark.wait()) : cudaSuccess;
}

int copy_async(call& c, void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind,
               CUstream_st& stream) {
    return copy_rows_async(c, {dst, bytes, src, bytes, bytes, 1}, kind, stream);
}

int fill_async(call& c, const fill& f, CUstream_st& stream) {
    c.bytes = f.height * f.width * f.element;
    c.address = f.at;
    if (const int refusal = refusal_of(stream); refusal != 0) return refusal;
    if (c.bytes == 0) {
        misuse(c, "zero bytes");
        return cudaSuccess;
    }
    // Rule: the address and the pitch are multiples of the element, and rows do not overlap.
    const auto address = reinterpret_cast<std::uintptr_t>(f.at);
    const bool rows_apart =
        f.height == 1 || (f.pitch % f.element == 0 && f.pitch >= f.width * f.element);
    if (address % f.element != 0 || !rows_apart) {
        misuse(c, "not aligned for the element, or rows that overlap");
        return cudaErrorInvalidValue;
    }
    place at;
    if (!find_place(c, f.at, f.extent(), &at)) return cudaErrorInvalidValue;
    // Rule: the memory is the runtime's.
    if (at.what != place::state::live) {
        misuse(c, "pageable memory");
        return cudaErrorInvalidValue;
    }
    const queue_mark mark =
        enqueue_call(stream, [f, to = at.reached]() noexcept { write_rows(f, to); });
    the_simulation().memory.note_use(f.at, mark);
    return cudaSuccess;
}

}  // namespace simulated_cuda::inside
