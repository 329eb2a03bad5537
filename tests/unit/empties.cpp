// Nothing: no elements need no memory and no work, and every operation takes them.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/fill.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::live_bytes;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_pinned;
using devmem_test::test_vector;

}  // namespace

TEST_CASE_TEMPLATE("sizes go down to zero and up again", Vector, test_vector<int>,
                   test_vector<int, devmem::direct>, test_vector<int, devmem::stream_ordered>,
                   test_pinned<int>, test_managed<int>) {
    const nothing_stays check;
    Vector v(0, test_device(1));
    CHECK(v.size() == 0);
    v.resize(1);
    CHECK(contents(v) == std::vector<int>{0});
    v.resize(0);
    CHECK(v.size() == 0);
    v.shrink_to_fit();
    CHECK(v.capacity() == 0);
    v.shrink_to_fit();
    v.resize(0);
    v.resize(0, 5);
    v.resize(0, devmem::uninitialized);
    v.reserve(0);
    v.assign(0, 5);
    v.assign(std::vector<int>());
    v.assign(v);
    v.append(v);
    v.append(v.view());
    v.append(std::span<const int>());
    v.clear();
    v.reset();
    CHECK(v.capacity() == 0);
    CHECK(v.to_host().empty());
    CHECK(Vector(0, 7, test_device(1)).empty());
    CHECK(Vector(0, devmem::uninitialized, test_device(1)).empty());
    CHECK(Vector(std::vector<int>(), test_device(1)).empty());
    CHECK(Vector(v.view(), test_device(2)).empty());
    v.resize(3, 1);
    CHECK(contents(v) == std::vector<int>{1, 1, 1});
}

TEST_CASE("empty and non-empty are assigned to one another") {
    const nothing_stays check;
    const test_vector<int> empty(0, test_device(1));
    const test_vector<int> full(counted<int>(3), test_device(1));
    test_vector<int> v(0, test_device(1));
    v = empty;
    CHECK(v.empty());
    v = full;
    CHECK(contents(v) == counted<int>(3));
    v = empty;
    CHECK(v.empty());
    CHECK(v.capacity() == 3);
    test_vector<int> w = empty;
    w = std::move(v);
    CHECK(w.empty());
    w = full;
    v = std::move(w);
    CHECK(contents(v) == counted<int>(3));
    w.swap(v);
    CHECK(v.empty());
    CHECK(contents(w) == counted<int>(3));
}

TEST_CASE("nothing is copied in every direction") {
    const nothing_stays check;
    test_vector<int> full(counted<int>(10), test_device(1));
    test_vector<int> empty(0, test_device(1));
    test_vector<int> elsewhere(0, test_device(2));
    test_pinned<int> pinned(0, test_device(1));
    std::vector<int> none;
    const std::span<int> no_span;
    std::array<int, 0> no_array{};
    devmem_test::settle();
#if defined(DEVMEM_CUDA)
    simulated_cuda::clear_calls();
#endif
    devmem::copy(none, empty);
    devmem::copy(empty, none);
    devmem::copy(empty, elsewhere);
    devmem::copy(elsewhere, pinned);
    devmem::copy(no_span, empty);
    devmem::copy(empty, no_span);
    devmem::copy(no_array, empty);
    devmem::copy(empty, no_array);
    devmem::copy_async(none, empty);
    devmem::copy_async(empty, elsewhere);
    devmem::copy_async(no_span, pinned);
    devmem::copy(full.first(0), empty);
    devmem::copy(empty, full.last(0));
    devmem::copy(full.subspan(5, 0), full.subspan(7, 0));
    devmem::copy_async(full.first(0), elsewhere);
    devmem::copy(full.first(0), none);
    devmem::copy(devmem::device_view<int>(), empty);
    devmem::copy(empty, devmem::device_view<int>());
    devmem::copy(devmem::device_view<const int>(), devmem::device_view<int>());
    devmem::fill(empty, 1);
    devmem::fill(full.first(0), 1);
    full.append(empty);
    full.append(none);
    full.append(full.first(0));
    elsewhere.assign(empty);
    empty.resize(0);
    CHECK(empty.to_host().empty());
    const test_vector<int> copied = empty;
    const test_vector<int> made(full.first(0), test_device(3));
    CHECK(live_bytes() >= 40);
#if defined(DEVMEM_CUDA)
    // Not even a copy of no bytes reaches the runtime.
    for (const simulated_cuda::call& c : simulated_cuda::calls()) {
        const std::string function = c.function;
        CAPTURE(function);
        CHECK(function.find("Memcpy") == std::string::npos);
        CHECK(function.find("Memset") == std::string::npos);
        CHECK(function.find("Alloc") == std::string::npos);
        CHECK(function.find("Malloc") == std::string::npos);
    }
#endif
    CHECK(contents(full) == counted<int>(10));
}
