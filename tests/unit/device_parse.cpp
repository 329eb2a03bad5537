// Devices read from text.
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/device_text.hpp>
#include <devmem/scoped_device.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using devmem::device;
using devmem::device_kind;

namespace {

std::string refusal(const char* text) {
    try {
        static_cast<void>(device::parse(text));
    } catch (const devmem::invalid_argument& e) {
        return e.what();
    }
    return "accepted";
}

std::string expected_refusal(const std::string& quoted) {
    return "device::parse: '" + quoted +
           "' names no device; write cpu, cuda or mps, or one of them with an index, as in cpu:0 "
           "or "
           "cuda:1";
}

}  // namespace

TEST_CASE("good words give the device they name, there or not") {
    CHECK(device::parse("cpu") == device::cpu(0));
    CHECK(device::parse("cpu:0") == device::cpu(0));
    CHECK(device::parse("cpu:3") == device::cpu(3));
    CHECK(device::parse("cpu:17") == device::cpu(17));
    CHECK(device::parse("cuda:0") == device::cuda(0));
    CHECK(device::parse("cuda:1") == device::cuda(1));
    CHECK(device::parse("cuda:999999") == device::cuda(999'999));
    CHECK(device::parse("mps") == device(device_kind::mps, 0));
    CHECK(device::parse("mps:4") == device(device_kind::mps, 4));
}

TEST_CASE("bad words are refused, and the good ones listed") {
    for (const char* word : {"",
                             " ",
                             "gpu",
                             "CPU",
                             "Cpu:0",
                             "cpu0",
                             "cpu:",
                             "cpu: 0",
                             "cpu:-1",
                             "cpu:+1",
                             "cpu:00",
                             "cpu:01",
                             "cpu:1 ",
                             " cpu:1",
                             "cpu:1a",
                             "cpu:1.0",
                             "cpu:0x1",
                             "cpu:,1",
                             "cpu;1",
                             "cpu::1",
                             "cpus",
                             "cp",
                             "cuda:",
                             "cuda 1",
                             "cuda:-2",
                             "cuda1",
                             "nvidia",
                             "mps:",
                             "mpsx",
                             "0",
                             ":0",
                             "cuda:1000000",
                             "cpu:2147483648",
                             "cpu:4294967296",
                             "cpu:99999999999999999999",
                             "cpu\n"}) {
        CAPTURE(word);
        CHECK(refusal(word) == expected_refusal(word));
    }
    CHECK(refusal(nullptr) == expected_refusal("(null)"));
}

TEST_CASE("a long bad word does not push the good ones out of the message") {
    const std::string word(5000, 'x');
    CHECK(refusal(word.c_str()) == expected_refusal(word.substr(0, 64)));
}

TEST_CASE("a text need not end with a zero byte") {
    constexpr std::string_view list = "cpu:1cuda:2";
    CHECK(devmem::parse_device(list.substr(0, 5)) == device::cpu(1));
    CHECK(devmem::parse_device(list.substr(5)) == device::cuda(2));
    CHECK_THROWS_AS(static_cast<void>(devmem::parse_device(list)), devmem::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(devmem::parse_device({})), devmem::invalid_argument);
}

TEST_CASE("a zero byte within a text does not hide what follows") {
    using namespace std::string_view_literals;
    CHECK_THROWS_AS(static_cast<void>(devmem::parse_device("cpu:1\0:2"sv)),
                    devmem::invalid_argument);
}

TEST_CASE("what is printed is parsed back") {
    for (const device d : devmem::devices()) CHECK(devmem::parse_device(to_string(d)) == d);
}

TEST_CASE("cuda alone is the current CUDA device, or cuda:0 where there is none") {
    CHECK(device::parse("cuda") == device::cuda(0));
    if constexpr (devmem_test::path_is_cuda) {
        const devmem::scoped_device second(device::cuda(1));
        const device found = device::parse("cuda");
        CHECK(found == device::cuda(1));
        const devmem::scoped_device third(device::cuda(2));
        // A device does not stay open: it was resolved when it was parsed.
        CHECK(found == device::cuda(1));
        CHECK(device::parse("cuda") == device::cuda(2));
        CHECK(device::parse("cuda:1") == device::cuda(1));
    } else {
        const devmem::scoped_device second(device::cpu(1));
        CHECK(device::parse("cuda") == device::cuda(0));
        // `cpu` alone is the first one, not the current one.
        CHECK(device::parse("cpu") == device::cpu(0));
    }
}
