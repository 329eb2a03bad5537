// Overlapping ranges copy as if through a temporary.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_pinned;
using devmem_test::test_vector;

/// Copies [from, from + n) of 0 to 9 to [to, to + n).
template <class Vector>
std::vector<int> shifted(std::size_t from, std::size_t to, std::size_t n, bool asynchronous) {
    Vector v(counted<int>(10), test_device(1));
    if (asynchronous) {
        devmem::copy_async(v.subspan(from, n), v.subspan(to, n));
    } else {
        devmem::copy(v.subspan(from, n), v.subspan(to, n));
    }
    return contents(v);
}

}  // namespace

TEST_CASE_TEMPLATE("overlapping parts shift", Vector, test_vector<int>, test_pinned<int>,
                   test_managed<int>) {
    const nothing_stays check;
    for (const bool asynchronous : {false, true}) {
        CAPTURE(asynchronous);
        CHECK(shifted<Vector>(0, 2, 8, asynchronous) ==
              std::vector<int>{0, 1, 0, 1, 2, 3, 4, 5, 6, 7});
        CHECK(shifted<Vector>(2, 0, 8, asynchronous) ==
              std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9, 8, 9});
        CHECK(shifted<Vector>(0, 0, 10, asynchronous) == counted<int>(10));
        CHECK(shifted<Vector>(0, 1, 9, asynchronous) ==
              std::vector<int>{0, 0, 1, 2, 3, 4, 5, 6, 7, 8});
        CHECK(shifted<Vector>(1, 0, 9, asynchronous) ==
              std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 9});
        CHECK(shifted<Vector>(0, 5, 5, asynchronous) ==
              std::vector<int>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4});
    }
}

TEST_CASE("long overlapping parts shift, whoever copies them") {
    const nothing_stays check;
    // Long enough for several threads, or for a memcpy that goes backwards.
    constexpr std::size_t n = 1'000'000;
    std::mt19937 random(77);
    test_vector<std::uint32_t> v(n, test_device(1));
    std::vector<std::uint32_t> mirror(n);
    std::ranges::generate(mirror, [&random] { return static_cast<std::uint32_t>(random()); });
    devmem::copy(mirror, v);
    for (int round = 0; round < 20; ++round) {
        const std::size_t from = random() % 1000;
        const std::size_t to = random() % 1000;
        const std::size_t count = n - 1000 - random() % 1000;
        devmem::copy_async(v.subspan(from, count), v.subspan(to, count));
        const auto at = [&mirror](std::size_t i) {
            return mirror.begin() + static_cast<std::ptrdiff_t>(i);
        };
        const std::vector<std::uint32_t> moved(at(from), at(from + count));
        std::ranges::copy(moved, at(to));
    }
    CHECK(contents(v) == mirror);
}

TEST_CASE("host memory inside a pinned buffer overlaps it") {
    const nothing_stays check;
    test_pinned<int> p(counted<int>(10), test_device(1));
    devmem::copy(p.host_read().first(8), p.last(8));
    CHECK(contents(p) == std::vector<int>{0, 1, 0, 1, 2, 3, 4, 5, 6, 7});
    devmem::copy_async(p.host_read().last(8), p.first(8));
    CHECK(contents(p) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 6, 7});
    devmem::copy(p.first(8), p.host_write().last(8));
    CHECK(contents(p) == std::vector<int>{0, 1, 0, 1, 2, 3, 4, 5, 6, 7});
}
