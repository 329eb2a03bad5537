// No infinity and no NaN.
#include "elements.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/all_finite.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

using devmem::all_finite;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

template <class T>
void check_each_place() {
    using limits = std::numeric_limits<T>;
    const T bad[] = {limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                     -limits::quiet_NaN()};
    for (const std::size_t n : {1u, 31u, 33u, 4096u, 9'001u}) {
        test_vector<T> v(n, limits::max(), test_device(1));
        CHECK(all_finite(v));
        devmem_test::random_numbers random(n);
        for (const T value : bad) {
            for (const std::size_t at : {std::size_t{0}, n - 1, random.next() % n}) {
                CAPTURE(at);
                v.set(at, value);
                CHECK_FALSE(all_finite(v));
                v.set(at, -limits::denorm_min());
                CHECK(all_finite(v));
            }
        }
    }
}

}  // namespace

TEST_CASE("one infinity or NaN anywhere is found") {
    DEVMEM_NEEDS_KERNELS();
    check_each_place<float>();
    check_each_place<double>();
}

TEST_CASE("bits of every kind are judged as the standard library judges them") {
    DEVMEM_NEEDS_KERNELS();
    devmem_test::random_numbers random(1);
    for (int i = 0; i < 1'000; ++i) {
        std::uint64_t bits = random.next();
        // A third near the border.
        if (random.one_in(3)) bits |= 0x7F80'0000'7F80'0000;
        const float f = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        CHECK(devmem::detail::is_finite(f) == std::isfinite(f));
        if (random.one_in(3)) bits |= 0x7FF0'0000'0000'0000;
        const auto d = std::bit_cast<double>(bits);
        CHECK(devmem::detail::is_finite(d) == std::isfinite(d));
    }
}

TEST_CASE("no elements are finite, and large ranges are looked at to the end") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<float> none(0, test_device(0));
    CHECK(all_finite(none));
    for (const std::size_t n : devmem_test::large_sizes) {
        test_vector<float> v(n, test_device(0));
        CHECK(all_finite(v));
        v.set(n - 1, std::numeric_limits<float>::infinity());
        CHECK_FALSE(all_finite(v));
        CHECK(all_finite(v.first(n - 1)));
    }
}

TEST_CASE("asynchronous, to a bool") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const devmem::stream s(test_device(0));
    const test_vector<double> v(3, 1.5, s);
    test_vector<bool> answers(2, s);
    devmem_test::gate held(s);
    devmem::all_finite_async(v, answers.last(1), s);
    held.open();
    CHECK(answers.get(1));
    CHECK_FALSE(answers.get(0));
    CHECK_THROWS_AS(devmem::all_finite_async(v, answers, s), devmem::invalid_argument);
}
