// Memory that is kept for the next container, and given back.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/error.hpp>
#include <devmem/host_task.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/pool.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::live_bytes;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_mapped;
using devmem_test::test_pinned;
using devmem_test::test_vector;

std::size_t cached(int device) { return devmem::memory_info(test_device(device)).cached; }

}  // namespace

TEST_CASE("memory let go is used again by the next request of about that size") {
    const nothing_stays check;
    devmem::empty_cache();
    const auto address_of = [](auto v) { return static_cast<const void*>(v.data()); };
    const void* device_memory = address_of(test_vector<int>(1000, test_device(1)));
    CHECK(address_of(test_vector<int>(1000, test_device(1))) == device_memory);
    CHECK(address_of(test_vector<char>(4001, test_device(1))) == device_memory);
    const void* pinned_memory = address_of(test_pinned<int>(1000, test_device(1)));
    CHECK(address_of(test_pinned<int>(1000, test_device(1))) == pinned_memory);
    // Neither what is much larger, nor of another device or space, nor asked for directly.
    CHECK(address_of(test_vector<int>(10, test_device(1))) != device_memory);
    CHECK(address_of(test_vector<int>(1000, test_device(2))) != device_memory);
    CHECK(address_of(test_pinned<int>(1000, test_device(1))) != device_memory);
    CHECK(address_of(test_mapped<int>(1000, test_device(1))) != pinned_memory);
    CHECK(address_of(test_vector<int>(1000, test_device(1))) == device_memory);
}

TEST_CASE("memory in use is nobody else's") {
    const nothing_stays check;
    std::mt19937 random(5);
    std::vector<std::pair<test_vector<std::uint8_t>, std::uint8_t>> all;
    const auto overlap = [&all](const test_vector<std::uint8_t>& v) {
        for (const auto& [other, value] : all) {
            if (v.data() < other.data() + other.capacity() &&
                other.data() < v.data() + v.capacity()) {
                return true;
            }
        }
        return false;
    };
    for (int round = 0; round < 2000; ++round) {
        if (all.size() < 30 && random() % 2 == 0) {
            const auto value = static_cast<std::uint8_t>(random());
            const std::size_t n = 1 + random() % (std::size_t{1} << (random() % 16));
            test_vector<std::uint8_t> v(n, value, test_device(1));
            const bool is_shared = overlap(v);
            REQUIRE_FALSE(is_shared);
            all.emplace_back(std::move(v), value);
        } else if (!all.empty()) {
            const std::size_t i = random() % all.size();
            const auto& [v, value] = all[i];
            REQUIRE(contents(v) == std::vector<std::uint8_t>(v.size(), value));
            std::swap(all[i], all.back());
            all.pop_back();
        }
    }
}

TEST_CASE("empty_cache gives all of a device's cached memory back, and none of another's") {
    const nothing_stays check;
    devmem::empty_cache();
    const test_vector<int> kept(1000, 1, test_device(1));
    { const test_vector<int> a(1000, test_device(1)), b(500'000, test_device(1)); }
    { const test_vector<int> c(1000, test_device(2)); }
    CHECK(cached(1) >= 2'004'000);
    CHECK(cached(2) >= 4000);
    devmem::empty_cache(test_device(1));
    CHECK(cached(1) == 0);
    CHECK(cached(2) >= 4000);
    devmem::empty_cache();
    CHECK(cached(2) == 0);
    CHECK(contents(kept) == std::vector<int>(1000, 1));
    devmem::empty_cache(test_device(1));
    CHECK_THROWS_AS(devmem::empty_cache(test_device(4)), devmem::no_such_device);
    CHECK_THROWS_AS(devmem::empty_cache(test_device(-1)), devmem::no_such_device);
}

TEST_CASE("direct and stream-ordered memory is not kept") {
    const nothing_stays check;
    devmem::empty_cache();
    { const test_vector<int, devmem::direct> v(1000, test_device(1)); }
    { const test_vector<int, devmem::stream_ordered> v(1000, test_device(1)); }
    devmem::synchronize(test_device(1));
    const test_vector<int> next(1, test_device(1));
    CHECK(cached(1) == 0);
}

TEST_CASE("figures count what was asked for, exactly") {
    const nothing_stays check;
    devmem::empty_cache();
    const devmem::device d = test_device(1);
    const std::size_t live = devmem::memory_info(d).live;
    {
        test_vector<char> v(1000, d);
        CHECK(devmem::memory_info(d).live == live + 1000);
        v.reserve(1001);
        CHECK(devmem::memory_info(d).live == live + 1001);
        const test_vector<char, devmem::direct> w(77, d);
        CHECK(devmem::memory_info(d).live == live + 1078);
        const test_pinned<char> p(5, d);  // is not the device's memory
        CHECK(devmem::memory_info(d).live == live + 1078);
        CHECK(live_bytes() >= live + 1083);
        CHECK(devmem::memory_info(d).peak >= live + 2001);
    }
    CHECK(devmem::memory_info(d).live == live);
    const devmem::memory_figures figures = devmem::memory_info(d);
    CHECK(figures.total >= figures.free);
    CHECK(figures.cached >= 1001);
    CHECK(figures.used_by_others <= figures.total);
}

TEST_CASE("a container destroyed in a host callback is let go later") {
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    auto v = std::make_unique<test_vector<int>>(1000, s);
    auto p = std::make_unique<test_pinned<int>>(1000, s);
    auto w = std::make_unique<test_vector<int, devmem::direct>>(1000, s);
    devmem::host_task(
        [v = std::move(v), p = std::move(p), w = std::move(w)]() mutable {
            v.reset();
            p.reset();
            w.reset();
        },
        s);
    s.synchronize();
    // The next request looks after what was put off.
    const test_vector<int> next(1, test_device(2));
    CHECK(devmem::memory_info(test_device(1)).live == 0);
}

TEST_CASE("threads obtain and let go at once") {
    const nothing_stays check;
    std::vector<std::thread> threads;
    std::array<bool, 4> right{};
    for (unsigned t = 0; t < 4; ++t) {
        threads.emplace_back([t, &right] {
            std::mt19937 random(t);
            const devmem::stream s(test_device(static_cast<int>(t) % 2));
            bool all_right = true;
            for (int i = 0; i < 300; ++i) {
                const std::size_t n = 1 + random() % 5000;
                test_vector<unsigned> v(n, t, s);
                const test_vector<unsigned> w(v, s);
                v.resize(n + 10, t, s);
                all_right = all_right && v.get(n + 9, s) == t && w.get(n - 1, s) == t;
                if (i % 100 == 50) devmem::empty_cache();
            }
            right[t] = all_right;
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == std::array{true, true, true, true});
}
