// How many elements satisfy a predicate.
#include "elements.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/count_if.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

using devmem::count_if;
using devmem::count_if_async;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

template <class T, class P>
void check_against_standard(const P& satisfies) {
    const auto check = [&](const std::vector<T>& values) {
        CAPTURE(values.size());
        const test_vector<T> v(values, test_device(1));
        const auto expected = std::count_if(values.begin(), values.end(), satisfies);
        CHECK(count_if(v, satisfies) == static_cast<std::size_t>(expected));
    };
    devmem_test::for_random_inputs<T>(check);
}

}  // namespace

TEST_CASE("it gives what the standard library's gives") {
    DEVMEM_NEEDS_KERNELS();
    check_against_standard<std::uint8_t>([](std::uint8_t x) { return x % 3 == 0; });
    check_against_standard<std::int16_t>([](std::int16_t x) { return x < 0; });
    check_against_standard<int>([](int x) { return x & 4; });  // anything that is true or false
    check_against_standard<float>([](float x) { return x > 1.0f; });
    check_against_standard<std::uint64_t>([](std::uint64_t) { return true; });
    check_against_standard<devmem_test::wide_element>(
        [](const devmem_test::wide_element& x) { return static_cast<double>(x.number) < x.place; });
}

TEST_CASE("of large ranges") {
    DEVMEM_NEEDS_KERNELS();
    for (const std::size_t n : devmem_test::large_sizes) {
        const test_vector<std::uint8_t> v(n, 1, test_device(0));
        CHECK(count_if(v, [](std::uint8_t x) { return x == 1; }) == n);
    }
}

TEST_CASE("asynchronous, to an integer of any type") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const devmem::stream s(test_device(0));
    const test_vector<int> v({1, -2, 3, -4, 5}, s);
    test_vector<int> small(2, s);
    test_vector<std::uint64_t> large(1, s);
    const auto negative = [](int x) { return x < 0; };
    devmem_test::gate held(s);
    count_if_async(v, small.first(1), negative, s);
    count_if_async(v, large, negative, s);
    held.open();
    CHECK(small.get(0) == 2);
    CHECK(large.get(0) == 2);
    CHECK_THROWS_AS(count_if_async(v, small, negative, s), devmem::invalid_argument);
}

TEST_CASE("what the predicate throws is thrown here") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> v(10'000, test_device(0));
    CHECK_THROWS_AS(
        static_cast<void>(count_if(v, [](int) -> bool { throw std::range_error("x"); })),
        std::range_error);
}
