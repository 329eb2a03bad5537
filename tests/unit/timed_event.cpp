// Events that measure.
#include "gate.hpp"
#include "random.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/host_task.hpp>
#include <devmem/timed_event.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <ratio>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using devmem::host_task;
using devmem::stream;
using devmem::timed_event;
using devmem_test::gate;
using devmem_test::path_is_cuda;
using devmem_test::test_device;
using milliseconds = std::chrono::duration<double, std::milli>;

static_assert(!std::is_copy_constructible_v<timed_event>);
static_assert(!std::is_copy_assignable_v<timed_event>);
static_assert(std::is_nothrow_default_constructible_v<timed_event>);
static_assert(std::is_nothrow_move_constructible_v<timed_event>);
static_assert(std::is_nothrow_move_assignable_v<timed_event>);
static_assert(std::is_nothrow_destructible_v<timed_event>);
static_assert(std::is_same_v<decltype(timed_event() - timed_event()), milliseconds>);

namespace {

void work_for(const stream& s, std::chrono::milliseconds time) {
    host_task([time] { std::this_thread::sleep_for(time); }, s);
}

}  // namespace

TEST_CASE("the difference of two marks is the time that passed between them") {
    const stream s(test_device(0));
    const auto host_begin = std::chrono::steady_clock::now();
    const timed_event begin(s);
    work_for(s, std::chrono::milliseconds(20));
    const timed_event end(s);
    end.synchronize();
    const milliseconds on_host = std::chrono::steady_clock::now() - host_begin;
    CHECK((end - begin).count() >= 20.0 - 0.001);
    CHECK((end - begin).count() <= on_host.count() + 0.001);
    CHECK((begin - end).count() == doctest::Approx(-(end - begin).count()));
    CHECK((begin - begin).count() == 0);
}

TEST_CASE("the marks of one stream never go back in time") {
    const stream s(test_device(1));
    std::vector<timed_event> marks;
    for (int i = 0; i < 200; ++i) {
        marks.emplace_back(s);
        if (i % 50 == 0) work_for(s, std::chrono::milliseconds(1));
    }
    s.synchronize();
    for (std::size_t i = 1; i < marks.size(); ++i) {
        CHECK((marks[i] - marks[i - 1]).count() >= 0);
        CHECK(marks[i].query());
    }
    CHECK((marks.back() - marks.front()).count() >= 4.0 - 0.001);
}

TEST_CASE("an event takes its time when its stream passes it, not when it is recorded") {
    DEVMEM_NEEDS_GATE();
    const stream s(test_device(0));
    const timed_event begin(s);
    gate held(s);
    const timed_event end(s);
    begin.synchronize();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(!end.query());
    held.open();
    end.synchronize();
    CHECK((end - begin).count() >= 10.0 - 0.001);
}

TEST_CASE("marks of two streams of one device can be compared") {
    const stream a(test_device(0));
    const stream b(test_device(0));
    const timed_event first(a);
    first.synchronize();
    work_for(b, std::chrono::milliseconds(5));
    const timed_event second(b);
    second.synchronize();
    CHECK((second - first).count() >= 5.0 - 0.001);
}

TEST_CASE("an event that marks nothing cannot be compared") {
    const stream s(test_device(0));
    const timed_event mark(s);
    const timed_event none;
    mark.synchronize();
    CHECK(none.query());
    none.synchronize();
    CHECK(none.native_handle() == nullptr);
    CHECK_THROWS_WITH_AS(static_cast<void>(mark - none),
                         "timed_event: both events must have been recorded, on one device",
                         devmem::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(none - mark), devmem::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(none - none), devmem::invalid_argument);
}

TEST_CASE("marks on two devices cannot be compared") {
    const stream a(test_device(0));
    const stream b(test_device(1));
    const timed_event on_a(a);
    const timed_event on_b(b);
    on_a.synchronize();
    on_b.synchronize();
    CHECK_THROWS_AS(static_cast<void>(on_b - on_a), devmem::invalid_argument);
}

TEST_CASE("a mark that is still to come cannot be compared yet") {
    DEVMEM_NEEDS_GATE();
    const stream s(test_device(0));
    const timed_event begin(s);
    gate held(s);
    const timed_event end(s);
    CHECK_THROWS_AS(static_cast<void>(end - begin), devmem::not_permitted);
    CHECK_THROWS_AS(static_cast<void>(begin - end), devmem::not_permitted);
    held.open();
    end.synchronize();
    CHECK((end - begin).count() >= 0);
}

TEST_CASE("recorded again on another stream, an event tells that stream's time") {
    DEVMEM_NEEDS_GATE();
    const stream held_up(test_device(0));
    const stream free(test_device(0));
    const timed_event begin(free);
    gate held(held_up);
    timed_event mark(held_up);
    mark.record(free);
    mark.synchronize();
    const timed_event end(free);
    end.synchronize();
    const double before = (mark - begin).count();
    CHECK(before >= 0);
    CHECK(before <= (end - begin).count());
    // The stream that was held up passes the mark it no longer has: that changes no time.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    held.open();
    held_up.synchronize();
    CHECK((mark - begin).count() == before);
}

TEST_CASE("an event may be destroyed before any stream has passed its marks") {
    DEVMEM_NEEDS_GATE();
    const stream a(test_device(0));
    const stream b(test_device(0));
    gate held;
    held.close(a);
    held.close(b);
    {
        timed_event one(a);
        timed_event two(a);
        two.record(b);
        two.record(a);
        timed_event three(b);
        three = std::move(one);
    }
    int ran_on_a = 0;
    int ran_on_b = 0;
    host_task([&ran_on_a] { ++ran_on_a; }, a);
    host_task([&ran_on_b] { ++ran_on_b; }, b);
    CHECK(!a.query());
    held.open();
    a.synchronize();
    b.synchronize();
    CHECK(ran_on_a == 1);
    CHECK(ran_on_b == 1);
}

TEST_CASE("an event may be destroyed when one stream has passed it and another is still to") {
    DEVMEM_NEEDS_GATE();
    const stream held_up(test_device(0));
    const stream free(test_device(0));
    gate held(held_up);
    {
        timed_event mark(held_up);
        mark.record(free);
        mark.synchronize();
    }
    // The memory of the event is used for others before the first stream comes to it.
    std::vector<timed_event> others(64);
    for (timed_event& e : others) e.record(free);
    free.synchronize();
    const double before = (others.back() - others.front()).count();
    held.open();
    held_up.synchronize();
    CHECK((others.back() - others.front()).count() == before);
}

TEST_CASE("events are recorded, moved and destroyed in any order while streams run") {
    constexpr int steps = 2'000;
    std::vector<stream> streams;
    for (int i = 0; i < 3; ++i) streams.emplace_back(test_device(i % 2));
    std::vector<timed_event> events(6);
    devmem_test::random_numbers random(5);
    int compared = 0;
    for (int i = 0; i < steps; ++i) {
        timed_event& e = events[random.below(6)];
        switch (random.below(6)) {
            case 0:
                e = timed_event();
                break;
            case 1:
                std::swap(e, events[random.below(6)]);
                break;
            case 2: {
                const stream& s = streams[random.below(3)];
                const timed_event begin(s);
                e.record(s);
                e.synchronize();
                if ((e - begin).count() >= 0) ++compared;
                break;
            }
            default:
                e.record(streams[random.below(3)]);
        }
    }
    for (const stream& s : streams) s.synchronize();
    CHECK(compared > steps / 12);
}

TEST_CASE("a timed event of the CPU has no native handle, and a GPU's has one") {
    const stream s(test_device(0));
    const timed_event e(s);
    if constexpr (path_is_cuda) {
        CHECK(e.native_handle() != nullptr);
    } else {
        CHECK_THROWS_AS(static_cast<void>(e.native_handle()), devmem::wrong_device);
    }
}
