// One value from all elements. Of floating-point sums the very bits are compared: they must depend
// on the number of elements only.
#include "contents.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "message_of.hpp"
#include "random.hpp"
#include "run_case.hpp"
#include "test_backend.hpp"

#include <devmem/host_task.hpp>
#include <devmem/reduce.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using devmem::reduce;
using devmem::reduce_async;
using devmem::stream;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::message_of;
using devmem_test::random_numbers;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

/// A type and an operation of a user's own.
struct spread {
    float sum;
    float least;
    float most;
    std::uint32_t count;
};
struct join {
    spread operator()(const spread& a, const spread& b) const {
        return {a.sum + b.sum, std::min(a.least, b.least), std::max(a.most, b.most),
                a.count + b.count};
    }
};

/// Numbers of either sign and very different sizes, whose sum depends on the order of additions.
void draw(random_numbers& random, float& x) {
    const std::uint64_t bits = random.next();
    const std::uint32_t exponent = 100 + static_cast<std::uint32_t>(bits >> 32) % 40;
    x = std::bit_cast<float>((static_cast<std::uint32_t>(bits) & 0x807F'FFFFu) | (exponent << 23));
}
void draw(random_numbers& random, double& x) {
    const std::uint64_t bits = random.next();
    const std::uint64_t exponent = 980 + random.below(80);
    x = std::bit_cast<double>((bits & 0x800F'FFFF'FFFF'FFFFu) | (exponent << 52));
}
void draw(random_numbers& random, int& x) { x = static_cast<int>(random.below(2'000)) - 1'000; }
void draw(random_numbers& random, spread& x) {
    draw(random, x.sum);
    x.least = x.most = x.sum;
    x.count = 1;
}

template <class T>
std::vector<T> drawn(std::size_t n) {
    random_numbers random(sizeof(T));
    std::vector<T> values(n);
    for (T& x : values) draw(random, x);
    return values;
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The documented tree, written down once more, without any cleverness: pieces of 4096 elements,
/// in each 32 sums of every 32nd element, and neighbours joined until one is left.
template <class T, class Op>
T join_neighbours(std::vector<T> values, const Op& op) {
    while (values.size() > 1) {
        std::vector<T> next;
        for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
            next.push_back(op(values[i], values[i + 1]));
        }
        if (values.size() % 2 != 0) next.push_back(values.back());
        values = next;
    }
    return values.front();
}
template <class T, class Op>
T reduce_model(const std::vector<T>& values, const T& init, const Op& op) {
    std::vector<T> pieces;
    for (std::size_t begin = 0; begin < values.size(); begin += 4096) {
        const std::size_t end = std::min(begin + 4096, values.size());
        std::vector<T> sums(
            values.begin() + static_cast<std::ptrdiff_t>(begin),
            values.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 32, end)));
        for (std::size_t i = begin + 32; i < end; ++i) {
            T& sum = sums[(i - begin) % 32];
            sum = op(sum, values[i]);
        }
        pieces.push_back(join_neighbours(sums, op));
    }
    return pieces.empty() ? init : op(init, join_neighbours(pieces, op));
}

constexpr std::size_t sizes[] = {0,       1,
                                 7,       31,
                                 32,      33,
                                 63,      64,
                                 65,      255,
                                 4095,    4096,
                                 4097,    8191,
                                 8192,    32'768,
                                 32'769,  (1 << 20) - 1,
                                 1 << 20, (1 << 20) + 1};

/// What `reduce` makes of drawn values of every size.
template <class T, class Op>
std::vector<T> reduce_all_sizes(const T& init, const Op& op) {
    const test_vector<T> all(drawn<T>(*std::max_element(std::begin(sizes), std::end(sizes))),
                             test_device(1));
    std::vector<T> results;
    for (const std::size_t n : sizes) results.push_back(reduce(all.first(n), init, op));
    return results;
}

template <class T, class Op>
void check_all_sizes(const T& init, const Op& op) {
    const std::vector<T> results = reduce_all_sizes(init, op);
    for (std::size_t i = 0; i < results.size(); ++i) {
        CAPTURE(sizes[i]);
        CHECK(same_bits(results[i], reduce_model(drawn<T>(sizes[i]), init, op)));
    }
}

/// Calls `f` for each type and operation that is tried.
template <class F>
void for_all_types(const F& f) {
    f(0.25f, devmem::plus{});
    f(0.25, devmem::plus{});
    f(7, devmem::plus{});
    f(spread{0, 1e30f, -1e30f, 0}, join{});
}

}  // namespace

TEST_CASE("own process: fingerprint" * doctest::skip()) {
    std::uint64_t fingerprint = 0xCBF2'9CE4'8422'2325u;  // FNV-1a, over the bits of all results
    for_all_types([&fingerprint](const auto& init, const auto& op) {
        for (const auto& result : reduce_all_sizes(init, op)) {
            unsigned char bytes[sizeof result];
            std::memcpy(bytes, &result, sizeof result);
            for (const unsigned char b : bytes) fingerprint = (fingerprint ^ b) * 0x100'0000'01B3u;
        }
    });
    CHECK(fingerprint != 0);
    devmem_test::say("%016llx", static_cast<unsigned long long>(fingerprint));
}

TEST_CASE("every size and type gives the bits of the tree") {
    DEVMEM_NEEDS_KERNELS();
    for_all_types([](const auto& init, const auto& op) { check_all_sizes(init, op); });
    // The tree matters: one sum after the other has other bits.
    const auto values = drawn<float>(100'000);
    float sum = 0;
    for (const float x : values) sum += x;
    CHECK(!same_bits(sum, reduce_model(values, 0.0f, devmem::plus{})));
}

TEST_CASE("any number of threads and either scheduler give the same bits") {
    DEVMEM_NEEDS_KERNELS();
    if (!devmem::detail::team_helps) DEVMEM_SKIP("no helpers under a race detector");
    const auto fingerprint = [](const char* threads, const char* scheduler) {
        const auto result = devmem_test::run_case(
            "own process: fingerprint",
            {std::string("DEVMEM_CPU_THREADS=") + threads,
             std::string("DEVMEM_SCHEDULER=") + scheduler, "DEVMEM_CPU_DEVICES=4"});
        INFO(result.output);
        CHECK(result.exit_status == 0);
        CHECK(result.said.size() == 16);
        return result.said;
    };
    const std::string alone = fingerprint("1", "threads");
    CHECK(fingerprint("2", "threads") == alone);
    CHECK(fingerprint("3", "threads") == alone);
    CHECK(fingerprint("7", "threads") == alone);
    CHECK(fingerprint("2", "inline") == alone);
}

TEST_CASE("the sum is plain by default, and starts at the value given") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> v(counted<int>(1'000, 1), test_device(0));
    const stream s(test_device(0));
    CHECK(reduce(v) == 500'500);
    CHECK(reduce(v, s) == 500'500);
    CHECK(reduce(v, 10) == 500'510);
    CHECK(reduce(v, 10, s) == 500'510);
    const auto most = [](int a, int b) { return a > b ? a : b; };
    CHECK(reduce(v, 0, most) == 1'000);
    CHECK(reduce(v, 5'000, most, s) == 5'000);
    CHECK(reduce(v.subspan(10, 5)) == 11 + 12 + 13 + 14 + 15);
    CHECK(reduce(test_vector<double>({0.5, 0.25}, test_device(1))) == 0.75);
}

TEST_CASE("the sum of no elements is the value to start at") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<float> v(0, test_device(0));
    CHECK(reduce(v) == 0);
    CHECK(reduce(v, 2.5f) == 2.5f);
    test_vector<float> one(1, 9.0f, test_device(0));
    CHECK(reduce(one.first(0), 1.5f) == 1.5f);
    reduce_async(one.first(0), one);
    CHECK(one.get(0) == 0);
}

TEST_CASE("small types wrap and keep their type") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<unsigned char> v(1'000, 3, test_device(0));
    CHECK(reduce(v) == 3'000 % 256);
    const test_vector<std::int64_t> wide({std::int64_t{1} << 40, 5}, test_device(0));
    CHECK(reduce(wide) == (std::int64_t{1} << 40) + 5);
}

TEST_CASE("infinities and NaN come through") {
    DEVMEM_NEEDS_KERNELS();
    std::vector<double> values(10'000, 1.0);
    values[7'000] = std::numeric_limits<double>::infinity();
    CHECK(reduce(test_vector<double>(values, test_device(0))) ==
          std::numeric_limits<double>::infinity());
    values[123] = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(reduce(test_vector<double>(values, test_device(0)))));
}

TEST_CASE("the asynchronous form writes one element, in the order of the stream") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(1));
    test_vector<int> v(counted<int>(10'000), s);
    test_vector<int> out(3, 7, s);
    reduce_async(v, out.subspan(1, 1), s);
    reduce_async(v, out.last(1), 100, devmem::plus{}, s);
    CHECK(out.to_host(s) == std::vector{7, 49'995'000, 49'995'100});
    // The result may replace one of the elements it is made of.
    reduce_async(v, v.first(1), s);
    CHECK(v.get(0, s) == 49'995'000);
    CHECK(v.get(1, s) == 1);
    devmem_test::test_pinned<int> pinned(1, s);
    reduce_async(v.first(2), pinned, s);
    s.synchronize();
    CHECK(pinned[0] == 49'995'001);
}

TEST_CASE("it is queued behind what its stream was given, and the host waits for that too") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    test_vector<int> v(10, s);
    for (int i = 0; i < 20; ++i) {
        v.assign(10, i, s);
        CHECK(reduce(v, s) == 10 * i);
    }
}

TEST_CASE("what the operation throws is thrown by reduce, once") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    const test_vector<std::int64_t> v(counted<std::int64_t>(100'000), s);
    const auto fails = [](std::int64_t a, std::int64_t b) -> std::int64_t {
        if (b == 90'000) throw std::runtime_error("element 90000");
        return a + b;
    };
    CHECK_THROWS_WITH_AS(static_cast<void>(reduce(v, 0, fails, s)), "element 90000",
                         std::runtime_error);
    CHECK_NOTHROW(s.synchronize());
    CHECK(reduce(v, s) == 4'999'950'000);

    test_vector<std::int64_t> out(1, 5, s);
    reduce_async(v, out, 0, fails, s);
    CHECK_THROWS_WITH_AS(s.synchronize(), "element 90000", std::runtime_error);
    CHECK_NOTHROW(s.synchronize());
    CHECK(out.get(0, s) == 5);
}

TEST_CASE("what earlier work of the stream has thrown is thrown by reduce, which synchronizes") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    const test_vector<int> v(100, 1, s);
    devmem::host_task([] { throw std::runtime_error("earlier"); }, s);
    CHECK_THROWS_WITH_AS(static_cast<void>(reduce(v, s)), "earlier", std::runtime_error);
    CHECK(reduce(v, s) == 100);
}

TEST_CASE("several threads reduce at once, on streams of their own") {
    DEVMEM_NEEDS_KERNELS();
    const std::vector<float> values = drawn<float>(60'000);
    const float expected = reduce_model(values, 0.0f, devmem::plus{});
    std::vector<std::thread> threads;
    std::vector<int> right(3, 0);
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            const stream s(test_device(t));
            const test_vector<float> v(values, s);
            for (int i = 0; i < 100; ++i) {
                if (same_bits(reduce(v, s), expected)) ++right[static_cast<std::size_t>(t)];
            }
        });
    }
    for (std::thread& t : threads) t.join();
    for (const int n : right) CHECK(n == 100);
}

TEST_CASE("the result must be one element, on the device of the stream") {
    const test_vector<int> v(10, test_device(1));
    test_vector<int> two(2, test_device(1));
    test_vector<int> elsewhere(1, test_device(0));
    const stream s0(test_device(0));
    const std::string kind = devmem_test::path_is_cuda ? "cuda" : "cpu";
    CHECK(message_of<devmem::invalid_argument>([&] { reduce_async(v, two); }) ==
          "reduce_async: ranges of 2 and 1 elements; sizes must be equal");
    CHECK(message_of<devmem::invalid_argument>([&] { reduce_async(v, two.first(0)); }) ==
          "reduce_async: ranges of 0 and 1 elements; sizes must be equal");
    CHECK(message_of<devmem::wrong_device>([&] { reduce_async(v, elsewhere); }) ==
          "reduce_async: a range is on " + kind + ":0, the stream on " + kind +
              ":1; all must be on one device");
    CHECK(message_of<devmem::wrong_device>([&] { static_cast<void>(reduce(v, s0)); }) ==
          "reduce: the stream is " + kind + ":0's, the object " + kind + ":1's");
}

TEST_CASE("on a GPU it is not permitted in this version, and says so") {
    if constexpr (!devmem_test::path_is_cuda) {
        DEVMEM_SKIP("this path has no GPU");
    } else {
        const test_vector<int> v(10, 1, test_device(3));
        test_vector<int> out(1, 8, test_device(3));
        CHECK(message_of<devmem::not_permitted>([&] { static_cast<void>(reduce(v)); }) ==
              "reduce: no kernel for cuda:3 in a file that nvcc has not compiled; "
              "compile it with nvcc, or copy the data to a CPU device");
        CHECK_THROWS_AS(static_cast<void>(reduce(v, 1, devmem::plus{})), devmem::not_permitted);
        CHECK_THROWS_AS(reduce_async(v, out), devmem::not_permitted);
        CHECK(out.get(0) == 8);
    }
}
