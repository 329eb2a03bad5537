/// \file
/// Copies and fills, for the runtime's functions and the driver's.
#pragma once

#include "calls.hpp"
#include "streams.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace simulated_cuda::inside {

/// Rows of elements to be written with one value.
struct fill {
    void* at = nullptr;
    std::size_t pitch = 0;
    std::uint32_t value = 0;
    std::size_t element = 1;  // bytes: 1, 2 or 4
    std::size_t width = 0;    // elements
    std::size_t height = 1;

    std::size_t extent() const { return (height - 1) * pitch + width * element; }
};

/// Rows of bytes to be copied.
struct copied_rows {
    void* dst = nullptr;
    std::size_t dst_pitch = 0;
    const void* src = nullptr;
    std::size_t src_pitch = 0;
    std::size_t width = 0;
    std::size_t height = 1;

    std::size_t extent(std::size_t pitch) const { return (height - 1) * pitch + width; }
};

int copy_rows_async(call& c, const copied_rows& rows, cudaMemcpyKind kind, CUstream_st& stream);
int copy_async(call& c, void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind,
               CUstream_st& stream);
int fill_async(call& c, const fill& f, CUstream_st& stream);

}  // namespace simulated_cuda::inside
