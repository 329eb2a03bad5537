// What devmem throws: which class is caught as what, and what an error tells.
#include "captured_texts.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/error.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

using devmem::error;
using devmem::error_code;
using devmem::error_info;
using devmem::out_of_memory;

namespace {

template <class E>
inline constexpr bool is_an_error =
    std::is_base_of_v<error, E>&& std::is_base_of_v<error_info, E>&&
        std::is_base_of_v<std::exception, E> &&
    !std::is_base_of_v<std::bad_alloc, E> && std::is_nothrow_copy_constructible_v<E> &&
    std::is_nothrow_destructible_v<E>;

static_assert(is_an_error<error>);
static_assert(is_an_error<devmem::wrong_device>);
static_assert(is_an_error<devmem::no_such_device>);
static_assert(is_an_error<devmem::access_conflict>);
static_assert(is_an_error<devmem::capture_error>);
static_assert(is_an_error<devmem::device_lost>);
static_assert(is_an_error<devmem::not_permitted>);
static_assert(is_an_error<devmem::invalid_argument>);
static_assert(is_an_error<devmem::length_error>);
static_assert(is_an_error<devmem::forked>);
static_assert(is_an_error<devmem::deadlock>);

static_assert(std::is_base_of_v<std::bad_alloc, out_of_memory>);
static_assert(std::is_base_of_v<error_info, out_of_memory>);
static_assert(!std::is_base_of_v<error, out_of_memory>);
static_assert(std::is_nothrow_copy_constructible_v<out_of_memory>);
// The facts alone are no exception to be thrown or held.
static_assert(!std::is_destructible_v<error_info> &&
              !std::is_base_of_v<std::exception, error_info>);

using devmem::detail::failure;
using devmem::detail::throw_failure;

/// Throws for that code and tells what catches it.
template <class Exact>
bool thrown_as(error_code code) {
    const failure what{.code = code, .operation = "operation", .where = devmem::device::cpu(2)};
    bool exactly = false;
    bool by_facts = false;
    bool by_standard = false;
    try {
        throw_failure(what, "text");
    } catch (const Exact& e) {
        exactly = typeid(e) == typeid(Exact);
    }
    try {
        throw_failure(what, "text");
    } catch (const error_info& e) {
        by_facts = e.code() == code && e.message() == std::string("operation: text");
    }
    try {
        throw_failure(what, "text");
    } catch (const std::exception& e) {
        by_standard = e.what() == std::string("operation: text");
    }
    return exactly && by_facts && by_standard;
}

const devmem::backend_table& cpu() { return *devmem::detail::find_table(devmem::device_kind::cpu); }

}  // namespace

TEST_CASE("each code has its class, caught by its facts and as a standard exception") {
    CHECK(thrown_as<out_of_memory>(error_code::out_of_memory));
    CHECK(thrown_as<devmem::no_such_device>(error_code::no_such_device));
    CHECK(thrown_as<devmem::wrong_device>(error_code::wrong_device));
    CHECK(thrown_as<devmem::access_conflict>(error_code::access_conflict));
    CHECK(thrown_as<devmem::capture_error>(error_code::capture_error));
    CHECK(thrown_as<devmem::device_lost>(error_code::device_lost));
    CHECK(thrown_as<devmem::not_permitted>(error_code::not_permitted));
    CHECK(thrown_as<devmem::invalid_argument>(error_code::invalid_argument));
    CHECK(thrown_as<devmem::length_error>(error_code::length_error));
    CHECK(thrown_as<devmem::forked>(error_code::forked));
    CHECK(thrown_as<devmem::deadlock>(error_code::deadlock));
    CHECK(thrown_as<devmem::no_host_twin>(error_code::no_host_twin));
    CHECK(thrown_as<error>(error_code::backend_failure));
}

TEST_CASE("memory that has run out is a bad_alloc") {
    const auto fail = [] {
        throw_failure({.code = error_code::out_of_memory,
                       .bytes = 77,
                       .native = ENOMEM,
                       .native_name = "ENOMEM"},
                      "none left");
    };
    CHECK_THROWS_AS(fail(), std::bad_alloc);
    try {
        fail();
    } catch (const std::bad_alloc& e) {
        CHECK(e.what() == std::string(": none left (ENOMEM, code 12)"));
    }
    try {
        fail();
    } catch (const error_info& e) {
        CHECK(e.bytes() == 77);
        CHECK(e.native_code() == ENOMEM);
        CHECK(e.native_name() == std::string("ENOMEM"));
    }
}

TEST_CASE("an error tells all its facts") {
    const int first_line = __LINE__;
    const failure what{.code = error_code::backend_failure,
                       .operation = "copy",
                       .where = devmem::device::cuda(3),
                       .bytes = 4096,
                       .native = 700,
                       .native_name = "cudaErrorIllegalAddress"};
    const int last_line = __LINE__;
    const error e(what, "it went wrong");
    CHECK(e.code() == error_code::backend_failure);
    CHECK(e.operation() == std::string("copy"));
    CHECK(e.device() == devmem::device::cuda(3));
    CHECK(e.bytes() == 4096);
    CHECK(e.native_code() == 700);
    CHECK(e.native_name() == std::string("cudaErrorIllegalAddress"));
    CHECK(e.message() == std::string("copy: it went wrong (cudaErrorIllegalAddress, code 700)"));
    CHECK(e.what() == std::string(e.message()));
    CHECK(e.place().line > first_line);
    CHECK(e.place().line < last_line);
    CHECK(std::string(e.place().file).find("errors.cpp") != std::string::npos);
    CHECK(e.place().function != std::string());
}

TEST_CASE("a copy of an error keeps its text when the first is gone") {
    std::vector<error> kept;
    {
        const error e({.operation = "first"}, "text of the first");
        kept.push_back(e);
    }
    kept.emplace_back(failure{.operation = "second"}, "text of the second");
    kept.push_back(kept.front());
    CHECK(kept[0].what() == std::string("first: text of the first"));
    CHECK(kept[2].what() == std::string("first: text of the first"));
    kept[0] = kept[1];
    CHECK(kept[0].what() == std::string("second: text of the second"));
}

TEST_CASE("a text of any length is cut, not written past its end") {
    for (const std::size_t n : {600u, 630u, 639u, 640u, 641u, 5'000u}) {
        const std::string text(n, 'x');
        const error e({.operation = "op", .native = 1, .native_name = "name"}, text.c_str());
        const std::string whole = "op: " + text + " (name, code 1)";
        CHECK(e.what() == whole.substr(0, 639));
    }
}

TEST_CASE("a status that is ok is no error; one that is not names operation and device") {
    CHECK_NOTHROW(devmem::detail::check({}, "anything", cpu(), devmem::device::cpu(1)));
    try {
        devmem::detail::check({error_code::out_of_memory, ENOMEM}, "allocate", cpu(),
                              devmem::device::cpu(1), 123);
        CHECK(false);
    } catch (const out_of_memory& e) {
        CHECK(e.what() == std::string("allocate: cpu:1: out of memory (ENOMEM, code 12)"));
        CHECK(e.device() == devmem::device::cpu(1));
        CHECK(e.bytes() == 123);
        CHECK(std::string(e.place().file).find("errors.cpp") != std::string::npos);
    }
    CHECK_THROWS_WITH_AS(
        devmem::detail::check({error_code::not_permitted, 0}, "copy", cpu(),
                              devmem::device::cpu(0)),
        "copy: cpu:0: not permitted here; a host callback or CPU kernel must not call devmem",
        devmem::not_permitted);
}

TEST_CASE("each code is described in words of its own") {
    std::vector<std::string> seen;
    for (int code = 0; code <= static_cast<int>(error_code::backend_failure); ++code) {
        const std::string text = devmem::detail::describe(static_cast<error_code>(code));
        CHECK(!text.empty());
        for (const std::string& other : seen) CHECK(text != other);
        seen.push_back(text);
    }
    CHECK(seen.size() == 14);
}

TEST_CASE("what goes wrong in a destructor goes to the sink, but for devices already lost") {
    const devmem_test::captured_destructor_errors errors;
    const auto report = [](devmem::status s) {
        devmem::detail::check_in_destructor(s, "~stream", cpu(), devmem::device::cpu(3));
    };
    report({});
    report({error_code::device_lost, 700});
    CHECK(errors.all().empty());
    report({error_code::backend_failure, EAGAIN});
    CHECK(errors.all() ==
          std::vector<std::string>{"~stream: cpu:3: the backend failed (EAGAIN, code 11)"});
}

TEST_CASE("catch clauses of several depths meet the same error") {
    // What a program that knows nothing of devmem would catch.
    int caught = 0;
    try {
        const devmem::stream s(devmem::device(devmem::device_kind::mps, 0));
    } catch (const std::bad_alloc&) {
        caught = 1;
    } catch (const std::exception& e) {
        caught = 2;
        CHECK(dynamic_cast<const devmem::no_such_device*>(&e) != nullptr);
        CHECK(dynamic_cast<const error_info*>(&e) != nullptr);
    }
    CHECK(caught == 2);
    try {
        const devmem_test::test_vector<float> v(std::size_t{1} << 50);
    } catch (const std::bad_alloc& e) {
        caught = 3;
        CHECK(dynamic_cast<const error_info*>(&e) != nullptr);
    }
    CHECK(caught == 3);
}
