// Devices as values, and what can be asked of them.
#include "gate.hpp"
#include "message_of.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/device_text.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/host_task.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

using devmem::device;
using devmem::device_kind;
using devmem_test::gate;
using devmem_test::message_of;
using devmem_test::path_is_cuda;
using devmem_test::test_device;

static_assert(std::is_trivially_copyable_v<device>);
static_assert(std::is_nothrow_default_constructible_v<device>);
static_assert(sizeof(device) == 8);
static_assert(device() == device::cpu(0));
static_assert(device::cpu() == device(device_kind::cpu, 0));
static_assert(device::cpu(2).kind() == device_kind::cpu && device::cpu(2).index() == 2);
static_assert(device::cuda(3).kind() == device_kind::cuda && device::cuda(3).index() == 3);
static_assert(device::cpu(1) != device::cpu(2) && device::cpu(1) != device::cuda(1));

namespace {

const char* const cpus = "; this process has cpu:0 to cpu:3";

}  // namespace

TEST_CASE("a device prints as its kind and index") {
    CHECK(devmem::to_string(device::cpu()) == "cpu:0");
    CHECK(devmem::to_string(device::cpu(12)) == "cpu:12");
    CHECK(devmem::to_string(device::cuda(1)) == "cuda:1");
    CHECK(devmem::to_string(device(device_kind::mps, 0)) == "mps:0");
    CHECK(devmem::to_string(device::cpu(-1)) == "cpu:-1");
    std::ostringstream out;
    out << device::cuda(7) << ' ' << devmem::memory_space::pinned;
    CHECK(out.str() == "cuda:7 pinned");
}

TEST_CASE("spaces print as their words") {
    std::ostringstream out;
    out << devmem::memory_space::device << ' ' << devmem::memory_space::mapped << ' '
        << devmem::memory_space::managed;
    CHECK(out.str() == "device mapped managed");
}

TEST_CASE("all devices are listed, GPUs first and CPUs last") {
    std::vector<device> expected;
    if constexpr (path_is_cuda) {
        for (int i = 0; i < 4; ++i) expected.push_back(device::cuda(i));
    }
    for (int i = 0; i < 4; ++i) expected.push_back(device::cpu(i));
    CHECK(devmem::devices() == expected);
}

TEST_CASE("the devices of a kind are listed") {
    CHECK(devmem::devices(device_kind::cpu) ==
          std::vector{device::cpu(0), device::cpu(1), device::cpu(2), device::cpu(3)});
    CHECK(devmem::devices(device_kind::cuda).size() == (path_is_cuda ? 4 : 0));
    CHECK(devmem::devices(device_kind::mps).empty());
}

TEST_CASE("a device is available when it is listed") {
    for (const device d : devmem::devices()) CHECK(devmem::is_available(d));
    CHECK(devmem::is_available(device::cpu(3)));
    CHECK(!devmem::is_available(device::cpu(4)));
    CHECK(!devmem::is_available(device::cpu(-1)));
    CHECK(!devmem::is_available(device(device_kind::cpu, 2'147'483'647)));
    CHECK(!devmem::is_available(device::cuda(4)));
    CHECK(!devmem::is_available(device::cuda(-1)));
    CHECK(devmem::is_available(device::cuda(3)) == path_is_cuda);
    CHECK(!devmem::is_available(device(device_kind::mps, 0)));
}

TEST_CASE("properties tell name and memory") {
    for (const device d : devmem::devices()) {
        const devmem::device_properties p = devmem::properties(d);
        CHECK(!p.name.empty());
        CHECK(p.name.find('\n') == std::string::npos);
        CHECK(p.total_memory >= std::size_t{1} << 20);
    }
}

TEST_CASE("what is asked of a device that is not there throws no_such_device, and says what is") {
    const auto ask_all = [](device d) {
        CHECK_THROWS_AS(static_cast<void>(devmem::properties(d)), devmem::no_such_device);
        CHECK_THROWS_AS(devmem::synchronize(d), devmem::no_such_device);
        CHECK_THROWS_AS(static_cast<void>(devmem::current_stream(d)), devmem::no_such_device);
        CHECK_THROWS_AS(devmem::stream{d}, devmem::no_such_device);
        CHECK_THROWS_AS(devmem::device_vector<int>(1, d), devmem::no_such_device);
        CHECK_THROWS_AS(devmem::device_vector<int>(0, d), devmem::no_such_device);
    };
    ask_all(device::cpu(4));
    ask_all(device::cpu(-1));
    ask_all(device::cuda(4));
    ask_all(device::cuda(-1));
    ask_all(device(device_kind::mps, 0));

    const auto message = [](device d) {
        return message_of<devmem::no_such_device>([d] { devmem::synchronize(d); });
    };
    CHECK(message(device::cpu(4)) == std::string("synchronize: cpu:4 is not here") + cpus);
    CHECK(message(device::cpu(-1)) == std::string("synchronize: cpu:-1 is not here") + cpus);
    CHECK(message(device(device_kind::mps, 2)) ==
          "synchronize: mps:2 is not here; this process has no mps device");
    CHECK(message(device::cuda(9)) ==
          (path_is_cuda
               ? "synchronize: cuda:9 is not here; this process has cuda:0 to cuda:3"
               : "synchronize: cuda:9 is not here; this process has no cuda device (it was "
                 "built without the CUDA path: link devmem::cuda)"));
}

TEST_CASE("an error names the device that was asked for") {
    try {
        devmem::synchronize(device::cpu(77));
        CHECK(false);
    } catch (const devmem::error_info& e) {
        CHECK(e.device() == device::cpu(77));
        CHECK(e.code() == devmem::error_code::no_such_device);
        CHECK(e.operation() == std::string("synchronize"));
        CHECK(e.native_code() == 0);
    }
}

TEST_CASE("synchronize waits for all streams of the device, and of no other") {
    DEVMEM_NEEDS_GATE();
    const device d = test_device(1);
    const devmem::stream a(d);
    const devmem::stream b(d);
    const devmem::stream elsewhere(test_device(2));
    const gate held(elsewhere);
    int ran = 0;
    int also = 0;
    int on_default = 0;
    devmem::host_task([&ran] { ran = 1; }, a);
    devmem::host_task([&also] { also = 2; }, b);
    devmem::host_task([&on_default] { on_default = 3; }, devmem::current_stream(d));
    devmem::synchronize(d);
    CHECK(ran == 1);
    CHECK(also == 2);
    CHECK(on_default == 3);
    CHECK(!elsewhere.query());
}

TEST_CASE("synchronize waits for what a destroyed stream has left behind") {
    const device d = test_device(1);
    int ran = 0;
    {
        const devmem::stream s(d);
        for (int i = 0; i < 100; ++i) devmem::host_task([&ran] { ++ran; }, s);
    }
    devmem::synchronize(d);
    CHECK(ran == 100);
}

TEST_CASE("synchronize without a device waits for the current one") {
    int ran = 0;
    devmem::host_task([&ran] { ran = 1; });
    devmem::synchronize();
    CHECK(ran == 1);
}

#if defined(DEVMEM_CUDA)

TEST_CASE("listing, asking and parsing make no context") {
    simulated_cuda::reset(4);
    CHECK(devmem::devices().size() == 8);
    CHECK(devmem::is_available(device::cuda(2)));
    CHECK(devmem::properties(device::cuda(1)).total_memory == simulated_cuda::default_capacity);
    CHECK(device::parse("cuda") == device::cuda(0));
    CHECK(devmem::current_device() == device::cuda(0));
    CHECK(simulated_cuda::devices_with_context().empty());
    CHECK(simulated_cuda::misuses().empty());
}

TEST_CASE("using a device makes a context on that one only") {
    simulated_cuda::reset(4);
    {
        const devmem::stream s(device::cuda(2));
        devmem::synchronize(device::cuda(2));
    }
    CHECK(simulated_cuda::devices_with_context() == std::vector{2});
    CHECK(devmem::current_device() == device::cuda(0));
    CHECK(simulated_cuda::misuses().empty());
}

TEST_CASE("a driver that fails has no devices to choose from, but its error is not hidden") {
    simulated_cuda::reset(4);
    const devmem::scoped_device before(device::cuda(2));
    simulated_cuda::fail_every_call("cudaGetDeviceCount", 46);  // cudaErrorDevicesUnavailable
    CHECK(devmem::devices() == devmem::devices(device_kind::cpu));
    CHECK(!devmem::is_available(device::cuda(0)));
    CHECK_THROWS_AS(static_cast<void>(device::parse("cuda")), devmem::error);
    const char* const text =
        "stream: cuda:1: the backend failed (cudaErrorDevicesUnavailable, code 46)";
    CHECK_THROWS_WITH_AS(devmem::stream{device::cuda(1)}, text, devmem::error);
    // Never the first device in place of one that cannot be asked for.
    CHECK_THROWS_AS(static_cast<void>(devmem::current_device()), devmem::error);
    simulated_cuda::fail_no_more();
    CHECK(devmem::current_device() == device::cuda(2));
}

TEST_CASE("where there is no driver or no GPU, there is no device") {
    for (const int error : {35, 100}) {  // cudaErrorInsufficientDriver, cudaErrorNoDevice
        simulated_cuda::reset(4);
        simulated_cuda::fail_every_call("cudaGetDeviceCount", error);
        CHECK(devmem::devices() == devmem::devices(device_kind::cpu));
        CHECK(devmem::current_device() == device::cpu(0));
        CHECK_THROWS_WITH_AS(devmem::synchronize(device::cuda(0)),
                             "synchronize: cuda:0 is not here; this process has no cuda device",
                             devmem::no_such_device);
        simulated_cuda::fail_no_more();
    }
}

#endif
