// A device made current for a while, and back.
#include "captured_texts.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/scoped_device.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

using devmem::current_device;
using devmem::device;
using devmem::on_device;
using devmem::scoped_device;
using devmem_test::test_device;

static_assert(!std::is_copy_constructible_v<scoped_device>);
static_assert(!std::is_move_constructible_v<scoped_device>);
static_assert(!std::is_copy_assignable_v<scoped_device>);
static_assert(!std::is_move_assignable_v<scoped_device>);
static_assert(!std::is_convertible_v<device, scoped_device>);
static_assert(!std::is_default_constructible_v<scoped_device>);
static_assert(std::is_nothrow_destructible_v<scoped_device>);

TEST_CASE("a scope makes its device current, and restores the one before") {
    const device before = current_device();
    CHECK(before == test_device(0));
    {
        const scoped_device scope(test_device(2));
        CHECK(current_device() == test_device(2));
    }
    CHECK(current_device() == before);
}

TEST_CASE("scopes nest, also on a device that is current already") {
    const scoped_device outer(test_device(1));
    {
        const scoped_device same(test_device(1));
        CHECK(current_device() == test_device(1));
        {
            const scoped_device inner(test_device(3));
            CHECK(current_device() == test_device(3));
            const scoped_device back(test_device(1));
            CHECK(current_device() == test_device(1));
        }
        CHECK(current_device() == test_device(1));
    }
    CHECK(current_device() == test_device(1));
}

TEST_CASE("an exception that passes restores the device before") {
    const scoped_device outer(test_device(1));
    try {
        const scoped_device inner(test_device(2));
        const scoped_device innermost(test_device(3));
        throw std::runtime_error("passes");
    } catch (const std::runtime_error&) {
        CHECK(current_device() == test_device(1));
    }
    CHECK(current_device() == test_device(1));
}

TEST_CASE("a scope for a device that is not there throws and changes nothing") {
    const scoped_device outer(test_device(1));
    for (const device absent : {device(test_device(0).kind(), 4), device(test_device(0).kind(), -1),
                                device(devmem::device_kind::mps, 0)}) {
        CHECK_THROWS_AS(const scoped_device scope(absent), devmem::no_such_device);
        CHECK(current_device() == test_device(1));
        bool called = false;
        CHECK_THROWS_AS(on_device(absent, [&called] { called = true; }), devmem::no_such_device);
        CHECK(!called);
    }
}

TEST_CASE("each thread has its own current device") {
    const scoped_device here(test_device(3));
    device seen;
    device after;
    std::thread([&] {
        seen = current_device();
        const scoped_device there(test_device(2));
        after = current_device();
    }).join();
    CHECK(seen == test_device(0));
    CHECK(after == test_device(2));
    CHECK(current_device() == test_device(3));
}

TEST_CASE("scopes live on the heap and in an optional, ended in turn") {
    auto outer = std::make_unique<scoped_device>(test_device(1));
    std::optional<scoped_device> inner(test_device(2));
    CHECK(current_device() == test_device(2));
    inner.reset();
    CHECK(current_device() == test_device(1));
    outer.reset();
    CHECK(current_device() == test_device(0));
}

TEST_CASE("what is made within a scope is on its device") {
    const scoped_device scope(test_device(3));
    const devmem_test::test_vector<int> v(5);
    CHECK(v.device() == test_device(3));
    CHECK(devmem::stream().device() == test_device(3));
    CHECK(devmem::current_stream().device() == test_device(3));
}

TEST_CASE("on_device calls once with the device current, and returns what was returned") {
    int calls = 0;
    const device seen = on_device(test_device(2), [&calls] {
        ++calls;
        return current_device();
    });
    CHECK(seen == test_device(2));
    CHECK(calls == 1);
    CHECK(current_device() == test_device(0));
}

TEST_CASE("on_device passes arguments and results as they are") {
    int x = 1;
    const auto identity = [](int& r) -> int& { return r; };
    int& same = on_device(test_device(1), identity, x);
    CHECK(&same == &x);
    static_assert(std::is_same_v<decltype(on_device(device(), identity, x)), int&>);
    static_assert(std::is_same_v<decltype(on_device(device(), [] {})), void>);

    auto moved = on_device(
        test_device(1),
        [](std::unique_ptr<int> p, int add) { return std::make_unique<int>(*p + add); },
        std::make_unique<int>(40), 2);
    CHECK(*moved == 42);

    struct once {
        int operator()() && { return 7; }
    };
    CHECK(on_device(test_device(1), once()) == 7);
}

TEST_CASE("an exception passes through on_device, which restores the device before") {
    CHECK_THROWS_WITH_AS(on_device(test_device(1), [] { throw std::runtime_error("out"); }), "out",
                         std::runtime_error);
    CHECK(current_device() == test_device(0));
}

#if defined(DEVMEM_CUDA)

// The simulated runtime tells what was called, and makes calls fail.

TEST_CASE("a scope pushes and pops one context, and makes none on another device") {
    simulated_cuda::reset(4);
    {
        const scoped_device scope(device::cuda(2));
        CHECK(simulated_cuda::context_depth() == 1);
        const scoped_device inner(device::cuda(3));
        CHECK(simulated_cuda::context_depth() == 2);
    }
    CHECK(simulated_cuda::context_depth() == 0);
    CHECK(simulated_cuda::devices_with_context() == std::vector{2, 3});
    CHECK(simulated_cuda::count("cudaSetDevice") == 0);
    CHECK(current_device() == device::cuda(0));
    CHECK(simulated_cuda::misuses().empty());
}

TEST_CASE("a scope that cannot be entered leaves all as it was") {
    simulated_cuda::reset(4);
    const scoped_device outer(device::cuda(1));
    // Number 46 is cudaErrorDevicesUnavailable.
    simulated_cuda::fail_call("cuCtxPushCurrent", 1, 46);
    CHECK_THROWS_AS(const scoped_device inner(device::cuda(2)), devmem::error);
    CHECK(current_device() == device::cuda(1));
    CHECK(simulated_cuda::context_depth() == 1);
    const scoped_device again(device::cuda(2));
    CHECK(current_device() == device::cuda(2));
}

TEST_CASE("whichever call fails within a scope, the device is restored and no destructor throws") {
    // The n-th call of whatever function fails, for each n until none was left to fail.
    for (int nth = 1; nth < 60; ++nth) {
        CAPTURE(nth);
        simulated_cuda::reset(4);
        const devmem_test::captured_destructor_errors errors;
        bool failed = false;
        bool entered = false;
        {
            const scoped_device outer(device::cuda(1));
            simulated_cuda::fail_call("", nth, 46);
            try {
                const scoped_device inner(device::cuda(2));
                entered = true;
                const devmem_test::test_vector<int> v(100, devmem::uninitialized);
                const devmem::stream s;
                s.synchronize();
            } catch (const devmem::error_info& e) {
                failed = true;
                CHECK(e.native_code() == 46);
            }
            simulated_cuda::fail_no_more();
            // A pop that fails cannot be mended; it is reported.
            if (errors.all().empty()) {
                CHECK(current_device() == device::cuda(1));
                CHECK(simulated_cuda::context_depth() == 1);
            }
        }
        if (!failed && errors.all().empty()) {
            CHECK(entered);
            CHECK(nth > 5);
            return;
        }
    }
    FAIL("calls never came to an end");
}

#endif
