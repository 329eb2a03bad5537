// Size and capacity: what changing them keeps, adds and gives back.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/error.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

struct wide {
    std::int64_t a;
    std::int64_t b;
    friend bool operator==(const wide&, const wide&) = default;
};

}  // namespace

TEST_CASE("resize keeps the elements and adds zeros") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(10, 1), test_device(1));
    v.resize(15);
    std::vector<int> wanted = counted<int>(10, 1);
    wanted.resize(15);
    CHECK(contents(v) == wanted);
    v.resize(3);
    CHECK(contents(v) == std::vector<int>{1, 2, 3});
    // What was cut off does not come back, though the memory is still the same.
    const std::size_t capacity = v.capacity();
    v.resize(6);
    CHECK(v.capacity() == capacity);
    CHECK(contents(v) == std::vector<int>{1, 2, 3, 0, 0, 0});
    v.resize(6);
    CHECK(v.size() == 6);
    v.resize(0);
    CHECK(v.empty());
    CHECK(v.capacity() == capacity);
    CHECK(v.device() == test_device(1));
}

TEST_CASE("resize adds the value given, for elements of any width") {
    const nothing_stays check;
    test_vector<std::uint8_t> bytes(2, 1);
    bytes.resize(5, 0x80);
    CHECK(contents(bytes) == std::vector<std::uint8_t>{1, 1, 0x80, 0x80, 0x80});
    test_vector<std::uint16_t> words{7};
    words.resize(3, 0x1234);
    CHECK(contents(words) == std::vector<std::uint16_t>{7, 0x1234, 0x1234});
    test_vector<double> doubles{1.5};
    doubles.resize(4, 0.1);
    CHECK(contents(doubles) == std::vector<double>{1.5, 0.1, 0.1, 0.1});
    test_vector<wide> pairs(1, {1, 2});
    pairs.resize(4, {3, 4});
    CHECK(contents(pairs) == std::vector<wide>{{1, 2}, {3, 4}, {3, 4}, {3, 4}});
    // Within the capacity, behind an odd number of elements.
    pairs.resize(1);
    pairs.resize(3, {5, 6});
    CHECK(contents(pairs) == std::vector<wide>{{1, 2}, {5, 6}, {5, 6}});
}

TEST_CASE("resize leaves new elements without a value when asked") {
    const nothing_stays check;
    test_vector<float> v(2, 1.0F);
    v.resize(5, devmem::uninitialized);
    const std::vector<float> values = contents(v);
    REQUIRE(values.size() == 5);
    CHECK(values[0] == 1.0F);
    CHECK(values[1] == 1.0F);
    CHECK(std::isnan(values[2]));
    CHECK(std::isnan(values[4]));
}

TEST_CASE("the value may be an element of the container itself") {
    const nothing_stays check;
    test_pinned<int> p({1, 2, 3}, test_device(0));
    p.resize(6, p[2]);
    CHECK(contents(p) == std::vector<int>{1, 2, 3, 3, 3, 3});
    p.resize(2000, p[1]);
    CHECK(p.size() == 2000);
    CHECK(p[1999] == 2);
    p.assign(4, p[0]);
    CHECK(contents(p) == std::vector<int>{1, 1, 1, 1});
    test_pinned<wide> pairs({{1, 2}, {3, 4}}, test_device(0));
    pairs.reserve(8);
    pairs.assign(8, pairs[1]);
    CHECK(contents(pairs) == std::vector<wide>(8, {3, 4}));
}

TEST_CASE("negative zero keeps its sign") {
    const nothing_stays check;
    test_vector<float> f(3, -0.0F);
    f.resize(5, -0.0F);
    f.set(0, -0.0F);
    for (const float value : contents(f)) {
        CHECK(std::bit_cast<std::uint32_t>(value) == 0x80000000U);
    }
    test_vector<double> d(3, -0.0);
    d.resize(9, -0.0);
    d.set_async(8, -0.0);
    for (const double value : contents(d)) {
        CHECK(std::bit_cast<std::uint64_t>(value) == 0x8000000000000000U);
    }
}

TEST_CASE("a value whose first byte alone is zero is not taken for zero") {
    const nothing_stays check;
    test_vector<int> v(3, 256);
    v.resize(6, 256);
    CHECK(contents(v) == std::vector<int>(6, 256));
    test_vector<std::uint64_t> w(2, 0x0100000000000000U);
    w.resize(4, 0x0000000100000000U);
    CHECK(contents(w) == std::vector<std::uint64_t>{0x0100000000000000U, 0x0100000000000000U,
                                                    0x0000000100000000U, 0x0000000100000000U});
}

TEST_CASE("reserve makes room once and keeps everything") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(10), test_device(2));
    v.reserve(1000);
    CHECK(v.capacity() >= 1000);
    CHECK(v.size() == 10);
    CHECK(contents(v) == counted<int>(10));
    const int* address = v.data();
    v.resize(1000, 4);
    v.append(std::vector<int>{});
    v.reserve(5);
    v.reserve(0);
    v.reserve(1000);
    CHECK(v.data() == address);
    test_vector<int> empty(0, test_device(1));
    empty.reserve(100);
    CHECK(empty.empty());
    CHECK(empty.capacity() >= 100);
    CHECK(empty.device() == test_device(1));
}

TEST_CASE("growth keeps the order of a stream") {
    const nothing_stays check;
    const devmem::stream s(test_device(0));
    test_vector<int> v(counted<int>(1000), s);
    v.resize(2000, s);
    v.reserve(5000, s);
    s.synchronize();
    std::vector<int> wanted = counted<int>(1000);
    wanted.resize(2000);
    CHECK(contents(v) == wanted);
}

TEST_CASE("shrink_to_fit gives back what is not used") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(10), test_device(1));
    const std::size_t live = devmem_test::live_bytes();
    v.reserve(100'000);
    CHECK(devmem_test::live_bytes() == live - 40 + 400'000);
    v.shrink_to_fit();
    CHECK(v.capacity() == 10);
    CHECK(devmem_test::live_bytes() == live);
    CHECK(contents(v) == counted<int>(10));
    const int* address = v.data();
    v.shrink_to_fit();
    CHECK(v.data() == address);
    v.clear();
    v.shrink_to_fit();
    CHECK(v.capacity() == 0);
    CHECK(v.data() == nullptr);
    CHECK(devmem_test::live_bytes() == live - 40);
}

TEST_CASE("clear keeps the memory, reset gives it back") {
    const nothing_stays check;
    const std::size_t live = devmem_test::live_bytes();
    test_vector<int> v(100, 3, test_device(1));
    v.clear();
    CHECK(v.empty());
    CHECK(v.capacity() == 100);
    CHECK(v.to_host().empty());
    CHECK(devmem_test::live_bytes() == live + 400);
    v.resize(2);
    CHECK(contents(v) == std::vector<int>{0, 0});
    v.reset();
    CHECK(v.empty());
    CHECK(v.capacity() == 0);
    CHECK(v.data() == nullptr);
    CHECK(v.device() == test_device(1));
    CHECK(devmem_test::live_bytes() == live);
    v.reset();
    v.clear();
    v.resize(3, 1);
    CHECK(contents(v) == std::vector<int>{1, 1, 1});
}

TEST_CASE("a stream of another device is refused, whether there is work to do or not") {
    const nothing_stays check;
    const devmem::stream other(test_device(1));
    test_vector<int> v(counted<int>(4), test_device(0));
    CHECK_THROWS_AS(v.resize(2, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.resize(9, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.resize(4, 1, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.resize(4, devmem::uninitialized, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.reserve(1, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.reserve(100, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.shrink_to_fit(other), devmem::wrong_device);
    CHECK_THROWS_AS(v.assign(2, 1, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.assign(std::vector<int>{}, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.append(std::vector<int>{}, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.append(std::vector<int>{1}, other), devmem::wrong_device);
    CHECK(v.size() == 4);
    CHECK(v.capacity() == 4);
    CHECK(contents(v) == counted<int>(4));
}
