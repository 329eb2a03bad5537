// Figures of devices, and what happens when a device has no memory left.
#include "capacity.hpp"
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/device.hpp>
#include <devmem/error.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/pool.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::limited_capacity;
using devmem_test::nothing_stays;
using devmem_test::test_capacity;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_pinned;
using devmem_test::test_vector;

using bytes = test_vector<unsigned char>;
using direct_bytes = test_vector<unsigned char, devmem::direct>;

}  // namespace

TEST_CASE("each device has figures of its own, and what is current does not matter") {
    DEVMEM_NEEDS_CAPACITY();
    const nothing_stays check;
    const limited_capacity limit;
    std::array<devmem::memory_figures, 4> before;
    for (int i = 0; i < 4; ++i) {
        before[static_cast<std::size_t>(i)] = devmem::memory_info(test_device(i));
        CHECK(before[static_cast<std::size_t>(i)].total == test_capacity);
        CHECK(before[static_cast<std::size_t>(i)].live == 0);
        CHECK(before[static_cast<std::size_t>(i)].cached == 0);
        CHECK(before[static_cast<std::size_t>(i)].used_by_others == 0);
    }
    REQUIRE(devmem::current_device() == test_device(0));
    const bytes a(1'048'576, test_device(1));
    const bytes b(3'145'728, test_device(2));
    const std::array<std::size_t, 4> wanted{0, 1'048'576, 3'145'728, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        const auto now = devmem::memory_info(test_device(static_cast<int>(i)));
        CHECK(now.live == wanted[i]);
        CHECK(before[i].free - now.free == wanted[i]);
        CHECK(now.total == test_capacity);
        CHECK(now.used_by_others == 0);
    }
    CHECK(devmem::memory_info().live == 0);
    CHECK(devmem::current_device() == test_device(0));
    CHECK_THROWS_AS(bytes(1, test_device(-1)), devmem::no_such_device);
    CHECK_THROWS_AS(bytes(1, test_device(4)), devmem::no_such_device);
    CHECK_THROWS_AS(devmem::memory_info(test_device(4)), devmem::no_such_device);
    CHECK(devmem::memory_info().live == 0);
}

TEST_CASE("free memory comes back with the cache") {
    DEVMEM_NEEDS_CAPACITY();
    const nothing_stays check;
    const limited_capacity limit;
    { const bytes v(1'048'576, test_device(1)); }
    const auto kept = devmem::memory_info(test_device(1));
    CHECK(kept.live == 0);
    CHECK(kept.cached == 1'048'576);
    CHECK(kept.free == test_capacity - 1'048'576);
    CHECK(kept.peak >= 1'048'576);
    CHECK(kept.used_by_others == 0);
    devmem::empty_cache(test_device(1));
    CHECK(devmem::memory_info(test_device(1)).free == test_capacity);
    // Memory of other spaces is not the device's own.
    const test_pinned<unsigned char> p(1'048'576, test_device(1));
    CHECK(devmem::memory_info(test_device(1)).free == test_capacity);
}

TEST_CASE("all of a device's memory can be used, and a byte more cannot") {
    DEVMEM_NEEDS_CAPACITY();
    const nothing_stays check;
    const limited_capacity limit;
    {
        bytes all(test_capacity, 7, test_device(1));
        CHECK(devmem::memory_info(test_device(1)).free == 0);
        CHECK(all.get(test_capacity - 1) == 7);
        CHECK_THROWS_AS(bytes(1, test_device(1)), devmem::out_of_memory);
        CHECK_THROWS_AS(all.reserve(test_capacity + 1), devmem::out_of_memory);
        CHECK(all.size() == test_capacity);
        CHECK(bytes(1, 3, test_device(2)).get(0) == 3);
    }
    CHECK_THROWS_AS(bytes(test_capacity + 1, test_device(1)), devmem::out_of_memory);
    // What was only cached has gone to make room.
    CHECK(devmem::memory_info(test_device(1)).cached == 0);
    try {
        const bytes v(test_capacity + 1, test_device(1));
        FAIL("there was memory");
    } catch (const devmem::out_of_memory& e) {
        const std::string what = e.what();
        CHECK(what.find("device_vector<unsigned char>") == 0);
        CHECK(what.find("16.0 MiB of device memory refused") != std::string::npos);
        CHECK(what.find("live 0 B") != std::string::npos);
        CHECK(e.bytes() == test_capacity + 1);
    }
}

TEST_CASE("cached memory makes room for what does not fit beside it") {
    DEVMEM_NEEDS_CAPACITY();
    const nothing_stays check;
    const limited_capacity limit;
    for (int round = 0; round < 4; ++round) {
        { const bytes small(3'145'728, test_device(1)); }
        { const bytes large(15'728'640, test_device(1)); }
        { const direct_bytes other(14'680'064, test_device(1)); }
    }
    CHECK(devmem::memory_info(test_device(1)).live == 0);
}

// A request whose class is larger than what is left gets just what it asked for. Such a block must
// not serve later requests of its class, which may be for more.
TEST_CASE("memory given short of its class is not used for more than it has") {
    DEVMEM_NEEDS_CAPACITY();
    const nothing_stays check;
    const limited_capacity limit;
    constexpr std::size_t short_of_all = test_capacity - 5000;
    {
        const bytes small(1000, test_device(1));
        const bytes rest(short_of_all, test_device(1));
        CHECK(devmem::memory_info(test_device(1)).live == short_of_all + 1000);
        devmem::synchronize(test_device(1));
    }
    CHECK(devmem::memory_info(test_device(1)).cached % 512 == 0);
    bytes all(test_capacity, 9, test_device(1));
    CHECK(contents(all) == std::vector<unsigned char>(test_capacity, 9));
    CHECK(devmem::memory_info(test_device(1)).free == 0);
    all.reset();

    // The same below the smallest class.
    {
        const direct_bytes most(test_capacity - 100, test_device(1));
        const bytes tiny(100, test_device(1));
        CHECK(tiny.get(99) == 0);
    }
    {
        const direct_bytes most(test_capacity - 512, test_device(1));
        const bytes tiny(400, 3, test_device(1));
        CHECK(contents(tiny) == std::vector<unsigned char>(400, 3));
    }
}

TEST_CASE("members that run out of memory change nothing") {
    DEVMEM_NEEDS_CAPACITY();
    const nothing_stays check;
    const limited_capacity limit;
    bytes v(4'000'000, 1, test_device(1));
    const bytes other(5'000'000, 2, test_device(1));
    const direct_bytes rest(7'000'000, test_device(1));
    bytes elsewhere(8'000'000, 3, test_device(2));
    devmem_test::settle();
    const void* address = v.data();
    const std::size_t capacity = v.capacity();
    CHECK_THROWS_AS(v.resize(9'000'000), devmem::out_of_memory);
    CHECK_THROWS_AS(v.resize(9'000'000, 5), devmem::out_of_memory);
    CHECK_THROWS_AS(v.resize(9'000'000, devmem::uninitialized), devmem::out_of_memory);
    CHECK_THROWS_AS(v.reserve(9'000'000), devmem::out_of_memory);
    CHECK_THROWS_AS(v.assign(9'000'000, 5), devmem::out_of_memory);
    CHECK_THROWS_AS(v.assign(std::vector<unsigned char>(9'000'000)), devmem::out_of_memory);
    CHECK_THROWS_AS(v.assign(elsewhere), devmem::out_of_memory);
    CHECK_THROWS_AS(v = elsewhere, devmem::out_of_memory);
    CHECK_THROWS_AS(v.append(other), devmem::out_of_memory);
    CHECK_THROWS_AS(v.append(v), devmem::out_of_memory);
    CHECK_THROWS_AS(bytes(elsewhere, test_device(1)), devmem::out_of_memory);
    CHECK_THROWS_AS(devmem::copy(v.first(3'999'999), v.last(3'999'999)), devmem::out_of_memory);
    CHECK(v.data() == address);
    CHECK(v.capacity() == capacity);
    CHECK(contents(v) == std::vector<unsigned char>(4'000'000, 1));
    CHECK(contents(other) == std::vector<unsigned char>(5'000'000, 2));
    CHECK(contents(elsewhere) == std::vector<unsigned char>(8'000'000, 3));
}

TEST_CASE("numbers of bytes and figures print for reading") {
    CHECK(devmem::format_bytes(0) == "0 B");
    CHECK(devmem::format_bytes(1023) == "1023 B");
    CHECK(devmem::format_bytes(1024) == "1.0 KiB");
    CHECK(devmem::format_bytes(1536) == "1.5 KiB");
    CHECK(devmem::format_bytes(std::size_t{3} << 30) == "3.0 GiB");
    std::ostringstream out;
    out << devmem::memory_figures{
        .total = 4096, .free = 2048, .live = 1000, .cached = 24, .peak = 1500};
    CHECK(out.str() == "2.0 KiB free of 4.0 KiB, live 1000 B, cached 24 B, peak 1.5 KiB");
}
