// Slices: parts of a container with an order of their own.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/device_slices.hpp>
#include <devmem/error.hpp>
#include <devmem/fill.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <type_traits>
#include <vector>

using devmem::access_conflict;
using devmem::stream;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::gate;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

namespace {

using slices = devmem::device_slices<int>;
static_assert(!std::is_copy_constructible_v<slices>);
static_assert(std::is_nothrow_move_constructible_v<slices>);
static_assert(std::is_nothrow_move_assignable_v<slices>);

template <class Slices>
std::vector<std::size_t> sizes(const Slices& parts) {
    std::vector<std::size_t> all;
    for (const auto part : parts) all.push_back(part.size());
    return all;
}

}  // namespace

TEST_CASE("parts differ by one element at most, and the first are longer") {
    using list = std::vector<std::size_t>;
    const nothing_stays check;
    const auto split = [](std::size_t n, std::size_t k) {
        test_vector<int> v(n, test_device(1));
        return sizes(v.split(k));
    };
    CHECK(split(10, 4) == list{3, 3, 2, 2});
    CHECK(split(11, 5) == list{3, 2, 2, 2, 2});
    CHECK(split(5, 10) == list{1, 1, 1, 1, 1, 0, 0, 0, 0, 0});
    CHECK(split(0, 4) == list{0, 0, 0, 0});
    CHECK(split(7, 1) == list{7});
}

TEST_CASE("parts begin where the offsets say") {
    using list = std::vector<std::size_t>;
    const nothing_stays check;
    test_vector<int> v(counted<int>(10), test_device(1));
    const std::array<std::size_t, 4> offsets{0, 3, 3, 10};
    {
        const auto parts = v.split(offsets);
        CHECK(sizes(parts) == list{3, 0, 7, 0});
        CHECK(contents(parts[2]) == std::vector<int>{3, 4, 5, 6, 7, 8, 9});
    }
    CHECK(sizes(v.split(list{0})) == list{10});
    CHECK_THROWS_AS(static_cast<void>(v.split(0)), devmem::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(v.split(list{})), devmem::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(v.split(list{1, 3})), devmem::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(v.split(list{0, 5, 4})), devmem::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(v.split(list{0, 11})), devmem::invalid_argument);
    CHECK(contents(v) == counted<int>(10));
}

TEST_CASE("work on one part does not wait for work on another") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(10, 5, a);
    gate held;
    {
        const auto halves = v.split(2);
        held.close(a);
        devmem::fill(halves[0], 6, a);
        devmem::fill(halves[1], 7, b);
        b.synchronize();
        CHECK(contents(halves[1]) == std::vector<int>(5, 7));
        CHECK_FALSE(a.query());
        devmem::fill(halves[0], 8, b);  // after the fill on `a`
        CHECK_FALSE(b.query());
    }
    CHECK_FALSE(a.query());
    held.open();
    CHECK(contents(v) == std::vector<int>{8, 8, 8, 8, 8, 7, 7, 7, 7, 7});
}

TEST_CASE("parts come after what was done with the whole, and not after what is queued later") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(10, 5, a);
    gate before(a);
    gate after;
    devmem::fill(v, 6, a);
    {
        const auto halves = v.split(2);
        after.close(a);
        devmem::fill(halves[1], 7, b);
        CHECK_FALSE(b.query());
        before.open();
        b.synchronize();
        CHECK_FALSE(a.query());
    }
    after.open();
    CHECK(contents(v) == std::vector<int>{6, 6, 6, 6, 6, 7, 7, 7, 7, 7});
}

TEST_CASE("the whole comes after what was done with parts") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    const stream c(test_device(1));
    test_vector<int> v(10, 5, c);
    test_vector<int> copy(10, c);
    gate on_a(a);
    gate on_b(b);
    {
        const auto halves = v.split(2);
        devmem::fill(halves[0], 6, a);
        devmem::fill(halves[1], 7, b);
    }
    devmem::copy_async(v, copy, c);
    CHECK_FALSE(c.query());
    on_a.open();
    a.synchronize();
    CHECK_FALSE(c.query());
    on_b.open();
    CHECK(contents(copy) == std::vector<int>{6, 6, 6, 6, 6, 7, 7, 7, 7, 7});
}

TEST_CASE("while there are parts the container refuses accesses, and keeps its elements") {
    const nothing_stays check;
    const stream s(test_device(1));
    test_vector<int> v(10, 5, s);
    test_pinned<int> p(10, 5, s);
    {
        const auto halves = v.split(2);
        const auto of_pinned = p.split(2);
        CHECK_THROWS_AS(devmem::fill(v, 6, s), access_conflict);
        CHECK_THROWS_AS(static_cast<void>(v.read(s)), access_conflict);
        CHECK_THROWS_AS(static_cast<void>(v.split(2)), access_conflict);
        CHECK_THROWS_AS(v.resize(100, s), access_conflict);
        CHECK_THROWS_AS(static_cast<void>(p.host_read()), access_conflict);
        CHECK(v.size() == 10);
    }
    CHECK(contents(v) == std::vector<int>(10, 5));
    CHECK(p[9] == 5);
}

TEST_CASE("a container with an open access is not split") {
    const nothing_stays check;
    const stream s(test_device(1));
    test_vector<int> v(10, 5, s);
    {
        const auto open = std::as_const(v).read(s);
        CHECK_THROWS_AS(static_cast<void>(v.split(2)), access_conflict);
    }
    CHECK(v.split(2).size() == 2);
}

TEST_CASE("parts may be moved, and outlive the container and its move") {
    const nothing_stays check;
    const stream s(test_device(1));
    auto v = std::make_optional<test_vector<int>>(1000, 5, s);
    const int* const address = v->first(1).address();
    std::optional<slices> parts(v->split(2));
    slices moved = std::move(*parts);
    parts.reset();
    test_vector<int> other = std::move(*v);
    CHECK_THROWS_AS(devmem::fill(other, 6, s), access_conflict);
    other.reset();
    {
        const test_vector<int> other_memory(1000, s);
        CHECK(other_memory.first(1).address() != address);
    }
    devmem::fill(moved[1], 7, s);
    test_vector<int> small(3, s);
    moved = small.split(3);
    CHECK(moved.size() == 3);
    s.synchronize();
    const test_vector<int> next(1000, s);
    CHECK(next.first(1).address() == address);
}

TEST_CASE("an access of a part that outlives the parts ends with the rest") {
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(10, 5, a);
    std::optional<slices> parts(v.split(2));
    std::optional<devmem::detail::scoped_access> open;
    open.emplace((*parts)[0].block(), devmem::stream_view(a).state(),
                 devmem::detail::access_mode::write, "test");
    parts.reset();
    CHECK_THROWS_AS(devmem::fill(v, 6, b), access_conflict);
    open.reset();
    devmem::fill(v, 6, b);
    CHECK(contents(v) == std::vector<int>(10, 6));
}
