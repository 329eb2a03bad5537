// Every algorithm as nvcc compiles it, over the simulated runtime: loops by launches of the
// library's kernels, whose twins run; reductions, scans, selections and sorts by theirs. Against
// the standard library, on random inputs, of sizes around packs, blocks and leaves.
#include "elements.hpp"
#include "message_of.hpp"
#include "test_backend.hpp"

#include <devmem/devmem.hpp>
#include <devmem/launch.cuh>
#include <simulated_cuda.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

using devmem_test::drawn_values;
using devmem_test::elements_of;
using devmem_test::message_of;
using devmem_test::random_numbers;
using devmem_test::same_bits;
using devmem_test::test_device;
using devmem_test::test_vector;
using devmem_test::wide_element;

namespace {

const std::size_t sizes[] = {0, 1, 7, 255, 256, 257, 511, 4'097, 70'001};

/// Calls `f(values)` with random values of T, of each size.
template <class T, class F>
void for_each_size(const F& f, unsigned variety = 1'000) {
    random_numbers random(sizeof(T));
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        f(drawn_values<T>(random, n, variety));
    }
}

template <class T>
test_vector<T> on_device(const std::vector<T>& values) {
    return test_vector<T>(values, test_device(1));
}

struct tripled_less_one {
    template <class T>
    DEVMEM_HD T operator()(const T& x) const {
        return static_cast<T>(3 * x - 1);
    }
};
struct joined_three {
    DEVMEM_HD float operator()(float a, float b, double c) const {
        return a - 2 * b + static_cast<float>(c);
    }
};
struct twisted {
    DEVMEM_HD wide_element operator()(const wide_element& x) const {
        return {-x.number, x.place + 1};
    }
};
struct is_odd {
    template <class T>
    DEVMEM_HD bool operator()(const T& x) const {
        return static_cast<std::int64_t>(x) % 2 != 0;
    }
};
struct by_size {
    DEVMEM_HD bool operator()(int a, int b) const { return (a < 0 ? -a : a) < (b < 0 ? -b : b); }
};
struct alike {
    DEVMEM_HD bool operator()(int a, int b) const { return a / 3 == b / 3; }
};
struct increased {
    template <class T>
    DEVMEM_HD void operator()(T& x) const {
        x = static_cast<T>(x + 1);
    }
};

std::size_t launches() { return simulated_cuda::count("cudaLaunchKernel"); }

template <class T>
void check_transform() {
    for_each_size<T>([](const std::vector<T>& values) {
        const auto in = on_device(values);
        test_vector<T> out(values.size(), test_device(1));
        devmem::transform(in, out, tripled_less_one{});
        std::vector<T> wanted(values.size());
        std::transform(values.begin(), values.end(), wanted.begin(), tripled_less_one{});
        CHECK(same_bits(elements_of(out), wanted));
        // In place, and from an address that packs cannot have.
        if (values.size() < 2) return;
        devmem::transform(out.subspan(1, out.size() - 1), out.subspan(1, out.size() - 1),
                          tripled_less_one{});
        std::transform(wanted.begin() + 1, wanted.end(), wanted.begin() + 1, tripled_less_one{});
        CHECK(same_bits(elements_of(out), wanted));
    });
}

template <class T>
void check_sums() {
    for_each_size<T>(
        [](const std::vector<T>& values) {
            const auto in = on_device(values);
            // Integers and few small numbers: exact in any order.
            const T sum = std::accumulate(values.begin(), values.end(), T(5), devmem::plus{});
            CHECK(devmem::reduce(in, T(5)) == sum);
            test_vector<T> out(1, test_device(1));
            devmem::reduce_async(in, out, T(5));
            CHECK(out.get(0) == sum);
            const auto odd = std::count_if(values.begin(), values.end(), is_odd{});
            CHECK(devmem::count_if(in, is_odd{}) == static_cast<std::size_t>(odd));
        },
        7);
}

template <class T>
void check_scans() {
    for_each_size<T>(
        [](const std::vector<T>& values) {
            const auto in = on_device(values);
            test_vector<T> out(values.size(), test_device(1));
            std::vector<T> wanted(values.size());
            devmem::inclusive_scan(in, out);
            std::inclusive_scan(values.begin(), values.end(), wanted.begin(), devmem::plus{});
            CHECK(same_bits(elements_of(out), wanted));
            devmem::exclusive_scan(in, out, T(3));
            std::exclusive_scan(values.begin(), values.end(), wanted.begin(), T(3), devmem::plus{});
            CHECK(same_bits(elements_of(out), wanted));
        },
        7);
}

template <class T>
void check_sorts() {
    for_each_size<T>([](const std::vector<T>& values) {
        auto v = on_device(values);
        devmem::sort(v);
        std::vector<T> wanted = values;
        std::stable_sort(wanted.begin(), wanted.end());
        CHECK(same_bits(elements_of(v), wanted));

        auto keys = on_device(values);
        test_vector<std::uint32_t> places(values.size(), test_device(1));
        devmem::iota(places, 0);
        devmem::sort_by_key(keys, places);
        std::vector<std::uint32_t> order(values.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](auto a, auto b) { return values[a] < values[b]; });
        CHECK(same_bits(elements_of(keys), wanted));
        CHECK(same_bits(elements_of(places), order));
    });
}

}  // namespace

TEST_CASE("transform of types from one to sixteen bytes") {
    check_transform<std::uint8_t>();
    check_transform<std::int16_t>();
    check_transform<float>();
    check_transform<double>();
    for_each_size<wide_element>([](const std::vector<wide_element>& values) {
        auto v = on_device(values);
        devmem::transform(v, v, twisted{});
        std::vector<wide_element> wanted = values;
        std::transform(values.begin(), values.end(), wanted.begin(), twisted{});
        CHECK(same_bits(elements_of(v), wanted));
    });
}

TEST_CASE("transform of three ranges, of types of different sizes") {
    for_each_size<float>([](const std::vector<float>& a) {
        random_numbers random(3);
        const auto b = drawn_values<float>(random, a.size());
        const auto c = drawn_values<double>(random, a.size());
        test_vector<float> out(a.size(), test_device(1));
        const auto x = on_device(a);
        const auto y = on_device(b);
        const auto z = on_device(c);
        devmem::transform(x, y, z, out, joined_three{});
        std::vector<float> wanted(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) wanted[i] = joined_three{}(a[i], b[i], c[i]);
        CHECK(same_bits(elements_of(out), wanted));
    });
}

TEST_CASE("one launch for a loop, none for nothing; extended lambdas") {
    test_vector<int> v(1'000, 1, test_device(0));
    const std::size_t before = launches();
    const int by = 7;
    devmem::transform(v, v, [by] DEVMEM_HD(int x) { return x + by; });
    CHECK(launches() == before + 1);
    test_vector<int> empty(test_device(0));
    devmem::transform(empty, empty, [by] DEVMEM_HD(int x) { return x + by; });
    CHECK(launches() == before + 1);
    CHECK(v.get(999) == 8);
}

TEST_CASE("for_each, for_each_index, iota and launch") {
    for_each_size<int>([](const std::vector<int>& values) {
        auto v = on_device(values);
        devmem::for_each(v, increased{});
        std::vector<int> wanted = values;
        std::for_each(wanted.begin(), wanted.end(), increased{});
        CHECK(same_bits(elements_of(v), wanted));

        devmem::iota(v, 5);
        std::iota(wanted.begin(), wanted.end(), 5);
        CHECK(same_bits(elements_of(v), wanted));

        test_vector<int> out(values.size(), test_device(1));
        devmem::stream s(test_device(1));
        devmem::launch(
            s, devmem::index_range(values.size()),
            [] DEVMEM_HD(std::size_t i, devmem::device_span<const int> from, int* to, int by) {
                to[i] = from[i] * by;
            },
            devmem::read(v), devmem::write(out), 2);
        for (int& x : wanted) x *= 2;
        CHECK(same_bits(elements_of(out), wanted));

        const auto written = out.write(s);
        const auto span = written.span();
        devmem::for_each_index(
            values.size(), [span] DEVMEM_HD(std::size_t i) { span[i] = -static_cast<int>(i); }, s);
        s.synchronize();
    });
}

TEST_CASE("reductions") {
    check_sums<std::uint8_t>();
    check_sums<std::int16_t>();
    check_sums<int>();
    check_sums<std::uint64_t>();
    for_each_size<double>([](const std::vector<double>& values) {
        const auto a = on_device(values);
        long double sum = 0;
        long double products = 0;
        long double size = 0;
        for (const double x : values) {
            sum += x;
            products += static_cast<long double>(x) * x;
            size += std::fabs(x);
        }
        const double bound =
            40 * std::numeric_limits<double>::epsilon() * static_cast<double>(size + products);
        CHECK(std::fabs(devmem::reduce(a) - static_cast<double>(sum)) <= bound);
        CHECK(std::fabs(devmem::inner_product(a, a, 0.0) - static_cast<double>(products)) <= bound);
        CHECK(devmem::transform_reduce(a, 1, devmem::plus{}, [] DEVMEM_HD(double) { return 1; }) ==
              static_cast<int>(values.size()) + 1);
        CHECK(devmem::equal(a, a));
        CHECK(devmem::all_finite(a));
        if (values.empty()) return;
        auto b = on_device(values);
        b.set(values.size() / 2, std::numeric_limits<double>::infinity());
        CHECK_FALSE(devmem::equal(a, b));
        CHECK_FALSE(devmem::all_finite(b));
    });
}

TEST_CASE("min_max_element: of equals the first smallest and the last largest") {
    for_each_size<int>(
        [](const std::vector<int>& values) {
            const auto found = devmem::min_max_element(on_device(values));
            if (values.empty()) {
                CHECK(found == devmem::min_max_positions{0, 0});
                return;
            }
            const auto wanted = std::minmax_element(values.begin(), values.end());
            CHECK(found.min == static_cast<std::size_t>(wanted.first - values.begin()));
            CHECK(found.max == static_cast<std::size_t>(wanted.second - values.begin()));
        },
        9);
}

TEST_CASE("scans") {
    check_scans<std::uint8_t>();
    check_scans<int>();
    check_scans<std::uint64_t>();
}

TEST_CASE("sorts") {
    check_sorts<std::uint8_t>();
    check_sorts<std::int16_t>();
    check_sorts<int>();
    check_sorts<std::uint64_t>();
    check_sorts<float>();
    for_each_size<int>([](const std::vector<int>& values) {
        auto v = on_device(values);
        devmem::sort(v, by_size{});
        std::vector<int> wanted = values;
        std::stable_sort(wanted.begin(), wanted.end(), by_size{});
        CHECK(same_bits(elements_of(v), wanted));
    });
}

TEST_CASE("copy_if and unique") {
    for_each_size<int>(
        [](const std::vector<int>& values) {
            const auto in = on_device(values);
            std::vector<int> wanted;
            std::copy_if(values.begin(), values.end(), std::back_inserter(wanted), is_odd{});
            test_vector<int> out(values.size(), test_device(1));
            REQUIRE(devmem::copy_if(in, out, is_odd{}) == wanted.size());
            CHECK(same_bits(elements_of(out.first(wanted.size())), wanted));
            auto v = on_device(values);
            REQUIRE(devmem::copy_if(v, v, is_odd{}) == wanted.size());
            CHECK(same_bits(elements_of(v.first(wanted.size())), wanted));

            auto u = on_device(values);
            wanted = values;
            wanted.erase(std::unique(wanted.begin(), wanted.end(), alike{}), wanted.end());
            REQUIRE(devmem::unique(u, alike{}) == wanted.size());
            CHECK(same_bits(elements_of(u.first(wanted.size())), wanted));
        },
        9);
}

TEST_CASE("gather and scatter, and an index that is wrong") {
    random_numbers random(8);
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const auto values = drawn_values<double>(random, n);
        std::vector<std::int32_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = n; i > 1; --i) {
            std::swap(order[i - 1], order[random.below(static_cast<unsigned>(i))]);
        }
        const auto in = on_device(values);
        auto which = on_device(order);
        test_vector<double> out(n, test_device(1));
        test_vector<double> back(n, test_device(1));
        devmem::gather_elements(in, which, out);
        devmem::scatter_elements(out, which, back);
        std::vector<double> wanted(n);
        for (std::size_t i = 0; i < n; ++i) wanted[i] = values[static_cast<std::size_t>(order[i])];
        CHECK(same_bits(elements_of(out), wanted));
        CHECK(same_bits(elements_of(back), values));
        if (n < 7) continue;
        devmem::stream s(test_device(1));
        which.set(3, -1);
        which.set(n - 1, static_cast<std::int32_t>(n));
        devmem::gather_elements(in, which, out, s);
        const std::string message = message_of<devmem::invalid_argument>([&] { s.synchronize(); });
        CHECK(message.find("gather_elements: the index at position 3 is not within the " +
                           std::to_string(n) + " elements") != std::string::npos);
        s.synchronize();  // once
    }
}

TEST_CASE("results and scratch leave nothing behind") {
    const std::size_t before = devmem::memory_info(test_device(1)).live;
    {
        const auto v = on_device(std::vector<int>(10'000, 2));
        CHECK(devmem::reduce(v) == 20'000);
        CHECK(devmem::count_if(v, is_odd{}) == 0);
    }
    CHECK(devmem::memory_info(test_device(1)).live == before);
    CHECK(simulated_cuda::misuses().empty());
}

__global__ void scale(float* x, std::size_t n, float by) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
void scale_on_host(float* x, std::size_t n, float by) {
    for (std::size_t i = 0; i < n; ++i) x[i] *= by;
}
DEVMEM_TWIN(scale, scale_on_host);

__global__ void without_twin(devmem::device_span<const float>) {}

TEST_CASE("a kernel of the program's own, by its twin") {
    test_vector<float> v(1'000, 1.5f, test_device(1));
    devmem::stream s(test_device(1));
    devmem::launch(s, {dim3(4), dim3(256)}, scale, devmem::read_write(v), v.size(), 2.0);
    CHECK(v.get(0) == 3.0f);
    CHECK(v.get(999) == 3.0f);
    CHECK(message_of<devmem::no_host_twin>([&] {
              devmem::launch(s, {dim3(1), dim3(1)}, without_twin, devmem::read(v));
          }).find("DEVMEM_TWIN") != std::string::npos);
    CHECK_THROWS_AS(
        devmem::launch(s, {dim3(1), dim3(2'000)}, scale, devmem::read_write(v), v.size(), 2.0f),
        devmem::error);
    devmem::stream cpu(devmem::device::cpu(0));
    CHECK_THROWS_AS(devmem::launch(cpu, {dim3(1), dim3(1)}, scale, nullptr, std::size_t{0}, 1.0f),
                    devmem::wrong_device);
    CHECK(v.get(0) == 3.0f);  // the stream is as good as before
}

TEST_CASE("the same file works on a CPU device") {
    devmem::device_vector<int> v(5'000, 3, devmem::device::cpu(1));
    devmem::transform(v, v, tripled_less_one{});
    CHECK(devmem::reduce(v) == 40'000);
    devmem::sort(v);
    CHECK(v.get(0) == 8);
}
