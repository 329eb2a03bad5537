// Memory that the host may touch: what waits for pending work, and what does not.
#include "contents.hpp"
#include "gate.hpp"
#include "skip.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/fill.hpp>
#include <devmem/messages.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <thread>
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

/// Each way for the host to look at `p` sees `value`, which work in flight is about to write.
template <class Buffer, class Look>
void see_pending_write(const Look& look) {
    const devmem::stream s(test_device(1));
    const test_vector<int> source(500, 7, s);
    Buffer p(500, 3, test_device(1));
    settle();
    devmem_test::gate held(s, devmem_test::opened_by::another_thread);
    devmem::copy_async(source, p, s);
    std::atomic<bool> has_looked{false};
    std::thread opener([&] {
        // Time for a look that does not wait to be seen; a look that waits needs none.
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK_FALSE(has_looked.load());
        held.open();
    });
    const int seen = look(p);
    has_looked = true;
    opener.join();
    CHECK(seen == 7);
}

template <class Buffer>
void see_pending_write_every_way() {
    const nothing_stays check;
    see_pending_write<Buffer>([](Buffer& p) { return *p.begin(); });
    see_pending_write<Buffer>([](Buffer& p) { return *(p.end() - 1); });
    see_pending_write<Buffer>([](Buffer& p) { return *std::as_const(p).begin(); });
    see_pending_write<Buffer>([](Buffer& p) { return *(p.cend() - 1); });
    see_pending_write<Buffer>([](Buffer& p) { return *p.cbegin(); });
    see_pending_write<Buffer>([](Buffer& p) { return p[499]; });
    see_pending_write<Buffer>([](Buffer& p) { return std::as_const(p)[0]; });
    see_pending_write<Buffer>([](Buffer& p) { return *p.data(); });
    see_pending_write<Buffer>([](Buffer& p) { return *std::as_const(p).data(); });
    see_pending_write<Buffer>([](Buffer& p) { return p.host_read().back(); });
    see_pending_write<Buffer>([](Buffer& p) { return p.host_write().front(); });
}

void read_while_another_thread_copies(devmem::stream_view s, devmem::stream_view t) {
    test_vector<int> a(1000, test_device(1));
    test_vector<int> b(1000, test_device(1));
    auto p = std::make_unique<test_pinned<int>>(1000, 7, test_device(1));
    settle();
    devmem_test::gate first(s, devmem_test::opened_by::another_thread);
    devmem::copy_async(*p, a, s);
    std::thread reader([&p] { CHECK(std::as_const(*p).host_read()[0] == 7); });
    // The reader is by now waiting for the first copy, most likely; if not, nothing is lost but
    // this run's chance to fail.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    devmem_test::gate second(t, devmem_test::opened_by::another_thread);
    devmem::copy_async(*p, b, t);
    first.open();
    std::thread opener([&second] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        second.open();
    });
    reader.join();
    p.reset();
    // If that did not wait, this has the same memory, and the copy is still to read it.
    const test_pinned<int> next(1000, -1, test_device(1));
    CHECK(next.unsynchronized_data() != nullptr);
    opener.join();
    CHECK(b.get(0, t) == 7);
    CHECK(b.get(999, t) == 7);
}

}  // namespace

TEST_CASE("memory that the host may touch is a range") {
    const nothing_stays check;
    test_pinned<int> p(5, test_device(1));
    std::iota(p.begin(), p.end(), 1);
    CHECK(std::accumulate(p.cbegin(), p.cend(), 0) == 15);
    int sum = 0;
    for (const int value : std::as_const(p)) sum += value;
    CHECK(sum == 15);
    p[2] = 30;
    CHECK(contents(p) == std::vector<int>{1, 2, 30, 4, 5});
    static_assert(std::is_same_v<decltype(p.host_read()), std::span<const int>>);
    static_assert(std::is_same_v<decltype(p.host_write()), std::span<int>>);
    static_assert(std::is_same_v<decltype(std::as_const(p).begin()), const int*>);
    std::ranges::copy(counted<int>(5), p.host_write().begin());
    CHECK(std::ranges::equal(p.host_read(), counted<int>(5)));
    CHECK(p.data() == p.begin());
    CHECK(p.unsynchronized_data() == p.begin());
    CHECK(p.end() - p.begin() == 5);

    test_managed<double> m(3, 0.5);
    m[0] += 1;
    CHECK(contents(m) == std::vector<double>{1.5, 0.5, 0.5});
    test_mapped<double> z(m);
    z[1] = 4;
    CHECK(contents(z) == std::vector<double>{1.5, 4, 0.5});
}

TEST_CASE("an empty buffer is an empty range") {
    const nothing_stays check;
    test_pinned<int> p;
    CHECK(p.begin() == p.end());
    CHECK(p.host_read().empty());
    CHECK(p.host_write().empty());
    CHECK(p.data() == nullptr);
    for (const int value : p) FAIL(value);
    p.resize(1);
    p.clear();
    CHECK(p.begin() == p.end());
}

TEST_CASE("the host waits for work that is still to write what it looks at") {
    DEVMEM_NEEDS_GATE();
    see_pending_write_every_way<test_pinned<int>>();
    see_pending_write_every_way<test_mapped<int>>();
    see_pending_write_every_way<test_managed<int>>();
}

TEST_CASE("the host waits for work that is still to read what it writes") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    test_vector<int> destination(500, s);
    test_pinned<int> p(500, 3, test_device(1));
    settle();
    devmem_test::gate held(s, devmem_test::opened_by::another_thread);
    devmem::copy_async(p, destination, s);
    std::thread opener([&held] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        held.open();
    });
    std::ranges::fill(p.host_write(), -1);
    opener.join();
    CHECK(destination.get(499, s) == 3);
}

TEST_CASE("the host does not wait when it says so, nor for work on other memory") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    test_vector<int> v(500, s);
    test_pinned<int> p(500, 3, test_device(1));
    test_pinned<int> other(500, 4, test_device(1));
    settle();
    CHECK(other[0] == 4);
    devmem_test::gate held(s);
    devmem::copy_async(p, v, s);
    CHECK(p.unsynchronized_data()[0] == 3);
    CHECK(std::as_const(p).unsynchronized_data()[499] == 3);
    CHECK(other[1] == 4);
    CHECK(other.host_write().size() == 500);
    CHECK_FALSE(s.query());
    held.open();
}

// Nothing that only reads may take a use off the record: another thread's copy may have been
// queued in the meantime, and the memory must not go before that is over.
TEST_CASE("a host read does not forget the copies that other threads queue meanwhile") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream x(test_device(1));
    const devmem::stream y(test_device(1));
    // A wait for the device may look at its streams in any order, so both orders are tried.
    read_while_another_thread_copies(x, y);
    read_while_another_thread_copies(y, x);
}

TEST_CASE("an index beyond the end is a caller's bug, in every build") {
    struct broken {};
    devmem::assert_handler before =
        devmem::set_assert_handler([](const char*, const char*, int) { throw broken{}; });
    {
        const nothing_stays check;
        test_pinned<int> p(3);
        p.reserve(10);
        CHECK_THROWS_AS(p[3], broken);
        CHECK_THROWS_AS(std::as_const(p)[~std::size_t{0}], broken);
        CHECK_THROWS_AS(test_pinned<int>()[0], broken);
        CHECK(p[2] == 0);
    }
    devmem::set_assert_handler(before);
}
