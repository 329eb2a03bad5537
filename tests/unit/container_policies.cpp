// Options: what they normalise to, what each way of obtaining memory does, fixed backends.
#include "contents.hpp"
#include "skip.hpp"
#include "test_backend.hpp"

#include <devmem/error.hpp>
#include <devmem/policy.hpp>
#include <devmem/pool.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::path_is_cuda;
using devmem_test::test_backend;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_pinned;
using devmem_test::test_vector;

std::atomic<int> blocks_of_user{0};
std::atomic<bool> user_has_memory{true};

/// Memory of the program's own: the host's, so for what the host may touch, or for the CPU.
struct counted_allocation {
    static void* allocate(devmem::device, devmem::memory_space, std::size_t bytes) {
        if (!user_has_memory) throw std::bad_alloc();
        void* data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
        if (data == nullptr) throw std::bad_alloc();
        ++blocks_of_user;
        return data;
    }
    static void deallocate(devmem::device, devmem::memory_space, void* data, std::size_t) noexcept {
        --blocks_of_user;
        std::free(data);
    }
};

template <class... Options>
using vector_policy = typename devmem::device_vector<int, Options...>::policy_type;

/// Works with any container of devmem.
template <devmem::device_container C>
std::size_t bytes_of(const C& c) {
    return c.size_bytes();
}
template <class T, class Policy>
std::size_t size_of(const devmem::basic_vector<T, Policy>& v) {
    return v.size();
}

}  // namespace

TEST_CASE("options may stand in any order, and different spellings are one type") {
    using devmem::cpu_backend;
    using devmem::direct;
    using devmem::dynamic_backend;
    using devmem::pooled;
    static_assert(std::is_same_v<devmem::device_vector<int>,
                                 devmem::device_vector<int, dynamic_backend, pooled>>);
    static_assert(std::is_same_v<devmem::device_vector<int, direct, cpu_backend>,
                                 devmem::device_vector<int, cpu_backend, direct>>);
    static_assert(!std::is_same_v<devmem::device_vector<int, direct>, devmem::device_vector<int>>);
    static_assert(!std::is_same_v<devmem::device_vector<int>, devmem::pinned_buffer<int>>);
    static_assert(std::is_same_v<vector_policy<direct>,
                                 devmem::policy<dynamic_backend, devmem::device_space, direct>>);
    static_assert(devmem::user_allocation<counted_allocation>);
    static_assert(
        std::is_same_v<vector_policy<counted_allocation>::allocation_type, counted_allocation>);
    const nothing_stays check;
    CHECK(bytes_of(test_vector<int>(3)) == 12);
    CHECK(bytes_of(test_pinned<double, direct>(3)) == 24);
    CHECK(size_of(test_vector<int>(3)) == 3);
}

TEST_CASE("each way of obtaining memory keeps elements, over sizes and streams") {
    const auto use = []<class Vector>(std::type_identity<Vector>) {
        const nothing_stays check;
        const devmem::stream s(test_device(1));
        for (const std::size_t n : {1UL, 3UL, 1000UL, 100'000UL}) {
            CAPTURE(n);
            Vector v(n, 5, s);
            v.resize(2 * n, 6, s);
            v.append(v.first(1), s);
            v.shrink_to_fit(s);
            s.synchronize();
            std::vector<int> wanted(n, 5);
            wanted.resize(2 * n, 6);
            wanted.push_back(5);
            CHECK(contents(v) == wanted);
            CHECK(reinterpret_cast<std::uintptr_t>(v.data()) % 256 == 0);
        }
    };
    use(std::type_identity<test_vector<int, devmem::pooled>>());
    use(std::type_identity<test_vector<int, devmem::direct>>());
    use(std::type_identity<test_vector<int, devmem::stream_ordered>>());
    use(std::type_identity<test_pinned<int, devmem::direct>>());
    use(std::type_identity<test_pinned<int, devmem::stream_ordered>>());
    use(std::type_identity<test_managed<int, devmem::direct>>());
    if (!path_is_cuda) use(std::type_identity<test_vector<int, counted_allocation>>());
    devmem::empty_cache(test_device(1));
    CHECK(blocks_of_user == 0);
}

TEST_CASE("memory of the user's own comes and goes by the user's functions") {
    if (path_is_cuda) DEVMEM_SKIP("the functions of this test give memory that CUDA does not know");
    const nothing_stays check;
    using vector = test_vector<int, counted_allocation>;
    // What is still in use goes later.
    const auto blocks = [] {
        devmem::empty_cache(test_device());
        return blocks_of_user.load();
    };
    {
        vector v(10, 1);
        CHECK(blocks() == 1);
        v.resize(1000);
        CHECK(blocks() == 1);
        const vector copied = v;
        CHECK(blocks() == 2);
        v.reset();
        CHECK(blocks() == 1);
        CHECK(vector().capacity() == 0);
        CHECK(blocks() == 1);

        user_has_memory = false;
        CHECK_THROWS_AS(v.resize(5), std::bad_alloc);
        CHECK(v.empty());
        user_has_memory = true;
        CHECK(contents(copied) == contents(vector(copied)));
    }
    CHECK(blocks() == 0);
}

TEST_CASE("a fixed backend refuses devices of another kind before it allocates") {
    const nothing_stays check;
    using devmem::device;
    const auto cpu = [] {
        return devmem::device_vector<int, devmem::cpu_backend>(10, device::cuda(0));
    };
    CHECK_THROWS_AS(cpu(), devmem::wrong_device);
    const auto cuda = [] {
        return devmem::pinned_buffer<int, devmem::cuda_backend>(10, device::cpu(0));
    };
    CHECK_THROWS_AS(cuda(), devmem::wrong_device);
    const devmem::stream s(device::cpu(0));
    const auto by_stream = [&s] { return devmem::device_vector<int, devmem::cuda_backend>(10, s); };
    CHECK_THROWS_AS(by_stream(), devmem::wrong_device);
    try {
        cpu();
        FAIL("not refused");
    } catch (const devmem::wrong_device& e) {
        // The user's name of the container, and no policy spelled out.
        CHECK(std::string(e.what()).find("device_vector<int>") != std::string::npos);
        CHECK(std::string(e.what()).find("policy") == std::string::npos);
        CHECK(e.device() == device::cuda(0));
    }
}

TEST_CASE("a fixed backend is at home on the current device of its kind") {
    const nothing_stays check;
    const devmem::scoped_device inner(devmem::device::cpu(2));
    CHECK(devmem::device_vector<int, devmem::cpu_backend>(3).device() == devmem::device::cpu(2));
    CHECK(devmem::device_vector<int>(3).device() == devmem::device::cpu(2));
    // Each kind has a current device of its own.
    if (path_is_cuda) CHECK(test_vector<int>(3).device() == devmem::device::cuda(0));
}
