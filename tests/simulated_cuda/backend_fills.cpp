// cuda_backend: fills of any width, without a kernel.
#include "backend_fixture.hpp"

#include <cstdint>

using namespace devmem_test;

namespace {

struct fill_fixture : backend_fixture {
    std::byte* at(std::size_t offset) const { return static_cast<std::byte*>(memory) + offset; }

    /// Fills `count` elements from `offset` on, and tells whether these and no other bytes are so.
    bool fills(const std::vector<unsigned char>& pattern, std::size_t count,
               std::size_t offset = 0) const {
        constexpr unsigned char other = 0xA5;
        CHECK(backend::fill_async(d, stream, memory, &other, 1, bytes).ok());
        std::vector<unsigned char> gone = pattern;
        CHECK(backend::fill_async(d, stream, at(offset), gone.data(), gone.size(), count).ok());
        gone.assign(gone.size(), 0);  // it has been read
        std::vector<unsigned char> wanted(bytes, other);
        for (std::size_t i = 0; i < count * pattern.size(); ++i) {
            wanted[offset + i] = pattern[i % pattern.size()];
        }
        return read(bytes) == wanted;
    }
};

std::vector<unsigned char> bytes_of(std::size_t n) {
    std::vector<unsigned char> made(n);
    for (std::size_t i = 0; i < n; ++i) made[i] = static_cast<unsigned char>(17 + 13 * i);
    return made;
}

}  // namespace

TEST_CASE_FIXTURE(fill_fixture, "every width is filled, at every count") {
    for (const std::size_t width : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 12u, 16u, 24u, 31u, 64u}) {
        for (const std::size_t count : {1u, 2u, 3u, 7u, 64u}) {
            CAPTURE(width);
            CAPTURE(count);
            CHECK(fills(bytes_of(width), count));
        }
    }
}

TEST_CASE_FIXTURE(fill_fixture, "elements may lie at any address") {
    for (const std::size_t offset : {1u, 2u, 3u, 4u, 6u, 9u}) {
        for (const std::size_t width : {1u, 2u, 4u, 8u, 12u}) {
            CAPTURE(width);
            CAPTURE(offset);
            CHECK(fills(bytes_of(width), 9, offset));
        }
    }
}

TEST_CASE_FIXTURE(fill_fixture, "1, 2, 4 and 8 bytes take the driver's fills and no copy") {
    const struct {
        std::size_t width;
        const char* function;
        std::size_t calls;
    } all[] = {{1, "cuMemsetD8Async", 1},
               {2, "cuMemsetD16Async", 1},
               {4, "cuMemsetD32Async", 1},
               {8, "cuMemsetD2D32Async", 2}};
    for (const auto& [width, function, calls] : all) {
        simulated_cuda::clear_calls();
        const std::vector<unsigned char> pattern = bytes_of(width);
        CHECK(backend::fill_async(d, stream, memory, pattern.data(), width, 100).ok());
        CHECK(simulated_cuda::count(function) == calls);
        CHECK(simulated_cuda::count("cudaMemcpyAsync") == 0);
    }
}

TEST_CASE_FIXTURE(fill_fixture,
                  "a pattern that repeats is filled as the shortest that it repeats") {
    const auto calls = [this](const std::vector<unsigned char>& pattern, const char* function,
                              std::size_t count) {
        const bool right = fills(pattern, 10);
        simulated_cuda::clear_calls();
        CHECK(backend::fill_async(d, stream, memory, pattern.data(), pattern.size(), 10).ok());
        return right && simulated_cuda::count(function) == count &&
               simulated_cuda::count("cudaMemcpyAsync") == 0;
    };
    CHECK(calls(std::vector<unsigned char>(24, 7), "cuMemsetD8Async", 1));
    CHECK(calls(std::vector<unsigned char>(8, 0), "cuMemsetD8Async", 1));
    CHECK(calls({1, 2, 1, 2}, "cuMemsetD16Async", 1));
    CHECK(calls({1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}, "cuMemsetD32Async", 1));
    CHECK(calls({1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}, "cuMemsetD2D32Async", 2));
    // The last byte differs: all of it counts.
    CHECK(fills({1, 2, 3, 4, 1, 2, 3, 5}, 10));
    CHECK(fills({7, 7, 8}, 10));
}

TEST_CASE_FIXTURE(fill_fixture, "a wide pattern takes as many copies as the count has doublings") {
    const std::vector<unsigned char> pattern = bytes_of(3);
    simulated_cuda::clear_calls();
    CHECK(backend::fill_async(d, stream, memory, pattern.data(), 3, 1000).ok());
    CHECK(simulated_cuda::count("cudaMemcpyAsync") == 1 + 10);
}

TEST_CASE_FIXTURE(fill_fixture, "host memory is filled too, in the order of the stream") {
    for (const memory_space space : {memory_space::pinned, memory_space::managed}) {
        for (const std::size_t width : {1u, 4u, 8u, 12u}) {
            void* host = nullptr;
            REQUIRE(backend::allocate(d, space, 120, &host).ok());
            const std::vector<unsigned char> pattern = bytes_of(width);
            simulated_cuda::gate gate;
            gate.close(stream);
            CHECK(backend::fill_async(d, stream, host, pattern.data(), width, 120 / width).ok());
            if (simulated_cuda::gate::works()) CHECK(*static_cast<unsigned char*>(host) == 0xFF);
            gate.open();
            CHECK(backend::stream_synchronize(d, stream).ok());
            for (std::size_t i = 0; i < 120; ++i) {
                REQUIRE(static_cast<unsigned char*>(host)[i] == pattern[i % width]);
            }
            CHECK(backend::deallocate(d, space, host, 120).ok());
        }
    }
}
