// Memory whose owner is gone while work on it is still queued.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/access.hpp>
#include <devmem/adopt.hpp>
#include <devmem/copy.hpp>
#include <devmem/device_slices.hpp>
#include <devmem/fill.hpp>
#include <devmem/host_task.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/pool.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <optional>
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

template <class Container>
const void* address_of(const Container& c) {
    return c.view().address();
}

/// A function that overwrites what a call before it has left on the stack.
[[gnu::noinline]] int overwrite_stack() {
    volatile unsigned char bytes[4096];
    for (auto& byte : bytes) byte = 0xA5;
    return bytes[17];
}

}  // namespace

// Case: gate S; pinned p=7; copy p to v on S; p is destroyed, assigned to or resized; q=9.
TEST_CASE("a pinned source that goes before its copy is not used for anything else until then") {
    DEVMEM_NEEDS_GATE();
    using pinned = test_pinned<int>;
    const auto go = [](auto&& end) {
        const nothing_stays check;
        devmem_test::settle();
        devmem::empty_cache();
        const stream s(test_device(1));
        test_vector<int> v(1024, s);
        s.synchronize();
        gate held(s);
        auto p = std::make_optional<pinned>(1024, 7, test_device(1));
        const void* const old = address_of(*p);
        devmem::copy_async(*p, v, s);
        end(p);
        const pinned q(1024, 9, test_device(1));
        CHECK(address_of(q) != old);
        CHECK(q[0] == 9);
        held.open();
        CHECK(contents(v) == std::vector<int>(1024, 7));
        s.synchronize();
        p.reset();
        devmem_test::settle();
        const pinned next(1024, 5, test_device(1));
        CHECK(address_of(next) == old);
    };
    go([](auto& p) { p.reset(); });
    go([](auto& p) { *p = pinned(test_device(1)); });
    go([](auto& p) { p->resize(2048); });
}

TEST_CASE("a value that is set is taken at the call") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream s(test_device(1));
    test_vector<int> v(10, 5, s);
    gate held(s);
    v.set_async(3, 40 + 2, s);
    CHECK(overwrite_stack() == 0xA5);
    held.open();
    CHECK(v.get(3, s) == 42);
}

TEST_CASE("memory that a stream still uses is not given to another") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    const auto meets_again = [&](const stream& held_up, const stream& done) {
        devmem_test::settle();
        devmem::empty_cache();
        test_vector<int> to_held(1000, held_up);
        test_vector<int> to_done(1000, done);
        auto v = std::make_optional<test_vector<int>>(1000, 5, done);
        const void* const old = address_of(*v);
        devmem_test::settle();
        gate held(held_up);
        devmem::copy_async(*v, to_held, held_up);
        devmem::copy_async(*v, to_done, done);
        done.synchronize();
        v.reset();
        const test_vector<int> other(1000, 6, done);
        CHECK(address_of(other) != old);
        held.open();
        held_up.synchronize();
        CHECK(contents(to_held) == std::vector<int>(1000, 5));
        const test_vector<int> next(1000, 7, done);
        CHECK(address_of(next) == old);
    };
    meets_again(a, b);
    meets_again(b, a);
}

TEST_CASE("the stream that used memory last is given it at once") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    devmem_test::settle();
    devmem::empty_cache();
    const stream s(test_device(1));
    gate held(s);
    auto v = std::make_optional<test_vector<int>>(1000, 5, s);
    const void* const old = address_of(*v);
    v.reset();
    test_vector<int> next(1000, 6, s);
    CHECK(address_of(next) == old);
    held.open();
    CHECK(contents(next) == std::vector<int>(1000, 6));
}

TEST_CASE("destroying never waits, whatever the memory") {
    DEVMEM_NEEDS_GATE();
    const auto destroy = []<class Vector>(std::type_identity<Vector>) {
        const nothing_stays check;
        const stream a(test_device(1));
        const stream b(test_device(1));
        gate held;
        held.close(a);
        held.close(b);
        {
            Vector on_one(1000, 5, a);
            Vector on_two(1000, 5, a);
            Vector moved_over(1000, 5, a);
            devmem::fill(on_two, 6, b);
            moved_over = std::move(on_one);
            moved_over.reset();
        }
        CHECK_FALSE(a.query());
        CHECK_FALSE(b.query());
        held.open();
        devmem_test::settle();
        devmem::empty_cache(test_device(1));
        CHECK(devmem::memory_info(test_device(1)).cached == 0);
    };
    destroy(std::type_identity<test_vector<int>>());
    destroy(std::type_identity<test_vector<int, devmem::direct>>());
    destroy(std::type_identity<test_vector<int, devmem::stream_ordered>>());
    destroy(std::type_identity<test_pinned<int>>());
    destroy(std::type_identity<test_pinned<int, devmem::direct>>());
    destroy(std::type_identity<test_mapped<int>>());
    destroy(std::type_identity<test_managed<int>>());
    destroy(std::type_identity<test_managed<int, devmem::direct>>());
}

TEST_CASE("containers and host memory may go while copies of them are queued") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream s(test_device(1));
    test_vector<int> from_device(1000, s);
    test_vector<int> from_host(1000, s);
    s.synchronize();
    gate held(s);
    {
        auto v = std::make_unique<test_vector<int>>(1000, 5, s);
        devmem::copy_async(*v, from_device, s);
        const std::vector<int> values = counted<int>(1000);
        devmem::copy_async(values, from_host, s);
    }
    held.open();
    CHECK(contents(from_device) == std::vector<int>(1000, 5));
    CHECK(contents(from_host) == counted<int>(1000));
}

TEST_CASE("elements are kept when a container grows behind a gate") {
    DEVMEM_NEEDS_GATE();
    const auto grow = []<class Vector>(std::type_identity<Vector>) {
        const nothing_stays check;
        const stream s(test_device(1));
        Vector v(counted<int>(1000), s);
        gate held(s);
        v.resize(2000, s);
        v.reserve(5000, s);
        held.open();
        std::vector<int> wanted = counted<int>(1000);
        wanted.resize(2000);
        CHECK(contents(v) == wanted);
    };
    grow(std::type_identity<test_vector<int>>());
    grow(std::type_identity<test_vector<int, devmem::direct>>());
    grow(std::type_identity<test_vector<int, devmem::stream_ordered>>());
}

TEST_CASE("a stream may go before its work is done, and before the memory that it used") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    devmem_test::settle();
    devmem::empty_cache();
    const stream other(test_device(1));
    auto s = std::make_optional<stream>(test_device(1));
    test_vector<int> v(1000, *s);
    test_vector<int> copy(1000, other);
    devmem_test::settle();
    gate held(*s);
    devmem::fill(v, 6, *s);
    const void* const old = address_of(v);
    s.reset();
    devmem::copy_async(v, copy, other);
    CHECK_FALSE(other.query());
    v.reset();
    const test_vector<int> beside(1000, other);
    CHECK(address_of(beside) != old);
    held.open();
    CHECK(contents(copy) == std::vector<int>(1000, 6));
    devmem_test::settle();
    CHECK(address_of(test_vector<int>(1000, other)) == old);
}

TEST_CASE("memory of streams that are gone serves others before more is asked for") {
    const nothing_stays check;
    devmem_test::settle();
    devmem::empty_cache();
    const devmem::device d = test_device(1);
    for (int round = 0; round < 20; ++round) {
        const stream s(d);
        const test_vector<int> v(1000, round, s);
        CHECK(contents(v) == std::vector<int>(1000, round));
    }
    devmem_test::settle();
    CHECK(devmem::memory_info(d).cached == 4096);  // one block
}

TEST_CASE("memory is given back on its own device, whatever is current") {
    const nothing_stays check;
    const devmem::scoped_device current(test_device(3));
    const stream s(test_device(1));
    auto v = std::make_optional<test_vector<int, devmem::direct>>(1000, 5, s);
    s.synchronize();
    v.reset();
    CHECK(devmem::current_device() == test_device(3));
}

TEST_CASE("a stream may go after an address was given out on it, before the work that uses it") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    devmem_test::settle();
    devmem::empty_cache();
    const stream other(test_device(1));
    test_vector<int> copy(1000, other);
    auto v = std::make_optional<test_vector<int>>(1000, 5, test_device(1));
    devmem_test::settle();
    const void* const old = address_of(*v);
    gate held;
    bool ran = false;
    {
        const stream s(test_device(1));
        const devmem::stream_guard current(s);
        held.close(s);
        static_cast<void>(v->data());
        devmem::host_task([&ran] { ran = true; }, s);  // stands for a kernel
    }
    devmem::copy_async(*v, copy, other);
    CHECK(devmem_test::is_held_up(other));
    v.reset();
    const test_vector<int> beside(1000, 6, test_device(1));
    CHECK(address_of(beside) != old);
    held.open();
    other.synchronize();
    CHECK(ran);
}

TEST_CASE("what an address was given out for is not confused with later streams") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream other(test_device(1));
    test_vector<int> v(1000, 5, other);
    test_vector<int> copy(1000, other);
    other.synchronize();
    {
        const stream s(test_device(1));
        const devmem::stream_guard current(s);
        static_cast<void>(v.data());
        s.synchronize();
    }
    const stream next(test_device(1));  // perhaps in the place of the one that is gone
    gate held(next);
    devmem::copy_async(v, copy, other);
    CHECK(devmem_test::comes_to_its_end(other));
    held.open();
}

TEST_CASE("a host callback may end accesses and slices") {
    const nothing_stays check;
    const stream s(test_device(1));
    const stream other(test_device(1));
    test_vector<int> v(1000, 5, s);
    test_vector<int> w(1000, 5, s);
    auto open = std::make_optional<devmem::block_access<int>>(v.write(s));
    auto parts = std::make_optional<devmem::device_slices<int>>(w.split(3));
    devmem::host_task(
        [&] {
            open.reset();
            parts.reset();
        },
        s);
    for (int i = 0; i < 200; ++i) {  // asks streams how far they are, which may run the callback
        const test_vector<int> asks(1000, 6, other);
    }
    s.synchronize();
    devmem::fill(v, 7, other);
    devmem::fill(w, 8, other);
    CHECK(contents(v) == std::vector<int>(1000, 7));
    CHECK(contents(w) == std::vector<int>(1000, 8));
}
