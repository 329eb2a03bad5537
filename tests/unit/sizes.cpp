// Sizes that cannot be: refused before anything is asked of a backend.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/error.hpp>
#include <devmem/memory_info.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::live_bytes;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

// Times the size of an element, these wrap to 4, to 0 and to about 2^64, or are too many by one.
constexpr std::size_t wraps_to_4 = 4611686018427387905U;  // of 4 bytes
constexpr std::size_t wraps_to_0 = 2305843009213693952U;  // of 8 bytes
constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
constexpr std::size_t one_too_many = (std::size_t{1} << 63) / 4;  // of 4 bytes: 2^63

/// How many calls the simulated runtime has seen of functions that do something.
std::size_t backend_calls() {
    std::size_t calls = 0;
#if defined(DEVMEM_CUDA)
    for (const simulated_cuda::call& c : simulated_cuda::calls()) {
        const std::string function = c.function;
        // These only tell which devices there are and which is current.
        if (function != "cudaGetDeviceCount" && function != "cudaGetDevice") ++calls;
    }
#endif
    return calls;
}

template <class Vector>
void refuse_everywhere(std::size_t n) {
    CAPTURE(n);
    using T = typename Vector::value_type;
    Vector v(counted<T>(3), test_device(1));
    devmem_test::settle();
    const std::size_t capacity = v.capacity();
    const std::size_t live = live_bytes();
    const std::size_t calls = backend_calls();
    CHECK_THROWS_AS(Vector(n, test_device(1)), devmem::length_error);
    CHECK_THROWS_AS(Vector(n, T{7}, test_device(1)), devmem::length_error);
    CHECK_THROWS_AS(Vector(n, devmem::uninitialized, test_device(1)), devmem::length_error);
    CHECK_THROWS_AS(v.resize(n), devmem::length_error);
    CHECK_THROWS_AS(v.resize(n, T{1}), devmem::length_error);
    CHECK_THROWS_AS(v.resize(n, devmem::uninitialized), devmem::length_error);
    CHECK_THROWS_AS(v.reserve(n), devmem::length_error);
    CHECK_THROWS_AS(v.assign(n, T{1}), devmem::length_error);
    CHECK(backend_calls() == calls);
    CHECK(live_bytes() == live);
    CHECK(v.size() == 3);
    CHECK(v.capacity() == capacity);
    CHECK(contents(v) == counted<T>(3));
}

}  // namespace

TEST_CASE("n times the size of an element does not wrap") {
    const nothing_stays check;
    refuse_everywhere<test_vector<std::int32_t>>(wraps_to_4);
    refuse_everywhere<test_vector<double>>(wraps_to_0);
    refuse_everywhere<test_pinned<std::int32_t>>(wraps_to_4);
    refuse_everywhere<test_pinned<double>>(wraps_to_0);
    refuse_everywhere<test_vector<std::int32_t>>(one_too_many);
    refuse_everywhere<test_vector<std::int32_t>>(most);
    refuse_everywhere<test_vector<std::uint8_t>>(most);
    refuse_everywhere<test_vector<std::uint8_t>>(most - 255);
    refuse_everywhere<test_vector<std::uint8_t>>(std::size_t{1} << 63);
    refuse_everywhere<test_vector<double, devmem::direct>>(wraps_to_0);
    refuse_everywhere<test_vector<double, devmem::stream_ordered>>(wraps_to_0);
}

TEST_CASE("ranges that claim more elements than there can be are refused") {
    const nothing_stays check;
    // A range of the user's, which no allocator could have made.
    struct liar {
        const std::int32_t* data() const { return nullptr; }
        std::size_t size() const { return wraps_to_4; }
    };
    test_vector<std::int32_t> v(counted<std::int32_t>(3), test_device(1));
    CHECK_THROWS_AS(v.assign(liar{}), devmem::length_error);
    CHECK_THROWS_AS(v.append(liar{}), devmem::length_error);
    CHECK_THROWS_AS(test_vector<std::int32_t>(liar{}), devmem::length_error);
    CHECK(contents(v) == counted<std::int32_t>(3));
}

TEST_CASE("a vector of 2^50 floats is out of memory, by either of its bases") {
    const nothing_stays check;
    constexpr std::size_t n = std::size_t{1} << 50;
    const auto allocate = [] { return test_vector<float>(n, test_device(1)); };
    bool caught = false;
    try {
        allocate();
    } catch (const std::exception& e) {
        caught = true;
        const std::string what = e.what();
        CHECK(what.find("device_vector<float>") == 0);
        CHECK(what.find("4.0 PiB") != std::string::npos);
    }
    CHECK(caught);
    caught = false;
    try {
        allocate();
    } catch (const std::bad_alloc& e) {
        caught = true;
        CHECK(std::string(e.what()).size() > 20);
    }
    CHECK(caught);
    CHECK_THROWS_AS(allocate(), devmem::out_of_memory);
    try {
        allocate();
        FAIL("there was memory");
    } catch (const devmem::error_info& e) {
        CHECK(e.bytes() == n * sizeof(float));
        CHECK(e.device() == test_device(1));
        CHECK(e.code() == devmem::error_code::out_of_memory);
    }
    // Out of memory is no `error`, which a program may handle otherwise.
    static_assert(!std::is_base_of_v<devmem::error, devmem::out_of_memory>);

    test_vector<float> v(3, 1.5F, test_device(1));
    CHECK_THROWS_AS(v.resize(n), devmem::out_of_memory);
    CHECK_THROWS_AS(v.reserve(n), devmem::out_of_memory);
    CHECK_THROWS_AS(v.assign(n, 1.0F), devmem::out_of_memory);
    CHECK_THROWS_AS(test_pinned<float>(n, test_device(1)), devmem::out_of_memory);
    CHECK(contents(v) == std::vector<float>(3, 1.5F));
    CHECK(v.capacity() == 3);
}
