// cuda_backend: uploads of pageable memory, staged in pinned buffers.
#include "backend_fixture.hpp"

#include <devmem/backend/cpu/options.hpp>

#include <algorithm>

using namespace devmem_test;

namespace {

/// Staging of so many bytes at most, for one test.
struct staging_limit {
    explicit staging_limit(std::size_t bytes) {
        devmem::detail::cpu_options_in_force.staging_bytes = bytes;
    }
    ~staging_limit() { devmem::detail::cpu_options_in_force.staging_bytes = before; }
    staging_limit(const staging_limit&) = delete;
    staging_limit& operator=(const staging_limit&) = delete;

    const std::size_t before = devmem::detail::cpu_options_in_force.staging_bytes;
};

struct upload_fixture : backend_fixture {
    upload_fixture() { release_idle(); }
    ~upload_fixture() { release_idle(); }

    void release_idle() const {
        const devmem::detail::cuda_scope scope(d);
        REQUIRE(scope.entered().ok());
        devmem::detail::release_staging(scope.driver(), d);
    }
    static simulated_cuda::memory_amount staged() {
        return simulated_cuda::live(1, memory_kind::pinned);
    }
    status upload(const std::vector<unsigned char>& from) const {
        return backend::upload_async(d, stream, memory, from.data(), from.size());
    }
};

}  // namespace

TEST_CASE_FIXTURE(upload_fixture,
                  "the source has been read on return, and the caller is not kept") {
    for (const bool by_device : {false, true}) {
        simulated_cuda::pageable_access(by_device);
        std::vector<unsigned char> source(bytes, 3);
        simulated_cuda::gate gate;
        gate.close(stream);
        CHECK(upload(source).ok());
        std::fill(source.begin(), source.end(), static_cast<unsigned char>(4));
        gate.open();
        CHECK(read(bytes) == std::vector<unsigned char>(bytes, 3));
    }
}

TEST_CASE_FIXTURE(upload_fixture, "beyond the limit the source has been read on return too") {
    const staging_limit limit(bytes - 1);
    for (const bool by_device : {false, true}) {
        simulated_cuda::pageable_access(by_device);
        std::vector<unsigned char> source(bytes, 3);
        CHECK(upload(source).ok());
        std::fill(source.begin(), source.end(), static_cast<unsigned char>(4));
        CHECK(read(bytes) == std::vector<unsigned char>(bytes, 3));
    }
    CHECK(staged().blocks == 0);
}

TEST_CASE_FIXTURE(upload_fixture, "a staging buffer is used again once its stream has passed") {
    const std::vector<unsigned char> source(1000, 3);
    for (int i = 0; i < 5; ++i) {
        CHECK(upload(source).ok());
        CHECK(backend::stream_synchronize(d, stream).ok());
    }
    CHECK(staged().blocks == 1);
    if (!simulated_cuda::gate::works()) return;
    simulated_cuda::gate gate;
    gate.close(stream);
    for (int i = 0; i < 5; ++i) CHECK(upload(source).ok());
    CHECK(staged().blocks == 5);
    gate.open();
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(upload(source).ok());
    CHECK(staged().blocks == 5);
}

TEST_CASE_FIXTURE(upload_fixture, "uploads in flight do not disturb each other") {
    simulated_cuda::gate gate;
    gate.close(stream);
    std::vector<unsigned char> source(100);
    for (unsigned char i = 0; i < 20; ++i) {
        std::fill(source.begin(), source.end(), i);
        CHECK(backend::upload_async(d, stream, static_cast<std::byte*>(memory) + i * 100u,
                                    source.data(), source.size())
                  .ok());
    }
    gate.open();
    const std::vector<unsigned char> got = read(2000);
    for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == i / 100);
}

TEST_CASE_FIXTURE(upload_fixture, "after a burst, staging buffers become fewer again") {
    if (!simulated_cuda::gate::works()) DEVMEM_SKIP("nothing is ever pending");
    constexpr std::size_t large = std::size_t{4} << 20;
    constexpr std::size_t kept = devmem::detail::staging_kept_bytes / large + 2;
    void* room = nullptr;
    REQUIRE(backend::allocate(d, memory_space::device, large, &room).ok());
    const std::vector<unsigned char> source(large, 3);
    simulated_cuda::gate gate;
    gate.close(stream);
    for (std::size_t i = 0; i < kept + 3; ++i) {
        CHECK(backend::upload_async(d, stream, room, source.data(), large).ok());
    }
    CHECK(staged().blocks == kept + 3);
    gate.open();
    for (int i = 0; i < 5; ++i) {
        CHECK(backend::stream_synchronize(d, stream).ok());
        CHECK(backend::upload_async(d, stream, room, source.data(), large).ok());
    }
    CHECK(staged().blocks == kept);
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(backend::deallocate(d, memory_space::device, room, large).ok());
}

TEST_CASE_FIXTURE(upload_fixture, "without pinned memory to stage in, uploads are right and wait") {
    std::vector<unsigned char> source(bytes, 3);
    for (const char* function : {"cudaHostAlloc", "cudaEventCreateWithFlags"}) {
        simulated_cuda::fail_call(function, 1, cudaErrorMemoryAllocation);
        CHECK(upload(source).ok());
        CHECK(staged().blocks == 0);
        CHECK(cudaPeekAtLastError() == cudaSuccess);
        CHECK(read(bytes) == source);
        source.assign(bytes, 4);
    }
}

TEST_CASE_FIXTURE(upload_fixture, "a buffer whose use cannot be marked is waited for") {
    const std::vector<unsigned char> source(bytes, 3);
    simulated_cuda::fail_call("cudaEventRecord", 1, cudaErrorUnknown);
    CHECK(upload(source).ok());
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    CHECK(simulated_cuda::count("cudaStreamSynchronize") == 1);
    CHECK(upload(std::vector<unsigned char>(bytes, 5)).ok());
    CHECK(staged().blocks == 1);
    CHECK(read(bytes) == std::vector<unsigned char>(bytes, 5));
}

TEST_CASE_FIXTURE(upload_fixture, "an upload to pinned memory is staged too, and does not wait") {
    void* pinned = nullptr;
    REQUIRE(backend::allocate(d, memory_space::pinned, 64, &pinned).ok());
    simulated_cuda::gate gate;
    gate.close(stream);
    int source = 5;
    CHECK(backend::upload_async(d, stream, pinned, &source, sizeof source).ok());
    source = 6;
    gate.open();
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(*static_cast<int*>(pinned) == 5);
    CHECK(backend::deallocate(d, memory_space::pinned, pinned, 64).ok());
}

TEST_CASE_FIXTURE(upload_fixture,
                  "what would be replayed from a buffer since used again is refused") {
    simulated_cuda::set_capturing(stream, true);
    const std::vector<unsigned char> source(bytes, 3);
    CHECK(is(upload(source), error_code::capture_error, cudaErrorStreamCaptureUnsupported));
    CHECK(
        backend::host_call(d, stream, devmem::detail::make_host_function([]() noexcept {})).code ==
        error_code::capture_error);
    CHECK(simulated_cuda::count("cudaMemcpyAsync") == 0);
    CHECK(simulated_cuda::count("cudaLaunchHostFunc") == 0);
    simulated_cuda::set_capturing(stream, false);
}

TEST_CASE(
    "buffers are taken in the order of their use, whatever was taken and put back meanwhile") {
    devmem::detail::staging_list list;
    devmem::detail::staging_buffer a;
    devmem::detail::staging_buffer b;
    devmem::detail::staging_buffer c;
    CHECK(list.take() == nullptr);
    CHECK_FALSE(list.put_last(&a, 2));
    CHECK_FALSE(list.put_last(&b, 2));
    CHECK(list.put_last(&c, 2));  // one too many
    CHECK(list.take() == &a);
    CHECK(list.take() == &b);
    CHECK(list.take() == &c);
    list.put_first(&a);
    CHECK_FALSE(list.put_last(&b, 2));
    list.put_first(&c);
    CHECK(list.take() == &c);
    CHECK(list.take() == &a);
    CHECK(list.take() == &b);
    CHECK(list.take() == nullptr);
}
