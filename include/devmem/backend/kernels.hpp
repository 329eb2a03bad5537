/// \file
/// Whether this file makes kernels, and those of loops: the seam of what only nvcc compiles.
#pragma once

#include <devmem/config.hpp>

#if defined(__CUDACC__) && defined(DEVMEM_CUDA)
#include <devmem/backend/cuda/checked_pairs.cuh>
#include <devmem/backend/cuda/loop.cuh>
#define DEVMEM_MAKES_KERNELS true
#else
#define DEVMEM_MAKES_KERNELS false
#endif

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// Where it is false nothing of `backend/cuda/*.cuh` is there, and nobody may name it.
inline constexpr bool has_kernels = DEVMEM_MAKES_KERNELS;

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

#undef DEVMEM_MAKES_KERNELS
