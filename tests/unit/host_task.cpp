// Host functions in the order of a stream: what they may do, and what becomes of what they throw.
#include "captured_texts.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/device.hpp>
#include <devmem/event.hpp>
#include <devmem/fill.hpp>
#include <devmem/host_task.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/pool.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>
#include <devmem/stream_guard.hpp>
#include <devmem/timed_event.hpp>
#include <devmem/to_host.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

using devmem::event;
using devmem::host_task;
using devmem::stream;
using devmem_test::gate;
using devmem_test::path_is_cuda;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

namespace {

void free_function();
int free_function_calls = 0;
void free_function() { ++free_function_calls; }

/// Counts the copies of itself that are alive.
struct counted {
    explicit counted(std::atomic<int>* count) : alive(count) { ++*alive; }
    counted(const counted& other) : alive(other.alive) { ++*alive; }
    counted(counted&& other) noexcept : alive(other.alive) { ++*alive; }
    counted& operator=(const counted&) = delete;
    ~counted() { --*alive; }
    std::atomic<int>* alive;
};

/// What the stream's next synchronize throws: the text of a runtime_error, or "nothing".
std::string thrown_by(const stream& s) {
    try {
        s.synchronize();
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "nothing";
}

}  // namespace

TEST_CASE("anything that can be called is a task") {
    const stream s(test_device(0));
    int value = 0;
    host_task([&value] { value += 1; }, s);
    host_task([&value]() mutable { value += 10; }, s);
    host_task(&free_function, s);
    host_task(free_function, s);
    host_task(std::function<void()>([&value] { value += 100; }), s);
    host_task([&value, big = std::array<int, 64>{1'000}] { value += big[0]; }, s);
    host_task([&value, owner = std::make_unique<int>(10'000)] { value += *owner; }, s);
    // What it returns is of no interest.
    host_task([&value] { return value += 100'000; }, s);
    s.synchronize();
    CHECK(value == 111'111);
    CHECK(free_function_calls == 2);
}

TEST_CASE("a task is kept by value, runs once, and is destroyed once it has run") {
    const stream s(test_device(1));
    std::atomic<int> alive{0};
    int runs = 0;
    {
        const counted held(&alive);
        auto task = [held, &runs] { ++runs; };
        host_task(task, s);
        host_task(std::move(task), s);
    }
    s.synchronize();
    CHECK(runs == 2);
    CHECK(alive == 0);
}

TEST_CASE("a task that cannot be queued is destroyed, and not run") {
    const stream s(test_device(0));
    std::atomic<int> alive{0};
    int runs = 0;
    bool refused = false;
    host_task(
        [&] {
            try {
                host_task([held = counted(&alive), &runs] { ++runs; }, s);
            } catch (const devmem::not_permitted&) {
                refused = true;
            }
        },
        s);
    s.synchronize();
    CHECK(refused);
    CHECK(runs == 0);
    CHECK(alive == 0);
}

TEST_CASE("tasks are ordered with copies and fills of their stream") {
    const stream s(test_device(0));
    test_vector<int> v(1000, s);
    test_pinned<int> out(1000, test_device(0));
    out.host_write();
    std::array<int, 4> seen{};
    int* const raw = out.unsynchronized_data();
    for (int i = 0; i < 4; ++i) {
        devmem::fill(v, i + 1, s);
        devmem::copy_async(v, out, s);
        host_task([&seen, i, raw] { seen[static_cast<std::size_t>(i)] = raw[999]; }, s);
    }
    s.synchronize();
    CHECK(seen == std::array{1, 2, 3, 4});
}

TEST_CASE("what a task throws is thrown by the stream's next synchronize, once") {
    const stream s(test_device(0));
    int ran = 0;
    host_task([] { throw std::runtime_error("first"); }, s);
    host_task([&ran] { ++ran; }, s);
    CHECK(thrown_by(s) == "first");
    // What follows a task that throws runs all the same.
    CHECK(ran == 1);
    CHECK(thrown_by(s) == "nothing");
    host_task([] { throw std::runtime_error("again"); }, s);
    CHECK(thrown_by(s) == "again");
    CHECK(thrown_by(s) == "nothing");
}

TEST_CASE("of several tasks that throw, the first is heard") {
    const stream s(test_device(0));
    for (int i = 0; i < 5; ++i) {
        host_task([i] { throw std::runtime_error("task " + std::to_string(i)); }, s);
    }
    CHECK(thrown_by(s) == "task 0");
    CHECK(thrown_by(s) == "nothing");
}

TEST_CASE("anything may be thrown") {
    const stream s(test_device(2));
    host_task([] { throw 42; }, s);
    CHECK_THROWS_AS(s.synchronize(), int);
    host_task([] { throw std::string("text"); }, s);
    CHECK_THROWS_AS(s.synchronize(), std::string);
    s.synchronize();
}

TEST_CASE("only synchronize throws it: not query, not events, not the device") {
    const stream s(test_device(1));
    const stream other(test_device(1));
    host_task([] { throw std::runtime_error("kept"); }, s);
    const event e(s);
    other.wait(e);
    CHECK_NOTHROW(e.synchronize());
    CHECK_NOTHROW(other.synchronize());
    CHECK_NOTHROW(devmem::synchronize(test_device(1)));
    CHECK(s.query());
    CHECK(thrown_by(other) == "nothing");
    CHECK(thrown_by(s) == "kept");
}

TEST_CASE("what a destroyed stream's task throws is not thrown by a stream that follows it") {
    // Thrown before the stream was destroyed, and after.
    for (int i = 0; i < 50; ++i) {
        {
            const stream s(test_device(3));
            host_task([] { throw std::runtime_error("of the dead"); }, s);
            if (i % 2 == 0) event(s).synchronize();
        }
        const stream next(test_device(3));
        host_task([] {}, next);
        CHECK(thrown_by(next) == "nothing");
    }
}

TEST_CASE("a task of a destroyed stream that throws late does not reach the stream that follows") {
    DEVMEM_NEEDS_GATE();
    gate held;
    event end;
    {
        const stream s(test_device(3));
        held.close(s);
        host_task([] { throw std::runtime_error("late"); }, s);
        end.record(s);
    }
    std::vector<stream> followers;
    for (int i = 0; i < 4; ++i) followers.emplace_back(test_device(3));
    held.open();
    end.synchronize();
    for (const stream& s : followers) CHECK(thrown_by(s) == "nothing");
}

TEST_CASE("several threads synchronize; one of them hears of it") {
    for (int round = 0; round < 20; ++round) {
        const stream s(test_device(0));
        host_task([] { throw std::runtime_error("once"); }, s);
        std::array<std::string, 3> heard;
        std::vector<std::thread> threads;
        for (std::string& text : heard) {
            threads.emplace_back([&s, &text] { text = thrown_by(s); });
        }
        for (std::thread& t : threads) t.join();
        int times = 0;
        for (const std::string& text : heard) times += text == "once";
        CHECK(times == 1);
    }
}

namespace {

/// What happens when devmem is called within a task of the path's devices.
template <class F>
std::string within_a_task(const F& f) {
    const stream s(test_device(0));
    std::string result = "the task did not run";
    host_task(
        [&] {
            try {
                f();
                result = "permitted";
            } catch (const devmem::not_permitted&) {
                result = "not_permitted";
            } catch (const std::exception& e) {
                result = e.what();
            }
        },
        s);
    s.synchronize();
    return result;
}

}  // namespace

TEST_CASE("a task must not call devmem: each call is not_permitted, and changes nothing") {
    const stream s(test_device(0));
    const stream fresh(test_device(1));
    event recorded(s);
    devmem::timed_event timed(s);
    test_vector<int> v(100, 7, test_device(0));
    test_pinned<int> pinned(100, 9, test_device(0));
    const std::vector<int> host(100, 3);
    devmem::synchronize(test_device(0));

    const std::pair<const char*, std::function<void()>> calls[] = {
        {"devices", [] { static_cast<void>(devmem::devices(test_device(0).kind())); }},
        {"is_available", [] { static_cast<void>(devmem::is_available(test_device(0))); }},
        {"properties", [] { static_cast<void>(devmem::properties(test_device(0))); }},
        {"memory_info", [] { static_cast<void>(devmem::memory_info(test_device(0))); }},
        {"empty_cache", [] { devmem::empty_cache(test_device(0)); }},
        {"current_device", [] { static_cast<void>(devmem::current_device()); }},
        {"synchronize a device", [] { devmem::synchronize(test_device(0)); }},
        {"scoped_device", [] { const devmem::scoped_device scope(test_device(1)); }},
        {"stream_guard", [&] { const devmem::stream_guard guard(s); }},
        {"current_stream", [] { static_cast<void>(devmem::current_stream(test_device(0))); }},
        {"stream", [] { const stream made(test_device(0)); }},
        {"stream::query", [&] { static_cast<void>(s.query()); }},
        {"stream::wait", [&] { fresh.wait(recorded); }},
        {"stream::synchronize", [&] { fresh.synchronize(); }},
        {"event", [&] { const event made(s); }},
        {"event::record", [&] { recorded.record(s); }},
        {"event::query", [&] { static_cast<void>(recorded.query()); }},
        {"event::synchronize", [&] { recorded.synchronize(); }},
        {"timed_event", [&] { const devmem::timed_event made(s); }},
        {"timed_event -", [&] { static_cast<void>(timed - timed); }},
        {"host_task", [&] { host_task([] {}, s); }},
        {"host_task on another stream", [&] { host_task([] {}, fresh); }},
        {"a vector", [] { const test_vector<int> made(10, test_device(0)); }},
        {"an empty vector", [] { const test_vector<int> made(0, test_device(0)); }},
        {"a pinned buffer", [] { const test_pinned<int> made(10, test_device(0)); }},
        {"resize", [&] { v.resize(1000, s); }},
        {"fill", [&] { devmem::fill(v, 1, s); }},
        {"copy", [&] { devmem::copy(host, v, s); }},
        {"copy_async", [&] { devmem::copy_async(v, pinned, s); }},
        {"get", [&] { static_cast<void>(v.get(0, s)); }},
        {"set", [&] { v.set(0, 1, s); }},
        {"to_host", [&] { static_cast<void>(v.to_host(s)); }},
    };
    for (const auto& call : calls) {
        CAPTURE(call.first);
        CHECK(within_a_task(call.second) == "not_permitted");
    }
    CHECK(v.to_host() == std::vector(100, 7));
    CHECK(pinned[99] == 9);
    CHECK(devmem::current_device() == test_device(0));
    CHECK(fresh.query());
}

TEST_CASE("a task may look at values: sizes, devices, marks that mark nothing") {
    test_vector<int> v(100, test_device(1));
    const stream s(test_device(2));
    CHECK(within_a_task([&] {
              if (v.size() != 100 || v.device() != test_device(1) ||
                  v.view().first(10).size() != 10) {
                  throw std::runtime_error("wrong");
              }
              if (s.device() != test_device(2) || !event().query())
                  throw std::runtime_error("wrong");
          }) == "permitted");
}

TEST_CASE("a task may destroy containers; their memory is let go later") {
    const devmem_test::captured_destructor_errors errors;
    const devmem::device d = test_device(1);
    const std::size_t before = devmem::memory_info(d).live;
    auto v = std::make_optional<test_vector<int>>(1000, 5, d);
    auto pinned = std::make_optional<test_pinned<int>>(1000, 5, d);
    test_vector<int> kept(1000, 6, d);
    const stream s(d);
    CHECK(devmem::memory_info(d).live == before + 8000);
    host_task(
        [&] {
            v.reset();
            pinned.reset();
            kept.reset();
        },
        s);
    s.synchronize();
    CHECK(!v.has_value());
    CHECK(kept.empty());
    // The memory itself is seen to by whoever needs some next.
    CHECK(devmem::memory_info(d).live == before);
    const test_vector<int> next(10, d);
    CHECK(devmem::memory_info(d).live == before + 40);
    CHECK(errors.all().empty());
}

TEST_CASE("a task may destroy streams and events") {
    const devmem_test::captured_destructor_errors errors;
#if defined(DEVMEM_CUDA)
    const std::size_t streams = simulated_cuda::live_streams();
    const std::size_t events = simulated_cuda::live_events();
#endif
    int ran = 0;
    {
        const stream s(test_device(0));
        auto other = std::make_optional<stream>(test_device(1));
        host_task([&ran] { ran = 1; }, *other);
        auto mark = std::make_optional<event>(*other);
        auto timed = std::make_optional<devmem::timed_event>(*other);
        s.wait(*mark);
        host_task(
            [&] {
                mark.reset();
                timed.reset();
                other.reset();
            },
            s);
        s.synchronize();
        CHECK(ran == 1);
        CHECK(!other.has_value());
    }
    CHECK(errors.all().empty());
    // Whoever makes the next one ends those.
    {
        const stream next(test_device(0));
        CHECK(next.query());
    }
#if defined(DEVMEM_CUDA)
    CHECK(simulated_cuda::live_streams() == streams);
    CHECK(simulated_cuda::live_events() == events);
    CHECK(simulated_cuda::misuses().empty());
#endif
    CHECK(errors.all().empty());
}

TEST_CASE("a task may own the last of everything that it destroys with itself") {
    const devmem_test::captured_destructor_errors errors;
    const devmem::device d = test_device(2);
    const std::size_t before = devmem::memory_info(d).live;
    int sum = 0;
    {
        const stream s(d);
        auto shared = std::make_shared<test_pinned<int>>(100, 3, d);
        int* const raw = shared->data();
        host_task([held = std::move(shared), raw, &sum] { sum += raw[99]; }, s);
        s.synchronize();
    }
    CHECK(sum == 3);
    const test_vector<int> next(1, d);
    CHECK(devmem::memory_info(d).live == before + 4);
    CHECK(errors.all().empty());
}

TEST_CASE("without a stream a task goes to the current stream of the current device") {
    const stream s(test_device(3));
    int ran = 0;
    {
        const devmem::stream_guard guard(s);
        host_task([&ran] { ran = 1; });
    }
    s.synchronize();
    CHECK(ran == 1);
}
