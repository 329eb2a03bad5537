// Where notes, caller's bugs and errors in destructors go.
#include "captured_texts.hpp"
#include "run_case.hpp"

#include <devmem/config.hpp>
#include <devmem/messages.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

using devmem_test::case_result;
using devmem_test::run_case;

namespace {

std::atomic<int> first_calls{0};
std::atomic<int> second_calls{0};
void first_sink(const char*) noexcept { ++first_calls; }
void second_sink(const char*) noexcept { ++second_calls; }

struct broken {
    std::string condition;
    std::string file;
    int line;
};
void throw_broken(const char* condition, const char* file, int line) {
    throw broken{condition, file, line};
}
void return_from_it(const char*, const char*, int) {}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("own process: presets" * doctest::skip()) {
    devmem::set_message_sink(&first_sink);
    devmem::set_destructor_error_sink(&first_sink);
    devmem::set_message_sink(nullptr);
    devmem::set_destructor_error_sink(nullptr);
    devmem::detail::note("a note of the test");
    devmem::detail::report_destructor_error("an error of the test");
    CHECK(first_calls == 0);
}

TEST_CASE("own process: broken condition" * doctest::skip()) {
    CHECK(true);
    static_cast<void>(devmem::stream_view().query());
}

TEST_CASE("own process: handler that returns" * doctest::skip()) {
    CHECK((devmem::set_assert_handler(&return_from_it) != nullptr));
    DEVMEM_ASSERT(1 + 1 == 3);
    devmem_test::say("went on");
}

TEST_CASE("setting a sink returns the one before; null restores the preset") {
    const devmem::message_sink preset = devmem::set_message_sink(&first_sink);
    CHECK((preset != nullptr));
    CHECK((devmem::set_message_sink(&second_sink) == &first_sink));
    CHECK((devmem::set_message_sink(nullptr) == &second_sink));
    CHECK((devmem::set_message_sink(preset) == preset));

    const devmem::message_sink errors = devmem::set_destructor_error_sink(&first_sink);
    CHECK((devmem::set_destructor_error_sink(nullptr) == &first_sink));
    CHECK((devmem::set_destructor_error_sink(errors) == errors));

    const devmem::assert_handler handler = devmem::set_assert_handler(&throw_broken);
    CHECK((devmem::set_assert_handler(nullptr) == &throw_broken));
    CHECK((devmem::set_assert_handler(handler) == handler));
    static_assert(noexcept(devmem::set_message_sink(nullptr)));
    static_assert(noexcept(devmem::set_assert_handler(nullptr)));
    static_assert(noexcept(devmem::set_destructor_error_sink(nullptr)));
}

TEST_CASE("notes and errors in destructors go to sinks of their own") {
    const devmem_test::captured_notes notes;
    const devmem_test::captured_destructor_errors errors;
    devmem::detail::note("one");
    devmem::detail::report_destructor_error("two");
    devmem::detail::note("three");
    CHECK(notes.all() == std::vector<std::string>{"one", "three"});
    CHECK(errors.all() == std::vector<std::string>{"two"});
}

TEST_CASE("without sinks both go to standard error, with devmem's name before them") {
    const case_result result = run_case("own process: presets", {});
    CHECK(result.exit_status == 0);
    CHECK(contains(result.output, "devmem: a note of the test\n"));
    CHECK(contains(result.output, "devmem: an error of the test\n"));
}

TEST_CASE("a handler gets the condition and its place, and may throw out of the call") {
    const devmem::assert_handler before = devmem::set_assert_handler(&throw_broken);
    DEVMEM_ASSERT(1 + 1 == 2);
    int line = 0;
    broken caught{};
    try {
        line = __LINE__ + 1;
        DEVMEM_ASSERT(1 + 1 == 3);
    } catch (const broken& b) {
        caught = b;
    }
    devmem::set_assert_handler(before);
    CHECK(caught.condition == "1 + 1 == 3");
    CHECK(contains(caught.file, "messages.cpp"));
    CHECK(caught.line == line);
}

TEST_CASE("a condition is evaluated once, and stands where an expression may") {
    int evaluated = 0;
    const auto checked = [&evaluated](bool holds) {
        return DEVMEM_ASSERT((++evaluated, holds)), evaluated;
    };
    CHECK(checked(true) == 1);
    CHECK(checked(true) == 2);
}

TEST_CASE("without a handler a broken condition is printed and ends the process, in every build") {
    const case_result result = run_case("own process: broken condition", {});
    CHECK(result.exit_status == 128 + SIGABRT);
    CHECK(contains(result.output, "stream.hpp:"));
    CHECK(contains(result.output, ": a caller broke the condition: state_ != nullptr\n"));
}

TEST_CASE("a handler that returns ends the process all the same") {
    const case_result result = run_case("own process: handler that returns", {});
    CHECK(result.exit_status == 128 + SIGABRT);
    CHECK(result.said.empty());
}

TEST_CASE("sinks may be replaced while others report") {
    first_calls = 0;
    second_calls = 0;
    const devmem::message_sink before = devmem::set_message_sink(&first_sink);
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([] {
            for (int i = 0; i < 2'000; ++i) devmem::detail::note("note");
        });
    }
    for (int i = 0; i < 2'000; ++i) {
        devmem::set_message_sink(i % 2 == 0 ? &second_sink : &first_sink);
    }
    for (std::thread& t : threads) t.join();
    devmem::set_message_sink(before);
    CHECK(first_calls + second_calls == 4'000);
}
