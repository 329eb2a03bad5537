// One value from a function of each element.
#include "contents.hpp"
#include "elements.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/functional.hpp>
#include <devmem/transform_reduce.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>

using devmem::plus;
using devmem::transform_reduce;
using devmem::transform_reduce_async;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

template <class T, class Sum, class F>
void check_against_standard(Sum init, const F& f) {
    devmem_test::for_random_inputs<T>([&](const std::vector<T>& values) {
        CAPTURE(values.size());
        const test_vector<T> v(values, test_device(1));
        const Sum expected = std::transform_reduce(values.begin(), values.end(), init, plus{}, f);
        CHECK(transform_reduce(v, init, plus{}, f) == expected);
    });
}

}  // namespace

TEST_CASE("it gives what the standard library's gives, where sums are exact") {
    DEVMEM_NEEDS_KERNELS();
    check_against_standard<std::uint8_t, unsigned>(7u, [](std::uint8_t x) { return 3u * x; });
    check_against_standard<std::int16_t, std::int64_t>(
        -1, [](std::int16_t x) { return std::int64_t{x} * x; });
    check_against_standard<int, int>(0, [](int x) { return x < 0 ? -x : x; });
    check_against_standard<float, double>(0.25, [](float x) { return double{x} * x; });
    check_against_standard<double, double>(0, [](double x) { return x + 1; });
    check_against_standard<devmem_test::wide_element, double>(
        0,
        [](const devmem_test::wide_element& x) { return static_cast<double>(x.number) - x.place; });
}

TEST_CASE("the result is of the type of init, to which the function's is converted") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> v({1, 2, 3}, test_device(0));
    const auto halves = [](int x) { return x / 2.0; };
    CHECK(transform_reduce(v, 0, plus{}, halves) == 0 + 1 + 1);
    CHECK(transform_reduce(v, 0.0, plus{}, halves) == 3.0);
}

TEST_CASE("any operation that is associative and commutative") {
    DEVMEM_NEEDS_KERNELS();
    devmem_test::random_numbers random(5);
    const auto values = devmem_test::drawn_values<double>(random, (1 << 20) + 1, 2'000'000'000);
    const test_vector<double> v(values, test_device(0));
    double most = 0;
    for (const double x : values) most = std::fmax(most, std::fabs(x));
    CHECK(transform_reduce(
              v, 0.0, [](double a, double b) { return std::fmax(a, b); },
              [](double x) { return std::fabs(x); }) == most);
}

// A sum of n numbers by a tree of height h errs by at most h u / (1 - h u) of the sum of their
// magnitudes: Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 4.2.
// Leaves add 4096 / 32 numbers a lane, 32 lanes pairwise, and leaves pairwise.
TEST_CASE("the error of a sum is within the bound of its tree") {
    DEVMEM_NEEDS_KERNELS();
    for (const std::size_t n : devmem_test::large_sizes) {
        devmem_test::random_numbers random(n);
        std::vector<float> values(n);
        for (float& x : values) {
            x = static_cast<float>(static_cast<double>(random.next() >> 11) / 9e15 - 0.4);
        }
        double sum = 0;
        double correction = 0;  // what rounding has taken away so far (Neumaier)
        double magnitude = 0;
        for (const float x : values) {
            const double next = sum + x;
            correction +=
                std::fabs(sum) >= std::fabs(double{x}) ? (sum - next) + x : (x - next) + sum;
            sum = next;
            magnitude += std::fabs(x);
        }
        const double height = 128 + 5 + std::ceil(std::log2(static_cast<double>(n) / 4096 + 1)) + 1;
        const double unit = std::ldexp(1.0, -24);
        const test_vector<float> v(values, test_device(0));
        const float found = transform_reduce(v, 0.0f, plus{}, [](float x) { return x; });
        const double error = std::fabs(found - (sum + correction));
        CHECK(error <= height * unit / (1 - height * unit) * magnitude);
        CHECK(error <= 1e-5 * magnitude);  // a plain loop is far beyond: the bound is not idle
    }
}

TEST_CASE("asynchronous, to an element of another range") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const devmem::stream s(test_device(0));
    test_vector<int> v({1, 2, 3}, s);
    test_vector<std::int64_t> results(2, s);
    devmem_test::gate held(s);
    transform_reduce_async(
        v, results.last(1), 10, plus{}, [](int x) { return x * x; }, s);
    held.open();
    CHECK(results.get(1) == 24);
    CHECK(results.get(0) == 0);
    transform_reduce_async(
        v.first(0), results.first(1), 5, plus{}, [](int x) { return x; }, s);
    CHECK(results.get(0) == 5);
}

TEST_CASE("a result of two elements, or of another device, is refused") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> v({1, 2, 3}, test_device(0));
    test_vector<int> two(2, test_device(0));
    test_vector<int> elsewhere(1, test_device(1));
    const auto same = [](int x) { return x; };
    CHECK_THROWS_AS(transform_reduce_async(v, two, 0, plus{}, same), devmem::invalid_argument);
    CHECK_THROWS_AS(transform_reduce_async(v, elsewhere, 0, plus{}, same), devmem::wrong_device);
}

TEST_CASE("what the function throws is thrown here") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> v({1, 2, 3}, test_device(0));
    const auto throws = [](int x) { return x == 2 ? throw std::range_error("two") : x; };
    CHECK_THROWS_AS(transform_reduce(v, 0, plus{}, throws), std::range_error);
    CHECK(transform_reduce(v, 0, plus{}, [](int x) { return x; }) == 6);
}
