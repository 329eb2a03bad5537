// assign and append: from host memory, other containers, and parts of the container itself.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::settle;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_pinned;
using devmem_test::test_vector;

}  // namespace

TEST_CASE("assign replaces the elements by those of host memory") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(10), test_device(1));
    v.assign(std::vector<int>{5, 6});
    CHECK(contents(v) == std::vector<int>{5, 6});
    CHECK(v.capacity() == 10);
    v.assign(counted<int>(5000, 3));
    CHECK(contents(v) == counted<int>(5000, 3));
    v.assign(std::array{1});
    CHECK(contents(v) == std::vector<int>{1});
    const int array[] = {2, 3};
    v.assign(array);
    CHECK(contents(v) == std::vector<int>{2, 3});
    v.assign(std::vector<int>{});
    CHECK(v.empty());
    CHECK(v.capacity() >= 5000);
    CHECK(v.device() == test_device(1));
}

TEST_CASE("assign replaces the elements by copies of a value") {
    const nothing_stays check;
    test_vector<double> v(3, 1.0, test_device(1));
    v.assign(2, 0.7);
    CHECK(contents(v) == std::vector<double>{0.7, 0.7});
    CHECK(v.capacity() == 3);
    v.assign(3, 0.0);
    CHECK(contents(v) == std::vector<double>{0, 0, 0});
    v.assign(1000, -2.5);
    CHECK(contents(v) == std::vector<double>(1000, -2.5));
    v.assign(0, 9.0);
    CHECK(v.empty());
    CHECK(v.capacity() >= 1000);
    CHECK(v.device() == test_device(1));
    test_vector<int> never;
    never.assign(0, 1);
    CHECK(never.capacity() == 0);
}

TEST_CASE("assign takes containers and views of other devices and spaces") {
    const nothing_stays check;
    test_vector<int> v(0, test_device(1));
    const test_vector<int> other(counted<int>(50), test_device(2));
    const test_pinned<int> pinned({1, 2, 3}, test_device(3));
    const test_managed<int> managed({4}, test_device(0));
    settle();
    v.assign(other);
    CHECK(contents(v) == counted<int>(50));
    CHECK(v.device() == test_device(1));
    v.assign(other.subspan(7, 2));
    CHECK(contents(v) == std::vector<int>{7, 8});
    v.assign(pinned);
    CHECK(contents(v) == std::vector<int>{1, 2, 3});
    v.append(managed);
    v.append(other.last(1));
    CHECK(contents(v) == std::vector<int>{1, 2, 3, 4, 49});
}

TEST_CASE("assign takes parts of the container itself, from anywhere in it") {
    const nothing_stays check;
    for (std::size_t offset = 0; offset <= 8; ++offset) {
        for (std::size_t n = 0; offset + n <= 8; ++n) {
            CAPTURE(offset);
            CAPTURE(n);
            test_vector<int> v(counted<int>(8), test_device(1));
            v.assign(v.subspan(offset, n));
            CHECK(contents(v) == counted<int>(n, static_cast<int>(offset)));
        }
    }
    test_vector<int> v(counted<int>(8));
    v.assign(v);
    CHECK(contents(v) == counted<int>(8));
}

TEST_CASE("append adds at the end, from anywhere") {
    const nothing_stays check;
    test_vector<int> v(0, test_device(2));
    v.append(std::vector<int>{1, 2});
    CHECK(v.capacity() == 2);
    v.append(std::array{3});
    v.append(test_vector<int>({4, 5}, test_device(2)));
    v.append(v.first(2));
    v.append(std::vector<int>{});
    v.append(v.first(0));
    CHECK(contents(v) == std::vector<int>{1, 2, 3, 4, 5, 1, 2});
    CHECK(v.device() == test_device(2));
}

TEST_CASE("append takes parts of the container itself, within its capacity and beyond") {
    const nothing_stays check;
    for (const std::size_t capacity : {4UL, 5UL, 8UL, 100UL}) {
        for (std::size_t offset = 0; offset <= 4; ++offset) {
            for (std::size_t n = 0; offset + n <= 4; ++n) {
                CAPTURE(capacity);
                CAPTURE(offset);
                CAPTURE(n);
                test_vector<int> v(counted<int>(4), test_device(1));
                v.reserve(capacity);
                v.append(v.subspan(offset, n));
                std::vector<int> wanted = counted<int>(4);
                for (std::size_t i = 0; i < n; ++i) wanted.push_back(static_cast<int>(offset + i));
                CHECK(contents(v) == wanted);
            }
        }
    }
    test_vector<int> doubling{1};
    for (int i = 0; i < 12; ++i) doubling.append(doubling);
    CHECK(contents(doubling) == std::vector<int>(4096, 1));
}

TEST_CASE("appending one by one moves the elements few times") {
    const nothing_stays check;
    test_vector<int> v(0, test_device(1));
    const int* address = nullptr;
    int moves = 0;
    for (int i = 0; i < 2000; ++i) {
        v.append(std::array{i});
        if (v.data() != address) ++moves;
        address = v.data();
    }
    CHECK(contents(v) == counted<int>(2000));
    // A factor of 1.5 takes 1 to 2000 in about log(2000) / log(1.5) = 19 steps, and some where
    // half of a small number is rounded down.
    CHECK(moves <= 25);
    CHECK(v.capacity() < 2 * v.size());
}

TEST_CASE("spans of a pinned buffer are host memory of its own") {
    const nothing_stays check;
    for (const std::size_t room : {8UL, 64UL}) {
        CAPTURE(room);
        test_pinned<int> p(counted<int>(8), test_device(0));
        p.reserve(room);
        // Overlapping, as plain addresses that devmem has no record of.
        p.assign(p.host_read().subspan(2, 5));
        CHECK(contents(p) == std::vector<int>{2, 3, 4, 5, 6});
        p.append(p.host_read().first(2));
        CHECK(contents(p) == std::vector<int>{2, 3, 4, 5, 6, 2, 3});
        p.append(p.host_read());
        CHECK(contents(p) == std::vector<int>{2, 3, 4, 5, 6, 2, 3, 2, 3, 4, 5, 6, 2, 3});
    }
}

TEST_CASE("copy assignment keeps the destination's device") {
    const nothing_stays check;
    const test_vector<int> a(counted<int>(20), test_device(1));
    test_vector<int> b(3, 9, test_device(2));
    settle();
    b = a;
    CHECK(b.device() == test_device(2));
    CHECK(contents(b) == counted<int>(20));
    CHECK(contents(a) == counted<int>(20));
    const auto& same = b;
    b = same;
    CHECK(contents(b) == counted<int>(20));
    // A shorter one goes into the memory that is there.
    const int* address = b.data();
    const test_vector<int> shorter(2, 8, test_device(2));
    b = shorter;
    CHECK(b.data() == address);
    CHECK(contents(b) == std::vector<int>{8, 8});
}

TEST_CASE("assigning a list keeps the device") {
    const nothing_stays check;
    test_vector<int> v(3, 9, test_device(2));
    v = {4, 5};
    CHECK(v.device() == test_device(2));
    CHECK(contents(v) == std::vector<int>{4, 5});
    v = {};
    CHECK(v.device() == test_device(2));
    CHECK(v.empty());
}

TEST_CASE("host memory has been read when assign and append return") {
    const nothing_stays check;
    const devmem::stream s(test_device(0));
    test_vector<int> v(0, s);
    for (int round = 0; round < 50; ++round) {
        std::vector<int> source(1000, round);
        v.assign(source, s);
        source.assign(1000, -1);
        v.append(source, s);
        source.assign(1000, -2);
        v.resize(1001, s);
        CHECK(v.get(999, s) == round);
        CHECK(v.get(1000, s) == -1);
    }
}
