// The sum of products.
#include "elements.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/inner_product.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <string>

using devmem::inner_product;
using devmem::inner_product_async;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

template <class A, class B, class T>
void check_against_standard(T init) {
    devmem_test::random_numbers random(sizeof(T));
    devmem_test::for_random_inputs<A>([&](const std::vector<A>& left) {
        const auto right = devmem_test::drawn_exact_values<B>(random, left.size());
        CAPTURE(left.size());
        const test_vector<A> a(left, test_device(1));
        const test_vector<B> b(right, test_device(1));
        T expected = init;
        for (std::size_t i = 0; i < left.size(); ++i) {
            expected =
                static_cast<T>(expected + static_cast<T>(left[i]) * static_cast<T>(right[i]));
        }
        CHECK(inner_product(a, b, init) == expected);
    });
}

}  // namespace

TEST_CASE("it gives what a loop gives, where sums are exact") {
    DEVMEM_NEEDS_KERNELS();
    check_against_standard<std::uint8_t, std::uint8_t>(3u);
    check_against_standard<std::int16_t, int>(std::int64_t{-4});
    check_against_standard<float, float>(0.0);
    check_against_standard<float, int>(1.0);
    check_against_standard<std::uint64_t, std::uint64_t>(std::uint64_t{1});
}

TEST_CASE("elements are converted before they are multiplied") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<float> v({16'777'217.0f * 1.5f, 1.0f / 3}, test_device(0));
    const double a = 16'777'217.0f * 1.5f;
    const double b = 1.0f / 3;
    CHECK(inner_product(v, v, 0.0) == a * a + b * b);
    const test_vector<std::uint8_t> bytes({255, 255}, test_device(0));
    CHECK(inner_product(bytes, bytes, 0) == 2 * 255 * 255);
}

TEST_CASE("a range with itself, and large ones") {
    DEVMEM_NEEDS_KERNELS();
    for (const std::size_t n : devmem_test::large_sizes) {
        const test_vector<int> v(n, 2, test_device(0));
        CHECK(inner_product(v, v, std::size_t{1}) == 4 * n + 1);
    }
}

TEST_CASE("sizes that differ are refused, with both") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> three(3, test_device(0));
    const test_vector<int> two(2, test_device(0));
    try {
        static_cast<void>(inner_product(three, two, 0));
        FAIL("not refused");
    } catch (const devmem::invalid_argument& e) {
        CHECK(std::string(e.what()).find("3 and 2") != std::string::npos);
    }
}

TEST_CASE("asynchronous, to an element") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const devmem::stream s(test_device(0));
    const test_vector<int> a({1, 2, 3}, s);
    test_vector<double> result(1, s);
    devmem_test::gate held(s);
    inner_product_async(a, a, result, 0.5, s);
    held.open();
    CHECK(result.get(0) == 14.5);
    CHECK_THROWS_AS(inner_product_async(a, a.first(2), result, 0, s), devmem::invalid_argument);
    CHECK_THROWS_AS(inner_product_async(a, a, result.first(0), 0, s), devmem::invalid_argument);
}
