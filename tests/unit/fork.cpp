// A forked child of a process that uses devmem: what it asks of devmem is refused, and what its
// parent made is destroyed in silence.
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/devmem.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace {

using devmem::device;
using devmem::error_code;
using devmem::status;
using devmem_test::test_device;
using devmem_test::test_vector;

/// Runs `f` in a forked child and gives what it returns: 0 to 125. The child must not return from
/// here, nor run what the parent has at exit.
template <class F>
int in_child(const F& f) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);  // a child that stands still ends
        int result = 126;
        try {
            result = f();
        } catch (...) {
            result = 127;
        }
        _exit(result);
    }
    REQUIRE(child > 0);
    int ended = 0;
    REQUIRE(waitpid(child, &ended, 0) == child);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

/// In the child: how many of the calls do anything but throw `forked`; 0 is right.
template <class... Calls>
int not_refused(const Calls&... calls) {
    int wrong = 0;
    const auto ask = [&wrong](const auto& call) {
        try {
            call();
            ++wrong;
        } catch (const devmem::forked&) {
        } catch (...) {
            ++wrong;
        }
    };
    (ask(calls), ...);
    return wrong;
}

int texts = 0;
void count_text(const char*) noexcept { ++texts; }

}  // namespace

TEST_CASE("every function of the seam refuses a forked child") {
    const device d = test_device(0);
    const devmem::backend_table& t = devmem::detail::table_of(d, "test");
    void* s = nullptr;
    void* e = nullptr;
    void* timed = nullptr;
    void* p = nullptr;
    REQUIRE(t.stream_create(d, &s).ok());
    REQUIRE(t.event_create(d, false, &e).ok());
    REQUIRE(t.event_create(d, true, &timed).ok());
    REQUIRE(t.allocate(d, devmem::memory_space::device, 64, &p).ok());

    const auto ask_all = [&]() -> int {
        int number = 0;
        devmem::device_facts facts;
        devmem::memory_counts counts;
        device found;
        void* made = nullptr;
        bool done = false;
        float milliseconds = 0;
        std::uint64_t id = 0;
        const unsigned char pattern[1] = {1};
        unsigned char bytes[64] = {};
        devmem::host_function f = devmem::detail::make_host_function([]() noexcept {});
        const status all[] = {
            t.device_count(&number),
            t.facts(d, &facts),
            t.current_device(&found),
            t.push_device(d, &found),
            t.pop_device(d),
            t.memory_info(d, &counts),
            t.synchronize_device(d),
            t.allocate(d, devmem::memory_space::device, 64, &made),
            t.allocate(d, devmem::memory_space::pinned, 64, &made),
            t.allocate_async(d, s, 64, &made),
            t.deallocate_async(d, s, p, 64),
            t.deallocate(d, devmem::memory_space::device, p, 64),
            t.default_stream(d, &made),
            t.stream_create(d, &made),
            t.stream_identity(d, s, &id, &found),
            t.stream_query(d, s, &done),
            t.stream_synchronize(d, s),
            t.stream_wait_event(d, s, e),
            t.event_create(d, true, &made),
            t.event_record(d, e, s),
            t.event_query(d, e, &done),
            t.event_synchronize(d, e),
            t.event_elapsed(d, timed, timed, &milliseconds),
            t.copy_async(d, s, p, bytes, 64),
            t.upload_async(d, s, p, bytes, 64),
            t.copy_2d_async(d, s, {p, 8, bytes, 8, 8, 2}),
            t.upload_2d_async(d, s, {p, 8, bytes, 8, 8, 2}),
            t.fill_async(d, s, p, pattern, 1, 64),
            t.host_call(d, s, f),
            t.event_destroy(d, e),
            t.event_destroy(d, timed),
            t.stream_destroy(d, s),
        };
        int place = 1;
        for (const status& result : all) {
            if (result.code != error_code::forked) return place;
            ++place;
        }
        return 0;
    };
    CHECK(in_child(ask_all) == 0);
    // The parent goes on as if nothing had been.
    CHECK(t.fill_async(d, s, p, "x", 1, 64).ok());
    CHECK(t.stream_synchronize(d, s).ok());
    CHECK(t.deallocate(d, devmem::memory_space::device, p, 64).ok());
    CHECK(t.event_destroy(d, e).ok());
    CHECK(t.event_destroy(d, timed).ok());
    CHECK(t.stream_destroy(d, s).ok());
}

TEST_CASE("a forked child's calls throw forked") {
    const devmem::stream s(test_device(0));
    const devmem::event e(s);
    test_vector<int> v(100, 7, s);
    s.synchronize();
    CHECK(in_child([&] {
              return not_refused([] { static_cast<void>(devmem::devices()); },
                                 [] { static_cast<void>(devmem::memory_info(test_device(0))); },
                                 [] { const devmem::stream made(test_device(0)); },
                                 [&] { s.synchronize(); }, [&] { static_cast<void>(s.query()); },
                                 [&] { e.synchronize(); }, [&] { s.wait(devmem::event(s)); },
                                 [&] { static_cast<void>(v.get(0)); },
                                 [&] { devmem::host_task([] {}, s); });
          }) == 0);
    CHECK(v.get(99) == 7);
}

TEST_CASE("in a forked child a wait is refused at once, though the work is held up for ever") {
    DEVMEM_NEEDS_GATE();
    const devmem::stream s(test_device(0));
    devmem_test::gate held(s);
    const devmem::event mark(s);
    CHECK(in_child([&] {
              return not_refused([&] { s.synchronize(); }, [&] { mark.synchronize(); },
                                 [] { devmem::synchronize(test_device(0)); });
          }) == 0);
    held.open();
    s.synchronize();
}

TEST_CASE("a forked child destroys what its parent made in silence") {
    auto s = std::make_unique<devmem::stream>(test_device(0));
    auto e = std::make_unique<devmem::event>(*s);
    auto v = std::make_unique<test_vector<int>>(100, 7, *s);
    s->synchronize();
    CHECK(in_child([&] {
              devmem::set_message_sink(&count_text);
              devmem::set_destructor_error_sink(&count_text);
              e.reset();
              v.reset();
              s.reset();
              return texts;
          }) == 0);
    CHECK(v->get(99) == 7);
}

TEST_CASE("a child of a child, and a thread of a child, are refused too") {
    const devmem::stream s(test_device(0));
    CHECK(in_child([&] {
              return in_child([&] { return not_refused([&] { s.synchronize(); }); });
          }) == 0);
    // A race detector ends a child that starts a thread.
    if (!devmem::detail::team_helps) DEVMEM_SKIP("no threads in forked children here");
    CHECK(in_child([&] {
              int wrong = 1;
              std::thread([&] { wrong = not_refused([&] { s.synchronize(); }); }).join();
              return wrong;
          }) == 0);
}

TEST_CASE("a child forked while other threads hold devmem's locks destroys in silence") {
    std::atomic<bool> goes_on{true};
    std::vector<std::thread> busy;
    const test_vector<int> shared(100, 5, test_device(1));
    for (int i = 0; i < 3; ++i) {
        busy.emplace_back([&] {
            while (goes_on) {
                const devmem::stream s(test_device(1));
                test_vector<int> v(1000, s);
                devmem::copy_async(shared, v.first(100), s);
                const auto halves = v.split(2);
            }
        });
    }
    for (int round = 0; round < 30; ++round) {
        auto s = std::make_unique<devmem::stream>(test_device(1));
        auto v = std::make_unique<test_vector<int>>(1000, *s);
        auto direct = std::make_unique<test_vector<int, devmem::direct>>(1000, *s);
        auto halves = std::make_unique<devmem::device_slices<int>>(v->split(2));
        auto open = std::make_unique<devmem::block_access<const int>>(shared.read(*s));
        auto mark = std::make_unique<devmem::event>(*s);
        CHECK(in_child([&] {
                  const int wrong = not_refused([&] { test_vector<int> more(1000, *s); },
                                                [&] { static_cast<void>(shared.read(*s)); },
                                                [&] { devmem::fill(*v, 1, *s); });
                  open.reset();
                  halves.reset();
                  v.reset();
                  direct.reset();
                  mark.reset();
                  s.reset();
                  return wrong;
              }) == 0);
    }
    goes_on = false;
    for (std::thread& t : busy) t.join();
    CHECK(shared.get(0) == 5);
}
