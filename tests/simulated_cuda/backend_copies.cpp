// cuda_backend: copies between any two places, without keeping the caller.
#include "backend_fixture.hpp"

#include <numeric>

using namespace devmem_test;

namespace {

struct copy_fixture : backend_fixture {
    copy_fixture() {
        for (memory_space space : {memory_space::pinned, memory_space::mapped}) {
            void* made = nullptr;
            REQUIRE(backend::allocate(d, space, bytes, &made).ok());
            (space == memory_space::pinned ? pinned : mapped) = static_cast<unsigned char*>(made);
        }
        std::iota(pinned, pinned + bytes, static_cast<unsigned char>(1));
    }
    ~copy_fixture() {
        CHECK(backend::stream_synchronize(d, stream).ok());
        CHECK(backend::deallocate(d, memory_space::pinned, pinned, bytes).ok());
        CHECK(backend::deallocate(d, memory_space::mapped, mapped, bytes).ok());
    }

    unsigned char* pinned = nullptr;
    unsigned char* mapped = nullptr;
};

}  // namespace

TEST_CASE_FIXTURE(copy_fixture, "bytes come through every pair of places") {
    void* other = nullptr;
    void* managed = nullptr;
    const device d0 = device::cuda(0);
    REQUIRE(backend::allocate(d0, memory_space::device, bytes, &other).ok());
    REQUIRE(backend::allocate(d, memory_space::managed, bytes, &managed).ok());
    const void* from = pinned;
    for (void* to : {memory, other, managed, static_cast<void*>(mapped)}) {
        CHECK(backend::copy_async(d, stream, to, from, bytes).ok());
        from = to;
    }
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(std::memcmp(mapped, pinned, bytes) == 0);
    CHECK(backend::deallocate(d0, memory_space::device, other, bytes).ok());
    CHECK(backend::deallocate(d, memory_space::managed, managed, bytes).ok());
    simulated_cuda::reset();
}

TEST_CASE_FIXTURE(copy_fixture,
                  "no copy of pinned memory keeps the caller, host to host included") {
    if (!simulated_cuda::gate::works()) DEVMEM_SKIP("nothing is ever pending");
    simulated_cuda::gate gate;
    gate.close(stream);
    CHECK(backend::copy_async(d, stream, memory, pinned, bytes).ok());
    CHECK(backend::copy_async(d, stream, mapped, memory, bytes).ok());
    CHECK(backend::copy_async(d, stream, pinned + bytes / 2, mapped, bytes / 2).ok());
    CHECK(mapped[0] == 0xFF);
    CHECK(pinned[bytes / 2] == 1);
    pinned[0] = 42;  // the stream has not read it yet
    gate.open();
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(mapped[0] == 42);
    CHECK(mapped[1] == 2);
    CHECK(pinned[bytes / 2] == 42);
}

TEST_CASE_FIXTURE(copy_fixture,
                  "a copy to or from pageable memory that stays is right after a wait") {
    std::vector<unsigned char> host(bytes, 5);
    CHECK(backend::copy_async(d, stream, memory, host.data(), bytes).ok());
    CHECK(backend::copy_async(d, stream, pinned, memory, bytes).ok());
    CHECK(backend::copy_async(d, stream, host.data() + bytes / 2, pinned, bytes / 2).ok());
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(pinned[bytes - 1] == 5);
    CHECK(host[bytes - 1] == 5);
}
