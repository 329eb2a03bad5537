// What order and lifetime cost in calls of the backend: nothing on one stream, a record and a wait
// where streams meet, and no handle of a stream or event that is gone.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/error.hpp>
#include <devmem/event.hpp>
#include <devmem/fill.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/pool.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>
#include <devmem/stream_guard.hpp>

#include <cuda_runtime_api.h>

#include <doctest/doctest.h>

#include <optional>
#include <string_view>
#include <vector>

using devmem::stream;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::gate;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

namespace {

struct counts {
    std::size_t records = simulated_cuda::count("cudaEventRecord");
    std::size_t waits = simulated_cuda::count("cudaStreamWaitEvent");
    std::size_t queries =
        simulated_cuda::count("cuStreamQuery") + simulated_cuda::count("cuEventQuery");
    std::size_t host_waits = simulated_cuda::host_waits();

    friend bool operator==(const counts&, const counts&) = default;
    /// What has come on top of an earlier count.
    counts since(const counts& before) const {
        counts more = *this;
        more.records -= before.records;
        more.waits -= before.waits;
        more.queries -= before.queries;
        more.host_waits -= before.host_waits;
        return more;
    }
};

counts none() {
    counts c;
    c.records = c.waits = c.queries = c.host_waits = 0;
    return c;
}

}  // namespace

TEST_CASE("on one stream nothing is recorded, waited for or asked") {
    const nothing_stays check;
    devmem_test::settle();
    devmem::empty_cache();  // blocks that have crossed before record each access
    const stream s(test_device(1));
    test_vector<int> v(100, 5, s);
    test_vector<int> w(100, 6, s);
    const counts before;
    for (int i = 0; i < 10; ++i) {
        devmem::fill(v, i, s);
        devmem::copy_async(v.first(100), w, s);
        v.resize(100 + static_cast<std::size_t>(i), s);
        test_vector<int> temporary(100, i, s);
        w.assign(temporary.first(50), s);
        w.resize(100, s);
    }
    CHECK(counts().since(before) == none());
    CHECK(contents(w.first(50)) == std::vector<int>(50, 9));
}

TEST_CASE(
    "where streams meet there is one record and one wait at most, and the first pays for both") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    devmem_test::settle();
    devmem::empty_cache();
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(100, 5, a);
    test_vector<int> copy(100, b);
    devmem_test::settle();
    gate held(a);
    devmem::fill(v, 1, a);
    const counts before;
    devmem::copy_async(v, copy, b);
    counts crossing = counts().since(before);
    CHECK(crossing.records <= 1 + 1);  // the wait's, and that of the read's end
    CHECK(crossing.waits == 1);
    CHECK(crossing.host_waits == 0);
    const counts again;
    devmem::copy_async(v, copy, b);  // has waited
    CHECK(counts().since(again).waits == 0);
    held.open();
    devmem_test::settle();
}

TEST_CASE(
    "a block that has crossed records at the end of its accesses, and is met without a record") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(100, 5, a);
    devmem_test::settle();
    gate held(a);
    devmem::fill(v, 1, a);
    devmem::fill(v, 2, b);
    counts before;
    devmem::fill(v, 3, b);
    CHECK(counts().since(before).records == 1);
    before = {};
    devmem::fill(v, 4, a);
    const counts crossing = counts().since(before);
    CHECK(crossing.records == 1);  // its own end, no more
    CHECK(crossing.waits == 1);
    held.open();
    CHECK(contents(v) == std::vector<int>(100, 4));
}

TEST_CASE("what the host has waited for is waited for by nobody else") {
    const nothing_stays check;
    devmem_test::settle();
    devmem::empty_cache();  // blocks that have crossed before record each access
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<int> v(100, 5, a);
    a.synchronize();
    counts before;
    devmem::fill(v, 1, b);
    CHECK(counts().since(before) == none());
    b.synchronize();
    before = {};
    devmem::fill(v, 2, a);
    CHECK(counts().since(before) == none());
    devmem::synchronize(test_device(1));
    before = {};
    devmem::fill(v, 3, b);
    CHECK(counts().since(before) == none());
}

TEST_CASE("a precise stream records each access, so that a first meeting waits for that only") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream ahead(test_device(1), devmem::precise);
    const stream lazy(test_device(1));
    const stream consumer(test_device(1));
    const auto produce = [&](const stream& producer, bool held_up) {
        devmem_test::settle();
        devmem::empty_cache();
        test_vector<int> batch(100, 5, producer);
        test_vector<int> result(100, consumer);
        devmem_test::settle();
        devmem::fill(batch, 6, producer);
        gate later(producer);
        devmem::copy_async(batch, result, consumer);
        CHECK(held_up == (held_up ? devmem_test::is_held_up(consumer)
                                  : !devmem_test::comes_to_its_end(consumer)));
        later.open();
        CHECK(contents(result) == std::vector<int>(100, 6));
    };
    produce(ahead, false);
    produce(lazy, true);
}

TEST_CASE("a new stream with a dead one's handle is another stream") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    devmem_test::settle();
    devmem::empty_cache();
    simulated_cuda::reuse_handles(true);
    gate held;
    void* handle = nullptr;
    const void* old = nullptr;
    {
        auto first = std::make_optional<stream>(test_device(1));
        handle = first->native_handle();
        held.close(*first);
        auto v = std::make_optional<test_vector<int>>(1000, 5, *first);
        old = v->first(1).address();
        v.reset();
        first.reset();
    }
    const stream second(test_device(1));
    CHECK(static_cast<void*>(second.native_handle()) == handle);
    {
        const test_vector<int> v(1000, 6, second);
        CHECK(static_cast<const void*>(v.first(1).address()) != old);
        second.synchronize();
        held.open();
        devmem_test::settle();
        const test_vector<int> w(1000, 7, second);
        CHECK(static_cast<const void*>(w.first(1).address()) == old);
    }
    simulated_cuda::reuse_handles(false);
}

TEST_CASE(
    "a borrowed stream's handle is used in accesses only, and may die and be given out again") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    devmem_test::settle();
    devmem::empty_cache();
    simulated_cuda::reuse_handles(true);
    const devmem::device d = test_device(1);
    const devmem::scoped_device current(d);
    const auto make = [] {
        cudaStream_t s = nullptr;
        REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess);
        return s;
    };
    const cudaStream_t first = make();
    gate held;
    const stream other(d);
    test_vector<int> copy(1000, other);
    const void* old = nullptr;
    {
        const devmem::stream_view borrowed = devmem::borrow_stream(first, d);
        test_vector<int> v(1000, 5, borrowed);
        old = v.first(1).address();
        held.close(borrowed);
        devmem::fill(v, 6, borrowed);
        REQUIRE(cudaStreamDestroy(first) == cudaSuccess);
        devmem::copy_async(v, copy, other);
        CHECK_FALSE(other.query());
    }
    const cudaStream_t second = make();
    CHECK(second == first);
    const devmem::stream_view again = devmem::borrow_stream(second, d);
    CHECK(again.id() != devmem::stream_view(other).id());
    {
        const test_vector<int> v(1000, 7, again);
        CHECK(static_cast<const void*>(v.first(1).address()) != old);
    }
    held.open();
    CHECK(contents(copy) == std::vector<int>(1000, 6));
    devmem_test::settle();
    {
        const test_vector<int> v(1000, 8, other);
        const test_vector<int> w(1000, 9, other);
        const auto at = [](const auto& c) {
            return static_cast<const void*>(c.first(1).address());
        };
        CHECK((at(v) == old || at(w) == old));
    }
    REQUIRE(cudaStreamDestroy(second) == cudaSuccess);
    simulated_cuda::reuse_handles(false);
}

TEST_CASE("memory outlives its stream") {
    const nothing_stays check;
    auto s = std::make_optional<stream>(test_device(1));
    std::optional<test_vector<int>> v(std::in_place, 1000, 5, *s);
    std::optional<test_vector<int, devmem::stream_ordered>> w(std::in_place, 1000, 5, *s);
    s.reset();
    CHECK(contents(*v) == std::vector<int>(1000, 5));
    v.reset();
    w.reset();
}

TEST_CASE("memory in the order of a stream is freed there, without a wait") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream s(test_device(1));
    devmem_test::settle();
    devmem::empty_cache();
    gate held(s);
    const std::size_t frees = simulated_cuda::count("cudaFreeAsync");
    const std::size_t waits = simulated_cuda::host_waits();
    { const test_vector<int, devmem::stream_ordered> v(1000, 5, s); }
    CHECK(simulated_cuda::count("cudaFreeAsync") == frees + 1);
    CHECK(simulated_cuda::calls_of("cudaFreeAsync").back().stream ==
          simulated_cuda::calls_of("cudaMallocAsync").back().stream);
    CHECK(simulated_cuda::host_waits() == waits);
    held.open();
    devmem_test::settle();
}

TEST_CASE("the host waits for what conflicts, and not for the device") {
    const nothing_stays check;
    const stream s(test_device(1));
    test_pinned<int> p(100, 5, s);
    test_vector<int> v(100, s);
    const std::size_t device_waits = simulated_cuda::count("cudaDeviceSynchronize");
    for (int i = 0; i < 5; ++i) {
        p.host_write()[0] = i;
        devmem::copy_async(p, v, s);
        devmem::copy_async(v, p, s);
        CHECK(p[0] == i);
    }
    CHECK(simulated_cuda::count("cudaDeviceSynchronize") == device_waits);
}

TEST_CASE("where the host may not touch managed memory beside the device, it waits for all of it") {
    const nothing_stays check;
    // The answer is kept, so a device is asked about that no other test uses managed memory of.
    simulated_cuda::concurrent_managed_access(3, false);
    devmem_test::test_managed<int> m(100, 5, test_device(3));
    const std::size_t device_waits = simulated_cuda::count("cudaDeviceSynchronize");
    CHECK(m.host_read()[0] == 5);
    CHECK(simulated_cuda::count("cudaDeviceSynchronize") == device_waits + 1);
    devmem_test::test_managed<int> elsewhere(100, 5, test_device(1));
    CHECK(elsewhere.host_read()[0] == 5);
    CHECK(simulated_cuda::count("cudaDeviceSynchronize") == device_waits + 1);
    simulated_cuda::concurrent_managed_access(3, true);
}

TEST_CASE("memory in the order of a borrowed stream is met by others") {
    const nothing_stays check;
    const devmem::device d = test_device(1);
    const devmem::scoped_device current(d);
    cudaStream_t raw = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking) == cudaSuccess);
    const stream other(d);
    {
        const devmem::stream_view borrowed = devmem::borrow_stream(raw, d);
        test_vector<int, devmem::stream_ordered> v(100, devmem::uninitialized, borrowed);
        devmem::fill(v, 6, other);
        CHECK(contents(v) == std::vector<int>(100, 6));
        const devmem::stream_guard guard(borrowed);
        test_vector<int> w(100, 5, other);
        static_cast<void>(w.data());
        devmem::fill(w, 7, other);
        CHECK(contents(w.first(100)) == std::vector<int>(100, 7));
    }
    devmem::empty_cache(d);
    REQUIRE(cudaStreamDestroy(raw) == cudaSuccess);
}
