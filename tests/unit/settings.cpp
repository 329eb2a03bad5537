// What is decided before first use. It is decided once a process, so each case has its own.
#include "run_case.hpp"

#include <devmem/devmem.hpp>

#include <doctest/doctest.h>
#include <pthread.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using devmem_test::case_result;
using devmem_test::run_case;
using devmem_test::say;

void say_what_is_in_force() {
    const devmem::detail::cpu_options& o = devmem::detail::cpu_options_in_force;
    using devmem::detail::scheduler_kind;
    const std::string deferred = "deferred:" + std::to_string(o.seed);
    say("devices %d, capacity %zu, threads %d, staging %zu, scheduler %s, poison %d", o.devices,
        o.capacity, o.threads, o.staging_bytes,
        o.scheduler == scheduler_kind::threads    ? "threads"
        : o.scheduler == scheduler_kind::deferred ? deferred.c_str()
                                                  : "inline",
        static_cast<int>(devmem::detail::process_settings.poison));
}

/// Says what `f` throws.
template <class F>
void say_error(const F& f) {
    try {
        f();
        say("no error");
    } catch (const devmem::invalid_argument& e) {
        say("invalid_argument: %s", e.what());
    } catch (const devmem::not_permitted& e) {
        say("not_permitted: %s", e.what());
    }
}

std::string said_with(const std::string& name, const std::vector<std::string>& settings) {
    const case_result result = run_case(name, settings);
    INFO(result.output);
    CHECK(result.exit_status == 0);
    return result.said;
}

const std::string too_late =
    "not_permitted: configure: devmem is in use already; call it before the first device, stream "
    "or container";

}  // namespace

// ---- The cases that are run by others. ----

TEST_CASE("own process: read" * doctest::skip()) {
    say_error([] {
        devmem::detail::ensure_settings();
        say_what_is_in_force();
    });
    CHECK(true);
}

TEST_CASE("own process: read twice then mended" * doctest::skip()) {
    say_error([] { devmem::detail::ensure_settings(); });
    say_error([] { static_cast<void>(devmem::devices()); });
    say_error([] { devmem::configure({.cpu_devices = 3}); });
    CHECK(setenv("DEVMEM_CPU_THREADS", "2", 1) == 0);
    say_error([] { static_cast<void>(devmem::devices()); });
    say_what_is_in_force();
}

TEST_CASE("own process: use" * doctest::skip()) {
    CHECK(devmem::is_available(devmem::device::cpu(0)));
    pthread_t by = pthread_self();
    devmem::stream s(devmem::device::cpu(0));
    devmem::host_task([&by] { by = pthread_self(); }, s);
    s.synchronize();
    say("cpus %zu, total of cpu:0 %zu, tasks by the %s",
        devmem::devices(devmem::device_kind::cpu).size(),
        devmem::memory_info(devmem::device::cpu(0)).total,
        pthread_equal(by, pthread_self()) != 0 ? "caller" : "stream's thread");
    const devmem::device_vector<int, devmem::cpu_backend> v(4, devmem::uninitialized);
    say("uninitialized %08x", static_cast<unsigned>(v.get(0)));
}

TEST_CASE("own process: configure" * doctest::skip()) {
    say_error([] {
        devmem::configure({.cpu_devices = 9});
        devmem::configure({.cpu_devices = 3,
                           .cpu_capacity = 5000,
                           .cpu_threads = 2,
                           .staging_bytes = 64,
                           .scheduler = devmem::cpu_scheduler::in_line()});
        devmem::detail::ensure_settings();
        say_what_is_in_force();
    });
    CHECK(devmem::is_available(devmem::device::cpu(2)));
}

TEST_CASE("own process: configure deferred" * doctest::skip()) {
    devmem::configure({.scheduler = devmem::cpu_scheduler::deferred(7)});
    const devmem::stream s(devmem::device::cpu(0));
    say_what_is_in_force();
    bool ran = false;
    devmem::host_task([&ran] { ran = true; }, s);
    say("%s", ran ? "at once" : "deferred");
    s.synchronize();
    CHECK(ran);
}

TEST_CASE("own process: configure out of range" * doctest::skip()) {
    constexpr std::size_t too_much = ~std::size_t{0};
    devmem::configure({.cpu_devices = 2});
    say_error([] { devmem::configure({.cpu_devices = 0}); });
    say_error([] { devmem::configure({.cpu_devices = 65}); });
    say_error([] { devmem::configure({.cpu_capacity = too_much}); });
    say_error([] { devmem::configure({.cpu_threads = 4097}); });
    say_error([] { devmem::configure({.staging_bytes = too_much}); });
    // What was refused has changed nothing.
    CHECK(devmem::devices(devmem::device_kind::cpu).size() == 2);
}

#define DEVMEM_USE_THEN_CONFIGURE(name, use)                           \
    TEST_CASE("own process: configure after " name* doctest::skip()) { \
        use;                                                           \
        CHECK_THROWS_AS(devmem::configure({}), devmem::not_permitted); \
        say_error([] { devmem::configure({}); });                      \
    }

DEVMEM_USE_THEN_CONFIGURE("devices", CHECK(!devmem::devices().empty()))
DEVMEM_USE_THEN_CONFIGURE("is_available", CHECK(devmem::is_available(devmem::device::cpu())))
DEVMEM_USE_THEN_CONFIGURE("current_device", CHECK(devmem::current_device().index() == 0))
DEVMEM_USE_THEN_CONFIGURE("select_device", CHECK(devmem::select_device().index() == 0))
DEVMEM_USE_THEN_CONFIGURE("memory_info", CHECK(devmem::memory_info().total > 0))
DEVMEM_USE_THEN_CONFIGURE("stream", CHECK(devmem::stream().query()))
DEVMEM_USE_THEN_CONFIGURE("current_stream", CHECK(devmem::current_stream().query()))
DEVMEM_USE_THEN_CONFIGURE("scoped_device", devmem::scoped_device s(devmem::device::cpu()))
DEVMEM_USE_THEN_CONFIGURE("a vector",
                          CHECK((devmem::device_vector<int, devmem::cpu_backend>(3).size()) == 3))
DEVMEM_USE_THEN_CONFIGURE("an empty vector",
                          CHECK((devmem::device_vector<int, devmem::cpu_backend>().empty())))

TEST_CASE("own process: configure after values" * doctest::skip()) {
    // Naming a device, and a mark that marks nothing, are no use yet.
    CHECK(devmem::device::parse("cpu:1") == devmem::device::cpu(1));
    const devmem::event e;
    CHECK(e.query());
    devmem::configure({.cpu_devices = 5});
    CHECK(devmem::devices(devmem::device_kind::cpu).size() == 5);
}

// ---- What they show. ----

TEST_CASE("with nothing set, the documented settings are in force") {
    CHECK(
        said_with("own process: read", {}) ==
        "devices 1, capacity 0, threads 0, staging 4194304, scheduler threads, poison 0\nno error");
    const devmem::settings preset;
    CHECK(preset.cpu_devices == 1);
    CHECK(preset.cpu_capacity == 0);
    CHECK(preset.cpu_threads == 0);
    CHECK(preset.staging_bytes == 4'194'304);
    CHECK(preset.scheduler == devmem::cpu_scheduler::threads());
    CHECK(!(preset.scheduler == devmem::cpu_scheduler::in_line()));
}

TEST_CASE("the environment sets each, from the least to the most") {
    const std::string plain[] = {"devices 1",       "capacity 0",        "threads 0",
                                 "staging 4194304", "scheduler threads", "poison 0"};
    const auto expected = [&plain](std::size_t at, const std::string& value) {
        std::string line;
        for (std::size_t i = 0; i < 6; ++i)
            line += (i == 0 ? "" : ", ") + (i == at ? value : plain[i]);
        return line + "\nno error";
    };
    struct {
        const char* setting;
        std::size_t at;
        const char* value;
    } const all[] = {
        {"DEVMEM_CPU_DEVICES=1", 0, "devices 1"},
        {"DEVMEM_CPU_DEVICES=64", 0, "devices 64"},
        {"DEVMEM_CPU_DEVICES=007", 0, "devices 7"},
        {"DEVMEM_CPU_CAPACITY=0", 1, "capacity 0"},
        {"DEVMEM_CPU_CAPACITY=9223372036854775807", 1, "capacity 9223372036854775807"},
        {"DEVMEM_CPU_THREADS=0", 2, "threads 0"},
        {"DEVMEM_CPU_THREADS=4096", 2, "threads 4096"},
        {"DEVMEM_STAGING_BYTES=0", 3, "staging 0"},
        {"DEVMEM_STAGING_BYTES=9223372036854775807", 3, "staging 9223372036854775807"},
        {"DEVMEM_SCHEDULER=threads", 4, "scheduler threads"},
        {"DEVMEM_SCHEDULER=inline", 4, "scheduler inline"},
        {"DEVMEM_SCHEDULER=deferred:0", 4, "scheduler deferred:0"},
        {"DEVMEM_SCHEDULER=deferred:42", 4, "scheduler deferred:42"},
        {"DEVMEM_SCHEDULER=deferred:007", 4, "scheduler deferred:7"},
        {"DEVMEM_SCHEDULER=deferred:18446744073709551615", 4,
         "scheduler deferred:18446744073709551615"},
        {"DEVMEM_POISON=0", 5, "poison 0"},
        {"DEVMEM_POISON=1", 5, "poison 1"},
    };
    for (const auto& s : all) {
        CAPTURE(s.setting);
        CHECK(said_with("own process: read", {s.setting}) == expected(s.at, s.value));
    }
}

TEST_CASE("a bad value of any variable is refused at first use, with the good ones") {
    struct {
        const char* name;
        std::vector<std::string> values;
        const char* good;
    } const all[] = {
        {"DEVMEM_CPU_DEVICES",
         {"0", "65", "-1", "+1", " 1", "1 ", "", "two", "1.5", "0x4", "1e1", "4,",
          "18446744073709551617"},
         "whole numbers from 1 to 64"},
        {"DEVMEM_CPU_CAPACITY",
         {"-1", "1GiB", "1k", "", "9223372036854775808", "99999999999999999999999"},
         "whole numbers from 0 to 9223372036854775807"},
        {"DEVMEM_CPU_THREADS", {"4097", "-1", "all", ""}, "whole numbers from 0 to 4096"},
        {"DEVMEM_STAGING_BYTES",
         {"4M", "-4", "", "18446744073709551615"},
         "whole numbers from 0 to 9223372036854775807"},
        {"DEVMEM_SCHEDULER",
         {"", "Threads", "in_line", "inline ", "deferred", "threads,inline", "0",
          "deferred:", "deferred:-1", "deferred:+1", "deferred: 1", "deferred:1 ", "deferred:0x1",
          "deferred:1.5", "Deferred:1", "deferred=1", "deferred:18446744073709551616",
          "deferred:one"},
         "threads, inline, deferred:SEED"},
        {"DEVMEM_POISON", {"2", "yes", "", "-1", "on"}, "whole numbers from 0 to 1"},
    };
    for (const auto& variable : all) {
        for (const std::string& value : variable.values) {
            const std::string setting = variable.name + ("=" + value);
            CAPTURE(setting);
            CHECK(said_with("own process: read", {setting}) ==
                  "invalid_argument: environment: " + std::string(variable.name) + "='" + value +
                      "' is not one of: " + variable.good);
        }
    }
}

TEST_CASE("a long bad value does not push the good ones out of the message") {
    const std::string value(1000, '7');
    const std::string said = said_with("own process: read", {"DEVMEM_CPU_DEVICES=" + value});
    CHECK(said == "invalid_argument: environment: DEVMEM_CPU_DEVICES='" + value.substr(0, 64) +
                      "' is not one of: whole numbers from 1 to 64");
}

TEST_CASE("a bad value is refused at every use until it is mended") {
    const std::string bad =
        "invalid_argument: environment: DEVMEM_CPU_THREADS='many' is not one of: whole numbers "
        "from "
        "0 to 4096";
    CHECK(said_with("own process: read twice then mended", {"DEVMEM_CPU_THREADS=many"}) ==
          bad + "\n" + bad +
              "\nno error\nno error\ndevices 3, capacity 0, threads 2, staging 4194304, scheduler "
              "threads, poison 0");
}

TEST_CASE("the settings do what they say") {
    CHECK(said_with("own process: use",
                    {"DEVMEM_CPU_DEVICES=3", "DEVMEM_CPU_CAPACITY=123456", "DEVMEM_POISON=1"}) ==
          "cpus 3, total of cpu:0 123456, tasks by the stream's thread\nuninitialized ffffffff");
    CHECK(said_with("own process: use", {"DEVMEM_CPU_CAPACITY=4096", "DEVMEM_SCHEDULER=inline",
                                         "DEVMEM_CPU_THREADS=1", "DEVMEM_POISON=1"}) ==
          "cpus 1, total of cpu:0 4096, tasks by the caller\nuninitialized ffffffff");
}

TEST_CASE("a seed may be chosen by the program, and the environment wins over it") {
    using devmem::cpu_scheduler;
    CHECK(cpu_scheduler::deferred(7).seed() == 7);
    CHECK(cpu_scheduler::deferred(7).kind() == devmem::detail::scheduler_kind::deferred);
    CHECK(cpu_scheduler::deferred(7) == cpu_scheduler::deferred(7));
    CHECK(cpu_scheduler::deferred(7) != cpu_scheduler::deferred(8));
    CHECK(cpu_scheduler::deferred(0) != cpu_scheduler::threads());
    CHECK(cpu_scheduler::threads().seed() == 0);
    const std::string rest = "devices 1, capacity 0, threads 0, staging 4194304, scheduler ";
    CHECK(said_with("own process: configure deferred", {}) ==
          rest + "deferred:7, poison 0\ndeferred");
    CHECK(said_with("own process: configure deferred", {"DEVMEM_SCHEDULER=deferred:3"}) ==
          rest + "deferred:3, poison 0\ndeferred");
    CHECK(said_with("own process: configure deferred", {"DEVMEM_SCHEDULER=inline"}) ==
          rest + "inline, poison 0\nat once");
}

TEST_CASE("what configure was told last is in force") {
    CHECK(said_with("own process: configure", {}) ==
          "devices 3, capacity 5000, threads 2, staging 64, scheduler inline, poison 0\nno error");
}

TEST_CASE("the environment wins over configure, variable by variable") {
    CHECK(said_with("own process: configure", {"DEVMEM_CPU_DEVICES=7"}) ==
          "devices 7, capacity 5000, threads 2, staging 64, scheduler inline, poison 0\nno error");
    CHECK(said_with("own process: configure",
                    {"DEVMEM_CPU_DEVICES=4", "DEVMEM_CPU_CAPACITY=0", "DEVMEM_CPU_THREADS=1",
                     "DEVMEM_STAGING_BYTES=1", "DEVMEM_SCHEDULER=threads", "DEVMEM_POISON=1"}) ==
          "devices 4, capacity 0, threads 1, staging 1, scheduler threads, poison 1\nno error");
}

TEST_CASE("configure refuses numbers out of range, and names them") {
    const std::string said = said_with("own process: configure out of range", {});
    const auto refused = [](const char* devices, const char* threads, const char* capacity,
                            const char* staging) {
        return "invalid_argument: configure: cpu_devices " + std::string(devices) +
               " (1 to 64), cpu_threads " + threads + " (0 to 4096), cpu_capacity " + capacity +
               ", staging_bytes " + staging + ": a number is out of range";
    };
    const char* most = "18446744073709551615";
    CHECK(said == refused("0", "0", "0", "4194304") + "\n" + refused("65", "0", "0", "4194304") +
                      "\n" + refused("1", "0", most, "4194304") + "\n" +
                      refused("1", "4097", "0", "4194304") + "\n" + refused("1", "0", "0", most));
}

TEST_CASE("configure after first use is not permitted, whatever the first use was") {
    for (const char* use :
         {"devices", "is_available", "current_device", "select_device", "memory_info", "stream",
          "current_stream", "scoped_device", "a vector", "an empty vector"}) {
        CAPTURE(use);
        CHECK(said_with(std::string("own process: configure after ") + use, {}) == too_late);
    }
    CHECK(said_with("own process: configure after values", {}).empty());
}
