// Events: marks in streams.
#include "captured_texts.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/event.hpp>
#include <devmem/host_task.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

using devmem::event;
using devmem::host_task;
using devmem::stream;
using devmem::stream_view;
using devmem_test::gate;
using devmem_test::path_is_cuda;
using devmem_test::test_device;

static_assert(!std::is_copy_constructible_v<event> && !std::is_copy_assignable_v<event>);
static_assert(std::is_nothrow_default_constructible_v<event>);
static_assert(std::is_nothrow_move_constructible_v<event>);
static_assert(std::is_nothrow_move_assignable_v<event>);
static_assert(std::is_nothrow_destructible_v<event>);
static_assert(!std::is_convertible_v<stream_view, event>);
static_assert(std::is_constructible_v<event, const stream&>);

TEST_CASE("an event that marks nothing is passed") {
    const event e;
    CHECK(e.query());
    e.synchronize();
    CHECK(e.native_handle() == nullptr);
}

TEST_CASE("an event is passed when all before it has run, whatever comes behind") {
    DEVMEM_NEEDS_GATE();
    const stream s(test_device(0));
    gate first;
    gate second;
    int value = 0;
    first.close(s);
    host_task([&value] { value = 1; }, s);
    const event mark(s);
    second.close(s);
    host_task([&value] { value = 2; }, s);
    CHECK(!mark.query());
    first.open();
    mark.synchronize();
    CHECK(mark.query());
    CHECK(value == 1);
    CHECK(!s.query());
    second.open();
    s.synchronize();
    CHECK(value == 2);
    CHECK(mark.query());
}

TEST_CASE("recording again replaces the mark; waits already queued keep the old one") {
    DEVMEM_NEEDS_GATE();
    const stream a(test_device(0));
    const stream b(test_device(1));
    const stream waits_for_first(test_device(0));
    const stream waits_for_second(test_device(2));
    gate first(a);
    gate second(b);
    std::atomic<int> passed_first{0};
    std::atomic<int> passed_second{0};
    event e(a);
    waits_for_first.wait(e);
    host_task([&passed_first] { passed_first = 1; }, waits_for_first);
    e.record(b);
    waits_for_second.wait(e);
    host_task([&passed_second] { passed_second = 1; }, waits_for_second);

    first.open();
    waits_for_first.synchronize();
    CHECK(passed_first == 1);
    CHECK(passed_second == 0);
    CHECK(!e.query());
    second.open();
    e.synchronize();
    waits_for_second.synchronize();
    CHECK(passed_second == 1);
}

TEST_CASE("an event is recorded again and again, on streams of several devices") {
    event e;
    std::vector<stream> streams;
    for (int d = 0; d < 4; ++d) streams.emplace_back(test_device(d));
    std::vector<int> count(4, 0);
    for (int i = 0; i < 400; ++i) {
        const auto at = static_cast<std::size_t>(i * 7 % 4);
        host_task([&count, at] { ++count[at]; }, streams[at]);
        e.record(streams[at]);
        if (i % 10 != 0) continue;
        e.synchronize();
        CHECK(e.query());
    }
    for (const stream& s : streams) s.synchronize();
    for (const int n : count) CHECK(n == 100);
}

TEST_CASE("an event outlives the stream it marks") {
    DEVMEM_NEEDS_GATE();
    gate held;
    event e;
    int value = 0;
    {
        const stream s(test_device(1));
        held.close(s);
        host_task([&value] { value = 7; }, s);
        e.record(s);
    }
    CHECK(!e.query());
    // What comes after it may use the destroyed stream's place: that is another stream.
    const stream next(test_device(1));
    const stream waiting(test_device(0));
    waiting.wait(e);
    int seen = 0;
    host_task([&] { seen = value; }, waiting);
    held.open();
    waiting.synchronize();
    CHECK(seen == 7);
    CHECK(e.query());
    e.record(next);
    e.synchronize();
}

TEST_CASE("an event of a destroyed stream does not wait for the stream that follows it") {
    DEVMEM_NEEDS_GATE();
    event e;
    {
        const stream s(test_device(3));
        host_task([] {}, s);
        e.record(s);
        s.synchronize();
    }
    const stream next(test_device(3));
    const gate held(next);
    CHECK(e.query());
    e.synchronize();
}

TEST_CASE("an event may be destroyed while others wait for it") {
    DEVMEM_NEEDS_GATE();
    const stream a(test_device(0));
    const stream b(test_device(1));
    gate held(a);
    int value = 0;
    int seen = 0;
    host_task([&value] { value = 3; }, a);
    b.wait(event(a));
    host_task([&] { seen = value; }, b);
    held.open();
    b.synchronize();
    CHECK(seen == 3);
}

TEST_CASE("several threads and streams wait for one event") {
    const stream s(test_device(0));
    int value = 0;
    host_task([&value] { value = 9; }, s);
    const event e(s);
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const stream own(test_device(t));
            int seen = 0;
            own.wait(e);
            host_task([&] { seen = value; }, own);
            e.synchronize();
            if (value == 9 && e.query()) ++right;
            own.synchronize();
            if (seen == 9) ++right;
        });
    }
    for (std::thread& t : threads) t.join();
    CHECK(right == 8);
}

TEST_CASE("a moved event keeps its mark, and the other marks nothing") {
    DEVMEM_NEEDS_GATE();
    const stream s(test_device(0));
    gate held(s);
    event a(s);
    event b(std::move(a));
    CHECK(a.query());  // NOLINT(bugprone-use-after-move)
    CHECK(!b.query());
    event c;
    c = std::move(b);
    CHECK(!c.query());
    event& same = c;
    c = std::move(same);
    CHECK(!c.query());
    event d(s);
    d = event();
    CHECK(d.query());
    held.open();
    c.synchronize();
    a.record(s);
    a.synchronize();
    CHECK(a.query());
}

TEST_CASE("an event of the CPU has no native handle, and a GPU's has one") {
    const stream s(test_device(0));
    const event e(s);
    if constexpr (path_is_cuda) {
        CHECK(e.native_handle() != nullptr);
    } else {
        CHECK_THROWS_WITH_AS(static_cast<void>(e.native_handle()),
                             "event::native_handle: an event of the CPU has no CUDA handle",
                             devmem::wrong_device);
    }
}

TEST_CASE("events of two kinds of device: the wait between them is the host's") {
    if constexpr (!path_is_cuda) {
        DEVMEM_SKIP("this path has devices of one kind");
    } else {
        const stream gpu(test_device(0));
        const stream cpu(devmem::device::cpu(1));
        int value = 0;
        int seen = 0;
        host_task([&value] { value = 1; }, gpu);
        cpu.wait(event(gpu));
        host_task([&] { seen = value; }, cpu);
        gpu.wait(event(cpu));
        host_task([&] { value = seen + 1; }, gpu);
        gpu.synchronize();
        CHECK(seen == 1);
        CHECK(value == 2);
        event e(gpu);
        e.record(cpu);
        e.synchronize();
        e.record(gpu);
        e.synchronize();
        CHECK(e.query());
    }
}

#if defined(DEVMEM_CUDA)

TEST_CASE("each event that is made is destroyed once; recording again on its device makes none") {
    simulated_cuda::reset(4);
    const std::size_t before = simulated_cuda::live_events();
    {
        const stream a(test_device(0));
        const stream b(test_device(0));
        const stream c(test_device(1));
        event e(a);
        for (int i = 0; i < 10; ++i) e.record(i % 2 == 0 ? a : b);
        CHECK(simulated_cuda::live_events() == before + 1);
        e.record(c);
        CHECK(simulated_cuda::live_events() == before + 1);
        event moved(std::move(e));
        event other(c);
        other = std::move(moved);
        CHECK(simulated_cuda::live_events() == before + 1);
    }
    CHECK(simulated_cuda::live_events() == before);
    CHECK(simulated_cuda::misuses().empty());
}

TEST_CASE("a record that fails leaves an event that can be recorded") {
    simulated_cuda::reset(4);
    const std::size_t before = simulated_cuda::live_events();
    const stream a(test_device(0));
    const stream b(test_device(1));
    {
        event e(a);
        simulated_cuda::fail_call("cudaEventCreateWithFlags", 1, 2);  // cudaErrorMemoryAllocation
        CHECK_THROWS_AS(e.record(b), devmem::out_of_memory);
        CHECK(e.query());
        e.record(b);
        simulated_cuda::fail_call("cudaEventRecord", 1, 2);
        CHECK_THROWS_AS(e.record(b), devmem::out_of_memory);
        e.record(a);
        e.synchronize();
    }
    CHECK(simulated_cuda::live_events() == before);
    CHECK(devmem::current_device() == test_device(0));
    CHECK(simulated_cuda::misuses().empty());
}

TEST_CASE("an event that cannot be destroyed is reported, and nothing is thrown") {
    simulated_cuda::reset(4);
    const devmem_test::captured_destructor_errors errors;
    const stream s(test_device(0));
    try {
        const event e(s);
        simulated_cuda::fail_call("cudaEventDestroy", 1, 46);  // cudaErrorDevicesUnavailable
        throw 5;
    } catch (const int thrown) {
        CHECK(thrown == 5);
    }
    REQUIRE(errors.all().size() == 1);
    CHECK(errors.all().front() ==
          "~event: cuda:0: the backend failed (cudaErrorDevicesUnavailable, code 46)");
}

#endif
