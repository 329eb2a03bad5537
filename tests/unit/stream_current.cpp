// The stream that is current without a guard: a device's default stream, made at first use.
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/event.hpp>
#include <devmem/host_task.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using devmem::current_stream;
using devmem::device;
using devmem::stream_view;
using devmem_test::test_device;

// The first case: nobody may have asked for the default streams before.
TEST_CASE("all threads that ask first, at once, get one default stream") {
    constexpr std::size_t askers = 4;
    std::atomic<std::size_t> ready{0};
    std::vector<stream_view> found(askers * 4);
    std::vector<int> ran(askers, 0);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < askers; ++t) {
        threads.emplace_back([&, t] {
            ++ready;
            while (ready < askers) std::this_thread::yield();
            for (int d = 0; d < 4; ++d) {
                found[t * 4 + static_cast<std::size_t>(d)] = current_stream(test_device(d));
            }
            // It takes work from all of them at once.
            for (int i = 0; i < 100; ++i) {
                devmem::host_task([&ran, t] { ++ran[t]; }, current_stream(test_device(0)));
            }
        });
    }
    for (std::thread& t : threads) t.join();
    for (std::size_t t = 0; t < askers; ++t) {
        for (std::size_t d = 0; d < 4; ++d) {
            CHECK(found[t * 4 + d] == found[d]);
            CHECK(found[d].device() == test_device(static_cast<int>(d)));
        }
    }
    current_stream(test_device(0)).synchronize();
    for (const int n : ran) CHECK(n == 100);
}

// Asked for once a process, a race is nearly never met; so the default stream is forgotten each
// time.
TEST_CASE("of all who ask first, time and again, none is left with a stream of its own") {
    // Under a race detector, which needs no luck, fewer.
    constexpr int rounds = devmem::detail::team_helps ? 20'000 : 1'000;
    constexpr int askers = 2;
    const device d = test_device(3);
    auto& registry = devmem::detail::streams;
    auto& slot = registry.defaults[static_cast<int>(d.kind())][d.index()];
    std::atomic<int> arrived{0};
    std::vector<stream_view> found(askers);
    int different = 0;
    const auto meet = [&arrived](int goal) {
        ++arrived;
        // Awake, so that they go on within the same moment; unless there is one core only.
        for (int look = 0; arrived < goal; ++look) {
            if (look % 4096 == 4095) std::this_thread::yield();
        }
    };
    const auto ask = [&](int self) {
        for (int round = 0; round < rounds; ++round) {
            meet((3 * round + 1) * askers);
            found[static_cast<std::size_t>(self)] = current_stream(d);
            meet((3 * round + 2) * askers);
            if (self == 0) {
                for (const stream_view s : found) different += s != found[0];
                registry.recycle(*slot.exchange(nullptr));
            }
            meet((3 * round + 3) * askers);
        }
    };
    std::thread other([&ask] { ask(1); });
    ask(0);
    other.join();
    CHECK(different == 0);
    int ran = 0;
    devmem::host_task([&ran] { ran = 1; }, current_stream(d));
    current_stream(d).synchronize();
    CHECK(ran == 1);
}

TEST_CASE("each device has its own default stream, always the same") {
    CHECK(current_stream(test_device(0)) == current_stream(test_device(0)));
    CHECK(current_stream(test_device(0)) != current_stream(test_device(1)));
    CHECK(current_stream(test_device(3)).device() == test_device(3));
}

TEST_CASE("without a device it is that of the current device") {
    CHECK(current_stream() == current_stream(test_device(0)));
    const devmem::scoped_device scope(test_device(2));
    CHECK(current_stream() == current_stream(test_device(2)));
}

TEST_CASE("a stream that is made is never the default one") {
    const devmem::stream s(test_device(0));
    CHECK(stream_view(s) != current_stream(test_device(0)));
}

TEST_CASE("default streams of two devices do not wait for each other") {
    DEVMEM_NEEDS_GATE();
    const devmem_test::gate held(current_stream(test_device(1)));
    int ran = 0;
    devmem::host_task([&ran] { ran = 1; }, current_stream(test_device(0)));
    current_stream(test_device(0)).synchronize();
    CHECK(ran == 1);
    CHECK(!current_stream(test_device(1)).query());
}

TEST_CASE("a default stream can be waited for by others") {
    const devmem::stream s(test_device(1));
    int value = 0;
    int seen = 0;
    devmem::host_task([&value] { value = 5; }, current_stream(test_device(0)));
    s.wait(devmem::event(current_stream(test_device(0))));
    devmem::host_task([&] { seen = value; }, s);
    s.synchronize();
    CHECK(seen == 5);
}
