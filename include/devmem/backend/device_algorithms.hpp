/// \file
/// Reductions, scans, selections and sorts of a GPU, where this file makes kernels. They are CUB's,
/// which takes nvcc seconds to read, so they are apart from `kernels.hpp`.
#pragma once

#include <devmem/backend/device_call.hpp>
#include <devmem/backend/kernels.hpp>

#if defined(__CUDACC__) && defined(DEVMEM_CUDA)
#include <devmem/backend/cuda/reduce.cuh>
#include <devmem/backend/cuda/scan.cuh>
#include <devmem/backend/cuda/select.cuh>
#include <devmem/backend/cuda/sort.cuh>
#endif
