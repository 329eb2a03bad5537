// Every direction: between spaces, policies, devices, kinds of device and kinds of host memory.
#include "contents.hpp"
#include "skip.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/error.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::path_is_cuda;
using devmem_test::settle;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_mapped;
using devmem_test::test_pinned;
using devmem_test::test_vector;

using containers = std::tuple<test_vector<int>, test_vector<int, devmem::direct>,
                              test_vector<int, devmem::stream_ordered>, test_pinned<int>,
                              test_mapped<int>, test_managed<int>, devmem::device_vector<int>>;

/// Calls `f` with the type of each container.
template <class F>
void for_each_container(const F& f) {
    const auto each = [&f]<class... Containers>(std::type_identity<std::tuple<Containers...>>) {
        (f(std::type_identity<Containers>()), ...);
    };
    each(std::type_identity<containers>());
}

}  // namespace

TEST_CASE("between all containers, on one device and between two") {
    const nothing_stays check;
    int pairs = 0;
    for_each_container([&pairs]<class From>(std::type_identity<From>) {
        for_each_container([&pairs]<class To>(std::type_identity<To>) {
            for (const int other : {1, 2}) {
                const devmem::stream of_source(test_device(1));
                const devmem::stream of_destination(test_device(other));
                const From source(counted<int>(777, 5), test_device(1));
                To destination(777, test_device(other));
                settle();
                devmem::copy(source, destination);
                CHECK(contents(destination) == counted<int>(777, 5));
                destination.assign(777, 0);
                settle();
                devmem::copy_async(source, destination, of_source);
                of_source.synchronize();
                CHECK(contents(destination) == counted<int>(777, 5));
                destination.assign(777, 0);
                settle();
                devmem::copy_async(source, destination, of_destination);
                of_destination.synchronize();
                CHECK(contents(destination) == counted<int>(777, 5));
                ++pairs;
            }
        });
    });
    CHECK(pairs == 98);
}

TEST_CASE("between all containers and every contiguous host memory") {
    const nothing_stays check;
    for_each_container([]<class Container>(std::type_identity<Container>) {
        Container c(3, test_device(1));
        std::vector<int> vector{1, 2, 3};
        devmem::copy(vector, c);
        devmem::copy(c, vector);
        CHECK(vector == std::vector<int>{1, 2, 3});
        std::array<int, 3> array{4, 5, 6};
        devmem::copy_async(array, c);
        array.fill(0);
        devmem::copy(c, array);
        CHECK(array == std::array{4, 5, 6});
        int plain[3] = {7, 8, 9};
        devmem::copy(plain, c);
        plain[0] = 0;
        devmem::copy(c, plain);
        CHECK(plain[0] == 7);
        const auto owned = std::make_unique<int[]>(3);
        devmem::copy(c, std::span(owned.get(), 3));
        CHECK(owned[2] == 9);
        devmem::copy_async(std::span<const int>(vector), c);
        devmem::copy(c, std::span<int, 3>(plain));
        CHECK(plain[1] == 2);
    });
    test_vector<char> text(5, test_device(1));
    devmem::copy(std::string("hello"), text);
    std::string back(5, ' ');
    devmem::copy(text, back);
    CHECK(back == "hello");
}

TEST_CASE("between a CPU device and a GPU, where the host waits") {
    if (!path_is_cuda) DEVMEM_SKIP("this path has one kind of device");
    const nothing_stays check;
    const devmem::device cpu = devmem::device::cpu(1);
    const devmem::device gpu = test_device(1);
    const devmem::device_vector<int> source(counted<int>(5000), cpu);
    devmem::device_vector<int> there(5000, gpu);
    devmem::pinned_buffer<int> pinned(5000, gpu);
    devmem::device_vector<int> back(5000, cpu);
    // The first of these needs no order from us: both sides are waited for.
    devmem::copy_async(source, there);
    devmem::copy_async(there, pinned);
    devmem::synchronize(gpu);
    devmem::copy_async(pinned, back);
    CHECK(contents(back) == counted<int>(5000));
    CHECK(contents(devmem::device_vector<int>(source, gpu)) == counted<int>(5000));
    there.assign(back.last(10));
    CHECK(contents(there) == counted<int>(10, 4990));
    there = source;
    CHECK(there.device() == gpu);
    back = there;
    CHECK(back.device() == cpu);
    CHECK(contents(back) == counted<int>(5000));
    devmem::copy(there.first(0), back.first(0));

    const devmem::stream of_cpu(cpu);
    const devmem::stream of_gpu(gpu);
    const devmem::stream third(test_device(2));
    const devmem::stream third_of_cpu(devmem::device::cpu(2));
    devmem::copy(source, there, of_cpu);
    devmem::copy(there, back, of_gpu);
    CHECK_THROWS_AS(devmem::copy(source, there, third), devmem::wrong_device);
    CHECK_THROWS_AS(devmem::copy_async(there, back, third_of_cpu), devmem::wrong_device);
}
