// Pageable memory as the source of an asynchronous copy: read before the call returns, without a
// wait where it is small enough.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_vector;

constexpr std::size_t limit = std::size_t{4} << 20;  // bytes that are staged without a wait

}  // namespace

TEST_CASE("what is small enough is staged: the call does not wait, and the source may go") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{4096}, std::size_t{100'000}, limit}) {
        CAPTURE(bytes);
        test_vector<unsigned char> v(bytes, s);
        s.synchronize();
        devmem_test::gate held(s);
        {
            auto source = std::make_unique<std::vector<unsigned char>>(bytes, 42);
            devmem::copy_async(*source, v, s);
            source->assign(bytes, 0);
        }
        CHECK_FALSE(s.query());
        held.open();
        s.synchronize();
        CHECK(contents(v) == std::vector<unsigned char>(bytes, 42));
    }
}

TEST_CASE("many staged copies in flight do not disturb one another") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    const devmem::stream t(test_device(1));
    std::vector<test_vector<int>> all;
    for (int i = 0; i < 40; ++i) all.emplace_back(5000, test_device(1));
    devmem_test::settle();
    devmem_test::gate held;
    held.close(s);
    held.close(t);
    std::vector<int> source(5000);
    for (int i = 0; i < 40; ++i) {
        source.assign(5000, i);
        devmem::copy_async(source, all[static_cast<std::size_t>(i)], i % 2 == 0 ? s : t);
    }
    held.open();
    s.synchronize();
    t.synchronize();
    for (int i = 0; i < 40; ++i) {
        CHECK(contents(all[static_cast<std::size_t>(i)]) == std::vector<int>(5000, i));
    }
}

TEST_CASE("what is larger waits for the stream, and has been read as well") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    test_vector<unsigned char> v(limit + 1, s);
    s.synchronize();
    devmem_test::gate held(s, devmem_test::opened_by::another_thread);
    std::thread opener([&held] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        held.open();
    });
    std::vector<unsigned char> source(limit + 1, 42);
    devmem::copy_async(source, v, s);
    source.assign(limit + 1, 0);
    opener.join();
    CHECK(v.get(0, s) == 42);
    CHECK(v.get(limit, s) == 42);
}

TEST_CASE("sources of any size arrive") {
    const nothing_stays check;
    for (const std::size_t n : {1UL, 1023UL, 1024UL, 1025UL, 65'537UL, 1'048'575UL, 1'048'576UL,
                                1'048'577UL, 3'000'001UL}) {
        CAPTURE(n);
        std::vector<int> source = counted<int>(n, 3);
        test_vector<int> v(n, test_device(1));
        devmem::copy_async(source, v);
        source.assign(n, -1);
        CHECK(contents(v) == counted<int>(n, 3));
    }
}
