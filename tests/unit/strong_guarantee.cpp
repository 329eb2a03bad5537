// Each call of the backend fails in turn: what throws has changed nothing and leaked nothing.
#include "contents.hpp"
#include "simulated_cuda.hpp"
#include "test_backend.hpp"

#include <devmem/adopt.hpp>
#include <devmem/copy.hpp>
#include <devmem/device.hpp>
#include <devmem/error.hpp>
#include <devmem/fill.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/messages.hpp>
#include <devmem/pool.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::live_bytes;
using devmem_test::nothing_stays;
using devmem_test::settle;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_pinned;
using devmem_test::test_vector;

struct wide {
    std::int64_t a;
    std::int64_t b;
    std::int32_t c;
    friend bool operator==(const wide&, const wide&) = default;
};

/// What is in the simulation's hands; without pinned memory, in which devmem keeps staging buffers.
struct given_out {
    std::array<simulated_cuda::memory_amount, 12> memory;
    std::size_t devmem_live = 0;

    static given_out now() {
        devmem::empty_cache();
        given_out g;
        std::size_t at = 0;
        for (int device = 0; device < 4; ++device) {
            for (const auto kind :
                 {simulated_cuda::memory_kind::device, simulated_cuda::memory_kind::mapped,
                  simulated_cuda::memory_kind::managed}) {
                g.memory.at(at++) = simulated_cuda::live(device, kind);
            }
        }
        g.devmem_live = live_bytes();
        return g;
    }
    friend bool operator==(const given_out&, const given_out&) = default;
};

std::atomic<int> errors_in_destructors{0};

/// While it lives, errors in destructors are counted, not printed.
class counted_errors {
  public:
    counted_errors()
        : before_(devmem::set_destructor_error_sink(
              [](const char*) noexcept { ++errors_in_destructors; })) {}
    ~counted_errors() { devmem::set_destructor_error_sink(before_); }
    counted_errors(const counted_errors&) = delete;
    counted_errors& operator=(const counted_errors&) = delete;

  private:
    devmem::message_sink before_;
};

/// The thread's stack of contexts and the device on top.
struct current {
    std::size_t depth;
    int device;
    static current now() {
        int device = -1;
        REQUIRE(cudaGetDevice(&device) == cudaSuccess);
        return {simulated_cuda::context_depth(), device};
    }
    friend bool operator==(const current&, const current&) = default;
};

/// A call that cannot fail without the program having broken the driver's rules: devmem pops only
/// what it has pushed. Where the simulation makes it fail nonetheless, nothing was popped.
bool is_pop(const simulated_cuda::call& c) { return c.function == std::string("cuCtxPopCurrent"); }

struct outcome {
    bool has_thrown = false;
    bool has_failed = false;  // a call of the runtime has
    std::string function;
};

/// Calls `f` while the n-th call of the runtime fails.
template <class F>
outcome call_with_failure(int nth, int error, const F& f) {
    outcome o;
    simulated_cuda::clear_calls();
    simulated_cuda::fail_call("", nth, error);
    try {
        f();
    } catch (const devmem::error_info&) {
        o.has_thrown = true;
    }
    simulated_cuda::fail_no_more();
    for (const simulated_cuda::call& c : simulated_cuda::calls()) {
        if (c.result != error || o.has_failed) continue;
        o.has_failed = true;
        o.function = c.function;
        if (is_pop(c)) {
            const devmem::detail::cuda_driver* driver = nullptr;
            REQUIRE(devmem::detail::use_driver(&driver).ok());
            CUcontext popped = nullptr;
            REQUIRE(driver->context_pop(&popped) == CUDA_SUCCESS);
        }
    }
    return o;
}

/// Makes each call fail that `change` makes on a vector from `make`, until all succeed. Expects
/// either success, as without a failure, or an exception and nothing changed.
template <class Vector>
void fail_each_call(const std::string& what, const std::function<Vector()>& make,
                    const std::function<void(Vector&)>& change) {
    CAPTURE(what);
    using contents_type = decltype(contents(make()));
    contents_type wanted;
    {
        Vector v = make();
        settle();  // `change` may use a stream of another device
        change(v);
        settle();
        wanted = contents(v);
    }
    constexpr bool is_pooled =
        std::is_same_v<typename Vector::policy_type::allocation_type, devmem::pooled>;
    int failures = 0;
    for (const int error : {int{cudaErrorMemoryAllocation}, int{cudaErrorUnknown}}) {
        CAPTURE(error);
        for (int nth = 1;; ++nth) {
            CAPTURE(nth);
            REQUIRE(nth < 200);
            const given_out nothing = given_out::now();
            const int errors = errors_in_destructors;
            outcome o;
            {
                Vector v = make();
                const contents_type old = contents(v);
                const auto capacity = v.capacity();
                const auto* address = v.view().address();
                settle();
                const given_out held = given_out::now();
                const current device = current::now();

                o = call_with_failure(nth, error, [&] { change(v); });
                CAPTURE(o.function);
                CHECK(current::now() == device);
                // The last error has been cleared.
                CHECK(cudaPeekAtLastError() == cudaSuccess);
                settle();
                if (o.has_thrown) {
                    CHECK(given_out::now() == held);
                    CHECK(v.capacity() == capacity);
                    CHECK(v.view().address() == address);
                    CHECK(v.size() == old.size());
                    CHECK(contents(v) == old);
                } else {
                    CHECK(contents(v) == wanted);
                }
            }
            // A destructor that could not give memory back has said so, and there is nobody to try
            // again. The pool tries again.
            if (errors_in_destructors == errors || is_pooled) CHECK(given_out::now() == nothing);
            if (!o.has_failed) break;
            if (o.has_thrown) ++failures;
        }
    }
    CHECK(failures >= 2);
}

/// The same with a constructor, whose success leaves a vector and whose failure leaves nothing.
template <class F>
void fail_each_construction(const std::string& what, const F& construct) {
    CAPTURE(what);
    { const auto warm = construct(); }
    int failures = 0;
    for (const int error : {int{cudaErrorMemoryAllocation}, int{cudaErrorUnknown}}) {
        for (int nth = 1;; ++nth) {
            CAPTURE(nth);
            REQUIRE(nth < 200);
            settle();
            const given_out nothing = given_out::now();
            const current device = current::now();
            std::optional<decltype(construct())> made;
            const outcome o = call_with_failure(nth, error, [&] { made.emplace(construct()); });
            CAPTURE(o.function);
            CHECK(current::now() == device);
            CHECK(cudaPeekAtLastError() == cudaSuccess);
            CHECK(made.has_value() != o.has_thrown);
            made.reset();
            CHECK(given_out::now() == nothing);
            if (!o.has_failed) break;
            if (o.has_thrown) ++failures;
        }
    }
    CHECK(failures >= 2);
}

template <class Vector, class T = typename Vector::value_type>
Vector vector_of(const std::vector<T>& values, std::size_t room) {
    Vector v(values, test_device(1));
    v.reserve(room);
    return v;
}

}  // namespace

TEST_CASE("a constructor that fails leaves nothing") {
    const nothing_stays check;
    const counted_errors quiet;
    const devmem::stream s(test_device(2));
    const std::vector<int> host = counted<int>(100);
    const test_vector<int> other(host, test_device(2));
    const test_vector<int> same(host, test_device(1));
    const devmem::device_vector<int> on_cpu(host, devmem::device::cpu(1));
    settle();
    using vector = test_vector<int>;
    fail_each_construction("zeros", [] { return vector(100, test_device(1)); });
    fail_each_construction("values", [] { return vector(100, 7, test_device(1)); });
    fail_each_construction("wide values", [] {
        return test_vector<wide>(100, wide{1, 2, 3}, test_device(1));
    });
    fail_each_construction("doubles", [] { return test_vector<double>(100, 0.1, test_device(1)); });
    fail_each_construction("on a stream", [&] { return vector(100, 7, s); });
    fail_each_construction("from the host", [&] { return vector(host, test_device(1)); });
    fail_each_construction("from another device", [&] { return vector(other, test_device(1)); });
    fail_each_construction("from the CPU", [&] { return vector(on_cpu, test_device(1)); });
    fail_each_construction("a copy", [&] { return vector(same); });
    fail_each_construction("direct",
                           [] { return test_vector<int, devmem::direct>(100, test_device(1)); });
    fail_each_construction("stream-ordered", [] {
        return test_vector<int, devmem::stream_ordered>(100, 7, test_device(1));
    });
    fail_each_construction("pinned", [&] { return test_pinned<int>(host, test_device(1)); });
    fail_each_construction("managed", [&] { return test_managed<int>(other, test_device(1)); });
}

TEST_CASE("a member that fails changes nothing, with memory from anywhere") {
    const nothing_stays check;
    const counted_errors quiet;
    const std::vector<int> host = counted<int>(300, 1000);
    const test_vector<int> other(counted<int>(300, 5000), test_device(2));
    const devmem::device_vector<int> on_cpu(host, devmem::device::cpu(1));
    settle();
    const auto change_every_way = [&]<class Vector>(std::type_identity<Vector>) {
        // With room for the change, and without.
        for (const std::size_t room : {std::size_t{0}, std::size_t{1000}}) {
            CAPTURE(room);
            const auto fail = [room](const std::string& what,
                                     const std::function<void(Vector&)>& change) {
                const auto make = [room] { return vector_of<Vector>(counted<int>(100), room); };
                fail_each_call<Vector>(what, make, change);
            };
            fail("resize", [](Vector& v) { v.resize(200); });
            fail("resize to values", [](Vector& v) { v.resize(200, 7); });
            fail("resize uninitialized", [](Vector& v) { v.resize(200, devmem::uninitialized); });
            fail("assign values", [](Vector& v) { v.assign(200, 7); });
            fail("assign from the host", [&](Vector& v) { v.assign(host); });
            fail("assign from another device", [&](Vector& v) { v.assign(other); });
            fail("assign a part", [](Vector& v) { v.assign(v.subspan(10, 50)); });
            fail("append from the host", [&](Vector& v) { v.append(host); });
            fail("append from another device", [&](Vector& v) { v.append(other); });
            fail("append itself", [](Vector& v) { v.append(v); });
            fail("copy assignment", [&](Vector& v) {
                const Vector same(counted<int>(150), test_device(1));
                v = same;
            });
        }
        const auto make = [] { return vector_of<Vector>(counted<int>(100), 0); };
        const auto make_roomy = [] { return vector_of<Vector>(counted<int>(100), 1000); };
        fail_each_call<Vector>("reserve", make, [](Vector& v) { v.reserve(5000); });
        fail_each_call<Vector>("shrink", make_roomy, [](Vector& v) { v.shrink_to_fit(); });
        fail_each_call<Vector>("overlapping parts", make,
                               [](Vector& v) { devmem::copy_async(v.first(80), v.last(80)); });
        fail_each_call<Vector>("copy from the host", make, [&](Vector& v) {
            devmem::copy_async(std::span(host).first(100), v);
        });
        fail_each_call<Vector>("copy from another device", make,
                               [&](Vector& v) { devmem::copy_async(other.first(100), v); });
        fail_each_call<Vector>("set", make, [](Vector& v) { v.set_async(3, -1); });
        fail_each_call<Vector>("fill", make, [](Vector& v) { devmem::fill(v, -1); });
    };
    change_every_way(std::type_identity<test_vector<int>>());
    change_every_way(std::type_identity<test_vector<int, devmem::direct>>());
    change_every_way(std::type_identity<test_vector<int, devmem::stream_ordered>>());
    change_every_way(std::type_identity<test_managed<int>>());
    change_every_way(std::type_identity<test_pinned<int>>());
}

TEST_CASE("elements that take several calls to fill are all changed or none") {
    const nothing_stays check;
    const counted_errors quiet;
    for (const std::size_t room : {std::size_t{0}, std::size_t{1000}}) {
        CAPTURE(room);
        using doubles = test_vector<double>;
        const auto make = [room] { return vector_of<doubles>(counted<double>(100), room); };
        fail_each_call<doubles>("assign", make, [](doubles& v) { v.assign(200, 0.1); });
        fail_each_call<doubles>("assign fewer", make, [](doubles& v) { v.assign(20, 0.1); });
        fail_each_call<doubles>("resize", make, [](doubles& v) { v.resize(200, 0.1); });
        using wides = test_vector<wide>;
        const auto make_wide = [room] {
            return vector_of<wides>(std::vector<wide>(100, {1, 2, 3}), room);
        };
        const wide value{4, 5, 6};
        fail_each_call<wides>("assign", make_wide, [&](wides& v) { v.assign(200, value); });
        fail_each_call<wides>("assign fewer", make_wide, [&](wides& v) { v.assign(20, value); });
        fail_each_call<wides>("resize", make_wide, [&](wides& v) { v.resize(200, value); });
    }
}

TEST_CASE("a failing scope or memory figure leaves the current device as it was") {
    const nothing_stays check;
    const counted_errors quiet;
    const devmem::scoped_device outer(test_device(3));
    for (int nth = 1;; ++nth) {
        CAPTURE(nth);
        const current device = current::now();
        const outcome o = call_with_failure(nth, cudaErrorUnknown, [] {
            const devmem::scoped_device inner(test_device(1));
            static_cast<void>(devmem::memory_info(test_device(2)));
            devmem::empty_cache(test_device(1));
            devmem::synchronize(test_device(0));
        });
        CAPTURE(o.function);
        CHECK(current::now() == device);
        if (!o.has_failed) break;
    }
}
