// The scheduler `deferred` as a program meets it. A scheduler is fixed before first use, so each
// case has a process of its own.
#include "gate.hpp"
#include "run_case.hpp"
#include "test_backend.hpp"

#include <devmem/devmem.hpp>
#include <devmem/timed_event.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using devmem::backend_table;
using devmem::device;
using devmem::memory_space;
using devmem::status;
using devmem_test::case_result;
using devmem_test::run_case;
using devmem_test::say;
using devmem_test::test_device;

std::string scheduler_of(unsigned seed) {
    return "DEVMEM_SCHEDULER=deferred:" + std::to_string(seed);
}

std::string said_with(const std::string& name, unsigned seed) {
    const case_result result = run_case(name, {scheduler_of(seed), "DEVMEM_CPU_DEVICES=2"});
    INFO(result.output);
    CHECK(result.exit_status == 0);
    return result.said;
}

// ---- Programs that wait, or forget to, by plain calls of the backend. ----

const backend_table& table() { return devmem::detail::table_of(test_device(0), "test"); }

void must(status s) {
    if (s.ok()) return;
    say("a call failed: %d", static_cast<int>(s.code));
    std::abort();
}

struct lane {
    explicit lane(device d) : where(d) { must(table().stream_create(d, &handle)); }
    ~lane() {
        synchronize();
        must(table().stream_destroy(where, handle));
    }
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;
    void synchronize() const { must(table().stream_synchronize(where, handle)); }

    device where;
    void* handle = nullptr;
};

struct mark {
    explicit mark(const lane& l) : where(l.where) {
        must(table().event_create(where, false, &handle));
        record(l);
    }
    ~mark() { must(table().event_destroy(where, handle)); }
    mark(const mark&) = delete;
    mark& operator=(const mark&) = delete;
    void record(const lane& l) const { must(table().event_record(where, handle, l.handle)); }
    void hold_up(const lane& l) const {
        must(table().stream_wait_event(l.where, l.handle, handle));
    }

    device where;
    void* handle = nullptr;
};

/// Bytes that streams and host may both touch.
struct bytes {
    static constexpr std::size_t size = 256;

    explicit bytes(unsigned char value) {
        must(table().allocate(test_device(0), memory_space::pinned, size, &data));
        std::memset(data, value, size);
    }
    ~bytes() { must(table().deallocate(test_device(0), memory_space::pinned, data, size)); }
    bytes(const bytes&) = delete;
    bytes& operator=(const bytes&) = delete;
    int first() const { return *static_cast<const unsigned char*>(data); }
    void fill(unsigned char value, const lane& l) const {
        must(table().fill_async(l.where, l.handle, data, &value, 1, size));
    }
    void copy_to(const bytes& to, const lane& l) const {
        must(table().copy_async(l.where, l.handle, to.data, data, size));
    }

    void* data = nullptr;
};

/// Each is given whether to wait, and gives whether the result is what the waits make it.
struct hazard {
    const char* name;
    bool (*run)(bool right);
};

// The memory goes after the streams, which are synchronized before they go.
const hazard hazards[] = {
    {"the host reads too early",
     [](bool right) {
         const bytes a(1);
         const lane s(test_device(0));
         a.fill(2, s);
         if (right) s.synchronize();
         return a.first() == 2;
     }},
    {"the host writes too early",
     [](bool right) {
         const bytes a(1);
         const bytes b(0);
         const lane s(test_device(0));
         a.copy_to(b, s);
         if (right) s.synchronize();
         std::memset(a.data, 9, bytes::size);
         s.synchronize();
         return b.first() == 1;
     }},
    {"read after write",
     [](bool right) {
         const bytes a(1);
         const bytes b(0);
         const lane s(test_device(0));
         const lane t(test_device(0));
         a.fill(2, s);
         if (right) mark(s).hold_up(t);
         a.copy_to(b, t);
         t.synchronize();
         return b.first() == 2;
     }},
    {"write after read",
     [](bool right) {
         const bytes a(1);
         const bytes b(0);
         const lane s(test_device(0));
         const lane t(test_device(0));
         a.copy_to(b, s);
         if (right) mark(s).hold_up(t);
         a.fill(9, t);
         t.synchronize();
         s.synchronize();
         return b.first() == 1;
     }},
    {"write after write",
     [](bool right) {
         const bytes a(1);
         const lane s(test_device(0));
         const lane t(test_device(0));
         a.fill(2, s);
         if (right) mark(s).hold_up(t);
         a.fill(3, t);
         s.synchronize();
         t.synchronize();
         return a.first() == 3;
     }},
    {"read after write on another device",
     [](bool right) {
         const bytes a(1);
         const bytes b(0);
         const lane s(test_device(0));
         const lane t(test_device(1));
         a.fill(2, s);
         if (right) mark(s).hold_up(t);
         a.copy_to(b, t);
         t.synchronize();
         return b.first() == 2;
     }},
    {"an event recorded too early",
     [](bool right) {
         const bytes a(1);
         const bytes b(0);
         const lane s(test_device(0));
         const lane t(test_device(0));
         a.fill(2, s);
         const mark early(s);
         a.fill(3, s);
         if (right) early.record(s);
         early.hold_up(t);
         a.copy_to(b, t);
         t.synchronize();
         return b.first() == 3;
     }},
    {"a wait for the wrong stream",
     [](bool right) {
         const bytes a(1);
         const bytes b(0);
         const lane s(test_device(0));
         const lane other(test_device(0));
         const lane t(test_device(0));
         a.fill(2, s);
         b.fill(5, other);
         mark(right ? s : other).hold_up(t);
         a.copy_to(b, t);
         if (right) mark(other).hold_up(t);
         t.synchronize();
         const bool read_right = b.first() == 2 || (right && b.first() == 5);
         return read_right;
     }},
    {"a wait on one of two readers",
     [](bool right) {
         const bytes a(1);
         const bytes b(0);
         const bytes c(0);
         const lane s(test_device(0));
         const lane t(test_device(0));
         const lane u(test_device(0));
         a.copy_to(b, s);
         a.copy_to(c, t);
         mark(s).hold_up(u);
         if (right) mark(t).hold_up(u);
         a.fill(9, u);
         u.synchronize();
         t.synchronize();
         return b.first() == 1 && c.first() == 1;
     }},
};

void run_hazards(bool right) {
    for (const hazard& h : hazards) {
        if (!h.run(right)) say("wrong: %s", h.name);
    }
    say("done");
    CHECK(true);
}

}  // namespace

// ---- The cases that are run by others. ----

TEST_CASE("own process: missing waits" * doctest::skip()) { run_hazards(false); }
TEST_CASE("own process: every wait" * doctest::skip()) { run_hazards(true); }

TEST_CASE("own process: deadlock" * doctest::skip()) {
    const devmem::stream first(test_device(0));
    const devmem::stream second(test_device(1));
    devmem_test::gate held(first);
    second.wait(devmem::event(first));
    bool ran = false;
    devmem::host_task([&ran] { ran = true; }, second);
    const devmem::event last(second);
    try {
        second.synchronize();
    } catch (const devmem::deadlock& e) {
        say("%s", e.what());
    }
    CHECK_THROWS_AS(last.synchronize(), devmem::deadlock);
    CHECK_THROWS_AS(devmem::synchronize(test_device(1)), devmem::deadlock);
    CHECK(!second.query());
    CHECK(!ran);
    // Nothing is broken by that: once what held it up is gone, the wait ends.
    held.open();
    second.synchronize();
    CHECK(ran);
}

TEST_CASE("own process: ordinary use" * doctest::skip()) {
    const devmem::device d = test_device(0);
    const devmem::stream s(d);
    int value = 0;
    devmem::host_task([&value] { value = 1; }, s);
    const devmem::event after_one(s);
    devmem::host_task([&value] { value = 2; }, s);
    CHECK(value == 0);
    after_one.synchronize();
    CHECK(value >= 1);
    s.synchronize();
    CHECK(value == 2);

    // The default stream.
    devmem::host_task([&value] { value = 3; }, devmem::current_stream(d));
    CHECK(value == 2);
    devmem::current_stream(d).synchronize();
    CHECK(value == 3);

    // A device's.
    devmem::host_task([&value] { value = 4; }, s);
    devmem::synchronize(d);
    CHECK(value == 4);

    // What a task throws arrives.
    devmem::host_task([] { throw 5; }, s);
    CHECK_THROWS_AS(s.synchronize(), int);

    // A loop that asks comes to an end.
    devmem::host_task([&value] { value = 6; }, s);
    int asked = 0;
    while (!s.query()) ++asked;
    CHECK(value == 6);
    CHECK(asked >= 63);
    devmem::host_task([&value] { value = 7; }, s);
    const devmem::event e(s);
    while (!e.query()) ++asked;
    CHECK(value == 7);

    // Work is a callback: it may not use devmem.
    bool refused = false;
    devmem::host_task(
        [&refused, &s] {
            try {
                s.synchronize();
            } catch (const devmem::not_permitted&) {
                refused = true;
            }
        },
        s);
    s.synchronize();
    CHECK(refused);
    say("done");
}

TEST_CASE("own process: timed events" * doctest::skip()) {
    const devmem::stream s(test_device(0));
    const devmem::timed_event begin(s);
    devmem::host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, s);
    const devmem::timed_event end(s);
    end.synchronize();
    // Times are taken when the work runs, not when it is queued.
    CHECK(end - begin >= std::chrono::milliseconds(2));
    say("done");
}

TEST_CASE("own process: counted waits" * doctest::skip()) {
    const devmem::stream s(test_device(0));
    const devmem::event e(s);
    const auto& waits = devmem::detail::engine().waits();
    const std::uint64_t entered = waits.entered.load_relaxed();
    const std::uint64_t blocked = waits.blocked.load_relaxed();
    const auto check = [&](std::uint64_t more_entered, std::uint64_t more_blocked) {
        CHECK(waits.entered.load_relaxed() == entered + more_entered);
        CHECK(waits.blocked.load_relaxed() == blocked + more_blocked);
    };
    devmem::host_task([] {}, s);
    static_cast<void>(s.query());
    check(0, 0);
    s.synchronize();
    check(1, 1);
    s.synchronize();
    e.synchronize();
    check(3, 1);
    devmem::synchronize(test_device(0));
    check(4, 1);
    say("done");
}

// ---- What they show. ----

TEST_CASE("each kind of forgotten wait is found by one of the first three seeds") {
    std::set<std::string> found;
    for (unsigned seed = 0; seed < 3; ++seed) {
        const std::string said = said_with("own process: missing waits", seed);
        for (const hazard& h : hazards) {
            if (said.find(std::string("wrong: ") + h.name + "\n") != std::string::npos) {
                found.insert(h.name);
            }
        }
    }
    for (const hazard& h : hazards) {
        CAPTURE(h.name);
        CHECK(found.count(h.name) == 1);
    }
}

TEST_CASE("a program that waits is right under every seed") {
    for (unsigned seed = 0; seed < 24; ++seed) {
        CAPTURE(seed);
        CHECK(said_with("own process: every wait", seed) == "done");
    }
}

TEST_CASE("a wait that nothing can end throws, and names the streams and what holds them") {
    for (unsigned seed = 0; seed < 4; ++seed) {
        CAPTURE(seed);
        const std::string said = said_with("own process: deadlock", seed);
        const char* kind = devmem_test::path_is_cuda ? "cuda" : "cpu";
        CAPTURE(said);
        CHECK(said.find("would wait for ever: " + std::string(kind) + ":1 stream ") !=
              std::string::npos);
        CHECK(said.find(" waits for " + std::string(kind) + ":0 stream ") != std::string::npos);
        CHECK(said.find(", which is held by a closed gate") != std::string::npos);
    }
}

TEST_CASE("tasks, events, default streams and callbacks are what they are by any scheduler") {
    for (unsigned seed = 0; seed < 8; ++seed) {
        CAPTURE(seed);
        CHECK(said_with("own process: ordinary use", seed) == "done");
        CHECK(said_with("own process: timed events", seed) == "done");
    }
}

TEST_CASE("waits of the host are counted") {
    CHECK(said_with("own process: counted waits", 0) == "done");
}
