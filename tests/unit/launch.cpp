// `launch`: a function for each index, with accesses among its arguments.
#include "contents.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/error.hpp>
#include <devmem/fill.hpp>
#include <devmem/launch.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

using devmem::index_range;
using devmem::launch;
using devmem::stream;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::gate;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

/// Asks for a value, a span of constants and a pointer.
struct scaled_add {
    DEVMEM_HD void operator()(std::size_t i, int by, devmem::device_span<const int> x,
                              int* y) const {
        y[i] += by * x[i];
    }
};

}  // namespace

TEST_CASE("each index is met once, and accesses become what the parameters ask for") {
    DEVMEM_NEEDS_KERNELS();
    const nothing_stays check;
    const stream s(test_device(1));
    for (const std::size_t n : {0UL, 1UL, 17UL, 100'000UL}) {
        CAPTURE(n);
        test_vector<int> x(counted<int>(n), s);
        test_vector<int> y(n, 1, s);
        launch(s, index_range(n), scaled_add{}, 3, read(x), read_write(y));
        std::vector<int> wanted(n);
        for (std::size_t i = 0; i < n; ++i) wanted[i] = 1 + 3 * static_cast<int>(i);
        CHECK(contents(y) == wanted);
    }
}

TEST_CASE("a function that takes anything is given spans, of parts as well") {
    DEVMEM_NEEDS_KERNELS();
    const nothing_stays check;
    const stream s(test_device(1));
    test_vector<int> v(10, 5, s);
    launch(
        s, index_range(3),
        [](std::size_t i, auto x, auto by) { x[i] = static_cast<int>(x.size()) + by; },
        write(v.subspan(2, 3)), 100);
    CHECK(contents(v) == std::vector<int>{5, 5, 103, 103, 103, 5, 5, 5, 5, 5});
}

TEST_CASE("the launch waits for what conflicts, and what conflicts waits for it") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> x(10, 1, a);
    test_vector<int> y(10, 0, a);
    gate held(a);
    devmem::fill(x, 2, a);
    launch(b, index_range(10), scaled_add{}, 3, read(x), read_write(y));
    devmem::fill(x, 100, a);
    CHECK_FALSE(b.query());
    held.open();
    CHECK(contents(y) == std::vector<int>(10, 6));
    CHECK(contents(x) == std::vector<int>(10, 100));
}

TEST_CASE("on a device without kernels, of another device, or in conflict it is refused") {
    const nothing_stays check;
    const stream s(test_device(1));
    test_vector<int> x(10, 1, s);
    test_vector<int> elsewhere(10, 1, test_device(2));
    CHECK_THROWS_AS(launch(s, index_range(10), scaled_add{}, 3, read(x), read_write(elsewhere)),
                    devmem::wrong_device);
    const stream other(test_device(1));
    {
        const auto open = x.write(other);
        CHECK_THROWS_AS(launch(s, index_range(10), scaled_add{}, 3, read(x), read_write(x)),
                        devmem::access_conflict);
    }
    if (devmem_test::path_is_cuda) {
        CHECK_THROWS_AS(launch(s, index_range(10), scaled_add{}, 3, read(x), read_write(x)),
                        devmem::not_permitted);
    }
    devmem::fill(x, 2, other);
    CHECK(contents(x) == std::vector<int>(10, 2));
}

TEST_CASE("what the function throws is thrown by the next synchronize") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(1));
    launch(s, index_range(10), [](std::size_t i) {
        if (i == 7) throw std::runtime_error("seven");
    });
    CHECK_THROWS_WITH_AS(s.synchronize(), "seven", std::runtime_error);
    CHECK_NOTHROW(s.synchronize());
}
