/// \file
/// A loop over indices that may be wrong, as a kernel: a wrong one is noted, and nothing moves for
/// it.
#pragma once

#include <devmem/backend/cuda/loop.cuh>

#include <cstddef>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// Makes `*least` the smaller one, whichever threads do so at once.
DEVMEM_HD inline void note_least(std::size_t* least, std::size_t i) {
#if defined(__CUDA_ARCH__)
    static_assert(sizeof(std::size_t) == sizeof(unsigned long long));
    atomicMin(reinterpret_cast<unsigned long long*>(least), static_cast<unsigned long long>(i));
#else
    if (i < *least) *least = i;
#endif
}

template <class Index, class Move>
struct checked_pair_body {
    const Index* indices;
    std::size_t size;  // what an index must be below
    Move move;
    std::size_t* first_wrong;

    static constexpr std::size_t pack = 1;

    DEVMEM_HD void operator()(std::size_t i) const {
        const auto to = static_cast<std::size_t>(indices[i]);
        if (to < size) {
            move(i, to);
        } else {
            note_least(first_wrong, i);
        }
    }
};

/// Queues `move(i, indices[i])` for each i in [0, n). `*first_wrong` becomes the first position
/// whose index is not below `size`, if that is less than what it was.
template <class Index, class Move>
status launch_checked_pairs(device d, void* stream, const Index* indices, std::size_t n,
                            std::size_t size, const Move& move, std::size_t* first_wrong) noexcept {
    return launch_loop(d, stream, n,
                       checked_pair_body<Index, Move>{indices, size, move, first_wrong});
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE
