/// \file
/// Loops as kernels: one template for all of them.
#pragma once

#include <devmem/backend/cuda/scope.hpp>
#include <devmem/backend/host_twins.hpp>
#include <devmem/config.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// A loop that can do several neighbouring elements at once, by accesses of up to 16 bytes.
template <class Body>
concept loop_of_packs = (Body::pack > 1);

template <bool Packed, class Body>
inline constexpr std::size_t elements_a_step = [] {
    if constexpr (Packed)
        return Body::pack;
    else
        return std::size_t{1};
}();

/// What the thread `first` of `stride` threads does of a loop over [0, n).
template <bool Packed, class Body>
DEVMEM_HD void run_share(std::size_t first, std::size_t stride, std::size_t n, const Body& body) {
    std::size_t i = first;
    if constexpr (Packed) {
        const std::size_t packs = n / Body::pack;
        for (std::size_t p = first; p < packs; p += stride) body.pack_at(p);
        i += packs * Body::pack;
    }
    for (; i < n; i += stride) body(i);
}

template <bool Packed, class Body>
__global__ void loop_kernel(std::size_t n, Body body) {
    run_share<Packed>(std::size_t{blockIdx.x} * blockDim.x + threadIdx.x,
                      std::size_t{blockDim.x} * gridDim.x, n, body);
}

template <bool Packed, class Body>
host_function loop_twin(void** arguments) {
    return make_host_function([n = *static_cast<const std::size_t*>(arguments[0]),
                               body = *static_cast<const Body*>(arguments[1])]() noexcept {
        run_share<Packed>(0, 1, n, body);
    });
}

/// Threads of a block of a loop.
inline constexpr unsigned loop_threads = 256;

/// How many blocks of a kernel a device runs at a time; found out once.
inline cudaError_t resident_blocks(const void* kernel, int index, atomic<int>& known,
                                   std::size_t* out) noexcept {
    int blocks = known.load_relaxed();
    if (blocks == 0) {
        int on_each = 0;
        int multiprocessors = 0;
        cudaError_t r = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &on_each, kernel, loop_threads, 0, cudaOccupancyDefault);
        if (r == cudaSuccess) {
            r = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, index);
        }
        if (r != cudaSuccess) return r;
        blocks = on_each * multiprocessors;
        known.store_relaxed(blocks);
    }
    *out = static_cast<std::size_t>(blocks);
    return cudaSuccess;
}

template <bool Packed, class Body>
cudaError_t launch_loop_kernel(int index, void* stream, std::size_t n, const Body& body) noexcept {
    static_assert(sizeof(Body) <= 4000, "a kernel takes at most about 4,000 bytes of arguments");
    static atomic<int> known[max_devices];
    const void* const kernel = reinterpret_cast<const void*>(&loop_kernel<Packed, Body>);
    if (const host_twins* const twins = linked_host_twins()) {
        twins->announce(kernel, &loop_twin<Packed, Body>);
    }
    std::size_t most = 0;
    if (const cudaError_t r = resident_blocks(kernel, index, known[index], &most);
        r != cudaSuccess) {
        return r;
    }
    const std::size_t steps = (n - 1) / elements_a_step<Packed, Body> + 1;
    const std::size_t wanted = (steps - 1) / loop_threads + 1;
    const dim3 grid(static_cast<unsigned>(wanted < most ? wanted : most));
    void* arguments[] = {&n, const_cast<Body*>(&body)};
    return cudaLaunchKernel(kernel, grid, dim3(loop_threads), arguments, 0,
                            static_cast<cudaStream_t>(stream));
}

/// Queues `body(i)` for each i in [0, n) on a stream of `d`. @pre n > 0
template <class Body>
status launch_loop(device d, void* stream, std::size_t n, const Body& body) noexcept {
    return on_cuda(d, [d, stream, n, &body](const auto&) noexcept {
        if constexpr (loop_of_packs<Body>) {
            if (body.packs_are_aligned()) {
                return launch_loop_kernel<true>(d.index(), stream, n, body);
            }
        }
        return launch_loop_kernel<false>(d.index(), stream, n, body);
    });
}

/// Queues the twin of an algorithm that is more than one kernel.
inline status run_host_twin(const host_twins& twins, device d, void* stream,
                            host_function work) noexcept {
    const status accepted = on_cuda(
        d, [&](const auto&) noexcept { return static_cast<cudaError_t>(twins.run(stream, work)); });
    if (!accepted.ok()) work.drop();
    return accepted;
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE
