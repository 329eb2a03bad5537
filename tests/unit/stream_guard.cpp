// A stream, and its device, made current for a while.
#include "captured_texts.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/host_task.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

using devmem::current_device;
using devmem::current_stream;
using devmem::device;
using devmem::stream;
using devmem::stream_guard;
using devmem::stream_view;
using devmem_test::test_device;

static_assert(!std::is_copy_constructible_v<stream_guard>);
static_assert(!std::is_move_constructible_v<stream_guard>);
static_assert(!std::is_copy_assignable_v<stream_guard>);
static_assert(!std::is_move_assignable_v<stream_guard>);
static_assert(!std::is_convertible_v<stream_view, stream_guard>);
static_assert(!std::is_convertible_v<const stream&, stream_guard>);
static_assert(std::is_nothrow_destructible_v<stream_guard>);

namespace {

/// Two devices with a current stream each, s0 and s1, and device 0 current: what the cases below
/// start from and must come back to.
struct two_current_streams {
    stream s0{test_device(0)};
    stream s1{test_device(1)};
    stream_guard on_1{s1};
    stream_guard on_0{s0};

    void check() const {
        CHECK(current_device() == test_device(0));
        CHECK(current_stream(test_device(0)) == stream_view(s0));
        CHECK(current_stream(test_device(1)) == stream_view(s1));
        CHECK(current_stream() == stream_view(s0));
    }
};

}  // namespace

TEST_CASE("a guard makes a stream and its device current, and restores both") {
    const stream_view before = current_stream(test_device(1));
    const stream s(test_device(1));
    {
        const stream_guard guard(s);
        CHECK(current_device() == test_device(1));
        CHECK(current_stream() == stream_view(s));
        CHECK(current_stream(test_device(1)) == stream_view(s));
        CHECK(current_stream(test_device(0)) == current_stream(test_device(0)));
        CHECK(current_stream(test_device(0)) != stream_view(s));
    }
    CHECK(current_device() == test_device(0));
    CHECK(current_stream(test_device(1)) == before);
}

TEST_CASE("guards nest; an exception from within restores device and streams of all") {
    const two_current_streams start;
    start.check();
    const stream t0(test_device(0));
    const stream t1(test_device(1));
    try {
        const stream_guard on_t1(t1);
        CHECK(current_device() == test_device(1));
        CHECK(current_stream(test_device(1)) == stream_view(t1));
        CHECK(current_stream(test_device(0)) == stream_view(start.s0));
        try {
            const stream_guard on_t0(t0);
            CHECK(current_device() == test_device(0));
            CHECK(current_stream(test_device(0)) == stream_view(t0));
            CHECK(current_stream(test_device(1)) == stream_view(t1));
            throw std::runtime_error("inner");
        } catch (const std::runtime_error&) {
            CHECK(current_device() == test_device(1));
            CHECK(current_stream(test_device(0)) == stream_view(start.s0));
            CHECK(current_stream(test_device(1)) == stream_view(t1));
            throw;
        }
    } catch (const std::runtime_error&) {
        start.check();
    }
    start.check();
}

TEST_CASE("a device scope within a guard keeps the streams, and a guard's end its outer scope") {
    const two_current_streams start;
    {
        const devmem::scoped_device scope(test_device(1));
        CHECK(current_device() == test_device(1));
        CHECK(current_stream() == stream_view(start.s1));
        const devmem::scoped_device elsewhere(test_device(2));
        CHECK(current_stream() == current_stream(test_device(2)));
    }
    start.check();
}

TEST_CASE("the same stream may be guarded twice, and the current one again") {
    const two_current_streams start;
    {
        const stream_guard again(start.s0);
        start.check();
        const stream_guard and_again(current_stream());
        start.check();
    }
    start.check();
}

TEST_CASE("each thread has its own current streams") {
    const two_current_streams start;
    stream_view seen = start.s0;
    stream_view within;
    std::thread([&] {
        seen = current_stream(test_device(0));
        const stream_guard guard(start.s1);
        within = current_stream();
    }).join();
    CHECK(seen != stream_view(start.s0));
    CHECK(within == stream_view(start.s1));
    start.check();
}

TEST_CASE("work without a stream goes to the current one") {
    const two_current_streams start;
    int ran = 0;
    devmem::host_task([&ran] { ran = 1; });
    start.s0.synchronize();
    CHECK(ran == 1);
    {
        const stream_guard other(start.s1);
        devmem::host_task([&ran] { ran = 2; });
    }
    start.s1.synchronize();
    CHECK(ran == 2);
}

#if defined(DEVMEM_CUDA)

TEST_CASE("whichever call fails between set and restore, both are restored") {
    simulated_cuda::reset(4);
    const stream t1(test_device(1));
    // Number 46 is cudaErrorDevicesUnavailable. The n-th call of any function fails, for each n.
    for (int nth = 1;; ++nth) {
        CAPTURE(nth);
        REQUIRE(nth < 60);
        const devmem_test::captured_destructor_errors errors;
        const two_current_streams start;
        bool failed = false;
        simulated_cuda::fail_call("", nth, 46);
        try {
            const stream_guard guard(t1);
            const stream within;
            within.synchronize();
        } catch (const devmem::error&) {
            failed = true;
        }
        simulated_cuda::fail_no_more();
        const std::vector<std::string> reported = errors.all();
        if (!failed && reported.empty()) break;
        // A context that could not be popped stays; all else must be as before.
        const bool pop_failed = !reported.empty() && reported.front().find("~scoped_device") == 0;
        if (!pop_failed) start.check();
        CHECK(current_stream(test_device(0)) == stream_view(start.s0));
        CHECK(current_stream(test_device(1)) == stream_view(start.s1));
        while (simulated_cuda::context_depth() > 2) {
            REQUIRE(pop_failed);
            CHECK(devmem::cuda_backend::pop_device(test_device(0)).ok());
        }
    }
    CHECK(simulated_cuda::misuses().empty());
}

TEST_CASE("a guard makes no context but its own device's") {
    simulated_cuda::reset(4);
    const stream s(test_device(3));
    {
        const stream_guard guard(s);
        CHECK(current_stream() == stream_view(s));
        s.synchronize();
    }
    CHECK(simulated_cuda::devices_with_context() == std::vector{3});
    CHECK(simulated_cuda::context_depth() == 0);
}

#endif
