// What every object made by nvcc needs: it registers its kernels before main. A launch runs the
// kernel's host twin; one without a twin fails, as on a device that its binary was not made for.

#include "state.hpp"

#include <cuda_runtime_api.h>

using simulated_cuda::call;
using namespace simulated_cuda::inside;

namespace {

struct launch_configuration {
    dim3 grid;
    dim3 block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
};

launch_configuration& pushed_configuration() {
    static thread_local launch_configuration pushed;
    return pushed;
}

/// Rule: a grid and its blocks have at least one element, and a block at most 1,024 threads.
bool fits(dim3 grid, dim3 block) {
    const std::size_t threads = std::size_t{block.x} * block.y * block.z;
    return std::size_t{grid.x} * grid.y * grid.z != 0 && threads != 0 && threads <= 1024;
}

/// Rule: a kernel without an image for the device cannot be launched. The code that nvcc makes
/// drops the result of the launch; the last error tells.
cudaError_t launch(const char* function, const void* kernel, dim3 grid, dim3 block,
                   void** arguments, cudaStream_t stream, bool null_is_per_thread) {
    return runtime_call(function, needs::context, [&](call& c) -> int {
        CUstream_st* const s = use_stream(c, stream, null_is_per_thread);
        if (s == nullptr) return cudaErrorInvalidResourceHandle;
        const twin_maker make = the_simulation().twins.find(kernel);
        if (make == nullptr) return cudaErrorInvalidDeviceFunction;
        if (!fits(grid, block)) return cudaErrorInvalidConfiguration;
        devmem::host_function work = make(arguments);
        const int result = queue_twin(*s, work);
        if (result != cudaSuccess) work.drop();
        return result;
    });
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names that nvcc calls
SIMULATED void** __cudaRegisterFatBinary(void* binary) { return new void*(binary); }
SIMULATED void __cudaRegisterFatBinaryEnd(void**) {}
SIMULATED void __cudaUnregisterFatBinary(void** handle) { delete handle; }
SIMULATED char __cudaInitModule(void**) { return 1; }
SIMULATED void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*,
                                      dim3*, dim3*, int*) {}
SIMULATED void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
SIMULATED void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int,
                                        int) {}

SIMULATED unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                               CUstream_st* stream) {
    pushed_configuration() = {grid, block, shared, stream};
    return 0;
}
SIMULATED cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared,
                                                 void* stream) {
    const launch_configuration& pushed = pushed_configuration();
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *static_cast<cudaStream_t*>(stream) = pushed.stream;
    return cudaSuccess;
}

// Asked once a kernel and kept by the caller, so it never fails.
SIMULATED cudaError_t __cudaGetKernel(cudaKernel_t* out, const void* stub) {
    *out = static_cast<cudaKernel_t>(const_cast<void*>(stub));
    return cudaSuccess;
}
SIMULATED cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                         void** arguments, std::size_t, cudaStream_t stream) {
    return launch("cudaLaunchKernel", kernel, grid, block, arguments, stream, false);
}
SIMULATED cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                              void** arguments, std::size_t, cudaStream_t stream) {
    return launch("cudaLaunchKernel", kernel, grid, block, arguments, stream, true);
}
// NOLINTEND(bugprone-reserved-identifier)

SIMULATED cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                       std::size_t, cudaStream_t stream) {
    return launch("cudaLaunchKernel", kernel, grid, block, arguments, stream, false);
}
SIMULATED cudaError_t cudaLaunchKernel_ptsz(const void* kernel, dim3 grid, dim3 block,
                                            void** arguments, std::size_t, cudaStream_t stream) {
    return launch("cudaLaunchKernel", kernel, grid, block, arguments, stream, true);
}

// What CUB launches by.
SIMULATED cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* kernel,
                                          void** arguments) {
    return launch("cudaLaunchKernelExC", kernel, c->gridDim, c->blockDim, arguments, c->stream,
                  false);
}
SIMULATED cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* c, const void* kernel,
                                               void** arguments) {
    return launch("cudaLaunchKernelExC", kernel, c->gridDim, c->blockDim, arguments, c->stream,
                  true);
}

SIMULATED cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) {
    return runtime_call("cudaFuncGetAttributes", needs::context,
                        [](call&) { return cudaErrorInvalidDeviceFunction; });
}
SIMULATED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                             const void* kernel,
                                                                             int, std::size_t,
                                                                             unsigned) {
    return runtime_call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", needs::context,
                        [=](call&) {
                            if (the_simulation().twins.find(kernel) == nullptr) {
                                return cudaErrorInvalidDeviceFunction;
                            }
                            *blocks = 2;
                            return cudaSuccess;
                        });
}
