// copy and copy_async: sizes, streams and order, in the simplest direction.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/error.hpp>
#include <devmem/event.hpp>
#include <devmem/host_task.hpp>
#include <devmem/stream.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::settle;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

template <class Src, class Dst>
concept can_copy = requires(Src&& src, Dst&& dst) {
    devmem::copy(std::forward<Src>(src), std::forward<Dst>(dst));
};
template <class Src, class Dst>
concept can_copy_async = requires(Src&& src, Dst&& dst) {
    devmem::copy_async(std::forward<Src>(src), std::forward<Dst>(dst));
};

using vector = test_vector<int>;
using host_vector = std::vector<int>;
using view = devmem::device_view<int>;
using constant_view = devmem::device_view<const int>;
using host_view = std::span<int>;
using constant_host_view = std::span<const int>;

static_assert(can_copy<vector&, vector&> && can_copy<const vector&, vector&>);
static_assert(can_copy<host_vector&, vector&> && can_copy<const host_vector&, vector&>);
static_assert(can_copy<vector&, host_vector&>);
static_assert(can_copy<vector, vector&> && can_copy<host_vector, vector&>);
static_assert(can_copy<view, view> && can_copy<constant_view, view>);
static_assert(can_copy<host_view, view> && can_copy<constant_host_view, view>);
static_assert(can_copy<view, host_view>);
static_assert(can_copy_async<vector&, vector&> && can_copy_async<const vector&, vector&>);
static_assert(can_copy_async<host_vector&, vector&>);
static_assert(can_copy_async<view, view> && can_copy_async<constant_host_view, view>);

// What is constant is no destination.
static_assert(!can_copy<vector&, const vector&> && !can_copy_async<vector&, const vector&>);
static_assert(!can_copy<vector&, constant_view> && !can_copy_async<vector&, constant_view>);
static_assert(!can_copy<vector&, const host_vector&>);
static_assert(!can_copy<vector&, constant_host_view>);
// One side at least is devmem's.
static_assert(!can_copy<host_vector&, host_vector&>);
// Elements are not converted.
static_assert(!can_copy<vector&, test_vector<float>&>);
static_assert(!can_copy<std::vector<float>&, vector&> && !can_copy<vector&, std::vector<long>&>);
static_assert(!can_copy_async<vector&, test_vector<unsigned>&>);
// What owns its memory must outlive an asynchronous copy.
static_assert(!can_copy_async<vector, vector&> && !can_copy_async<host_vector, vector&>);
static_assert(!can_copy_async<vector&, vector>);
// Nor can a host vector be waited for by a later look at it.
static_assert(!can_copy_async<vector&, host_vector&> && !can_copy_async<vector&, host_view>);
static_assert(!can_copy<vector&, int> && !can_copy<int, vector&>);

}  // namespace

TEST_CASE("copy has brought the elements when it returns") {
    const nothing_stays check;
    const host_vector source = counted<int>(5000);
    vector v(5000, test_device(1));
    devmem::copy(source, v);
    host_vector back(5000);
    devmem::copy(v, back);
    CHECK(back == source);
    vector w(5000, test_device(1));
    devmem::copy(v, w);
    CHECK(contents(w) == source);
    std::array<int, 2> two{};
    devmem::copy(v.last(2), two);
    CHECK(two == std::array{4998, 4999});
    int plain[3] = {};
    devmem::copy(v.first(3), plain);
    CHECK(plain[2] == 2);
    devmem::copy(v.first(3), std::span(back).last(3));
    CHECK(back[4999] == 2);
    CHECK(back[4996] == 4996);
}

TEST_CASE("copy waits for its own stream") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    const vector v(counted<int>(100), s);
    vector w(100, s);
    bool task_has_run = false;
    devmem::host_task([&task_has_run] { task_has_run = true; }, s);
    devmem::copy(v, w, s);
    CHECK(task_has_run);
    CHECK(s.query());
}

TEST_CASE("copy_async returns at once and keeps the order of its stream") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    vector a(counted<int>(100), s);
    vector b(100, s);
    test_pinned<int> p(100, test_device(1));
    settle();
    devmem_test::gate held(s);
    devmem::copy_async(a, b, s);
    devmem::copy_async(b, p, s);
    devmem::copy_async(a.first(50), b.last(50), s);
    CHECK_FALSE(s.query());
    CHECK(p.unsynchronized_data()[1] == 0);
    held.open();
    CHECK(p[99] == 99);
    host_vector wanted = counted<int>(50);
    wanted.insert(wanted.end(), p.begin(), p.begin() + 50);
    s.synchronize();
    CHECK(contents(b) == wanted);
}

TEST_CASE(
    "without a stream a copy is on the current one of its destination, to the host of its source") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    const devmem::stream t(test_device(2));
    vector a(counted<int>(10), test_device(1));
    vector b(10, test_device(2));
    test_pinned<int> p(10, test_device(2));
    settle();
    const devmem::stream_guard on_s(s);
    const devmem::stream_guard on_t(t);
    {
        devmem_test::gate held(t);
        devmem::copy_async(a, b);
        s.synchronize();
        CHECK_FALSE(t.query());
        held.open();
        t.synchronize();
        CHECK(contents(b) == counted<int>(10));
    }
    {
        // To pinned memory, which is the host's, whatever device it was made for.
        devmem_test::gate held(s);
        devmem::copy_async(a, p);
        t.synchronize();
        CHECK(p.unsynchronized_data()[9] == 0);
        held.open();
        s.synchronize();
        CHECK(p.unsynchronized_data()[9] == 9);
    }
    {
        devmem_test::gate held(s);
        devmem::copy_async(p, a);
        t.synchronize();
        CHECK_FALSE(s.query());
        held.open();
        s.synchronize();
    }
}

TEST_CASE("sizes must be equal") {
    const nothing_stays check;
    vector v(counted<int>(10), test_device(1));
    vector w(9, test_device(1));
    w.reserve(10);
    host_vector h(11);
    CHECK_THROWS_AS(devmem::copy(v, w), devmem::invalid_argument);
    CHECK_THROWS_AS(devmem::copy_async(v, w), devmem::invalid_argument);
    CHECK_THROWS_AS(devmem::copy(v, h), devmem::invalid_argument);
    CHECK_THROWS_AS(devmem::copy(h, v), devmem::invalid_argument);
    CHECK_THROWS_AS(devmem::copy(v, v.first(9)), devmem::invalid_argument);
    CHECK_THROWS_AS(devmem::copy(v.first(0), v), devmem::invalid_argument);
    CHECK_THROWS_AS(devmem::copy(v, host_vector{}), devmem::invalid_argument);
    CHECK(contents(w) == host_vector(9));
    CHECK(h == host_vector(11));
    try {
        devmem::copy(v, w);
        FAIL("not refused");
    } catch (const devmem::error_info& e) {
        // Both numbers, and what helps.
        const std::string what = e.message();
        CHECK(what.find("copy: 10 elements do not fit 9") == 0);
        CHECK(what.find("resize") != std::string::npos);
    }
}

TEST_CASE("a stream of a device that takes no part is refused") {
    const nothing_stays check;
    const devmem::stream third(test_device(3));
    const devmem::stream of_source(test_device(1));
    const devmem::stream of_destination(test_device(2));
    vector a(counted<int>(10), test_device(1));
    vector b(10, test_device(2));
    host_vector h(10);
    settle();
    CHECK_THROWS_AS(devmem::copy(a, b, third), devmem::wrong_device);
    CHECK_THROWS_AS(devmem::copy_async(a, b, third), devmem::wrong_device);
    CHECK_THROWS_AS(devmem::copy(a, h, third), devmem::wrong_device);
    CHECK_THROWS_AS(devmem::copy(h, a, third), devmem::wrong_device);
    // Whether there are elements or not.
    CHECK_THROWS_AS(devmem::copy(a.first(0), b.first(0), third), devmem::wrong_device);
    CHECK_THROWS_AS(devmem::copy(a, a, third), devmem::wrong_device);
    CHECK(contents(b) == host_vector(10));
    devmem::copy(a, b, of_source);
    CHECK(contents(b) == counted<int>(10));
    devmem::copy(a.first(5), b.last(5), of_destination);
    CHECK(b.get(9) == 4);
    devmem::copy(a, h, of_source);
    CHECK(h == counted<int>(10));
    // Pinned memory is some device's; a copy from it may be on either side's stream.
    const test_pinned<int> p(counted<int>(10, 50), test_device(1));
    settle();
    devmem::copy(p, b, of_source);
    devmem::copy(p, b, of_destination);
    CHECK(contents(b) == counted<int>(10, 50));
    CHECK_THROWS_AS(devmem::copy(p, b, third), devmem::wrong_device);
}

TEST_CASE("a copy to itself changes nothing") {
    const nothing_stays check;
    vector v(counted<int>(10), test_device(1));
    devmem::copy(v, v);
    devmem::copy_async(v, v);
    devmem::copy(v.subspan(2, 3), v.subspan(2, 3));
    CHECK(contents(v) == counted<int>(10));
}

TEST_CASE("source and destination may go before an asynchronous copy is over") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    vector kept(1000, s);
    {
        vector source(1000, 7, s);
        vector gone(1000, s);
        devmem::copy_async(source, kept, s);
        devmem::copy_async(source, gone, s);
    }
    // If their memory were free already, these would write to it.
    const vector a(1000, -1, test_device(1));
    const vector b(1000, -2, test_device(1));
    s.synchronize();
    CHECK(contents(kept) == host_vector(1000, 7));
    CHECK(contents(a) == host_vector(1000, -1));
    CHECK(contents(b) == host_vector(1000, -2));
}
