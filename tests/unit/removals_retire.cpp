// How streams and events end, down to the single call of the backend.
#include "fake_backend.hpp"
#include "no_memory.hpp"

#include <devmem/error.hpp>
#include <devmem/stream/event_handle.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

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
constexpr status lost{error_code::device_lost, 7};

/// A stream without an owner. Its state serves others of its device once it is over.
stream_state& abandoned() {
    const devmem::device d(fake_device.kind(), fake_device.index() - 1);
    stream_state& s = streams.obtain(fake_table, d);
    begin_stream(s, &s);
    return s;
}

bool is_recycled(const stream_state& s) { return s.id.load_relaxed() == 0; }

void end_all() {
    fake_backend::reset();
    fake_backend::events_done_to = std::numeric_limits<int>::max();
    end_what_was_put_off();
    CHECK(streams.retired.load_relaxed() == nullptr);
}

std::string last_report;
void keep_report(const char* text) noexcept { last_report = text; }

}  // namespace

TEST_CASE("a stream that has nothing to do ends at once, and without an event") {
    fake_backend::reset();
    stream_state& s = abandoned();
    retire(s);
    CHECK(fake_backend::streams_destroyed == 1);
    CHECK(fake_backend::records == 0);
    CHECK(is_recycled(s));
    CHECK(streams.retired.load_relaxed() == nullptr);
    end_all();
}

TEST_CASE("a stream with work to do leaves an event, and is over once that has been passed") {
    fake_backend::reset();
    stream_state& s = abandoned();
    const std::uint64_t tick = take_tick(s);
    retire(s);
    CHECK(fake_backend::records == 1);
    CHECK(fake_backend::streams_destroyed == 1);
    CHECK(s.has_ended);
    CHECK_FALSE(is_recycled(s));
    end_what_was_put_off();
    CHECK_FALSE(is_recycled(s));
    CHECK(streams.retired.load_relaxed() == &s);
    fake_backend::events_done_to = fake_backend::clock;
    end_what_was_put_off();
    CHECK(is_recycled(s));
    CHECK(has_passed({&s, tick}));
    CHECK(fake_backend::records == 1);
    CHECK(fake_backend::streams_destroyed == 1);
    end_all();
}

TEST_CASE("the end of a stream's work is not recorded twice") {
    fake_backend::reset();
    stream_state& s = abandoned();
    take_tick(s);
    REQUIRE(record_ended(s).ok());
    retire(s);
    CHECK(fake_backend::records == 1);
    CHECK(fake_backend::streams_destroyed == 1);
    end_all();

    stream_state& passed = abandoned();
    raise_to(passed.passed, take_tick(passed));
    retire(passed);
    CHECK(fake_backend::records == 0);
    CHECK(is_recycled(passed));
    end_all();
}

TEST_CASE("a stream whose last event cannot be recorded is kept, and asked again") {
    fake_backend::reset();
    stream_state& s = abandoned();
    take_tick(s);
    fake_backend::on_record = failed;
    retire(s);
    CHECK(fake_backend::streams_destroyed == 0);
    CHECK_FALSE(s.has_ended);
    CHECK(s.handle != nullptr);
    CHECK_FALSE(is_recycled(s));
    fake_backend::on_record = {};
    fake_backend::stream_is_done = true;
    end_what_was_put_off();
    CHECK(fake_backend::streams_destroyed == 1);
    end_all();
    CHECK(is_recycled(s));
}

TEST_CASE("a handle that is still to be given up keeps its stream") {
    fake_backend::reset();
    stream_state& s = abandoned();
    take_tick(s);
    fake_backend::on_record = failed;
    fake_backend::stream_is_done = true;
    retire(s);  // it is done, but its handle would be lost
    CHECK_FALSE(is_recycled(s));
    CHECK(streams.retired.load_relaxed() == &s);
    end_all();
    CHECK(is_recycled(s));
}

TEST_CASE("nothing of a lost device will run any more") {
    fake_backend::reset();
    stream_state& s = abandoned();
    const std::uint64_t tick = take_tick(s);
    fake_backend::on_record = lost;
    retire(s);
    CHECK(fake_backend::streams_destroyed == 1);
    CHECK(has_passed({&s, tick}));
    CHECK(is_recycled(s));

    stream_state& later = abandoned();
    const std::uint64_t last = take_tick(later);
    fake_backend::on_record = {};
    REQUIRE(record_ended(later).ok());
    fake_backend::on_query = failed;
    retire(later);
    CHECK_FALSE(is_recycled(later));
    CHECK_FALSE(has_passed({&later, last}));
    fake_backend::on_query = lost;
    end_what_was_put_off();
    CHECK(has_passed({&later, last}));
    CHECK(is_recycled(later));
    end_all();
}

TEST_CASE("the handle of a borrowed stream is left alone") {
    fake_backend::reset();
    stream_state& s = abandoned();
    s.is_borrowed = true;
    take_tick(s);
    REQUIRE(record_ended(s).ok());
    take_tick(s);  // whose record has failed
    retire(s);
    CHECK(fake_backend::records == 1);
    CHECK(fake_backend::streams_destroyed == 0);
    CHECK(s.has_ended);
    CHECK(s.handle == nullptr);
    CHECK_FALSE(is_recycled(s));
    raise_to(s.passed, s.tick.load_relaxed());
    end_all();
    CHECK(is_recycled(s));
}

TEST_CASE("in a host callback nothing is called; it is made good later") {
    fake_backend::reset();
    stream_state& s = abandoned();
    void* event = nullptr;
    REQUIRE(fake_backend::event_create(fake_device, false, &event).ok());
    fake_backend::is_in_callback = true;
    retire(s);
    let_go({&fake_table, fake_device, event});
    CHECK(fake_backend::streams_destroyed == 0);
    CHECK(fake_backend::events_destroyed == 0);
    CHECK_FALSE(is_recycled(s));
    fake_backend::is_in_callback = false;
    end_what_was_put_off();
    CHECK(fake_backend::streams_destroyed == 1);
    CHECK(fake_backend::events_destroyed == 1);
    CHECK(is_recycled(s));
    REQUIRE(fake_backend::event_create(fake_device, false, &event).ok());
    let_go({&fake_table, fake_device, event});
    CHECK(fake_backend::events_destroyed == 2);
    CHECK(dead_events.first.load_relaxed() == nullptr);
    end_all();
}

TEST_CASE("an event that cannot be put off is lost, and that is said") {
    fake_backend::reset();
    void* event = nullptr;
    REQUIRE(fake_backend::event_create(fake_device, false, &event).ok());
    const devmem::message_sink before = devmem::set_destructor_error_sink(&keep_report);
    fake_backend::is_in_callback = true;
    {
        const no_memory none;
        let_go({&fake_table, fake_device, event});
    }
    CHECK(last_report.find("no memory to put it off") != std::string::npos);
    last_report.clear();
    let_go({&fake_table, fake_device, event});
    devmem::set_destructor_error_sink(before);
    CHECK(last_report.empty());
    end_all();
    CHECK(fake_backend::events_destroyed == 1);
}

TEST_CASE("in a forked child streams and events are left as they are") {
    fake_backend::reset();
    stream_state& s = abandoned();
    void* event = nullptr;
    REQUIRE(fake_backend::event_create(fake_device, false, &event).ok());
    {
        const devmem_test::as_forked_child child;
        retire(s);
        let_go({&fake_table, fake_device, event});
    }
    CHECK(fake_backend::streams_destroyed == 0);
    CHECK(fake_backend::events_destroyed == 0);
    CHECK_FALSE(is_recycled(s));
    retire(s);
    let_go({&fake_table, fake_device, event});
    CHECK(is_recycled(s));
    CHECK(fake_backend::events_destroyed == 1);
    end_all();
}

TEST_CASE("a stream that addresses were given out on ends after all that is queued") {
    fake_backend::reset();
    stream_state& s = abandoned();
    s.gave_raw.store_relaxed(true);
    retire(s);
    CHECK(fake_backend::records == 1);
    CHECK_FALSE(is_recycled(s));
    end_all();
    CHECK(is_recycled(s));
}
