// Rules of the simulation: allocating, freeing, and device memory that the host cannot touch.
#include "fixture.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <thread>

using namespace devmem_test;

namespace {

constexpr simulated_cuda::memory_amount nothing{};

}  // namespace

TEST_CASE("memory is aligned to 256 bytes, full of 0xFF and counted until it is freed") {
    const fresh_simulation fresh;
    const auto before = simulated_cuda::live(0, memory_kind::device);
    REQUIRE(before == nothing);
    std::byte* a = make_device_memory(1);
    std::byte* b = make_device_memory(1000);
    CHECK(reinterpret_cast<std::uintptr_t>(a) % 256 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(b) % 256 == 0);
    CHECK(contents(b, 1000) == std::vector<unsigned char>(1000, 0xFF));
    CHECK(simulated_cuda::live(0, memory_kind::device) == simulated_cuda::memory_amount{1001, 2});
    CHECK(cudaFree(a) == cudaSuccess);
    CHECK(cudaFree(b) == cudaSuccess);
    CHECK(simulated_cuda::live(0, memory_kind::device) == nothing);
}

TEST_CASE("memory that was used before is full of 0xFF again") {
    const fresh_simulation fresh;
    for (int i = 0; i < 3; ++i) {
        std::byte* memory = make_device_memory(512);
        CHECK(contents(memory, 512) == std::vector<unsigned char>(512, 0xFF));
        CHECK(cudaMemsetAsync(memory, 3, 512, cudaStreamLegacy) == cudaSuccess);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(cudaFree(memory) == cudaSuccess);
    }
}

TEST_CASE("a device has its capacity and no more, and tells what is left") {
    const fresh_simulation fresh(2, 1 << 20);
    simulated_cuda::set_capacity(1, 2 << 20);
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, (1 << 20) + 1) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&memory, SIZE_MAX) == cudaErrorMemoryAllocation);
    CHECK(memory == nullptr);
    CHECK(cudaMalloc(&memory, 1 << 19) == cudaSuccess);
    std::size_t free = 0;
    std::size_t total = 0;
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(free == 1 << 19);
    CHECK(total == 1 << 20);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(free == 2 << 20);
    CHECK(cudaFree(memory) == cudaSuccess);  // whatever is current
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(free == 1 << 20);
}

TEST_CASE("memory is freed once, from where it begins, by the function that goes with it") {
    const fresh_simulation fresh;
    std::byte* memory = make_device_memory(64);
    std::byte* pinned = make_pinned_memory(64);
    CHECK(cudaFree(nullptr) == cudaSuccess);
    CHECK(cudaFreeHost(nullptr) == cudaSuccess);
    const char* words = "no memory that this function frees begins there";
    CHECK(cudaFree(memory + 1) == cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaFreeHost(memory) == cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaFree(pinned) == cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaFree(memory) == cudaSuccess);
    CHECK(cudaFree(memory) == cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
    int local = 0;
    CHECK(cudaFree(&local) == cudaErrorInvalidValue);
    expect_misuse(words);
}

TEST_CASE("memory that queued work uses is not freed") {
    const fresh_simulation fresh;
    if (!simulated_cuda::gate::works()) DEVMEM_SKIP("nothing is ever pending");
    for (const char* use : {"filled", "read", "written"}) {
        CAPTURE(use);
        simulated_cuda::gate gate;
        cudaStream_t stream = make_stream();
        std::byte* memory = make_device_memory(64);
        std::byte* other = make_device_memory(64);
        const bool read = use[0] == 'r';
        gate.close(stream);
        if (use[0] == 'f') {
            CHECK(cudaMemsetAsync(memory, 0, 64, stream) == cudaSuccess);
        } else {
            CHECK(cudaMemcpyAsync(read ? other : memory, read ? memory : other, 64,
                                  cudaMemcpyDefault, stream) == cudaSuccess);
        }
        cudaError_t freed = cudaErrorUnknown;
        std::thread freeing([&] { freed = cudaFree(memory); });
        for (int i = 0; i < 10'000 && simulated_cuda::misuses().empty(); ++i) usleep(100);
        gate.open();
        freeing.join();
        CHECK(freed == cudaSuccess);
        expect_misuse("queued work still uses");
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
        CHECK(cudaFree(other) == cudaSuccess);
        CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    }
}

TEST_CASE("managed memory is of some bytes and one of two flags") {
    const fresh_simulation fresh;
    void* memory = nullptr;
    CHECK(cudaMallocManaged(&memory, 0, cudaMemAttachGlobal) == cudaErrorInvalidValue);
    CHECK(cudaMallocManaged(&memory, 64, 99) == cudaErrorInvalidValue);
    REQUIRE(cudaMallocManaged(&memory, 64, cudaMemAttachGlobal) == cudaSuccess);
    CHECK(simulated_cuda::live(0, memory_kind::managed).bytes == 64);
    static_cast<char*>(memory)[63] = 1;  // the host may touch it
    CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("page-locked memory takes known flags, and the host may touch it") {
    const fresh_simulation fresh;
    void* memory = nullptr;
    CHECK(cudaHostAlloc(&memory, 64, 0x80) == cudaErrorInvalidValue);
    REQUIRE(cudaHostAlloc(&memory, 64, cudaHostAllocMapped | cudaHostAllocPortable) == cudaSuccess);
    CHECK(simulated_cuda::live(0, memory_kind::mapped).bytes == 64);
    CHECK(static_cast<unsigned char*>(memory)[63] == 0xFF);
    void* device = nullptr;
    CHECK(cudaHostGetDevicePointer(&device, memory, 0) == cudaSuccess);
    CHECK(device == memory);
    CHECK(cudaFreeHost(memory) == cudaSuccess);
    REQUIRE(cudaMallocHost(&memory, 64) == cudaSuccess);
    CHECK(simulated_cuda::live(0, memory_kind::pinned).bytes == 64);
    CHECK(cudaFreeHost(memory) == cudaSuccess);
    int local = 0;
    CHECK(cudaHostGetDevicePointer(&device, &local, 0) == cudaErrorInvalidValue);
}

TEST_CASE("zero bytes are no error, and no habit") {
    const fresh_simulation fresh;
    void* memory = &memory;
    CHECK(cudaMalloc(&memory, 0) == cudaSuccess);
    CHECK(memory == nullptr);
    expect_misuse("zero bytes");
}

TEST_CASE("stream-ordered memory is given at once and given back when the stream has passed") {
    const fresh_simulation fresh(1, 1 << 20);
    if (!simulated_cuda::gate::works()) DEVMEM_SKIP("nothing is ever pending");
    cudaStream_t stream = make_stream();
    void* memory = nullptr;
    REQUIRE(cudaMallocAsync(&memory, 1 << 20, stream) == cudaSuccess);
    simulated_cuda::gate gate;
    gate.close(stream);
    CHECK(cudaMemsetAsync(memory, 0, 1 << 20, stream) == cudaSuccess);
    CHECK(cudaFreeAsync(memory, stream) == cudaSuccess);
    CHECK(simulated_cuda::live(0, memory_kind::device) == nothing);
    void* more = nullptr;
    CHECK(cudaMalloc(&more, 1 << 20) == cudaErrorMemoryAllocation);
    gate.open();
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaMalloc(&more, 1 << 20) == cudaSuccess);
    CHECK(cudaFree(more) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("a stream-ordered free takes stream-ordered memory; the plain free takes either") {
    const fresh_simulation fresh;
    cudaStream_t stream = make_stream();
    void* ordered = nullptr;
    std::byte* plain = make_device_memory(64);
    CHECK(cudaFreeAsync(plain, stream) == cudaErrorInvalidValue);
    expect_misuse("not memory from cudaMallocAsync");
    CHECK(cudaFree(plain) == cudaSuccess);
    REQUIRE(cudaMallocAsync(&ordered, 64, stream) == cudaSuccess);
    CHECK(cudaFree(ordered) == cudaSuccess);
    CHECK(cudaFreeAsync(ordered, stream) == cudaErrorInvalidValue);
    expect_misuse("freed before");
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("stream-ordered memory is of the stream's device, whatever is current") {
    const fresh_simulation fresh;
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    cudaStream_t stream = make_stream();
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    void* memory = nullptr;
    REQUIRE(cudaMallocAsync(&memory, 64, stream) == cudaSuccess);
    CHECK(simulated_cuda::live(1, memory_kind::device).bytes == 64);
    CHECK(cudaFreeAsync(memory, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("pointers tell what they are") {
    const fresh_simulation fresh;
    std::byte* device = make_device_memory(64);
    std::byte* pinned = make_pinned_memory(64);
    void* managed = nullptr;
    REQUIRE(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal) == cudaSuccess);
    int local = 0;
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, device + 63) == cudaSuccess);
    CHECK(attributes.type == cudaMemoryTypeDevice);
    CHECK(attributes.device == 0);
    CHECK(cudaPointerGetAttributes(&attributes, pinned) == cudaSuccess);
    CHECK(attributes.type == cudaMemoryTypeHost);
    CHECK(cudaPointerGetAttributes(&attributes, managed) == cudaSuccess);
    CHECK(attributes.type == cudaMemoryTypeManaged);
    CHECK(cudaPointerGetAttributes(&attributes, &local) == cudaSuccess);
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
    CHECK(cudaFree(device) == cudaSuccess);
    CHECK(cudaFree(managed) == cudaSuccess);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("the host that touches device memory faults") {
    const fresh_simulation fresh;
    if (!simulated_cuda::device_memory_faults()) DEVMEM_SKIP("a race detector sees one address");
    std::byte* memory = make_device_memory(64);
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL);
        *const_cast<volatile std::byte*>(memory) = std::byte{1};
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(cudaFree(memory) == cudaSuccess);
}
