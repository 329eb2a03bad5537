// No asynchronous operation waits: with both streams held up, each returns, and the values are
// right in the end.
#include "contents.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/event.hpp>
#include <devmem/fill.hpp>
#include <devmem/for_each.hpp>
#include <devmem/host_task.hpp>
#include <devmem/reduce.hpp>
#include <devmem/stream.hpp>
#include <devmem/transform.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

using devmem::stream;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::gate;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_mapped;
using devmem_test::test_pinned;
using devmem_test::test_vector;

namespace {

constexpr std::size_t n = 1000;

/// How often the host has entered a wait so far.
std::uint64_t host_waits() {
#if defined(DEVMEM_CUDA)
    return simulated_cuda::host_waits();
#else
    return devmem::detail::engine().waits().entered.load_relaxed();
#endif
}

/// Two streams of a device, both held up; a vector that was last used on the other one.
struct held_up {
    stream a{test_device(1)};
    stream b{test_device(1)};
    gate held;
    test_vector<int> last_on_b{counted<int>(n), b};
    test_vector<int> on_a{n, -1, a};
    std::uint64_t waits_before = 0;

    held_up() {
        held.close(a);
        held.close(b);
        devmem::fill(last_on_b.last(1), 77, b);
        waits_before = host_waits();
    }
    std::vector<int> wanted() const {
        std::vector<int> values = counted<int>(n);
        values.back() = 77;
        return values;
    }
    /// Nothing has waited; now work may go on.
    void open() {
        CHECK(host_waits() == waits_before);
        CHECK_FALSE(a.query());
        CHECK_FALSE(b.query());
        held.open();
        a.synchronize();
        b.synchronize();
    }
};

}  // namespace

TEST_CASE("copies in every direction within a kind") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    held_up t;
    test_pinned<int> pinned(n, -1, t.a);
    test_mapped<int> mapped(n, -1, t.a);
    test_managed<int> managed(n, -1, t.a);
    test_vector<int> elsewhere(n, -1, test_device(2));
    test_vector<int> from_pageable(n, -1, t.a);
    const std::vector<int> pageable(n, 8);
    devmem::copy_async(t.last_on_b, t.on_a, t.a);
    devmem::copy_async(t.last_on_b, pinned, t.a);
    devmem::copy_async(pinned, mapped, t.a);
    devmem::copy_async(mapped, managed, t.a);
    devmem::copy_async(managed, elsewhere, t.a);
    devmem::copy_async(pageable, from_pageable, t.a);
    devmem::copy_async(t.on_a.first(n - 1), t.on_a.last(n - 1), t.a);  // through a temporary
    t.open();
    std::vector<int> shifted = t.wanted();
    for (std::size_t i = n - 1; i > 0; --i) shifted[i] = shifted[i - 1];
    CHECK(contents(t.on_a) == shifted);
    CHECK(contents(pinned) == t.wanted());
    CHECK(contents(mapped) == t.wanted());
    CHECK(contents(managed) == t.wanted());
    CHECK(contents(elsewhere) == t.wanted());
    CHECK(contents(from_pageable) == pageable);
}

TEST_CASE("fill, set, get and reading a copy later") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    held_up t;
    test_vector<int> one(1, -1, t.a);
    t.last_on_b.get_async(n - 1, one, t.a);
    t.last_on_b.set_async(0, 55, t.a);
    const auto copy = t.last_on_b.to_host_async(t.a);
    devmem::fill(t.last_on_b, 9, t.a);
    t.open();
    CHECK(one.get(0) == 77);
    CHECK(copy[0] == 55);
    CHECK(copy[n - 1] == 77);
    CHECK(contents(t.last_on_b) == std::vector<int>(n, 9));
}

TEST_CASE("sizes, assignment and destruction") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const auto go = []<class Vector>(std::type_identity<Vector>) {
        held_up t;
        Vector made(n, 5, t.a);
        Vector grown(counted<int>(10), t.a);
        Vector appended(counted<int>(10), t.a);
        Vector assigned(1, t.a);
        grown.resize(n, 7, t.a);
        grown.reserve(3 * n, t.a);
        grown.shrink_to_fit(t.a);
        appended.append(t.last_on_b, t.a);
        assigned.assign(t.last_on_b, t.a);
        assigned.assign(n, 3, t.a);
        {
            const Vector copied(made, t.a);
            Vector gone(n, t.b);
            gone = Vector(n, t.a);
        }
        t.open();
        std::vector<int> wanted = counted<int>(10);
        wanted.resize(n, 7);
        CHECK(contents(made) == std::vector<int>(n, 5));
        CHECK(contents(grown) == wanted);
        wanted = counted<int>(10);
        for (const int value : t.wanted()) wanted.push_back(value);
        CHECK(contents(appended) == wanted);
        CHECK(contents(assigned) == std::vector<int>(n, 3));
    };
    go(std::type_identity<test_vector<int>>());
    go(std::type_identity<test_vector<int, devmem::direct>>());
    go(std::type_identity<test_vector<int, devmem::stream_ordered>>());
    go(std::type_identity<test_pinned<int>>());
    go(std::type_identity<test_managed<int>>());
}

TEST_CASE("algorithms") {
    DEVMEM_NEEDS_GATE();
    DEVMEM_NEEDS_KERNELS();
    const nothing_stays check;
    held_up t;
    test_vector<int> sum(1, t.a);
    bool ran = false;
    devmem::transform(
        t.last_on_b, t.on_a, [](int v) { return v + 1; }, t.a);
    devmem::transform(
        t.on_a, t.last_on_b, t.last_on_b, [](int a, int b) { return a - b; }, t.b);
    devmem::reduce_async(t.last_on_b, sum, t.a);
    devmem::host_task([&ran] { ran = true; }, t.a);
    devmem::for_each_index(
        1, [](std::size_t) {}, t.a);
    t.open();
    CHECK(sum.get(0) == static_cast<int>(n));
    CHECK(ran);
}

TEST_CASE("streams and events") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    held_up t;
    devmem::event mark(t.a);
    t.b.wait(mark);
    mark.record(t.b);
    CHECK_FALSE(mark.query());
    {
        const stream gone(test_device(1));
        gone.wait(mark);
        devmem::fill(t.last_on_b, 4, gone);
    }
    t.open();
    CHECK(contents(t.last_on_b) == std::vector<int>(n, 4));
}

// The copies of three batches are queued before any is worked on. The blocks have met both streams
// before, so that they record where their accesses end.
TEST_CASE("a batch is worked on while the copy of a later one is held up") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream copies(test_device(1));
    const stream compute(test_device(1));
    const test_pinned<int> batch(n, 5, test_device(1));
    std::vector<test_vector<int>> slots;
    std::vector<test_vector<int>> results;
    for (int i = 0; i < 3; ++i) {
        slots.emplace_back(n, copies);
        results.emplace_back(n, compute);
    }
    gate first_meeting(copies);
    const auto copy_all = [&](gate* before_last) {
        for (int i = 0; i < 3; ++i) {
            if (i == 2 && before_last != nullptr) before_last->close(copies);
            devmem::copy_async(batch, slots[static_cast<std::size_t>(i)], copies);
        }
    };
    const auto work_on = [&](std::size_t i) { devmem::copy_async(slots[i], results[i], compute); };
    copy_all(nullptr);
    for (std::size_t i = 0; i < 3; ++i) work_on(i);
    first_meeting.open();
    devmem_test::settle();

    gate held;
    copy_all(&held);
    work_on(0);
    work_on(1);
    CHECK(devmem_test::comes_to_its_end(compute));
    work_on(2);
    CHECK(devmem_test::is_held_up(compute));
    held.open();
    for (const auto& result : results) CHECK(contents(result) == std::vector<int>(n, 5));
}
