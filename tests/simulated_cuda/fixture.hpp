/// \file
/// A fresh simulation for a test, and short ways to ask for results.
#pragma once

#include <simulated_cuda.hpp>
#include <skip.hpp>

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace devmem_test {

using simulated_cuda::memory_kind;

/// The simulation afresh; at the end, nothing that CUDA forbids has been done, unless the test has
/// looked at it with `expect_misuse`.
struct fresh_simulation {
    explicit fresh_simulation(int devices = 2,
                              std::size_t capacity = simulated_cuda::default_capacity) {
        simulated_cuda::reset(devices, capacity);
    }
    ~fresh_simulation() {
        for (const std::string& misuse : simulated_cuda::misuses()) FAIL_CHECK(misuse);
        simulated_cuda::reset();
    }
    fresh_simulation(const fresh_simulation&) = delete;
    fresh_simulation& operator=(const fresh_simulation&) = delete;
};

/// Checks that exactly one misuse has been noted, which says `words`, and forgets it.
inline void expect_misuse(const char* words) {
    const std::vector<std::string> noted = simulated_cuda::misuses();
    simulated_cuda::clear_misuses();
    REQUIRE(noted.size() == 1);
    CHECK_MESSAGE(noted.front().find(words) != std::string::npos, noted.front());
}

inline cudaStream_t make_stream(unsigned flags = cudaStreamNonBlocking) {
    cudaStream_t made = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&made, flags) == cudaSuccess);
    return made;
}

inline cudaEvent_t make_event(unsigned flags = cudaEventDisableTiming) {
    cudaEvent_t made = nullptr;
    REQUIRE(cudaEventCreateWithFlags(&made, flags) == cudaSuccess);
    return made;
}

inline std::byte* make_device_memory(std::size_t bytes) {
    void* made = nullptr;
    REQUIRE(cudaMalloc(&made, bytes) == cudaSuccess);
    return static_cast<std::byte*>(made);
}

inline std::byte* make_pinned_memory(std::size_t bytes) {
    void* made = nullptr;
    REQUIRE(cudaHostAlloc(&made, bytes, cudaHostAllocDefault) == cudaSuccess);
    return static_cast<std::byte*>(made);
}

/// What is in memory of any kind, once the default stream gets to it.
template <class T = unsigned char>
std::vector<T> contents(const void* at, std::size_t count) {
    std::vector<T> read(count);
    REQUIRE(cudaMemcpy(read.data(), at, count * sizeof(T), cudaMemcpyDefault) == cudaSuccess);
    return read;
}

inline int current_device() {
    int current = -1;
    REQUIRE(cudaGetDevice(&current) == cudaSuccess);
    return current;
}

}  // namespace devmem_test
