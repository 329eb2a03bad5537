// Where the smallest and the largest element are.
#include "elements.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/min_max_element.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>

using devmem::min_max_element;
using devmem::min_max_positions;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

template <class T, class Less>
min_max_positions of_standard(const std::vector<T>& values, const Less& less) {
    const auto [min, max] = std::minmax_element(values.begin(), values.end(), less);
    return {static_cast<std::size_t>(min - values.begin()),
            static_cast<std::size_t>(max - values.begin())};
}

template <class T, class Less>
void check_against_standard(const Less& less) {
    devmem_test::for_random_inputs<T>([&](const std::vector<T>& values) {
        CAPTURE(values.size());
        const test_vector<T> v(values, test_device(1));
        CHECK(min_max_element(v, less) == of_standard(values, less));
    });
}

/// Four bytes, of which one counts.
struct item {
    std::uint8_t key;
    std::uint8_t rest[3];
};

}  // namespace

TEST_CASE("it gives what the standard library's gives") {
    DEVMEM_NEEDS_KERNELS();
    check_against_standard<std::uint8_t>(std::less<>());
    check_against_standard<std::int16_t>(std::greater<>());
    check_against_standard<int>([](int a, int b) { return a % 7 < b % 7; });
    check_against_standard<float>(devmem::less{});
    check_against_standard<std::uint64_t>(std::less<>());
    check_against_standard<devmem_test::wide_element>(
        [](const auto& a, const auto& b) { return a.number < b.number; });
}

TEST_CASE("of equals the first smallest and the last largest, wherever they are") {
    DEVMEM_NEEDS_KERNELS();
    devmem_test::random_numbers random(11);
    for (int round = 0; round < 50; ++round) {
        std::vector<item> values(1 + random.below(9'000));
        for (item& x : values) x.key = static_cast<std::uint8_t>(random.below(3));
        const auto less = [](const item& a, const item& b) { return a.key < b.key; };
        const test_vector<item> v(values, test_device(0));
        CHECK(min_max_element(v, less) == of_standard(values, less));
    }
}

TEST_CASE("of large ranges") {
    DEVMEM_NEEDS_KERNELS();
    for (const std::size_t n : devmem_test::large_sizes) {
        test_vector<float> v(n, 1.0f, test_device(0));
        CHECK(min_max_element(v) == min_max_positions{0, n - 1});
        v.set(n / 2, -1.0f);
        v.set(n / 3, 2.0f);
        CHECK(min_max_element(v) == min_max_positions{n / 2, n / 3});
    }
}

TEST_CASE("of no elements the positions are 0") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> none(0, test_device(0));
    CHECK(min_max_element(none) == min_max_positions{0, 0});
}

TEST_CASE("asynchronous, to a pair of positions") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const devmem::stream s(test_device(0));
    const test_vector<int> v({3, 1, 2}, s);
    test_vector<min_max_positions> found(2, s);
    devmem_test::gate held(s);
    devmem::min_max_element_async(v, found.first(1), s);
    devmem::min_max_element_async(v, found.last(1), std::greater<>(), s);
    held.open();
    CHECK(found.get(0) == min_max_positions{1, 0});
    CHECK(found.get(1) == min_max_positions{0, 1});
    CHECK_THROWS_AS(devmem::min_max_element_async(v, found, s), devmem::invalid_argument);
}
