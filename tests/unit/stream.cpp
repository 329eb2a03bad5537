// Streams: owners and views of an order of work.
#include "gate.hpp"
#include "random.hpp"
#include "run_case.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/device_text.hpp>
#include <devmem/event.hpp>
#include <devmem/host_task.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

using devmem::device;
using devmem::event;
using devmem::host_task;
using devmem::stream;
using devmem::stream_view;
using devmem_test::gate;
using devmem_test::path_is_cuda;
using devmem_test::test_device;

// An owner moves and is not copied; a view is a small value.
static_assert(!std::is_copy_constructible_v<stream> && !std::is_copy_assignable_v<stream>);
static_assert(std::is_nothrow_move_constructible_v<stream>);
static_assert(std::is_nothrow_move_assignable_v<stream>);
static_assert(std::is_nothrow_destructible_v<stream>);
static_assert(!std::is_convertible_v<device, stream>);
static_assert(std::is_trivially_copyable_v<stream_view>);
static_assert(std::is_nothrow_default_constructible_v<stream_view>);
static_assert(sizeof(stream_view) == sizeof(void*));
static_assert(std::is_nothrow_constructible_v<stream_view, const stream&>);
static_assert(std::is_convertible_v<const stream&, stream_view>);
static_assert(!std::is_constructible_v<stream_view, std::nullptr_t>);
static_assert(!std::is_constructible_v<stream_view, int>);
static_assert(!std::is_constructible_v<stream_view, devmem::native_stream>);
static_assert(!std::is_convertible_v<stream_view, devmem::native_stream>);
static_assert(!std::is_convertible_v<stream_view, stream>);
static_assert(!std::is_convertible_v<stream, bool>);

TEST_CASE("a stream belongs to a device, by default the current one") {
    CHECK(stream(test_device(2)).device() == test_device(2));
    CHECK(stream().device() == test_device(0));
    const devmem::scoped_device scope(test_device(1));
    CHECK(stream().device() == test_device(1));
    const stream s;
    CHECK(stream_view(s).device() == test_device(1));
}

TEST_CASE("views are equal when they are of one stream") {
    const stream a(test_device(0));
    const stream b(test_device(0));
    CHECK(stream_view(a) == stream_view(a));
    CHECK(stream_view(a) != stream_view(b));
    CHECK(stream_view() == stream_view());
    CHECK(stream_view() != stream_view(a));
    CHECK(stream_view(a).names_a_stream());
    CHECK(!stream_view().names_a_stream());
}

TEST_CASE("work runs in the order in which it was queued") {
    const stream s(test_device(0));
    std::vector<int> order;
    constexpr int tasks = 2'000;
    for (int i = 0; i < tasks; ++i) host_task([&order, i] { order.push_back(i); }, s);
    s.synchronize();
    REQUIRE(order.size() == tasks);
    int wrong = 0;
    for (int i = 0; i < tasks; ++i) wrong += order[static_cast<std::size_t>(i)] != i;
    CHECK(wrong == 0);
}

TEST_CASE("several threads queue on one stream; each one's work keeps its order") {
    constexpr std::size_t producers = 4;
    constexpr int each = 1'000;
    const stream s(test_device(1));
    std::vector<int> next(producers, 0);
    int wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < producers; ++p) {
        threads.emplace_back([&, p] {
            for (int i = 0; i < each; ++i) {
                host_task(
                    [&next, &wrong, p, i] {
                        if (next[p]++ != i) ++wrong;
                    },
                    s);
            }
        });
    }
    for (std::thread& t : threads) t.join();
    s.synchronize();
    for (const int n : next) CHECK(n == each);
    CHECK(wrong == 0);
}

TEST_CASE("query tells whether anything is pending, and does not wait") {
    DEVMEM_NEEDS_GATE();
    const stream s(test_device(0));
    CHECK(s.query());
    gate held(s);
    CHECK(!s.query());
    CHECK(!stream_view(s).query());
    held.open();
    s.synchronize();
    CHECK(s.query());
}

TEST_CASE("synchronize waits for what was queued by then, and can be called again") {
    const stream s(test_device(0));
    s.synchronize();
    int ran = 0;
    for (int i = 1; i <= 50; ++i) {
        host_task([&ran] { ++ran; }, s);
        s.synchronize();
        CHECK(ran == i);
        s.synchronize();
    }
}

TEST_CASE("a stream waits for an event of another stream, on its device and on others") {
    DEVMEM_NEEDS_GATE();
    for (const int other : {0, 1, 3}) {
        const stream first(test_device(0));
        const stream second(test_device(other));
        int value = 0;
        int seen = -1;
        gate held(first);
        host_task([&value] { value = 42; }, first);
        const event mark(first);
        second.wait(mark);
        host_task([&] { seen = value; }, second);
        CHECK(!second.query());
        held.open();
        second.synchronize();
        CHECK(seen == 42);
        CHECK(mark.query());
    }
}

TEST_CASE("a wait does not hold up the host, nor what was queued before it") {
    DEVMEM_NEEDS_GATE();
    const stream first(test_device(0));
    const stream second(test_device(0));
    gate held(first);
    std::atomic<bool> before{false};
    bool after = false;
    host_task([&before] { before = true; }, second);
    second.wait(event(first));
    host_task([&after] { after = true; }, second);
    while (!before && !second.query()) std::this_thread::yield();
    CHECK(!second.query());
    held.open();
    second.synchronize();
    CHECK(after);
}

TEST_CASE("a wait for an event that marks nothing, or the stream itself, holds up nothing") {
    const stream s(test_device(0));
    s.wait(event());
    s.wait(event(s));
    int ran = 0;
    host_task([&ran] { ran = 1; }, s);
    s.synchronize();
    CHECK(ran == 1);
}

TEST_CASE("what a destroyed stream was given still runs, in order") {
    std::vector<int> order;
    std::atomic<int> ran{0};
    const stream other(test_device(0));
    {
        const stream s(test_device(0));
        for (int i = 0; i < 200; ++i) {
            host_task(
                [&, i] {
                    order.push_back(i);
                    ++ran;
                },
                s);
        }
        other.wait(event(s));
    }
    other.synchronize();
    CHECK(ran == 200);
    REQUIRE(order.size() == 200);
    CHECK(order.front() == 0);
    CHECK(order.back() == 199);
}

TEST_CASE("destroying a stream waits for nothing") {
    DEVMEM_NEEDS_GATE();
    gate held;
    std::atomic<bool> ran{false};
    event end;
    {
        const stream s(test_device(0));
        held.close(s);
        host_task([&ran] { ran = true; }, s);
        end.record(s);
    }
    CHECK(!ran);
    CHECK(!end.query());
    held.open();
    end.synchronize();
    CHECK(ran);
}

TEST_CASE("a stream made while a destroyed one is still at work does not wait for it") {
    DEVMEM_NEEDS_GATE();
    const device d = test_device(2);
    std::vector<event> ends(8);
    gate held;
    for (event& end : ends) {
        stream s(d);
        held.close(s);
        end.record(s);
    }
    for (int i = 0; i < 8; ++i) {
        const stream fresh(d);
        int ran = 0;
        host_task([&ran] { ran = 1; }, fresh);
        fresh.synchronize();
        CHECK(ran == 1);
    }
    for (const event& end : ends) CHECK(!end.query());
    held.open();
    for (const event& end : ends) end.synchronize();
}

TEST_CASE("streams come and go by the thousand, from several threads, and lose no work") {
    constexpr int rounds = 500;
    std::vector<std::thread> threads;
    std::atomic<int> ran{0};
    std::atomic<int> wrong{0};
    for (unsigned t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            devmem_test::random_numbers random(t);
            for (int i = 0; i < rounds; ++i) {
                const device d = test_device(static_cast<int>(random.below(4)));
                stream a(d);
                int value = 0;
                host_task([&value] { value = 1; }, a);
                stream b(test_device(static_cast<int>(random.below(4))));
                b.wait(event(a));
                if (random.one_in(2)) a = stream(d);
                host_task(
                    [&value, &ran, &wrong] {
                        if (value != 1) ++wrong;
                        ++ran;
                    },
                    b);
                const event end(b);
                if (random.one_in(3)) b = stream(d);
                end.synchronize();
            }
        });
    }
    for (std::thread& t : threads) t.join();
    CHECK(ran == 3 * rounds);
    CHECK(wrong == 0);
}

TEST_CASE("a moved stream is the same stream, and assignment lets the old one go") {
    stream a(test_device(1));
    const stream_view view = a;
    stream b(std::move(a));
    CHECK(stream_view(b) == view);
    CHECK(b.device() == test_device(1));

    int old_ran = 0;
    stream c(test_device(0));
    host_task([&old_ran] { old_ran = 1; }, c);
    const event old_end(c);
    c = std::move(b);
    CHECK(stream_view(c) == view);
    old_end.synchronize();
    CHECK(old_ran == 1);

    stream& same = c;
    c = std::move(same);
    CHECK(stream_view(c) == view);
    int ran = 0;
    host_task([&ran] { ran = 1; }, c);
    c.synchronize();
    CHECK(ran == 1);

    std::vector<stream> many;
    for (int i = 0; i < 20; ++i) many.emplace_back(test_device(i % 4));
    for (int i = 0; i < 20; ++i)
        CHECK(many[static_cast<std::size_t>(i)].device() == test_device(i % 4));
}

TEST_CASE("no two streams have the same id, also when one follows another") {
    std::set<std::uint64_t> ids;
    for (int i = 0; i < 100; ++i) {
        const stream s(test_device(i % 2));
        const devmem::detail::stream_state& state = stream_view(s).state();
        ids.insert(state.id.load_relaxed());
    }
    CHECK(ids.size() == 100);
}

TEST_CASE("a stream of the CPU has no native handle, and a GPU's has one of its own") {
    const stream s(test_device(0));
    const stream t(test_device(0));
    if constexpr (path_is_cuda) {
        CHECK(s.native_handle() != nullptr);
        CHECK(s.native_handle() == stream_view(s).native_handle());
        CHECK(s.native_handle() != t.native_handle());
    } else {
        CHECK_THROWS_WITH_AS(static_cast<void>(s.native_handle()),
                             "stream::native_handle: a stream of the CPU has no CUDA handle",
                             devmem::wrong_device);
    }
}

namespace {

struct broken_condition {
    std::string text;
};

void throw_condition(const char* condition, const char*, int) { throw broken_condition{condition}; }

}  // namespace

TEST_CASE("using a view that names no stream is a caller's bug") {
    const auto before = devmem::set_assert_handler(&throw_condition);
    stream_view none;
    CHECK_THROWS_AS(static_cast<void>(none.device()), broken_condition);
    CHECK_THROWS_AS(static_cast<void>(none.query()), broken_condition);
    CHECK_THROWS_AS(none.synchronize(), broken_condition);
    CHECK_THROWS_AS(none.wait(event()), broken_condition);
    CHECK_THROWS_AS(static_cast<void>(none.native_handle()), broken_condition);
    CHECK_THROWS_AS(event().record(none), broken_condition);
    stream moved_from(test_device(0));
    const stream kept(std::move(moved_from));
    CHECK_THROWS_AS(static_cast<void>(moved_from.device()), broken_condition);  // NOLINT
    devmem::set_assert_handler(before);
    CHECK(kept.query());
}

TEST_CASE("a stream of a device that is not there throws and leaves nothing behind") {
    for (int i = 0; i < 100; ++i) {
        CHECK_THROWS_AS(stream{device(test_device(0).kind(), 4)}, devmem::no_such_device);
    }
    const stream s(test_device(0));
    CHECK(s.query());
}

TEST_CASE("own process: streams of static storage" * doctest::skip()) {
    // Destroyed when the process ends, in whatever order, with work still queued.
    static const stream s(test_device(0));
    static const event e(s);
    for (int i = 0; i < 1'000; ++i) host_task([] { std::this_thread::yield(); }, s);
    CHECK(e.query() == e.query());
}

TEST_CASE("a process may end with streams of static storage and work in flight") {
    for (int i = 0; i < 3; ++i) {
        const auto result = devmem_test::run_case("own process: streams of static storage",
                                                  {"DEVMEM_CPU_DEVICES=4"});
        INFO(result.output);
        CHECK(result.exit_status == 0);
    }
}

#if defined(DEVMEM_CUDA)

TEST_CASE("each stream that is made is destroyed once, and non-blocking") {
    simulated_cuda::reset(4);
    const std::size_t before = simulated_cuda::live_streams();
    {
        const stream a(test_device(0));
        const stream b(test_device(1));
        stream c(test_device(1));
        c = stream(test_device(2));
        CHECK(simulated_cuda::live_streams() == before + 3);
    }
    CHECK(simulated_cuda::live_streams() == before);
    CHECK(simulated_cuda::count("cudaStreamCreateWithFlags") == 4);
    CHECK(simulated_cuda::count("cudaStreamDestroy") == 4);
    CHECK(simulated_cuda::misuses().empty());
}

TEST_CASE("a stream that cannot be made throws, and the next one can") {
    simulated_cuda::reset(4);
    const std::size_t before = simulated_cuda::live_streams();
    simulated_cuda::fail_call("cudaStreamCreateWithFlags", 1, 2);  // cudaErrorMemoryAllocation
    CHECK_THROWS_AS(stream{test_device(1)}, devmem::out_of_memory);
    CHECK(simulated_cuda::live_streams() == before);
    CHECK(devmem::current_device() == test_device(0));
    const stream s(test_device(1));
    int ran = 0;
    host_task([&ran] { ran = 1; }, s);
    s.synchronize();
    CHECK(ran == 1);
}

#endif
