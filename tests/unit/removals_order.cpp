// How streams wait for each other, and the host for them, down to the single call of the backend;
// and what is done when a call fails.
#include "fake_backend.hpp"
#include "no_memory.hpp"

#include <devmem/stream/order.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace devmem::detail;
using devmem::error_code;
using devmem::status;
using devmem_test::fake_backend;
using devmem_test::fake_device;
using devmem_test::fake_stream;
using devmem_test::fake_table;
using devmem_test::no_memory;

namespace {

constexpr status failed{error_code::backend_failure, 7};

/// What an event covers; 0 where there is none.
std::uint64_t covered(const mark_event* e) { return e != nullptr ? e->covers : 0; }

/// An access ends, and an event is recorded.
stream_mark recorded_work(const fake_stream& s) {
    const stream_mark m = s.work();
    REQUIRE(record_ended(*s).ok());
    return m;
}

void pass(const fake_stream& s, const stream_mark& m) { raise_to(s->passed, m.tick); }

}  // namespace

TEST_CASE("a count is only raised") {
    devmem::detail::atomic<std::uint64_t> count{5};
    raise_to(count, 3);
    CHECK(count.load_relaxed() == 5);
    raise_to(count, 7);
    CHECK(count.load_relaxed() == 7);
}

TEST_CASE("of the events that cover an access, that which covers least is waited for") {
    fake_backend::reset();
    const fake_stream s;
    const stream_mark first = recorded_work(s);
    const stream_mark second = recorded_work(s);
    const stream_mark third = recorded_work(s);
    CHECK(covered(covering_event(*s, first.tick)) == first.tick);
    CHECK(covered(covering_event(*s, second.tick)) == second.tick);
    CHECK(covered(covering_event(*s, third.tick)) == third.tick);
    CHECK(covering_event(*s, third.tick + 1) == nullptr);
    pass(s, first);
    const stream_mark fourth = recorded_work(s);  // in the place of the first
    CHECK(s.events() == 3);
    CHECK(covered(covering_event(*s, first.tick)) == second.tick);
    CHECK(covered(covering_event(*s, fourth.tick)) == fourth.tick);
}

TEST_CASE("an event is recorded again once it has been passed, the oldest first") {
    fake_backend::reset();
    const fake_stream s;
    stream_mark m[3];
    for (stream_mark& each : m) each = recorded_work(s);
    pass(s, m[1]);
    const stream_mark fourth = recorded_work(s);
    CHECK(s.events() == 3);
    CHECK(covered(covering_event(*s, m[0].tick)) == m[1].tick);
    const stream_mark fifth = recorded_work(s);
    CHECK(s.events() == 3);
    CHECK(covered(covering_event(*s, m[1].tick)) == m[2].tick);
    CHECK(covered(covering_event(*s, fourth.tick)) == fourth.tick);
    CHECK(covered(covering_event(*s, fifth.tick)) == fifth.tick);
}

TEST_CASE("there are eight events at most, then the oldest is recorded again") {
    fake_backend::reset();
    const fake_stream s;
    const stream_mark first = recorded_work(s);
    for (std::size_t n = 2; n <= 8; ++n) {
        recorded_work(s);
        CHECK(s.events() == n);
    }
    const stream_mark ninth = recorded_work(s);
    CHECK(s.events() == 8);
    CHECK(fake_backend::events_made == 8);
    CHECK(covered(covering_event(*s, first.tick)) == first.tick + 1);
    CHECK(covered(covering_event(*s, ninth.tick)) == ninth.tick);
}

TEST_CASE("an event that a thread of the host waits for is not recorded again") {
    fake_backend::reset();
    const fake_stream s;
    const stream_mark first = recorded_work(s);
    mark_event* const e = covering_event(*s, first.tick);
    pass(s, first);
    e->waiting = 1;
    recorded_work(s);
    CHECK(e->covers == first.tick);
    CHECK(s.events() == 2);
    for (int i = 0; i < 6; ++i) recorded_work(s);
    for (mark_event* each = s->events; each != nullptr; each = each->next) each->waiting = 1;
    const stream_mark last = recorded_work(s);  // all are waited for: one more
    CHECK(s.events() == 9);
    CHECK(covered(covering_event(*s, last.tick)) == last.tick);
    for (mark_event* each = s->events; each != nullptr; each = each->next) each->waiting = 0;
}

TEST_CASE("an event that could not be made or recorded covers nothing") {
    fake_backend::reset();
    const fake_stream s;
    const stream_mark m = s.work();
    fake_backend::on_event_create = failed;
    CHECK(record_ended(*s).code == failed.code);
    CHECK(fake_backend::records == 0);
    CHECK(covering_event(*s, m.tick) == nullptr);
    fake_backend::on_event_create = {};
    fake_backend::on_record = failed;
    CHECK(record_ended(*s).code == failed.code);
    CHECK(covering_event(*s, m.tick) == nullptr);
    fake_backend::on_record = {};
    CHECK(record_ended(*s).ok());
    CHECK(fake_backend::events_made == 1);
    CHECK(covered(covering_event(*s, m.tick)) == m.tick);
}

TEST_CASE("where there is no memory for one more event, one that is there is recorded again") {
    fake_backend::reset();
    const fake_stream s;
    {
        const no_memory none;
        const stream_mark m = s.work();
        CHECK(record_ended(*s).code == error_code::out_of_memory);
        CHECK(covering_event(*s, m.tick) == nullptr);
    }
    recorded_work(s);
    const no_memory none;
    const stream_mark m = recorded_work(s);
    CHECK(s.events() == 1);
    CHECK(covered(covering_event(*s, m.tick)) == m.tick);
}

TEST_CASE("who waits for an access records an event only where none covers it") {
    fake_backend::reset();
    const fake_stream s;
    const fake_stream waiter;
    const stream_mark m = s.work();
    CHECK(make_wait(*waiter, m).ok());
    CHECK(fake_backend::records == 1);
    CHECK(fake_backend::stream_waits == 1);
    CHECK(fake_backend::waited_for == fake_backend::last_recorded);
    const auto* const recorded = fake_backend::last_recorded;
    recorded_work(s);
    CHECK(make_wait(*waiter, m).ok());
    CHECK(fake_backend::records == 2);
    CHECK(fake_backend::stream_waits == 2);
    CHECK(fake_backend::waited_for == recorded);
    pass(s, m);
    CHECK(make_wait(*waiter, m).ok());
    CHECK(fake_backend::stream_waits == 2);
}

TEST_CASE("a wait that cannot be had is told") {
    fake_backend::reset();
    const fake_stream s;
    const fake_stream waiter;
    const stream_mark m = s.work();
    fake_backend::on_record = failed;
    CHECK(make_wait(*waiter, m).code == failed.code);
    CHECK(fake_backend::stream_waits == 0);
    fake_backend::on_record = {};
    fake_backend::on_stream_wait = failed;
    CHECK(make_wait(*waiter, m).code == failed.code);
}

TEST_CASE("nothing is recorded on a stream that is borrowed or has ended, when somebody waits") {
    fake_backend::reset();
    const fake_stream waiter;
    for (const bool is_borrowed : {true, false}) {
        const fake_stream s;
        const stream_mark early = recorded_work(s);
        const stream_mark m = s.work();
        s->is_borrowed = is_borrowed;
        s->has_ended = !is_borrowed;
        const int before = fake_backend::records;
        CHECK(make_wait(*waiter, m).code == error_code::device_lost);
        CHECK(fake_backend::records == before);
        CHECK(make_wait(*waiter, early).ok());
        // The host has another way: all of the device.
        const int waits = fake_backend::device_syncs;
        CHECK(wait_for(m).ok());
        CHECK(fake_backend::device_syncs == waits + 1);
        CHECK(has_passed(m));
    }
    CHECK(fake_backend::event_waits == 0);
}

TEST_CASE("the end of an access is recorded once, and not where nobody will wait for it") {
    fake_backend::reset();
    const fake_stream s;
    const stream_mark m = s.work();
    record_end(m);
    CHECK(fake_backend::records == 1);
    CHECK(covered(covering_event(*s, m.tick)) == m.tick);
    record_end(m);
    CHECK(fake_backend::records == 1);
    const stream_mark second = s.work();
    pass(s, second);
    record_end(second);
    CHECK(fake_backend::records == 1);
    const stream_mark third = s.work();
    s->has_ended = true;
    record_end(third);
    CHECK(fake_backend::records == 1);
}

TEST_CASE("the host waits for an access once, and learns of all that the event covers") {
    fake_backend::reset();
    const fake_stream s;
    const stream_mark m = s.work();
    const stream_mark second = recorded_work(s);
    const stream_mark later = s.work();
    CHECK(wait_for(m).ok());
    CHECK(fake_backend::records == 1);
    CHECK(fake_backend::event_waits == 1);
    CHECK(fake_backend::waited_for == fake_backend::last_recorded);
    CHECK(fake_backend::device_syncs == 0);
    CHECK(has_passed(second));
    CHECK_FALSE(has_passed(later));
    CHECK(covering_event(*s, m.tick)->waiting == 0);
    CHECK(wait_for(second).ok());
    CHECK(fake_backend::event_waits == 1);
}

TEST_CASE("the host has not waited where its wait failed") {
    fake_backend::reset();
    const fake_stream s;
    const stream_mark m = s.work();
    fake_backend::on_event_wait = failed;
    CHECK(wait_for(m).code == failed.code);
    CHECK_FALSE(has_passed(m));
    CHECK(covering_event(*s, m.tick)->waiting == 0);
    fake_backend::on_stream_sync = failed;
    CHECK(synchronize_work(*s).code == failed.code);
    CHECK_FALSE(has_passed(m));
    fake_backend::on_stream_sync = {};
    CHECK(synchronize_work(*s).ok());
    CHECK(fake_backend::stream_syncs == 2);
    CHECK(has_passed(m));
}

TEST_CASE("a stream is asked how far it is only as long as that is not known") {
    fake_backend::reset();
    const fake_stream s;
    CHECK(look(*s).ok());
    CHECK(fake_backend::stream_queries == 0);
    const stream_mark m = s.work();
    CHECK(look(*s).ok());
    CHECK(fake_backend::stream_queries == 1);
    CHECK_FALSE(has_passed(m));
    fake_backend::stream_is_done = true;
    CHECK(look(*s).ok());
    CHECK(fake_backend::stream_queries == 2);
    CHECK(fake_backend::event_queries == 0);
    CHECK(has_passed(m));
    CHECK(look(*s).ok());
    CHECK(fake_backend::stream_queries == 2);
}

TEST_CASE("a stream that is not done is asked for its events, the newest first") {
    fake_backend::reset();
    const fake_stream s;
    stream_mark m[4];
    for (stream_mark& each : m) each = recorded_work(s);
    const stream_mark last = s.work();
    CHECK(look(*s).ok());
    CHECK(fake_backend::event_queries == 4);
    CHECK_FALSE(has_passed(m[0]));
    fake_backend::event_queries = 0;
    fake_backend::events_done_to = fake_backend::clock - 2;
    CHECK(look(*s).ok());
    CHECK(fake_backend::event_queries == 3);
    CHECK(has_passed(m[1]));
    CHECK_FALSE(has_passed(m[2]));
    // What has been passed is not asked for again, whatever its place among the events.
    recorded_work(s);
    fake_backend::event_queries = 0;
    CHECK(look(*s).ok());
    CHECK(fake_backend::event_queries == 3);
    CHECK_FALSE(has_passed(m[2]));
    fake_backend::event_queries = 0;
    fake_backend::events_done_to = fake_backend::clock;
    CHECK(look(*s).ok());
    CHECK(fake_backend::event_queries == 1);
    CHECK(has_passed(last));
}

TEST_CASE("a stream that is borrowed or has ended is asked for its events only") {
    for (const bool is_borrowed : {true, false}) {
        fake_backend::reset();
        const fake_stream s;
        const stream_mark m = recorded_work(s);
        s->is_borrowed = is_borrowed;
        s->has_ended = !is_borrowed;
        CHECK(look(*s).ok());
        CHECK_FALSE(has_passed(m));
        fake_backend::events_done_to = fake_backend::clock;
        CHECK(look(*s).ok());
        CHECK(has_passed(m));
        CHECK(fake_backend::stream_queries == 0);
    }
}

TEST_CASE("an answer that is an error ends the asking and tells nothing") {
    fake_backend::reset();
    const fake_stream s;
    const stream_mark m = recorded_work(s);
    recorded_work(s);
    fake_backend::on_query = failed;
    fake_backend::stream_is_done = true;
    fake_backend::events_done_to = fake_backend::clock;
    CHECK(look(*s).code == failed.code);
    CHECK(fake_backend::stream_queries == 1);
    CHECK(fake_backend::event_queries == 0);
    CHECK_FALSE(has_passed(m));
    s->has_ended = true;
    CHECK(look(*s).code == failed.code);
    CHECK(fake_backend::event_queries == 1);
    CHECK_FALSE(has_passed(m));
}

TEST_CASE("who waits for a device learns how far its streams are, and those only") {
    fake_backend::reset();
    const fake_stream s;
    const fake_stream elsewhere;
    const fake_stream gone;
    const stream_mark m = s.work();
    const stream_mark of_other = elsewhere.work();
    const stream_mark of_gone = gone.work();
    const devmem::device other_device(fake_device.kind(), fake_device.index() - 1);
    elsewhere->where = other_device;
    const std::uint64_t id = gone->id.load_relaxed();
    gone->id.store_relaxed(0);
    fake_backend::stream_is_done = true;
    fake_backend::on_device_sync = failed;
    CHECK(synchronize_all(fake_table, fake_device).code == failed.code);
    CHECK(fake_backend::stream_queries == 0);
    fake_backend::on_device_sync = {};
    CHECK(synchronize_all(fake_table, fake_device).ok());
    CHECK(fake_backend::device_syncs == 2);
    CHECK(has_passed(m));
    CHECK_FALSE(has_passed(of_other));
    CHECK_FALSE(has_passed(of_gone));
    elsewhere->where = fake_device;
    gone->id.store_relaxed(id);
}

TEST_CASE("in a host callback nothing is waited for, save what is over") {
    fake_backend::reset();
    const fake_stream s;
    const stream_mark m = s.work();
    fake_backend::is_in_callback = true;
    CHECK(wait_for(m).code == error_code::not_permitted);
    CHECK(fake_backend::records == 0);
    pass(s, m);
    CHECK(wait_for(m).ok());
}
