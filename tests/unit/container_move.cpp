// Moves, swaps and what is left of a container afterwards.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::live_bytes;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_mapped;
using devmem_test::test_pinned;
using devmem_test::test_vector;

/// So that the compiler does not see that something is moved to itself.
template <class T>
T& same(T& object) {
    return object;
}

template <class Vector>
void move_about() {
    const nothing_stays check;
    const std::size_t live = live_bytes();
    Vector a(100, 1, test_device(1));
    Vector b(50, 0, test_device(1));
    b = std::move(a);
    // NOLINTBEGIN(bugprone-use-after-move): a moved-from container is to be used
    CHECK(a.size() == 0);
    CHECK(a.empty());
    CHECK(a.data() == nullptr);
    CHECK(a.capacity() == 0);
    CHECK(b.size() == 100);
    CHECK(live_bytes() == live + 400);
    CHECK(contents(b) == std::vector<int>(100, 1));
    a.resize(10);
    CHECK(contents(a) == std::vector<int>(10, 0));
    CHECK(a.device() == test_device(1));
    // NOLINTEND(bugprone-use-after-move)

    b = std::move(same(b));
    CHECK(contents(b) == std::vector<int>(100, 1));
    b = same(b);
    CHECK(contents(b) == std::vector<int>(100, 1));
    b.swap(b);
    CHECK(contents(b) == std::vector<int>(100, 1));
    CHECK(live_bytes() == live + 440);
}

}  // namespace

TEST_CASE("a moved-from vector is empty and usable, and self-assignment changes nothing") {
    move_about<test_vector<int>>();
    move_about<test_vector<int, devmem::direct>>();
    move_about<test_vector<int, devmem::stream_ordered>>();
}

TEST_CASE("a moved-from buffer of host memory is empty and usable") {
    move_about<test_pinned<int>>();
    move_about<test_mapped<int>>();
}

TEST_CASE("a vector of vectors that grows frees all it has allocated") {
    const nothing_stays check;
    const std::size_t live = live_bytes();
    {
        std::vector<test_vector<int>> all;
        for (int i = 0; i < 20; ++i) {
            all.emplace_back(static_cast<std::size_t>(i), i, test_device(i % 4));
        }
        for (int i = 0; i < 20; ++i) {
            const auto& v = all[static_cast<std::size_t>(i)];
            CHECK(contents(v) == std::vector<int>(static_cast<std::size_t>(i), i));
            CHECK(v.device() == test_device(i % 4));
        }
        all.erase(all.begin() + 3, all.begin() + 7);
        CHECK(contents(all[3]) == std::vector<int>(7, 7));
        // 0 + 1 + … + 19, less 3 + 4 + 5 + 6
        CHECK(live_bytes() == live + 4 * (190 - 18));
    }
    CHECK(live_bytes() == live);
}

TEST_CASE("moving across devices takes the device along, and leaves the other its own") {
    const nothing_stays check;
    test_vector<int> a(3, 1, test_device(1));
    test_vector<int> b(4, 2, test_device(2));
    b = std::move(a);
    CHECK(b.device() == test_device(1));
    // NOLINTBEGIN(bugprone-use-after-move): a moved-from container is to be used
    CHECK(a.device() == test_device(1));
    a.assign(std::vector<int>{7});
    CHECK(contents(a) == std::vector<int>{7});
    // NOLINTEND(bugprone-use-after-move)
    test_vector<int> c(2, 3, test_device(3));
    using std::swap;
    swap(b, c);
    CHECK(b.device() == test_device(3));
    CHECK(c.device() == test_device(1));
    CHECK(contents(b) == std::vector<int>{3, 3});
    CHECK(contents(c) == std::vector<int>{1, 1, 1});
    c.swap(a);
    CHECK(contents(c) == std::vector<int>{7});

    const test_vector<int> d(std::move(b));
    CHECK(d.device() == test_device(3));
    CHECK(contents(d) == std::vector<int>{3, 3});
    CHECK(b.empty());  // NOLINT(bugprone-use-after-move)
    CHECK(b.device() == test_device(3));
}

TEST_CASE("every member works on a moved-from container") {
    const nothing_stays check;
    // NOLINTBEGIN(bugprone-use-after-move): that is what this is about
    test_vector<int> v(counted<int>(10), test_device(2));
    const test_vector<int> taken(std::move(v));
    CHECK(v.to_host().empty());
    CHECK(v.view().empty());
    CHECK(v.first(0).empty());
    v.clear();
    v.reset();
    v.shrink_to_fit();
    v.resize(0);
    v.assign(v);
    v.append(v);
    CHECK(v.capacity() == 0);
    const test_vector<int> copied = v;
    CHECK(copied.device() == test_device(2));
    test_vector<int> moved = std::move(v);
    CHECK(moved.device() == test_device(2));
    v.reserve(5);
    v.append(taken.first(3));
    CHECK(contents(v) == counted<int>(3));
    CHECK(v.device() == test_device(2));
    v = std::move(moved);
    CHECK(v.empty());
    // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("containers move between threads, and are destroyed where their device is not current") {
    const nothing_stays check;
    auto v = std::make_unique<test_vector<int>>(counted<int>(1000), test_device(1));
    std::thread other([&v] {
        test_vector<int> mine = std::move(*v);
        v.reset();
        mine.append(mine.first(10));
        CHECK(mine.size() == 1010);
        CHECK(mine.get(1009) == 9);
        v = std::make_unique<test_vector<int>>(std::move(mine));
    });
    other.join();
    CHECK(v->size() == 1010);
    CHECK(v->get(1000) == 0);
    std::thread([gone = std::move(v)]() mutable { gone.reset(); }).join();
}
