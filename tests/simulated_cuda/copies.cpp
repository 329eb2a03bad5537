// Rules of the simulation: copies and fills.
#include "fixture.hpp"

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstdint>
#include <numeric>

using namespace devmem_test;

namespace {

/// Device memory, pinned memory and a stream, for one test.
struct fixture : fresh_simulation {
    static constexpr std::size_t bytes = 256;

    std::byte* device = make_device_memory(bytes);
    std::byte* pinned = make_pinned_memory(bytes);
    cudaStream_t stream = make_stream();

    ~fixture() {
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
        CHECK(cudaStreamDestroy(stream) == cudaSuccess);
        CHECK(cudaFree(device) == cudaSuccess);
        CHECK(cudaFreeHost(pinned) == cudaSuccess);
    }
};

std::vector<unsigned char> counting(std::size_t n) {
    std::vector<unsigned char> v(n);
    std::iota(v.begin(), v.end(), static_cast<unsigned char>(1));
    return v;
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "bytes come through every direction") {
    const std::vector<unsigned char> source = counting(bytes);
    std::vector<unsigned char> back(bytes);
    std::memcpy(pinned, source.data(), bytes);
    std::byte* other = make_device_memory(bytes);
    CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(other, device, bytes, cudaMemcpyDeviceToDevice, stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(back.data(), other, bytes, cudaMemcpyDeviceToHost, stream) ==
          cudaSuccess);
    CHECK(back == source);  // to pageable memory: done when the call returns
    CHECK(cudaFree(other) == cudaSuccess);
}

TEST_CASE_FIXTURE(fixture, "a direction that is given is that of the addresses") {
    int local = 0;
    const char* words = "the direction is not that of the addresses";
    CHECK(cudaMemcpyAsync(device, &local, 4, cudaMemcpyDeviceToDevice, stream) ==
          cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaMemcpyAsync(&local, device, 4, cudaMemcpyHostToDevice, stream) ==
          cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaMemcpyAsync(pinned, &local, 4, cudaMemcpyDeviceToHost, stream) ==
          cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaMemcpyAsync(device, &local, 4, cudaMemcpyHostToHost, stream) ==
          cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaMemcpyAsync(device, &local, 4, static_cast<cudaMemcpyKind>(7), stream) ==
          cudaErrorInvalidMemcpyDirection);
}

TEST_CASE_FIXTURE(fixture, "a range lies within one allocation that is alive") {
    std::byte* freed = make_device_memory(bytes);
    CHECK(cudaFree(freed) == cudaSuccess);
    const char* words = "not, or not wholly, allocated";
    CHECK(cudaMemcpyAsync(device + 1, pinned, bytes, cudaMemcpyDefault, stream) ==
          cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaMemcpyAsync(pinned, freed, bytes, cudaMemcpyDefault, stream) ==
          cudaErrorInvalidValue);
    expect_misuse(words);
    CHECK(cudaMemsetAsync(device, 0, bytes + 1, stream) == cudaErrorInvalidValue);
    expect_misuse(words);
}

TEST_CASE_FIXTURE(fixture, "ranges do not overlap, and are not empty") {
    CHECK(cudaMemcpyAsync(device, device + 8, 16, cudaMemcpyDefault, stream) ==
          cudaErrorInvalidValue);
    expect_misuse("overlap");
    CHECK(cudaMemcpyAsync(device, pinned, 0, cudaMemcpyDefault, stream) == cudaSuccess);
    expect_misuse("zero bytes");
    CHECK(cudaMemsetAsync(device, 0, 0, stream) == cudaSuccess);
    expect_misuse("zero bytes");
}

TEST_CASE_FIXTURE(fixture, "a pageable source has been read when the call returns") {
    std::vector<unsigned char> source = counting(bytes);
    const std::vector<unsigned char> kept = source;
    simulated_cuda::gate gate;
    gate.close(stream);
    CHECK(cudaMemcpyAsync(device, source.data(), bytes, cudaMemcpyDefault, stream) == cudaSuccess);
    source.assign(bytes, 0);
    gate.open();
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(contents(device, bytes) == kept);
}

TEST_CASE_FIXTURE(fixture,
                  "a device that reads pageable memory itself reads it when it gets there") {
    if (!simulated_cuda::gate::works()) DEVMEM_SKIP("nothing is ever pending");
    simulated_cuda::pageable_access(true);
    std::vector<unsigned char> source = counting(bytes);
    simulated_cuda::gate gate;
    gate.close(stream);
    CHECK(cudaMemcpyAsync(device, source.data(), bytes, cudaMemcpyDefault, stream) == cudaSuccess);
    source.assign(bytes, 0);
    gate.open();
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(contents(device, bytes) == std::vector<unsigned char>(bytes, 0));
}

TEST_CASE_FIXTURE(fixture, "rows are copied, and what is between them is not") {
    std::memset(pinned, 9, bytes);
    CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyDefault, stream) == cudaSuccess);
    std::vector<unsigned char> source = counting(15);
    const std::vector<unsigned char> kept = source;
    // Rows of 3 bytes: each 5 apart where they come from, each 8 apart where they go.
    CHECK(cudaMemcpy2DAsync(device + 1, 8, source.data(), 5, 3, 3, cudaMemcpyHostToDevice,
                            stream) == cudaSuccess);
    source.assign(15, 0);  // it has been read
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    std::vector<unsigned char> wanted(bytes, 9);
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t i = 0; i < 3; ++i) wanted[1 + row * 8 + i] = kept[row * 5 + i];
    }
    CHECK(contents(device, bytes) == wanted);
    // Rows that lie between one another do not overlap.
    CHECK(cudaMemcpy2DAsync(device + 4, 8, device + 1, 8, 3, 3, cudaMemcpyDefault, stream) ==
          cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t i = 0; i < 3; ++i) wanted[4 + row * 8 + i] = kept[row * 5 + i];
    }
    CHECK(contents(device, bytes) == wanted);
}

TEST_CASE_FIXTURE(fixture, "rows are within memory, no longer than a pitch, and apart") {
    const auto copy = [this](std::byte* dst, std::size_t dst_pitch, const std::byte* src,
                             std::size_t src_pitch, std::size_t width, std::size_t height) {
        return cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, cudaMemcpyDefault,
                                 stream);
    };
    CHECK(copy(device, 8, pinned, 9, 9, 2) == cudaErrorInvalidPitchValue);
    expect_misuse("longer than a pitch");
    CHECK(copy(device, 9, pinned, 8, 9, 2) == cudaErrorInvalidPitchValue);
    expect_misuse("longer than a pitch");
    CHECK(copy(device, std::size_t{1} << 31, pinned, 8, 8, 2) == cudaErrorInvalidPitchValue);
    expect_misuse("pitch longer than any");
    CHECK(copy(device, 64, pinned, 8, 8, 5) == cudaErrorInvalidValue);
    expect_misuse("not, or not wholly, allocated");
    CHECK(copy(device, 8, pinned, 64, 8, 5) == cudaErrorInvalidValue);
    expect_misuse("not, or not wholly, allocated");
    CHECK(copy(device + 2, 8, device, 8, 3, 2) == cudaErrorInvalidValue);
    expect_misuse("overlap");
    CHECK(copy(device, 8, pinned, 8, 0, 2) == cudaSuccess);
    expect_misuse("zero bytes");
    CHECK(cudaMemcpy2DAsync(device, 8, pinned, 8, 4, 2, cudaMemcpyDeviceToHost, stream) ==
          cudaErrorInvalidValue);
    expect_misuse("the direction is not that of the addresses");
}

TEST_CASE_FIXTURE(fixture, "the plain copy is done when it returns") {
    const std::vector<unsigned char> source = counting(bytes);
    std::memcpy(pinned, source.data(), bytes);
    CHECK(cudaMemcpy(device, pinned, bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    std::memset(pinned, 0, bytes);
    CHECK(cudaMemcpy(pinned, device, bytes, cudaMemcpyDefault) == cudaSuccess);
    CHECK(std::memcmp(pinned, source.data(), bytes) == 0);
}

TEST_CASE_FIXTURE(fixture, "fills write rows of bytes and leave what is between them") {
    CHECK(cudaMemsetAsync(device, 7, bytes, stream) == cudaSuccess);
    CHECK(cudaMemset2DAsync(device + 1, 8, 9, 3, 4, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    std::vector<unsigned char> wanted(bytes, 7);
    for (std::size_t row = 0; row < 4; ++row) {
        for (std::size_t i = 0; i < 3; ++i) wanted[1 + row * 8 + i] = 9;
    }
    CHECK(contents(device, bytes) == wanted);
    CHECK(cudaMemset2DAsync(device, 8, 9, 9, 2, stream) == cudaErrorInvalidValue);
    expect_misuse("rows that overlap");
    int local = 0;
    CHECK(cudaMemsetAsync(&local, 0, 4, stream) == cudaErrorInvalidValue);
    expect_misuse("pageable memory");
}

TEST_CASE_FIXTURE(fixture,
                  "the driver's fills write words, at addresses that are multiples of them") {
    void* found = nullptr;
    const auto entry = [&found](const char* name) {
        REQUIRE(cudaGetDriverEntryPointByVersion(name, &found, 3020, cudaEnableDefault, nullptr) ==
                cudaSuccess);
        return found;
    };
    const auto fill_16 = reinterpret_cast<PFN_cuMemsetD16Async_v3020>(entry("cuMemsetD16Async"));
    const auto fill_32 = reinterpret_cast<PFN_cuMemsetD32Async_v3020>(entry("cuMemsetD32Async"));
    const auto at = reinterpret_cast<CUdeviceptr>(device);
    CHECK(fill_16(at, 0x1234, 2, stream) == CUDA_SUCCESS);
    CHECK(fill_32(at + 4, 0x12345678, 2, stream) == CUDA_SUCCESS);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(contents<std::uint32_t>(device, 3) ==
          std::vector<std::uint32_t>{0x12341234, 0x12345678, 0x12345678});
    CHECK(fill_16(at + 1, 0, 1, stream) == CUDA_ERROR_INVALID_VALUE);
    expect_misuse("not aligned");
    CHECK(fill_32(at + 2, 0, 1, stream) == CUDA_ERROR_INVALID_VALUE);
    expect_misuse("not aligned");
}

TEST_CASE("a stream that is captured takes no work") {
    const fresh_simulation fresh;
    cudaStream_t stream = make_stream();
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    CHECK(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusNone);
    simulated_cuda::set_capturing(stream, true);
    CHECK(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusActive);
    std::byte* memory = make_device_memory(16);
    CHECK(cudaMemsetAsync(memory, 0, 16, stream) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
    simulated_cuda::set_capturing(stream, false);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaFree(memory) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
