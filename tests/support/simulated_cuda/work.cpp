#include "work.hpp"

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

/// Rule: a copy from pageable memory has read it when the call returns, unless the device reads
/// pageable memory by itself.
queue_mark copy_staged(std::byte* dst, const std::byte* src, std::size_t bytes, CUstream_st& s) {
    void* staged = std::malloc(bytes);
    if (staged == nullptr) std::abort();
    std::memcpy(staged, src, bytes);
    return enqueue_call(s, [=]() noexcept {
        std::memcpy(dst, staged, bytes);
        std::free(staged);
    });
}

queue_mark queue_copy(const place& dst, const place& src, std::size_t bytes, CUstream_st& s) {
    const bool staged = src.what == place::state::pageable && on_device(dst) &&
                        !the_simulation().pageable_is_accessible;
    if (staged) return copy_staged(dst.reached, src.reached, bytes, s);
    return enqueue_call(s, [to = dst.reached, from = src.reached, bytes]() noexcept {
        std::memcpy(to, from, bytes);
    });
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

int copy_async(call& c, void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind,
               CUstream_st& stream) {
    simulation& s = the_simulation();
    c.bytes = bytes;
    c.address = dst;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    if (const int refusal = refusal_of(stream); refusal != 0) return refusal;
    if (bytes == 0) {
        misuse(c, "zero bytes");
        return cudaSuccess;
    }
    place to;
    place from;
    if (!find_place(c, dst, bytes, &to) || !find_place(c, src, bytes, &from)) {
        return cudaErrorInvalidValue;
    }
    if (!direction_fits(kind, to, from)) {
        misuse(c, "the direction is not that of the addresses");
        return cudaErrorInvalidValue;
    }
    // Rule: the two ranges do not overlap.
    if (to.reached < from.reached + bytes && from.reached < to.reached + bytes) {
        misuse(c, "the ranges overlap");
        return cudaErrorInvalidValue;
    }
    const queue_mark mark = queue_copy(to, from, bytes, stream);
    s.memory.note_use(dst, mark);
    s.memory.note_use(src, mark);
    c.waited = c.waited || may_wait(to, from);
    return keeps_caller(to, from) ? result_of(mark.wait()) : cudaSuccess;
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
