// Views: parts of a container's memory, and what they keep of it.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/device_view.hpp>
#include <devmem/error.hpp>
#include <devmem/fill.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

/// A function of a user's own, that takes parts of whatever container.
int sum_of_ends(devmem::device_view<const int> v) {
    return v.empty() ? 0 : contents(v.first(1))[0] + contents(v.last(1))[0];
}

}  // namespace

TEST_CASE("a view knows its size, device and space") {
    const nothing_stays check;
    test_pinned<double> p(7, test_device(1));
    const devmem::device_view<double> v = p.view();
    CHECK(v.size() == 7);
    CHECK(v.size_bytes() == 56);
    CHECK_FALSE(v.empty());
    CHECK(v.device() == test_device(1));
    CHECK(v.space() == devmem::memory_space::pinned);
    const devmem::device_view<int> nothing;
    CHECK(nothing.empty());
    CHECK(nothing.size_bytes() == 0);
    CHECK(nothing.first(0).empty());
    CHECK(contents(nothing).empty());
}

TEST_CASE("parts are taken from the front, the back and the middle, and from parts") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(10), test_device(1));
    CHECK(contents(v.first(3)) == std::vector<int>{0, 1, 2});
    CHECK(contents(v.last(2)) == std::vector<int>{8, 9});
    CHECK(contents(v.subspan(4, 3)) == std::vector<int>{4, 5, 6});
    CHECK(contents(v.view()) == counted<int>(10));
    CHECK(contents(v.subspan(2, 6).last(3).subspan(1, 2)) == std::vector<int>{6, 7});
    CHECK(v.first(10).size() == 10);
    CHECK(v.first(0).empty());
    CHECK(v.last(0).empty());
    CHECK(v.subspan(10, 0).empty());
    CHECK(v.subspan(3, 0).device() == test_device(1));
}

TEST_CASE("a part that is not there is refused, also where its end would wrap") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(10), test_device(1));
    v.reserve(100);
    constexpr std::size_t huge = ~std::size_t{0};
    CHECK_THROWS_AS(v.first(11), devmem::invalid_argument);
    CHECK_THROWS_AS(v.last(11), devmem::invalid_argument);
    CHECK_THROWS_AS(v.subspan(11, 0), devmem::invalid_argument);
    CHECK_THROWS_AS(v.subspan(5, 6), devmem::invalid_argument);
    CHECK_THROWS_AS(v.subspan(1, huge), devmem::invalid_argument);
    CHECK_THROWS_AS(v.subspan(huge, 1), devmem::invalid_argument);
    CHECK_THROWS_AS(v.subspan(huge, huge), devmem::invalid_argument);
    CHECK_THROWS_AS(v.first(huge), devmem::invalid_argument);
    CHECK_THROWS_AS(v.last(huge), devmem::invalid_argument);
    const auto part = v.first(5);
    CHECK_THROWS_AS(part.first(6), devmem::invalid_argument);
    CHECK_THROWS_AS(devmem::device_view<int>().first(1), devmem::invalid_argument);
    CHECK_THROWS_AS(std::as_const(v).first(11), devmem::invalid_argument);
}

TEST_CASE("writing to a part changes the container") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(6), test_device(1));
    devmem::fill(v.subspan(1, 2), 9);
    devmem::copy(std::vector<int>{7}, v.last(1));
    const devmem::device_view<int> kept = v.first(1);
    devmem::copy(std::vector<int>{5}, kept);
    CHECK(contents(v) == std::vector<int>{5, 9, 9, 3, 4, 7});
}

TEST_CASE("a view of what may change becomes a view of constants, not the other way round") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(6, 1), test_device(1));
    static_assert(std::is_same_v<decltype(v.view()), devmem::device_view<int>>);
    static_assert(
        std::is_same_v<decltype(std::as_const(v).view()), devmem::device_view<const int>>);
    static_assert(
        std::is_same_v<decltype(std::as_const(v).first(1)), devmem::device_view<const int>>);
    static_assert(std::is_convertible_v<devmem::device_view<int>, devmem::device_view<const int>>);
    static_assert(!std::is_convertible_v<devmem::device_view<const int>, devmem::device_view<int>>);
    static_assert(!std::is_convertible_v<devmem::device_view<int>, devmem::device_view<float>>);
    static_assert(
        !std::is_convertible_v<devmem::device_view<int>, devmem::device_view<const long>>);
    static_assert(std::is_trivially_copyable_v<devmem::device_view<int>>);
    static_assert(std::is_trivially_copyable_v<devmem::device_view<const int>>);
    CHECK(sum_of_ends(v.view()) == 7);
    CHECK(sum_of_ends(std::as_const(v).view()) == 7);
    CHECK(sum_of_ends(v.subspan(1, 2)) == 5);
    const test_pinned<int> p({10, 20}, test_device(1));
    CHECK(sum_of_ends(p.view()) == 30);
}

TEST_CASE("views are ranges for copies and constructors, and may be temporaries") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(6), test_device(1));
    test_vector<int> w(2, test_device(1));
    devmem::copy(v.subspan(2, 2), w);
    CHECK(contents(w) == std::vector<int>{2, 3});
    devmem::copy_async(v.first(1), w.last(1));
    CHECK(contents(w) == std::vector<int>{2, 0});
    CHECK(contents(test_vector<int>(v.last(2), test_device(1))) == std::vector<int>{4, 5});
}
