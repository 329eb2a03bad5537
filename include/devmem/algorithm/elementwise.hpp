/// \file
/// Queueing a function of the elements of any number of ranges, to a range.
#pragma once

#include <devmem/algorithm/operand.hpp>
#include <devmem/config.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// One thread's part. The addresses are parameters, so that a compiler sees them stay the same
/// while it writes.
template <class F, class Result, class... In>
void transform_piece(const F& f, std::size_t begin, std::size_t end, Result* out, const In*... in) {
    DEVMEM_INDEPENDENT_ITERATIONS
    for (std::size_t i = begin; i < end; ++i) out[i] = static_cast<Result>(f(in[i]...));
}

/// Queues `to[i] = f(from[i]…)` for each i. @throws invalid_argument
template <class F, class Result, class... In>
void queue_elementwise(stream_state& on, const F& f, operand<Result> to, const call_site& operation,
                       operand<const In>... from) {
    (require_same_size(from.size, to.size, operation), ...);
    (require_same_or_apart(from, to, operation), ...);
    queue_loop(
        on, to.size, loop_grain,
        [to, f, from...](std::size_t begin, std::size_t end) {
            transform_piece(f, begin, end, to.data, from.data...);
        },
        operation);
}

/// What `transform` does, whatever the number of its inputs.
template <class F, class Out, class... In>
void transform_ranges(const F& f, Out& out, stream_view s, const call_site& operation,
                      const In&... in) {
    stream_state& on = resolve_stream(s, out.view().device(), operation);
    const auto output = writing(on, out, operation);
    const auto queue = [&](const auto&... input) {
        queue_elementwise(on, f, output.elements(), operation, input.elements()...);
    };
    queue(reading(on, in, operation)...);
}

}  // namespace devmem::inline v0::detail
