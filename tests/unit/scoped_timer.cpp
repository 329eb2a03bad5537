// Timers of scopes: they measure the stream, wait for it, and never throw.
#include "captured_texts.hpp"
#include "contents.hpp"
#include "gate.hpp"
#include "run_case.hpp"
#include "test_backend.hpp"

#include <devmem/host_task.hpp>
#include <devmem/scoped_timer.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using devmem::scoped_timer;
using devmem::stream;
using devmem_test::test_device;

static_assert(!std::is_copy_constructible_v<scoped_timer>);
static_assert(!std::is_move_constructible_v<scoped_timer>);
static_assert(std::is_nothrow_destructible_v<scoped_timer>);
// A stream that is gone before the end cannot be measured.
static_assert(std::is_constructible_v<scoped_timer, const char*, const stream&>);
static_assert(!std::is_constructible_v<scoped_timer, const char*, stream>);

namespace {

struct measured {
    std::string name;
    double milliseconds;
};

/// Keeps what timers tell while it lives.
class captured_times {
  public:
    captured_times() {
        all().clear();
        before_ = devmem::set_timer_sink(&keep);
    }
    ~captured_times() { devmem::set_timer_sink(before_); }
    captured_times(const captured_times&) = delete;
    captured_times& operator=(const captured_times&) = delete;

    static std::vector<measured>& all() {
        static std::vector<measured> kept;
        return kept;
    }

  private:
    static void keep(const char* name, double milliseconds) noexcept {
        all().push_back({name, milliseconds});
    }
    devmem::timer_sink before_;
};

void work_for(devmem::stream_view s, int milliseconds) {
    devmem::host_task(
        [milliseconds] { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); },
        s);
}

}  // namespace

TEST_CASE("a timer tells how long the work between its ends took on the stream") {
    const captured_times times;
    const stream s(test_device(1));
    const auto start = std::chrono::steady_clock::now();
    work_for(s, 30);  // before: not measured
    {
        const scoped_timer timer("work", s);
        work_for(s, 10);
    }
    const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - start;
    CHECK(s.query());  // it has waited for what it measures
    REQUIRE(times.all().size() == 1);
    CHECK(times.all()[0].name == "work");
    CHECK(times.all()[0].milliseconds >= 10 - 0.001);
    CHECK(times.all()[0].milliseconds <= all.count() - 30 + 0.001);
}

TEST_CASE("a timer does not wait for other streams") {
    DEVMEM_NEEDS_GATE();
    const captured_times times;
    const stream other(test_device(1));
    const stream s(test_device(1));
    devmem_test::gate held(other);
    work_for(other, 0);
    { const scoped_timer timer("nothing", s); }
    CHECK_FALSE(other.query());
    REQUIRE(times.all().size() == 1);
    CHECK(times.all()[0].milliseconds >= 0);
    held.open();
    other.synchronize();
}

TEST_CASE("without a stream it is the current one") {
    const captured_times times;
    const stream s(test_device(2));
    {
        const devmem::stream_guard on_s(s);
        const scoped_timer outer("outer");
        const scoped_timer inner(std::string(200, 'x'));
        work_for(s, 5);
    }
    REQUIRE(times.all().size() == 2);
    CHECK(times.all()[0].name == std::string(95, 'x'));
    CHECK(times.all()[0].milliseconds >= 5 - 0.001);
    CHECK(times.all()[1].name == "outer");
    CHECK(times.all()[1].milliseconds >= times.all()[0].milliseconds);
}

TEST_CASE("a name need not end with a zero") {
    const captured_times times;
    const std::string text = "first second";
    const stream s(test_device(1));
    { const scoped_timer timer(std::string_view(text).substr(0, 5), s); }
    REQUIRE(times.all().size() == 1);
    CHECK(times.all()[0].name == "first");
}

TEST_CASE("what prevents measuring is told, not thrown") {
    const captured_times times;
    const devmem_test::captured_destructor_errors errors;
    const stream s(test_device(1));
    {
        const scoped_timer timer("failing", s);
        // From a host callback nothing may be asked of a backend.
        devmem::host_task([&s] { CHECK_THROWS(static_cast<void>(scoped_timer("inside", s))); }, s);
    }
    CHECK(times.all().size() == 1);
    {
        auto* timer = new scoped_timer("destroyed in a callback", s);
        devmem::host_task([timer] { delete timer; }, s);
        s.synchronize();
    }
    CHECK(times.all().size() == 1);
    REQUIRE(errors.all().size() == 1);
    CHECK(errors.all()[0].find("'destroyed in a callback' not measured") != std::string::npos);
}

TEST_CASE("an exception passes, and the time is told") {
    const captured_times times;
    const stream s(test_device(1));
    const auto failing = [&s] {
        const scoped_timer timer("left by an exception", s);
        throw 5;
    };
    CHECK_THROWS_AS(failing(), int);
    CHECK(times.all().size() == 1);
}

TEST_CASE("the default sink writes to standard error" * doctest::skip()) {
    const stream s(test_device(1));
    const scoped_timer timer("step", s);
    CHECK(s.device() == test_device(1));
}

TEST_CASE("in a forked child nothing is told" * doctest::skip()) {
    const stream s(test_device(1));
    auto* timer = new scoped_timer("step", s);
    s.synchronize();
    if (const pid_t child = fork(); child == 0) {
        delete timer;
        _exit(3);
    } else {
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        devmem_test::say("child %d", WEXITSTATUS(status));
    }
    devmem::set_timer_sink([](const char*, double) noexcept { devmem_test::say("told"); });
    delete timer;
}

TEST_CASE("what is printed, and where not") {
    const auto printed = devmem_test::run_case("the default sink writes to standard error",
                                               {"DEVMEM_CPU_DEVICES=4"});
    CHECK(printed.exit_status == 0);
    const auto at = printed.output.find("devmem: step: ");
    REQUIRE(at != std::string::npos);
    CHECK(printed.output.find(" ms\n", at) != std::string::npos);
    const auto forked =
        devmem_test::run_case("in a forked child nothing is told", {"DEVMEM_CPU_DEVICES=4"});
    CHECK(forked.exit_status == 0);
    CHECK(forked.said == "child 3\ntold");
    CHECK(forked.output.find("devmem: ") == std::string::npos);
}
