// Accesses that a program declares itself, and what opening one waits for.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/access.hpp>
#include <devmem/device_text.hpp>
#include <devmem/error.hpp>
#include <devmem/event.hpp>
#include <devmem/fill.hpp>
#include <devmem/host_task.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <type_traits>
#include <utility>

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

using access_of_int = devmem::block_access<int>;
static_assert(!std::is_copy_constructible_v<access_of_int> &&
              !std::is_copy_assignable_v<access_of_int>);
static_assert(std::is_nothrow_move_constructible_v<access_of_int>);
static_assert(std::is_nothrow_move_assignable_v<access_of_int>);
static_assert(std::is_same_v<decltype(std::declval<const test_vector<int>&>().read(
                                 std::declval<devmem::stream_view>())),
                             devmem::block_access<const int>>);

/// Whether `later` is held up while `earlier` is, as is wanted, when the accesses of `v` on them
/// are of these kinds. The vector is at rest before.
template <class Earlier, class Later>
bool is_as_wanted(bool wanted, test_vector<int>& v, Earlier open_earlier, Later open_later) {
    const stream earlier(v.device());
    const stream later(v.device());
    gate held(earlier);
    { const auto open = open_earlier(v, earlier); }
    { const auto open = open_later(v, later); }
    const bool is_good =
        wanted ? devmem_test::is_held_up(later) : devmem_test::comes_to_its_end(later);
    held.open();
    earlier.synchronize();
    later.synchronize();
    return is_good;
}

constexpr auto reading = [](test_vector<int>& v, const stream& s) {
    return std::as_const(v).read(s);
};
constexpr auto writing = [](test_vector<int>& v, const stream& s) { return v.write(s); };
constexpr auto read_writing = [](test_vector<int>& v, const stream& s) { return v.read_write(s); };

}  // namespace

TEST_CASE("a span of an access is the elements") {
    const nothing_stays check;
    const stream s(test_device(1));
    test_vector<int> v(10, 5, s);
    const auto open = v.write(s);
    CHECK(open.span().size() == 10);
    CHECK(open.span().data() == v.first(10).address());
    const test_vector<int> none(0, s);
    const auto empty = none.read(s);
    CHECK(empty.span().empty());
}

TEST_CASE("an access waits for those on other streams that it conflicts with, and for no others") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    test_vector<int> v(10, 5, test_device(1));
    devmem_test::settle();
    CHECK(is_as_wanted(true, v, writing, reading));
    CHECK(is_as_wanted(true, v, writing, writing));
    CHECK(is_as_wanted(true, v, reading, writing));
    CHECK(is_as_wanted(true, v, read_writing, reading));
    CHECK(is_as_wanted(true, v, reading, read_writing));
    CHECK(is_as_wanted(false, v, reading, reading));
}

TEST_CASE("accesses of one block do not hold up another") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(10, 5, a);
    test_vector<int> w(10, 5, b);
    gate held(a);
    devmem::fill(v, 6, a);
    devmem::fill(w, 7, b);
    b.synchronize();
    CHECK(contents(w.first(10)) == std::vector<int>(10, 7));
    held.open();
    CHECK(contents(v) == std::vector<int>(10, 6));
}

TEST_CASE("a read waits for the write before, though others have read in between") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream writer(test_device(1));
    const stream first(test_device(1));
    const stream second(test_device(1));
    test_vector<int> v(10, 5, writer);
    test_vector<int> to_first(10, first);
    test_vector<int> to_second(10, second);
    gate held(writer);
    devmem::fill(v, 6, writer);
    devmem::copy_async(v, to_first, first);
    devmem::copy_async(v, to_second, second);
    devmem::copy_async(v, to_first, first);
    CHECK_FALSE(first.query());
    CHECK_FALSE(second.query());
    held.open();
    CHECK(contents(to_first) == std::vector<int>(10, 6));
    CHECK(contents(to_second) == std::vector<int>(10, 6));
}

TEST_CASE("a write waits for all who read") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    constexpr std::size_t readers = 5;
    std::vector<stream> streams;
    for (std::size_t i = 0; i < readers; ++i) streams.emplace_back(test_device(1));
    const stream writer(test_device(1));
    test_vector<int> v(1000, 5, writer);
    writer.synchronize();
    for (std::size_t held_up = 0; held_up < readers; ++held_up) {
        CAPTURE(held_up);
        gate held(streams[held_up]);
        std::vector<test_vector<int>> copies;
        for (const stream& s : streams) {
            copies.emplace_back(1000, s);
            devmem::copy_async(v, copies.back(), s);
        }
        devmem::fill(v, static_cast<int>(held_up), writer);
        for (std::size_t i = 0; i < readers; ++i) {
            if (i != held_up) streams[i].synchronize();
        }
        CHECK_FALSE(writer.query());
        held.open();
        const int before = held_up == 0 ? 5 : static_cast<int>(held_up) - 1;
        for (const auto& copy : copies) CHECK(contents(copy) == std::vector<int>(1000, before));
    }
}

TEST_CASE("while an access is open, one that conflicts with it elsewhere is refused") {
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(10, 5, a);
    {
        const auto open = v.write(a);
        CHECK_THROWS_AS(static_cast<void>(v.read(b)), access_conflict);
        CHECK_THROWS_AS(static_cast<void>(v.write(b)), access_conflict);
        CHECK_THROWS_AS(devmem::fill(v, 1, b), access_conflict);
        const auto same = v.read_write(a);  // on the same stream there is an order
    }
    {
        const auto open = std::as_const(v).read(a);
        const auto beside = std::as_const(v).read(b);
        CHECK_THROWS_AS(static_cast<void>(v.write(b)), access_conflict);
        CHECK_THROWS_AS(static_cast<void>(v.write(a)), access_conflict);
    }
    const auto after = v.write(b);
    CHECK(after.span().size() == 10);
}

TEST_CASE("the refusal names the operation, the stream and what to do") {
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(10, 5, a);
    const auto open = v.write(a);
    std::string text;
    try {
        devmem::fill(v, 1, b);
    } catch (const access_conflict& e) {
        text = e.what();
        CHECK(std::string(e.place().file).find("access.cpp") != std::string::npos);
    }
    CHECK(text.find("fill: ") == 0);
    CHECK(text.find(devmem::to_string(test_device(1)) + " stream " + std::to_string(a.id())) !=
          std::string::npos);
    CHECK(text.find("end that access first") != std::string::npos);
}

TEST_CASE("an access that is refused leaves nothing open") {
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(10, 5, a);
    test_vector<int> w(10, 6, a);
    {
        const auto open = v.write(a);
        CHECK_THROWS_AS(devmem::copy_async(w, v, b), access_conflict);
    }
    devmem::copy_async(w, v, b);
    devmem::fill(w, 7, a);
    CHECK(contents(v) == std::vector<int>(10, 6));
    CHECK(contents(w) == std::vector<int>(10, 7));
}

TEST_CASE("an access that is moved ends once") {
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(10, 5, a);
    test_vector<int> w(10, 5, a);
    std::optional<access_of_int> moved;
    {
        access_of_int open = v.write(a);
        moved.emplace(std::move(open));
    }
    CHECK_THROWS_AS(static_cast<void>(v.write(b)), access_conflict);
    CHECK(moved->span().size() == 10);
    *moved = w.write(a);
    CHECK_NOTHROW(static_cast<void>(v.write(b)));
    CHECK_THROWS_AS(static_cast<void>(w.write(b)), access_conflict);
    moved.reset();
    CHECK_NOTHROW(static_cast<void>(w.write(b)));
}

TEST_CASE("who destroys a container with an access open leaves the memory to the access") {
    const nothing_stays check;
    const stream s(test_device(1));
    auto v = std::make_optional<test_vector<int>>(1000, 5, s);
    s.synchronize();
    std::optional<access_of_int> open(v->write(s));
    const int* const address = open->span().data();
    v.reset();
    const test_vector<int> other(1000, 6, s);
    CHECK(other.first(1).address() != address);
    open.reset();
    const test_vector<int> next(1000, 7, s);
    CHECK(next.first(1).address() == address);
    CHECK(contents(other) == std::vector<int>(1000, 6));
}

TEST_CASE("the host's access of pinned memory is refused while one that conflicts is open") {
    const nothing_stays check;
    const stream s(test_device(1));
    test_pinned<int> p(10, 5, s);
    {
        const auto open = std::as_const(p).read(s);
        CHECK(std::as_const(p)[3] == 5);
        CHECK_THROWS_AS(static_cast<void>(p.host_write()), access_conflict);
        CHECK_THROWS_AS(static_cast<void>(p.begin()), access_conflict);
    }
    {
        const auto open = p.write(s);
        CHECK_THROWS_AS(static_cast<void>(p.host_read()), access_conflict);
        CHECK_THROWS_AS(static_cast<void>(p.cbegin()), access_conflict);
        CHECK(p.unsynchronized_data() == open.span().data());
    }
    p[3] = 6;
    CHECK(p[3] == 6);
}

TEST_CASE("an access on another device's stream is refused") {
    const nothing_stays check;
    const stream elsewhere(test_device(2));
    test_vector<int> v(10, 5, test_device(1));
    CHECK_THROWS_AS(static_cast<void>(v.read(elsewhere)), devmem::wrong_device);
    CHECK_THROWS_AS(static_cast<void>(v.write(elsewhere)), devmem::wrong_device);
}

TEST_CASE("a bare span goes into copies and algorithms as what has no order") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(10, 5, a);
    a.synchronize();
    gate held(a);
    devmem::device_span<int> span;
    {
        const auto open = v.write(a);
        span = open.span();
    }
    devmem::fill(devmem::unordered(span, test_device(1)), 6, b);
    b.synchronize();
    held.open();
    CHECK(contents(v) == std::vector<int>(10, 6));
}

TEST_CASE(
    "work on an address that was given out is waited for, up to where another stream meets it") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::device d = test_device(1);
    const stream s(d);
    test_vector<int> v(10, 5, d);
    test_vector<int> copy(10, s);
    devmem_test::settle();
    gate held(devmem::current_stream(d));
    static_cast<void>(v.data());
    bool ran = false;
    devmem::host_task([&ran] { ran = true; }, devmem::current_stream(d));  // stands for a kernel
    devmem::copy_async(v, copy, s);
    CHECK_FALSE(s.query());
    held.open();
    s.synchronize();
    CHECK(ran);
    CHECK(contents(copy) == std::vector<int>(10, 5));
}
