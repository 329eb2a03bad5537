// A CUDA program that keeps its streams and its calls, and takes devmem in beside them.
#include <devmem/devmem.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(cudaError_t result) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
    std::exit(EXIT_FAILURE);
}

/// Stands for what the program has: work on a raw pointer, queued on a raw stream.
void clear_half(float* data, std::size_t n, cudaStream_t s) {
    check(cudaMemsetAsync(data, 0, n / 2 * sizeof(float), s));
}

}  // namespace

int main() {
    constexpr std::size_t n = 1'000;
    cudaStream_t work = nullptr;
    check(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    float* old_data = nullptr;
    check(cudaMalloc(reinterpret_cast<void**>(&old_data), n * sizeof(float)));
    check(cudaMemsetAsync(old_data, 0, n * sizeof(float), work));
    {
        //! [streams]
        // The program's stream enters by one word, and stays the program's.
        const devmem::device gpu = devmem::device::cuda(0);
        const devmem::stream_view working = devmem::borrow_stream(work, gpu);
        //! [streams]

        //! [memory]
        // In place of cudaMalloc, cudaMallocHost and cudaMemcpyAsync; there are no frees to write.
        const devmem::stream copies(gpu);
        const devmem::pinned_buffer<float> host(n, 1.0f, gpu);
        devmem::device_vector<float> x(n, devmem::uninitialized, copies);
        devmem::copy_async(host, x, copies);
        //! [memory]

        //! [access]
        // The program's own call, as it is. Opening the access makes `work` wait for the copy;
        // when the block ends, others wait for the call.
        {
            const auto out = x.read_write(working);
            clear_half(out.span().data(), out.span().size(), work);
        }
        //! [access]

        //! [unordered]
        // Memory of the program's own takes part in copies, its order being the program's affair,
        devmem::copy_async(x, devmem::unordered(devmem::device_span(old_data, n)), working);
        // or is handed over, with the stream that used it last and how to free it.
        const devmem::device_vector<float> owned =
            devmem::adopt(old_data, n, working, [](float* p) { check(cudaFree(p)); });
        //! [unordered]

        //! [handle]
        // The other way round: a stream of devmem's gives its handle to the program's calls.
        cudaEvent_t copied = nullptr;
        check(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
        check(cudaEventRecord(copied, copies.native_handle()));
        check(cudaStreamWaitEvent(work, copied, 0));
        check(cudaEventDestroy(copied));
        //! [handle]

        const std::vector<float> result = owned.to_host(working);
        std::printf("%g %g %g\n", result[0], result[n / 2 - 1], result[n / 2]);
    }
    check(cudaStreamDestroy(work));
}
