// Every way to make a container: what it holds, and on which device.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/device_buffer.hpp>
#include <devmem/error.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::settle;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_mapped;
using devmem_test::test_pinned;
using devmem_test::test_vector;

}  // namespace

TEST_CASE("a default-constructed container is empty, on the current device") {
    const nothing_stays check;
    const devmem::scoped_device current(test_device(1));
    const test_vector<float> v;
    CHECK(v.size() == 0);
    CHECK(v.size_bytes() == 0);
    CHECK(v.capacity() == 0);
    CHECK(v.empty());
    CHECK(v.data() == nullptr);
    CHECK(v.device() == test_device(1));
    CHECK(v.to_host().empty());
}

TEST_CASE("new elements are zero, also in memory used before") {
    const nothing_stays check;
    for (int round = 0; round < 3; ++round) {
        test_vector<std::uint32_t> v(1000, test_device(1));
        CHECK(v.size() == 1000);
        CHECK(v.size_bytes() == 4000);
        CHECK(v.capacity() >= 1000);
        CHECK_FALSE(v.empty());
        CHECK(contents(v) == std::vector<std::uint32_t>(1000, 0));
        v.assign(1000, 0xDEADBEEF);
    }
}

TEST_CASE("elements get the value given") {
    const nothing_stays check;
    const test_vector<double> v(5, 2.5);
    CHECK(contents(v) == std::vector<double>(5, 2.5));
    const test_vector<std::int64_t> w(3, -7, test_device(2));
    CHECK(contents(w) == std::vector<std::int64_t>{-7, -7, -7});
    CHECK(w.device() == test_device(2));
    // Numbers are a size and a value in parentheses, elements in braces.
    CHECK(contents(test_vector<int>(2, 9)) == std::vector<int>{9, 9});
    CHECK(contents(test_vector<int>{2, 9}) == std::vector<int>{2, 9});
    CHECK(contents(test_vector<float>(2, 0)) == std::vector<float>{0, 0});
}

TEST_CASE("uninitialized elements hold a NaN pattern where the process asks for it") {
    const nothing_stays check;
    { const test_vector<float> used(64, 1.0F); }
    const test_vector<float> v(64, devmem::uninitialized);
    REQUIRE(v.size() == 64);
    for (const float value : contents(v)) CHECK(std::isnan(value));
    const test_pinned<std::uint8_t> p(3, devmem::uninitialized, test_device(1));
    CHECK(contents(p) == std::vector<std::uint8_t>{0xFF, 0xFF, 0xFF});
}

TEST_CASE("containers are made from lists and from contiguous host memory") {
    const nothing_stays check;
    const test_vector<int> list({1, 2, 3}, test_device(1));
    CHECK(contents(list) == std::vector<int>{1, 2, 3});
    CHECK(list.device() == test_device(1));
    CHECK(test_vector<int>({}).empty());

    const std::vector<int> source = counted<int>(10'000);
    CHECK(contents(test_vector<int>(source)) == source);
    CHECK(contents(test_vector<int>(source, test_device(1))) == source);
    CHECK(contents(test_vector<int>(std::span(source).subspan(10, 5))) ==
          std::vector<int>{10, 11, 12, 13, 14});
    CHECK(contents(test_vector<int>(std::array{4, 5, 6})) == std::vector<int>{4, 5, 6});
    const int array[] = {7, 8};
    CHECK(contents(test_vector<int>(array)) == std::vector<int>{7, 8});
    CHECK(contents(test_vector<int>(std::vector<int>{9})) == std::vector<int>{9});
    CHECK(test_vector<int>(std::vector<int>{}).empty());
}

TEST_CASE("containers are made from containers and views, of whatever device and policy") {
    const nothing_stays check;
    const std::vector<int> source = counted<int>(300);
    const test_vector<int> v(source, test_device(1));
    settle();
    const test_pinned<int> pinned(v);
    CHECK(contents(pinned) == source);
    CHECK(pinned.device() == devmem::current_device());
    CHECK(contents(test_mapped<int>(v, test_device(2))) == source);
    CHECK(contents(test_managed<int>(pinned)) == source);
    CHECK(contents(test_vector<int>(pinned, test_device(3))) == source);
    CHECK(contents(test_vector<int, devmem::direct>(v, test_device(0))) == source);

    const test_vector<int> other(v, test_device(2));
    CHECK(other.device() == test_device(2));
    CHECK(contents(other) == source);
    CHECK(contents(test_vector<int>(v.subspan(5, 2))) == std::vector<int>{5, 6});
    CHECK(contents(test_vector<int>(v.first(2), test_device(3))) == std::vector<int>{0, 1});
    // A temporary is a source like any other: its memory outlives the copy.
    CHECK(contents(test_vector<int>(test_vector<int>(source, test_device(2)), test_device(2))) ==
          source);
}

TEST_CASE("a copy has the same device, policy and contents, and its own memory") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(100), test_device(2));
    v.reserve(500);
    const test_vector<int> copied = v;
    CHECK(copied.device() == test_device(2));
    CHECK(copied.capacity() == 100);
    CHECK(contents(copied) == counted<int>(100));
    v.set(0, -1);
    CHECK(copied.get(0) == 0);
    const test_vector<int> copied_empty = test_vector<int>(0, test_device(1));
    CHECK(copied_empty.empty());
    CHECK(copied_empty.device() == test_device(1));
}

TEST_CASE("a container goes where it is told: a device, a stream, the current device") {
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    test_vector<int> v(4, 3, s);
    CHECK(v.device() == test_device(1));
    // In the order of that stream, with nothing in between.
    CHECK(v.get(3, s) == 3);
    CHECK(test_vector<int>(2, s).device() == test_device(1));
    CHECK(test_vector<int>(s).device() == test_device(1));
    CHECK(test_vector<int>(test_device(2)).device() == test_device(2));
    CHECK(test_vector<int>(test_device(2)).empty());
    CHECK(test_vector<int>(2, devmem::current_stream(test_device(3))).device() == test_device(3));
    {
        const devmem::scoped_device current(test_device(2));
        CHECK(test_vector<int>(2).device() == test_device(2));
        CHECK(test_pinned<int>(2).device() == test_device(2));
        CHECK(test_vector<int>(2, 5).device() == test_device(2));
        CHECK(test_vector<int>{1, 2}.device() == test_device(2));
    }
    CHECK(test_vector<int>(2).device() == test_device(0));
}

TEST_CASE("a place for elements that are devices themselves") {
    const nothing_stays check;
    // Two arguments: the second is where, not what.
    const test_vector<devmem::device> v(2, test_device(1));
    CHECK(v.device() == test_device(1));
    CHECK(v.get(0) == devmem::device::cpu(0));
    const test_vector<devmem::device> w(2, devmem::device::cuda(7), test_device(2));
    CHECK(w.device() == test_device(2));
    CHECK(w.get(1) == devmem::device::cuda(7));
}

TEST_CASE("each kind of container says where its memory is") {
    const nothing_stays check;
    CHECK(test_vector<int>(1).space() == devmem::memory_space::device);
    CHECK(test_pinned<int>(1).space() == devmem::memory_space::pinned);
    CHECK(test_mapped<int>(1).space() == devmem::memory_space::mapped);
    CHECK(test_managed<int>(1).space() == devmem::memory_space::managed);
    CHECK(devmem::device_buffer(1).space() == devmem::memory_space::device);
    static_assert(std::is_same_v<devmem::device_buffer, devmem::device_vector<std::byte>>);
}

TEST_CASE("a device that is not there is refused, not taken for device 0") {
    const nothing_stays check;
    const std::size_t on_device_0 = devmem::memory_info(test_device(0)).live;
    for (const int index : {-1, 4, 63, 64, 1000, -1'000'000'000}) {
        CAPTURE(index);
        CHECK_THROWS_AS(test_vector<int>(10, test_device(index)), devmem::no_such_device);
        CHECK_THROWS_AS(test_vector<int>(0, test_device(index)), devmem::no_such_device);
        CHECK_THROWS_AS(test_pinned<int>({1, 2}, test_device(index)), devmem::no_such_device);
        CHECK_THROWS_AS(devmem::memory_info(test_device(index)), devmem::no_such_device);
    }
    CHECK(devmem::memory_info(test_device(0)).live == on_device_0);
    CHECK_THROWS_AS(devmem::device_vector<int>(1, devmem::device(devmem::device_kind::mps, 0)),
                    devmem::no_such_device);
}

TEST_CASE("the types of arguments do not mix") {
    using vector = test_vector<float>;
    static_assert(std::is_constructible_v<vector, std::vector<float>>);
    static_assert(!std::is_constructible_v<vector, std::vector<double>>);
    static_assert(!std::is_constructible_v<vector, test_vector<int>>);
    static_assert(std::is_constructible_v<vector, test_pinned<float>>);
    static_assert(!std::is_constructible_v<vector, const char*>);
    static_assert(!std::is_constructible_v<vector, std::size_t, const char*>);
    // Nothing becomes a container unasked.
    static_assert(!std::is_convertible_v<std::size_t, vector>);
    static_assert(!std::is_convertible_v<std::vector<float>, vector>);
    static_assert(!std::is_convertible_v<test_pinned<float>, vector>);
    static_assert(!std::is_convertible_v<devmem::device, vector>);
    CHECK(vector(std::vector<float>{1}).size() == 1);
}
