/// \file
/// How algorithms see their ranges, and how they queue work that loops over elements.
#pragma once

#include <devmem/container/range.hpp>
#include <devmem/host_task.hpp>
#include <devmem/stream/resolve.hpp>

#include <cstddef>
#include <utility>

namespace devmem::inline v0::detail {

/// Elements of a range, for a loop.
template <class T>
struct operand {
    T* data;
    std::size_t size;
};

/// Declares that a stream uses the range, and gives its elements.
/// @throws wrong_device when the range is of another device
template <class R>
auto use_on(stream_state& s, R& range, const char* operation) {
    const auto v = range.view();
    if (!v.empty() && v.device() != s.where) {
        text<160> message;
        message.add("a range is on %s:%d, the stream on %s:%d; all must be on one device",
                    kind_name(v.device().kind()), v.device().index(), kind_name(s.where.kind()),
                    s.where.index());
        throw_failure(
            {.code = error_code::wrong_device, .operation = operation, .where = v.device()},
            message.c_str());
    }
    if (v.block() != nullptr) v.block()->note_use(s.where);
    // Spelled out: clang 14 deduces no template arguments for an aggregate.
    using element = typename decltype(range.view())::element_type;
    return operand<element>{v.address(), v.size()};
}

inline void require_same_size(std::size_t a, std::size_t b, const char* operation) {
    if (a == b) [[likely]] {
        return;
    }
    text<96> message;
    message.add("ranges of %zu and %zu elements; sizes must be equal", a, b);
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

/// An output may be an input itself, or apart from it; not shifted against it.
template <class In, class Out>
void require_same_or_apart(operand<In> in, operand<Out> out, const char* operation) {
    const auto* in_begin = reinterpret_cast<const std::byte*>(in.data);
    const auto* out_begin = reinterpret_cast<const std::byte*>(out.data);
    const bool same = in_begin == out_begin && sizeof(In) == sizeof(Out);
    const bool apart = in_begin + in.size * sizeof(In) <= out_begin ||
                       out_begin + out.size * sizeof(Out) <= in_begin;
    if (same || apart) [[likely]] {
        return;
    }
    throw_failure({.code = error_code::invalid_argument, .operation = operation},
                  "the output overlaps an input without being the same range; copy one of them");
}

/// Queues `body(begin, end)` over pieces of [0, n) on a CPU stream, shared among the team at
/// multiples of `grain`. What it throws is kept for the stream's next `synchronize`.
/// @throws not_permitted on a stream of a GPU, for which this version has no kernels
template <class Body>
void queue_loop(stream_state& s, std::size_t n, std::size_t grain, const Body& body,
                const char* operation) {
    if (s.where.kind() != device_kind::cpu) {
        text<160> message;
        message.add(
            "no kernel for %s:%d in this version, only for CPU devices; copy the data to one",
            kind_name(s.where.kind()), s.where.index());
        throw_failure({.code = error_code::not_permitted, .operation = operation, .where = s.where},
                      message.c_str());
    }
    if (n == 0) return;
    queue_on_host(
        s, [n, grain, body] { engine().helpers().run(n, grain, body); }, operation);
}

/// Elements of a loop that a helper is worth waking for.
inline constexpr std::size_t loop_grain = 4096;

}  // namespace devmem::inline v0::detail
