// Consecutive numbers.
#include "contents.hpp"
#include "elements.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/iota.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <numeric>

using devmem::iota;
using devmem_test::contents;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

template <class T>
void check_all_sizes(T start) {
    for (const std::size_t n : devmem_test::border_sizes) {
        CAPTURE(n);
        test_vector<T> v(n, test_device(1));
        iota(v, start);
        std::vector<T> expected(n);
        for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<T>(start + static_cast<T>(i));
        CHECK(contents(v) == expected);
    }
}

}  // namespace

TEST_CASE("numbers of any type count up from the first") {
    DEVMEM_NEEDS_KERNELS();
    check_all_sizes<std::uint8_t>(250);  // they wrap around
    check_all_sizes<std::int16_t>(-7);
    check_all_sizes<int>(-3);
    check_all_sizes<std::int64_t>(std::int64_t{1} << 40);
    check_all_sizes<float>(0.5f);
    check_all_sizes<double>(-1e15);
}

TEST_CASE("signed numbers wrap around") {
    DEVMEM_NEEDS_KERNELS();
    test_vector<int> v(2, test_device(0));
    iota(v, std::numeric_limits<int>::max());
    CHECK(v.get(1) == std::numeric_limits<int>::min());
}

TEST_CASE("a large range, and a part of one") {
    DEVMEM_NEEDS_KERNELS();
    test_vector<int> v((1 << 20) + 1, -1, test_device(0));
    iota(v.subspan(1, 1 << 20), 10);
    std::vector<int> expected((1 << 20) + 1, -1);
    std::iota(expected.begin() + 1, expected.end(), 10);
    CHECK(contents(v) == expected);
}

TEST_CASE("it is queued, and the number is taken at the call") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const devmem::stream s(test_device(0));
    test_vector<int> v(3, s);
    devmem_test::gate held(s);
    int start = 5;
    iota(v, start, s);
    start = 9;
    held.open();
    CHECK(contents(v) == std::vector{5, 6, 7});
}

TEST_CASE("a stream of another device is refused") {
    DEVMEM_NEEDS_KERNELS();
    test_vector<int> v(3, test_device(0));
    const devmem::stream other(test_device(1));
    CHECK_THROWS_AS(iota(v, 0, other), devmem::wrong_device);
}
