/// \file
/// Queueing a function of the elements of any number of ranges, to a range.
#pragma once

#include <devmem/algorithm/loop.hpp>
#include <devmem/algorithm/packs.hpp>
#include <devmem/config.hpp>
#include <devmem/detail/values.hpp>

#include <cstddef>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// One thread's part. The addresses are parameters, so that a compiler sees them stay the same
/// while it writes.
template <class F, class Result, class... In>
DEVMEM_HD void transform_piece(const F& f, std::size_t begin, std::size_t end, Result* out,
                               const In*... in) {
    DEVMEM_INDEPENDENT_ITERATIONS
    for (std::size_t i = begin; i < end; ++i) out[i] = static_cast<Result>(f(in[i]...));
}

/// `out[i] = f(in[i]…)`, one element, a piece or a pack at a time.
template <class F, class Result, class... In>
struct transform_body {
    F f;
    Result* out;
    values<const In*...> in;

    static constexpr std::size_t pack = pack_size<Result, In...>;

    DEVMEM_HD void operator()(std::size_t i) const { in.apply(element{f, i, out}); }
    void operator()(std::size_t begin, std::size_t end) const {
        in.apply(piece{f, begin, end, out});
    }
    DEVMEM_HD void pack_at(std::size_t p) const {
        in.apply(pack_of_elements<F, Result, pack>{f, p, out});
    }
    bool packs_are_aligned() const noexcept {
        return is_pack_aligned<pack>(out) && in.apply(aligned_packs<pack>{});
    }

  private:
    struct element {
        const F& f;
        std::size_t i;
        Result* out;
        DEVMEM_HD void operator()(const In*... from) const {
            out[i] = static_cast<Result>(f(from[i]...));
        }
    };
    struct piece {
        const F& f;
        std::size_t begin;
        std::size_t end;
        Result* out;
        DEVMEM_HD void operator()(const In*... from) const {
            transform_piece(f, begin, end, out, from...);
        }
    };
};

/// Queues `to[i] = f(from[i]…)` for each i. @throws invalid_argument
template <class F, class Result, class... In>
void queue_elementwise(stream_state& on, const F& f, operand<Result> to, const call_site& operation,
                       operand<const In>... from) {
    (require_same_size(from.size, to.size, operation), ...);
    (require_same_or_apart(from, to, operation), ...);
    queue_loop(on, to.size, loop_grain,
               transform_body<F, Result, In...>{f, to.data, make_values(from.data...)}, operation);
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

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE
