// A function for each number below n, or for each element.
#include "contents.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/for_each.hpp>
#include <devmem/stream.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

using devmem::for_each;
using devmem::for_each_index;
using devmem::stream;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::test_device;
using devmem_test::test_vector;

TEST_CASE("each number is visited once") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    for (const std::size_t n : {0u, 1u, 2u, 15u, 16u, 17u, 31u, 33u, 1000u, 4097u, 100'001u}) {
        CAPTURE(n);
        std::vector<int> visits(n, 0);
        for_each_index(
            n, [out = visits.data()](std::size_t i) { ++out[i]; }, s);
        s.synchronize();
        std::size_t wrong = 0;
        for (const int v : visits) wrong += v != 1;
        CHECK(wrong == 0);
    }
}

TEST_CASE("it is queued, in the order of its stream") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const stream s(test_device(1));
    std::vector<int> values(100, 0);
    int* const out = values.data();
    devmem_test::gate held(s);
    for_each_index(
        100, [out](std::size_t i) { out[i] = static_cast<int>(i); }, s);
    for_each_index(
        100, [out](std::size_t i) { out[i] *= 2; }, s);
    CHECK(values[99] == 0);
    held.open();
    s.synchronize();
    CHECK(values[99] == 198);
    CHECK(values[1] == 2);
}

TEST_CASE("the function is copied at the call") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    std::vector<int> values(10, 0);
    {
        int step = 3;
        const auto f = [out = values.data(), step](std::size_t i) {
            out[i] = step * static_cast<int>(i);
        };
        for_each_index(10, f, s);
        step = 100;
        CHECK(step == 100);
    }
    s.synchronize();
    CHECK(values == std::vector{0, 3, 6, 9, 12, 15, 18, 21, 24, 27});
}

TEST_CASE("of no numbers nothing is called, and nothing queued") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    for_each_index(
        0, [](std::size_t) { throw std::runtime_error("called"); }, s);
    CHECK(s.query());
    CHECK_NOTHROW(s.synchronize());
}

TEST_CASE("without a stream it is the current one of the current device") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(2));
    std::atomic<int> calls{0};
    {
        const devmem::stream_guard guard(s);
        for_each_index(50, [&calls](std::size_t) { ++calls; });
    }
    s.synchronize();
    CHECK(calls == 50);
}

TEST_CASE("what it throws is thrown by the next synchronize, once, and the rest is done") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    std::vector<int> visits(1000, 0);
    for_each_index(
        1000,
        [out = visits.data()](std::size_t i) {
            ++out[i];
            if (i == 999) throw std::runtime_error("number 999");
        },
        s);
    CHECK_THROWS_WITH_AS(s.synchronize(), "number 999", std::runtime_error);
    CHECK_NOTHROW(s.synchronize());
    CHECK(visits.front() == 1);
    CHECK(visits.back() == 1);
    int ran = 0;
    for_each_index(
        1, [&ran](std::size_t) { ran = 1; }, s);
    s.synchronize();
    CHECK(ran == 1);
}

TEST_CASE("what a destroyed stream's function throws is not thrown by the stream that follows") {
    DEVMEM_NEEDS_KERNELS();
    for (int i = 0; i < 20; ++i) {
        {
            const stream s(test_device(3));
            for_each_index(
                100, [](std::size_t) { throw std::runtime_error("of the dead"); }, s);
        }
        const stream next(test_device(3));
        for_each_index(
            1, [](std::size_t) {}, next);
        CHECK_NOTHROW(next.synchronize());
    }
    devmem::synchronize(test_device(3));
}

TEST_CASE("the function must not call devmem, whichever thread runs it") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    std::atomic<int> refused{0};
    for_each_index(
        1000,
        [&](std::size_t) {
            try {
                devmem::synchronize(test_device(1));
            } catch (const devmem::not_permitted&) {
                ++refused;
            }
        },
        s);
    s.synchronize();
    CHECK(refused == 1000);
}

TEST_CASE("on a GPU it is not permitted in this version, and says so") {
    if constexpr (!devmem_test::path_is_cuda) {
        DEVMEM_SKIP("this path has no GPU");
    } else {
        const stream s(test_device(1));
        bool called = false;
        const auto f = [&called](std::size_t) { called = true; };
        CHECK_THROWS_WITH_AS(
            for_each_index(100, f, s),
            "for_each_index: no kernel for cuda:1 in a file that nvcc has not compiled; "
            "compile it with nvcc, or copy the data to a CPU device",
            devmem::not_permitted);
        CHECK_THROWS_AS(for_each_index(0, f, s), devmem::not_permitted);
        CHECK_THROWS_AS(for_each_index(1, f), devmem::not_permitted);
        s.synchronize();
        CHECK(!called);
        // CPU devices of the same program have it.
        const stream cpu(devmem::device::cpu(1));
        for_each_index(1, f, cpu);
        cpu.synchronize();
        CHECK(called);
    }
}

TEST_CASE("each element is changed, and a function may also only look") {
    DEVMEM_NEEDS_KERNELS();
    for (const std::size_t n : {0u, 1u, 7u, 255u, 256u, 257u, 4'097u, 1'048'577u}) {
        CAPTURE(n);
        test_vector<int> v(counted<int>(n), test_device(1));
        for_each(v, [](int& x) { x = 2 * x + 1; });
        const std::vector<int> found = contents(v);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) wrong += found[i] != 2 * static_cast<int>(i) + 1;
        CHECK(wrong == 0);
    }
    const stream s(test_device(0));
    test_vector<int> v(counted<int>(100, 1), s);
    std::atomic<int> total{0};
    for_each(
        v, [&total](int x) { total += x; }, s);
    s.synchronize();
    CHECK(total == 5'050);
}

TEST_CASE("a part is changed, in the order of its stream and of others") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const stream a(test_device(0));
    const stream b(test_device(0));
    test_vector<int> v(10, 1, a);
    devmem_test::gate held(a);
    for_each(
        v.first(5), [](int& x) { x += 1; }, a);
    for_each(
        v.last(8), [](int& x) { x *= 10; }, b);
    held.open();
    CHECK(contents(v) == std::vector{2, 2, 20, 20, 20, 10, 10, 10, 10, 10});
}
