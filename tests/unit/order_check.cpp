// Containers whose order is the program's: what is not waited for, and what is found out about it.
#include "captured_texts.hpp"
#include "contents.hpp"
#include "gate.hpp"
#include "run_case.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/device_slices.hpp>
#include <devmem/device_text.hpp>
#include <devmem/error.hpp>
#include <devmem/event.hpp>
#include <devmem/fill.hpp>
#include <devmem/messages.hpp>
#include <devmem/order_check.hpp>
#include <devmem/pool.hpp>
#include <devmem/stream.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

using devmem::access_conflict;
using devmem::order_check;
using devmem::ordering;
using devmem::stream;
using devmem_test::contents;
using devmem_test::gate;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

namespace {

class [[nodiscard]] checking {
  public:
    explicit checking(order_check how) { devmem::set_order_check(how); }
    ~checking() { devmem::set_order_check(order_check::off); }
    checking(const checking&) = delete;
    checking& operator=(const checking&) = delete;
};

/// Two streams, and a vector and a pinned buffer, at rest, in manual order.
struct by_hand {
    stream a{test_device(1)};
    stream b{test_device(1)};
    test_vector<int> v{100, 5, a};
    test_vector<int> other{100, 6, a};
    test_pinned<int> p{100, 7, a};

    by_hand() {
        devmem::synchronize(test_device(1));
        v.set_ordering(ordering::manual);
        p.set_ordering(ordering::manual);
    }
};

std::string hazard_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const access_conflict& e) {
        return e.what();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a container is in devmem's order until it is told otherwise, and keeps that") {
    const nothing_stays check;
    test_vector<int> v(10, test_device(1));
    CHECK(v.ordering() == ordering::automatic);
    v.set_ordering(ordering::manual);
    CHECK(v.ordering() == ordering::manual);
    v.resize(10'000);
    CHECK(v.ordering() == ordering::manual);
    test_vector<int> moved = std::move(v);
    CHECK(moved.ordering() == ordering::manual);
    test_vector<int> copied = moved;
    CHECK(copied.ordering() == ordering::automatic);
    swap(copied, moved);
    CHECK(copied.ordering() == ordering::manual);
    copied.set_ordering(ordering::automatic);
    CHECK(copied.ordering() == ordering::automatic);
}

TEST_CASE("nobody waits for a container in manual order") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    by_hand t;
    gate held(t.a);
    devmem::fill(t.v, 1, t.a);
    devmem::copy_async(t.p, t.other, t.a);
    devmem::fill(t.v, 2, t.b);
    t.b.synchronize();
    t.p.host_write()[0] = 8;
    CHECK_FALSE(t.a.query());
    held.open();
    t.a.synchronize();
    CHECK(t.v.get(0, t.a) == 1);
    CHECK(t.other.get(0, t.a) == 8);
}

TEST_CASE("back in devmem's order, what was done meanwhile is waited for") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    by_hand t;
    gate held(t.a);
    devmem::fill(t.v, 1, t.a);
    t.v.set_ordering(ordering::automatic);
    devmem::fill(t.v, 2, t.b);
    CHECK_FALSE(t.b.query());
    held.open();
    CHECK(contents(t.v) == std::vector<int>(100, 2));
}

TEST_CASE("memory of a container in manual order is not used again too early") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    devmem::empty_cache(test_device(1));
    const stream a(test_device(1));
    const stream b(test_device(1));
    auto v = std::make_optional<test_vector<int>>(1000, 5, b);
    b.synchronize();
    v->set_ordering(ordering::manual);
    const auto* const old = v->first(1).address();
    gate held(a);
    devmem::fill(*v, 6, a);
    devmem::fill(*v, 7, b);
    v.reset();
    b.synchronize();
    test_vector<int> next(1000, 8, b);
    CHECK(next.first(1).address() != old);
    CHECK(next.ordering() == ordering::automatic);
    held.open();
    a.synchronize();
    CHECK(contents(next) == std::vector<int>(1000, 8));
}

TEST_CASE("each kind of hazard between streams is found, with both places and the remedy") {
    const nothing_stays check;
    const checking on(order_check::raise);
    by_hand t;
    const std::string a = devmem::to_string(test_device(1)) + " stream " + std::to_string(t.a.id());
    const std::string b = devmem::to_string(test_device(1)) + " stream " + std::to_string(t.b.id());

    devmem::fill(t.v, 1, t.a);
    const int written_at = __LINE__ - 1;
    std::string found = hazard_of([&] { devmem::copy_async(t.v, t.other, t.b); });
    const int read_at = __LINE__ - 1;
    CHECK(has(found, "a read after a write"));
    CHECK(has(found, "copy_async at order_check.cpp:" + std::to_string(read_at) + " on " + b));
    CHECK(has(found, "fill at order_check.cpp:" + std::to_string(written_at) + " on " + a));
    CHECK(has(found, "let " + b + " wait for an event recorded after it on " + a));
    found = hazard_of([&] { devmem::fill(t.v, 2, t.b); });
    CHECK(has(found, "a write after a write"));

    t.b.wait(devmem::event(t.a));
    CHECK(hazard_of([&] { devmem::copy_async(t.v, t.other, t.b); }).empty());
    found = hazard_of([&] { devmem::fill(t.v, 3, t.a); });
    CHECK(has(found, "a write after a read"));
    CHECK(has(found, "copy_async at order_check.cpp"));
    t.a.wait(devmem::event(t.b));
    CHECK(hazard_of([&] { devmem::fill(t.v, 3, t.a); }).empty());
}

TEST_CASE("reads do not conflict, nor does what is on one stream") {
    const nothing_stays check;
    const checking on(order_check::raise);
    by_hand t;
    test_vector<int> second(100, t.b);
    CHECK(hazard_of([&] {
              devmem::copy_async(t.v, t.other, t.a);
              devmem::copy_async(t.v, second, t.b);
              devmem::copy_async(t.v, t.other, t.a);
          }).empty());
    test_vector<int> w(100, 5, t.a);
    w.set_ordering(ordering::manual);
    CHECK(hazard_of([&] {
              devmem::fill(w, 1, t.a);
              devmem::fill(w, 2, t.a);
              devmem::copy_async(w, t.other, t.a);
          }).empty());
}

TEST_CASE("the host's accesses of pinned memory count") {
    const nothing_stays check;
    const checking on(order_check::raise);
    by_hand t;
    devmem::copy_async(t.p, t.v, t.a);
    CHECK(t.p.host_read()[0] == 7);
    std::string found = hazard_of([&] { t.p.host_write()[0] = 8; });
    CHECK(has(found, "a write after a read"));
    CHECK(has(found, "on the host"));
    CHECK(has(found, "let the host synchronize"));
    devmem::event(t.a).synchronize();
    CHECK(hazard_of([&] { t.p.host_write()[0] = 8; }).empty());

    devmem::copy_async(t.v, t.p, t.a);
    found = hazard_of([&] { static_cast<void>(t.p.host_read()); });
    CHECK(has(found, "a read after a write"));
    t.a.synchronize();
    CHECK(hazard_of([&] { static_cast<void>(t.p.host_read()); }).empty());
    CHECK(hazard_of([&] { devmem::copy_async(t.p, t.v, t.b); }).empty());
}

TEST_CASE("every way to wait is one, also by way of a third") {
    const nothing_stays check;
    const checking on(order_check::raise);
    const auto is_in_order = [](const std::function<void(by_hand&)>& wait) {
        by_hand t;
        devmem::fill(t.v, 1, t.a);
        wait(t);
        return hazard_of([&t] { devmem::fill(t.v, 2, t.b); }).empty();
    };
    CHECK_FALSE(is_in_order([](by_hand&) {}));
    CHECK(is_in_order([](by_hand& t) { t.b.wait(devmem::event(t.a)); }));
    CHECK(is_in_order([](by_hand& t) { t.a.synchronize(); }));
    CHECK(is_in_order([](by_hand& t) { devmem::event(t.a).synchronize(); }));
    CHECK(is_in_order([](by_hand&) { devmem::synchronize(test_device(1)); }));
    CHECK(is_in_order([](by_hand& t) {
        while (!t.a.query()) continue;
    }));
    CHECK(is_in_order([](by_hand& t) {
        const devmem::event e(t.a);
        while (!e.query()) continue;
    }));
    CHECK(is_in_order([](by_hand& t) {
        const stream third(test_device(2));
        third.wait(devmem::event(t.a));
        t.b.wait(devmem::event(third));
    }));
    CHECK(is_in_order([](by_hand& t) {  // an automatic container orders the streams as well
        devmem::fill(t.other, 1, t.a);
        devmem::fill(t.other, 2, t.b);
    }));
    CHECK_FALSE(is_in_order([](by_hand& t) { t.a.wait(devmem::event(t.b)); }));
    CHECK_FALSE(is_in_order([](by_hand& t) {  // an event from before
        devmem::event e;
        {
            const stream third(test_device(1));
            e.record(third);
        }
        t.b.wait(e);
    }));
    CHECK_FALSE(is_in_order([](by_hand& t) {  // recorded again, elsewhere
        devmem::event e(t.a);
        e.record(t.b);
        t.b.wait(e);
    }));
}

TEST_CASE("streams that meet at a block without a conflict tell each other nothing") {
    const nothing_stays check;
    const checking on(order_check::raise);
    by_hand t;
    const stream reader(test_device(1));
    test_vector<int> copy(100, reader);
    reader.synchronize();
    devmem::fill(t.v, 1, t.a);
    reader.wait(devmem::event(t.a));
    devmem::copy_async(t.other, copy, reader);
    test_vector<int> second(100, t.b);
    devmem::copy_async(t.other, second, t.b);  // beside the read of one that knows
    CHECK_FALSE(hazard_of([&] { devmem::fill(t.v, 2, t.b); }).empty());
}

TEST_CASE("an event that is moved takes what it knows with it") {
    const nothing_stays check;
    const checking on(order_check::raise);
    by_hand t;
    devmem::fill(t.v, 1, t.a);
    devmem::event first(t.a);
    devmem::event second = std::move(first);
    first = std::move(second);
    t.b.wait(first);
    CHECK(hazard_of([&] { devmem::fill(t.v, 2, t.b); }).empty());
}

TEST_CASE("a hazard that is printed is one note, and the access is opened") {
    const nothing_stays check;
    const checking on(order_check::print);
    const devmem_test::captured_notes notes;
    by_hand t;
    devmem::fill(t.v, 1, t.a);
    t.a.synchronize();
    t.v.set_ordering(ordering::manual);
    devmem::fill(t.v, 2, t.a);
    {
        // Without work, which would race.
        const auto open = t.v.write(t.b);
        CHECK(open.span().size() == 100);
    }
    CHECK(notes.all().size() == 1);
    CHECK(has(notes.all()[0], "a write after a write that nothing orders"));
    devmem::synchronize(test_device(1));
}

TEST_CASE("what was queued while nothing was looked for is not judged") {
    const nothing_stays check;
    by_hand t;
    devmem::fill(t.v, 1, t.a);
    const checking on(order_check::raise);
    CHECK(hazard_of([&] { devmem::fill(t.v, 2, t.b); }).empty());
    CHECK_FALSE(hazard_of([&] { devmem::fill(t.v, 3, t.a); }).empty());
}

TEST_CASE("containers in devmem's own order are not accused") {
    const nothing_stays check;
    const checking on(order_check::raise);
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(100, 5, a);
    test_pinned<int> p(100, 5, b);
    CHECK(hazard_of([&] {
              for (int i = 0; i < 20; ++i) {
                  devmem::copy_async(p, v, a);
                  devmem::fill(v, i, b);
                  devmem::copy_async(v, p, a);
                  p.host_write()[0] = i;
                  const auto halves = v.split(2);
                  devmem::fill(halves[0], 1, a);
                  devmem::fill(halves[1], 2, b);
              }
          }).empty());
}

TEST_CASE("an address that was given out accuses nobody") {
    const nothing_stays check;
    const checking on(order_check::raise);
    by_hand t;
    const devmem::stream_guard current(t.a);
    static_cast<void>(t.v.data());
    t.b.wait(devmem::event(t.a));
    CHECK(hazard_of([&] { devmem::copy_async(t.v, t.other, t.b); }).empty());
}

TEST_CASE("the host comes after what an automatic container has told it, asked or waited for") {
    const nothing_stays check;
    const checking on(order_check::raise);
    by_hand t;
    test_pinned<int> automatic(100, 5, t.a);
    devmem::copy_async(t.v, t.p, t.a);
    devmem::fill(automatic, 6, t.a);
    while (!devmem_test::comes_to_its_end(t.a)) continue;
    { const test_vector<int> asks(100, t.b); }
    CHECK(automatic.host_read()[0] == 6);
    CHECK(hazard_of([&] { static_cast<void>(t.p.host_read()); }).empty());
}

TEST_CASE("a sink may use what a note is about") {
    static test_vector<int>* told_about = nullptr;
    static devmem::stream_view on_stream;
    static int size_seen = 0;
    static bool is_told = false;
    const nothing_stays check;
    const checking on(order_check::print);
    by_hand t;
    told_about = &t.v;
    on_stream = t.b;
    const auto before = devmem::set_message_sink([](const char*) noexcept {
        if (std::exchange(is_told, true)) return;  // reading it is a hazard as well
        const auto open = std::as_const(*told_about).read(on_stream);
        size_seen = static_cast<int>(open.span().size());
    });
    devmem::fill(t.v, 1, t.a);
    devmem::synchronize(test_device(1));
    devmem::fill(t.v, 2, t.a);
    { const auto open = t.v.write(t.b); }
    devmem::set_message_sink(before);
    CHECK(size_seen == 100);
    devmem::synchronize(test_device(1));
}

TEST_CASE("a program that waits or not, as it is told" * doctest::skip()) {
    by_hand t;
    const bool waits = std::getenv("DEVMEM_TEST_WAITS") != nullptr;
    const std::string found = hazard_of([&] {
        devmem::copy_async(t.p, t.v, t.a);
        if (waits) t.b.wait(devmem::event(t.a));
        devmem::copy_async(t.v, t.other, t.b);
    });
    devmem_test::say("%s", found.empty() ? "nothing" : "a hazard");
    CHECK(true);
}

TEST_CASE("a dropped wait is found each time, by checking alone, and a wait is never accused") {
    const std::vector<std::string> settings{"DEVMEM_CHECK_ORDER=throw", "DEVMEM_CPU_DEVICES=4",
                                            "SIMULATED_CUDA_DEVICES=4"};
    std::vector<std::string> waiting = settings;
    waiting.push_back("DEVMEM_TEST_WAITS=1");
    for (int run = 0; run < 20; ++run) {
        CHECK(devmem_test::run_case("*waits or not*", settings).said == "a hazard");
        CHECK(devmem_test::run_case("*waits or not*", waiting).said == "nothing");
    }
}

TEST_CASE("a bad word in the environment is refused with the good ones") {
    const auto result = devmem_test::run_case("*waits or not*", {"DEVMEM_CHECK_ORDER=perhaps"});
    CHECK(result.exit_status != 0);
    CHECK(has(result.output, "DEVMEM_CHECK_ORDER='perhaps' is not one of: off, print, throw"));
}
