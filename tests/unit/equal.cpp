// Whether two ranges hold the same values.
#include "elements.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/equal.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using devmem::equal;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

template <class T>
void check_one_difference() {
    devmem_test::random_numbers random(3);
    devmem_test::for_random_inputs<T>(
        [&](std::vector<T> values) {
            CAPTURE(values.size());
            const test_vector<T> a(values, test_device(1));
            CHECK(equal(a, test_vector<T>(values, test_device(1))));
            if (values.empty()) return;
            T& other = values[random.next() % values.size()];
            const T before = other;
            while (other == before) other = devmem_test::drawn_value<T>(random, 1'000);
            CHECK_FALSE(equal(a, test_vector<T>(values, test_device(1))));
        },
        30);
}

}  // namespace

TEST_CASE("equal values are equal, and one that differs anywhere is found") {
    DEVMEM_NEEDS_KERNELS();
    check_one_difference<std::uint8_t>();
    check_one_difference<std::int16_t>();
    check_one_difference<int>();
    check_one_difference<float>();
    check_one_difference<double>();
    check_one_difference<devmem_test::wide_element>();
}

TEST_CASE("ranges of different sizes are not equal") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> v(5, 1, test_device(0));
    CHECK_FALSE(equal(v, v.first(4)));
    CHECK_FALSE(equal(v.first(0), v));
    CHECK(equal(v.first(0), v.last(0)));
    CHECK(equal(v.first(4), v.last(4)));
}

TEST_CASE("values are compared, not bits, and not types") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<float> zeros({0.0f, -0.0f}, test_device(0));
    const test_vector<double> others({-0.0, 0.0}, test_device(0));
    CHECK(equal(zeros, others));
    const test_vector<float> nan(1, std::numeric_limits<float>::quiet_NaN(), test_device(0));
    CHECK_FALSE(equal(nan, nan));
}

TEST_CASE("large ranges are compared to the end") {
    DEVMEM_NEEDS_KERNELS();
    for (const std::size_t n : devmem_test::large_sizes) {
        const test_vector<std::uint8_t> a(n, 1, test_device(0));
        test_vector<std::uint8_t> b(n, 1, test_device(0));
        CHECK(equal(a, b));
        b.set(n - 1, 2);
        CHECK_FALSE(equal(a, b));
    }
}

TEST_CASE("asynchronous, to a bool") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const devmem::stream s(test_device(0));
    const test_vector<int> v(3, 1, s);
    test_vector<bool> answers(2, true, s);
    devmem_test::gate held(s);
    devmem::equal_async(v, v, answers.first(1), s);
    devmem::equal_async(v, v.first(2), answers.last(1), s);
    held.open();
    CHECK(answers.get(0));
    CHECK_FALSE(answers.get(1));
    CHECK_THROWS_AS(devmem::equal_async(v, v, answers, s), devmem::invalid_argument);
}

TEST_CASE("ranges of two devices are refused") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> here(3, test_device(0));
    const test_vector<int> there(3, test_device(1));
    CHECK_THROWS_AS(static_cast<void>(equal(here, there)), devmem::wrong_device);
}
