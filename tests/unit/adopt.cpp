// adopt: memory of somebody else's, with a way to let it go.
#include "contents.hpp"
#include "gate.hpp"
#include "skip.hpp"
#include "test_backend.hpp"

#include <devmem/adopt.hpp>
#include <devmem/copy.hpp>
#include <devmem/error.hpp>
#include <devmem/host_task.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/pool.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::path_is_cuda;
using devmem_test::test_device;
using devmem_test::test_vector;

/// Device memory obtained without devmem's containers.
class raw_memory {
  public:
    explicit raw_memory(std::size_t bytes) : bytes_(bytes) {
        REQUIRE(table().allocate(test_device(1), devmem::memory_space::device, bytes, &data_).ok());
    }
    ~raw_memory() {
        CHECK(table().deallocate(test_device(1), devmem::memory_space::device, data_, bytes_).ok());
    }
    raw_memory(const raw_memory&) = delete;
    raw_memory& operator=(const raw_memory&) = delete;

    int* ints() const { return static_cast<int*>(data_); }

  private:
    static const devmem::backend_table& table() {
        return devmem::detail::table_of(test_device(1), "test");
    }
    void* data_ = nullptr;
    std::size_t bytes_;
};

}  // namespace

TEST_CASE("an adopted vector is a vector like any other, and lets go once") {
    const nothing_stays check;
    const raw_memory raw(400);
    int let_go = 0;
    int* given_back = nullptr;
    {
        devmem::device_vector<int> v =
            devmem::adopt(raw.ints(), 100, test_device(1), [&](int* data) {
                ++let_go;
                given_back = data;
            });
        static_assert(std::is_same_v<decltype(v), devmem::device_vector<int>>);
        CHECK(v.size() == 100);
        CHECK(v.capacity() == 100);
        CHECK(v.device() == test_device(1));
        CHECK(v.data() == raw.ints());
        devmem::copy(counted<int>(100), v);
        CHECK(contents(v) == counted<int>(100));
        v.assign(50, 3);
        CHECK(v.data() == raw.ints());
        const devmem::device_vector<int> moved = std::move(v);
        CHECK(let_go == 0);
        CHECK(moved.get(49) == 3);
    }
    CHECK(let_go == 1);
    CHECK(given_back == raw.ints());
}

TEST_CASE("an adopted vector that grows moves to devmem's own memory") {
    const nothing_stays check;
    const raw_memory raw(400);
    int let_go = 0;
    devmem::device_vector<int> v =
        devmem::adopt(raw.ints(), 100, test_device(1), [&let_go](int*) { ++let_go; });
    devmem::copy(counted<int>(100), v);
    v.resize(101, -1);
    CHECK(v.data() != raw.ints());
    devmem_test::settle();
    devmem::empty_cache(test_device(1));
    CHECK(let_go == 1);
    std::vector<int> wanted = counted<int>(100);
    wanted.push_back(-1);
    CHECK(contents(v) == wanted);
    v.reset();
    CHECK(let_go == 1);
}

TEST_CASE("adopted memory counts as live") {
    const nothing_stays check;
    const raw_memory raw(400);
    const std::size_t live = devmem::memory_info(test_device(1)).live;
    auto v = devmem::adopt(raw.ints(), 100, test_device(1), [](int*) {});
    CHECK(devmem::memory_info(test_device(1)).live == live + 400);
    v.reset();
    CHECK(devmem::memory_info(test_device(1)).live == live);
}

TEST_CASE("the memory is let go when the work of the stream that it came with is over") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const raw_memory raw(400);
    const devmem::stream s(test_device(1));
    devmem_test::gate held(s);
    int let_go = 0;
    {
        const auto v = devmem::adopt(raw.ints(), 100, s, [&](int*) { ++let_go; });
        CHECK(v.device() == test_device(1));
    }
    const test_vector<int> other(10, test_device(1));
    CHECK(let_go == 0);
    held.open();
    s.synchronize();
    const test_vector<int> next(10, test_device(1));
    CHECK(let_go == 1);
}

TEST_CASE("the memory is let go after copies from it, on whatever device's stream") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const raw_memory raw(400);
    const devmem::stream s(test_device(2));
    test_vector<int> elsewhere(100, s);
    int let_go = 0;
    auto v = devmem::adopt(raw.ints(), 100, test_device(1), [&](int*) { ++let_go; });
    v.assign(100, 5);
    devmem_test::gate held(s);
    devmem::copy_async(v, elsewhere, s);
    v.reset();
    devmem::synchronize(test_device(1));
    const test_vector<int> other(10, test_device(1));
    CHECK(let_go == 0);
    held.open();
    devmem::empty_cache(test_device(1));
    CHECK(let_go == 1);
    CHECK(elsewhere.get(99, s) == 5);
}

TEST_CASE("what cannot be adopted stays the caller's") {
    const nothing_stays check;
    const raw_memory raw(400);
    int let_go = 0;
    const auto count = [&let_go](int*) { ++let_go; };
    const auto adopt = [&count](int* data, std::size_t n, devmem::placement where) {
        return devmem::adopt(data, n, where, count);
    };
    CHECK_THROWS_AS(adopt(nullptr, 3, test_device(1)), devmem::invalid_argument);
    CHECK_THROWS_AS(adopt(raw.ints(), std::size_t{1} << 62, test_device(1)), devmem::length_error);
    CHECK_THROWS_AS(adopt(raw.ints(), 3, test_device(9)), devmem::no_such_device);
    CHECK(let_go == 0);
}

TEST_CASE("no elements are let go at once") {
    const nothing_stays check;
    const raw_memory raw(400);
    int let_go = 0;
    int* given_back = nullptr;
    const auto v = devmem::adopt(raw.ints(), 0, test_device(1), [&](int* data) {
        ++let_go;
        given_back = data;
    });
    CHECK(let_go == 1);
    CHECK(given_back == raw.ints());
    CHECK(v.empty());
    CHECK(v.device() == test_device(1));
    const auto w = devmem::adopt(static_cast<int*>(nullptr), 0, test_device(1), [](int*) {});
    CHECK(w.empty());
}

TEST_CASE("the deleter may be moved only, and goes with its captures") {
    const nothing_stays check;
    const raw_memory raw(400);
    const auto shared = std::make_shared<int>(1);
    {
        auto owned = std::make_unique<int>(7);
        const auto v = devmem::adopt(raw.ints(), 100, test_device(1),
                                     [owned = std::move(owned), shared](int*) { *owned += 1; });
        CHECK(shared.use_count() == 2);
    }
    devmem::empty_cache(test_device(1));
    CHECK(shared.use_count() == 1);
}

TEST_CASE("host memory is a CPU device's memory") {
    if (path_is_cuda) DEVMEM_SKIP("a GPU's memory is not the host's");
    const nothing_stays check;
    auto* data = static_cast<double*>(std::malloc(10 * sizeof(double)));
    REQUIRE(data != nullptr);
    for (int i = 0; i < 10; ++i) data[i] = i;
    const auto v =
        devmem::adopt(data, 10, devmem::device::cpu(0), [](double* mine) { std::free(mine); });
    CHECK(contents(v.last(2)) == std::vector<double>{8, 9});
}
