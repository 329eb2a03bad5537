// A file compiled by nvcc over the simulation: it registers its kernels, links and runs; launching
// one fails cleanly. The backend's header is one that nvcc compiles too.
#include <devmem/backend/cuda.hpp>
#include <simulated_cuda.hpp>

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

__global__ void write_one(int* out) { *out = 1; }

__device__ int device_variable = 3;

__global__ void read_variable(int* out) { *out = device_variable; }

TEST_CASE("a kernel without host code fails to launch, as the last error tells") {
    simulated_cuda::reset();
    void* memory = nullptr;
    REQUIRE(cudaMalloc(&memory, sizeof(int)) == cudaSuccess);
    int* out = static_cast<int*>(memory);
    for (int i = 0; i < 2; ++i) {
        write_one<<<1, 1>>>(out);
        CHECK(cudaPeekAtLastError() == cudaErrorInvalidDeviceFunction);
        CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
        CHECK(cudaGetLastError() == cudaSuccess);
    }
    read_variable<<<1, 1, 0, cudaStreamPerThread>>>(out);
    CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, write_one) == cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, write_one, 32, 0, 0) ==
          cudaErrorInvalidDeviceFunction);
    void* arguments[] = {&out};
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(&write_one), dim3(1), dim3(1), arguments,
                           0, nullptr) == cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
    CHECK(cudaFree(memory) == cudaSuccess);
    CHECK(simulated_cuda::misuses().empty());
    simulated_cuda::reset();
}

TEST_CASE("a file compiled by nvcc uses the backend") {
    simulated_cuda::reset();
    void* memory = nullptr;
    const devmem::device d = devmem::device::cuda(1);
    CHECK(devmem::cuda_backend::allocate(d, devmem::memory_space::device, 64, &memory).ok());
    CHECK(devmem::cuda_backend::deallocate(d, devmem::memory_space::device, memory, 64).ok());
    CHECK(simulated_cuda::devices_with_context() == std::vector<int>{1});
    simulated_cuda::reset();
}
