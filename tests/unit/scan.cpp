// To each position what all elements up to it make together. The very bits are compared: they must
// depend on the number of elements only.
#include "elements.hpp"
#include "kernels.hpp"
#include "message_of.hpp"
#include "random.hpp"
#include "run_case.hpp"
#include "test_backend.hpp"

#include <devmem/scan.hpp>
#include <devmem/stream_guard.hpp>
#include <devmem/to_host.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using devmem::exclusive_scan;
using devmem::inclusive_scan;
using devmem::stream;
using devmem_test::affine_map;
using devmem_test::compose;
using devmem_test::drawn_value;
using devmem_test::drawn_values;
using devmem_test::elements_of;
using devmem_test::in_the_middle;
using devmem_test::large_sizes;
using devmem_test::message_of;
using devmem_test::random_numbers;
using devmem_test::same_bits;
using devmem_test::test_device;
using devmem_test::test_vector;
using devmem_test::wide_element;

namespace {

struct add_wide {
    wide_element operator()(const wide_element& a, const wide_element& b) const {
        return {a.number + b.number, a.place + b.place};
    }
};

/// The documented tree, written down once more, without any cleverness.
template <class T, class Op>
std::vector<T> scan_model(const std::vector<T>& in, const T* init, const Op& op) {
    constexpr std::size_t leaf = 512;
    std::vector<T> before;  // none, or the one value that is before the leaf
    if (init != nullptr) before.push_back(*init);
    std::vector<T> out;
    for (std::size_t begin = 0; begin < in.size(); begin += leaf) {
        std::vector<T> running = before;
        std::vector<T> total;
        for (std::size_t i = begin; i < std::min(begin + leaf, in.size()); ++i) {
            if (init != nullptr) out.push_back(running.back());
            running.push_back(running.empty() ? in[i] : static_cast<T>(op(running.back(), in[i])));
            if (init == nullptr) out.push_back(running.back());
            total.push_back(total.empty() ? in[i] : static_cast<T>(op(total.back(), in[i])));
        }
        before = {before.empty() ? total.back() : static_cast<T>(op(before.back(), total.back()))};
    }
    return out;
}

/// Scans a part of a vector in place or into another part, and compares.
template <class T, class Op>
bool scans_as_the_model(random_numbers& random, std::size_t n, const Op& op) {
    const stream s(test_device(static_cast<int>(random.below(4))));
    const std::vector<T> in = drawn_values<T>(random, n);
    const T init = drawn_value<T>(random, 1'000);
    const bool exclusive = random.one_in(2);
    in_the_middle<T> from(in, s);
    in_the_middle<T> other(drawn_values<T>(random, n), s);
    const bool in_place = random.one_in(2);
    in_the_middle<T>& to = in_place ? from : other;
    if (exclusive) {
        exclusive_scan(from.view(), to.view(), init, op, s);
    } else {
        inclusive_scan(from.view(), to.view(), op, s);
    }
    s.synchronize();
    return same_bits(to.read_back(), scan_model(in, exclusive ? &init : nullptr, op)) &&
           to.edges_are_kept() && (in_place || same_bits(from.read_back(), in));
}

template <class T, class Op = devmem::plus>
void check_random_inputs(std::uint64_t seed, const Op& op = {}) {
    random_numbers random(seed);
    std::size_t wrong = 0;
    for (int i = 0; i < 120; ++i) {
        const std::size_t n = random.one_in(4) ? random.below(6'000) : random.below(600);
        wrong += scans_as_the_model<T>(random, n, op) ? 0u : 1u;
    }
    CHECK(wrong == 0);
}

template <class T>
std::vector<T> inclusive(const std::vector<T>& values) {
    const test_vector<T> in(values, test_device(1));
    test_vector<T> out(values.size(), test_device(1));
    inclusive_scan(in, out);
    return elements_of(out);
}

}  // namespace

TEST_CASE("random inputs of every type give the bits of the tree") {
    DEVMEM_NEEDS_KERNELS();
    check_random_inputs<std::uint8_t>(1);
    check_random_inputs<std::int16_t>(2);
    check_random_inputs<int>(3);
    check_random_inputs<float>(4);
    check_random_inputs<double>(5);
    check_random_inputs<std::int64_t>(6);
    check_random_inputs<wide_element>(7, add_wide{});
    check_random_inputs<affine_map>(8, compose{});
    check_random_inputs<affine_map>(9, compose{});
}

TEST_CASE("every size gives the bits of the tree") {
    DEVMEM_NEEDS_KERNELS();
    random_numbers random(10);
    for (const std::size_t n : std::initializer_list<std::size_t>{
             0,     1,     2,     7,     255,   256,   257,   511,   512,   513,    1'024,
             1'025, 2'048, 2'560, 2'561, 4'095, 4'096, 4'097, 4'608, 8'192, 16'385, 100'000}) {
        CAPTURE(n);
        for (int i = 0; i < 3; ++i) {
            CHECK(scans_as_the_model<float>(random, n, devmem::plus{}));
            CHECK(scans_as_the_model<affine_map>(random, n, compose{}));
        }
    }
}

TEST_CASE("a million elements") {
    DEVMEM_NEEDS_KERNELS();
    random_numbers random(11);
    for (const std::size_t n : large_sizes) {
        CAPTURE(n);
        const auto in = drawn_values<float>(random, n);
        CHECK(same_bits(inclusive(in), scan_model<float>(in, nullptr, devmem::plus{})));
        const auto whole = drawn_values<int>(random, n);
        std::vector<int> expected(n);
        std::partial_sum(whole.begin(), whole.end(), expected.begin());
        CHECK(same_bits(inclusive(whole), expected));
    }
    // The tree matters: one sum after the other has other bits.
    const auto values = drawn_values<float>(random, 100'000);
    std::vector<float> one_by_one(values.size());
    std::partial_sum(values.begin(), values.end(), one_by_one.begin());
    CHECK(!same_bits(inclusive(values), one_by_one));
}

TEST_CASE("own process: scan fingerprint" * doctest::skip()) {
    random_numbers random(12);
    std::uint64_t fingerprint = 0xCBF2'9CE4'8422'2325u;  // FNV-1a, over the words of all results
    for (const std::size_t n : std::initializer_list<std::size_t>{5'000, 77'777, 1'000'003}) {
        for (const float x : inclusive(drawn_values<float>(random, n))) {
            std::uint32_t word = 0;
            std::memcpy(&word, &x, sizeof word);
            fingerprint = (fingerprint ^ word) * 0x100'0000'01B3u;
        }
    }
    CHECK(fingerprint != 0);
    devmem_test::say("%016llx", static_cast<unsigned long long>(fingerprint));
}

TEST_CASE("any number of threads gives the same bits") {
    DEVMEM_NEEDS_KERNELS();
    if (!devmem::detail::team_helps) DEVMEM_SKIP("no helpers under a race detector");
    const auto fingerprint = [](const char* threads) {
        const auto result = devmem_test::run_case(
            "own process: scan fingerprint",
            {std::string("DEVMEM_CPU_THREADS=") + threads, "DEVMEM_CPU_DEVICES=4"});
        INFO(result.output);
        CHECK(result.exit_status == 0);
        CHECK(result.said.size() == 16);
        return result.said;
    };
    const std::string alone = fingerprint("1");
    CHECK(fingerprint("2") == alone);
    CHECK(fingerprint("3") == alone);
    CHECK(fingerprint("7") == alone);
}

TEST_CASE("the sum is plain by default, on the stream that is given") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(2));
    const test_vector<int> in({1, 2, 3, 4}, s);
    test_vector<int> out(4, s);
    inclusive_scan(in, out, s);
    CHECK(out.to_host(s) == std::vector{1, 3, 6, 10});
    exclusive_scan(in, out, 100, s);
    CHECK(out.to_host(s) == std::vector{100, 101, 103, 106});
    exclusive_scan(in, out, 0);
    CHECK(out.to_host() == std::vector{0, 1, 3, 6});
    inclusive_scan(in, out, [](int a, int b) { return a * b; });
    CHECK(out.to_host() == std::vector{1, 2, 6, 24});
    inclusive_scan(out.first(3), out.first(3));
    CHECK(out.to_host() == std::vector{1, 3, 9, 24});
    const devmem::stream_guard guard(s);
    exclusive_scan(
        in, out, 1, [](int a, int b) { return a * b; }, s);
    CHECK(out.to_host() == std::vector{1, 1, 2, 6});
}

TEST_CASE("no elements need no operation") {
    DEVMEM_NEEDS_KERNELS();
    test_vector<int> v(0, test_device(0));
    inclusive_scan(v, v);
    exclusive_scan(v, v, 5);
    test_vector<int> one(1, 9, test_device(0));
    inclusive_scan(one.first(0), one.last(0));
    CHECK(one.get(0) == 9);
    exclusive_scan(one, one, 4);
    CHECK(one.get(0) == 4);
}

TEST_CASE("it is queued, and ordered with what other streams do") {
    DEVMEM_NEEDS_KERNELS();
    const stream a(test_device(1));
    const stream b(test_device(1));
    test_vector<std::uint64_t> v(10'000, 1, a);
    for (int i = 0; i < 6; ++i) inclusive_scan(v, v, i % 2 == 0 ? b : a);
    std::vector<std::uint64_t> expected(10'000, 1);
    for (int i = 0; i < 6; ++i) {
        std::partial_sum(expected.begin(), expected.end(), expected.begin());
    }
    CHECK(v.to_host(a) == expected);
}

TEST_CASE("what the operation throws is thrown by the next synchronize, once") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    for (const std::size_t at : std::initializer_list<std::size_t>{1, 5'000, 300'000, 499'999}) {
        CAPTURE(at);
        test_vector<int> many(500'000, 1, s);
        many.set(at, -1, s);
        inclusive_scan(
            many, many,
            [](int a, int b) -> int {
                if (b == -1) throw std::runtime_error("minus one");
                return a + b;
            },
            s);
        CHECK_THROWS_WITH_AS(s.synchronize(), "minus one", std::runtime_error);
        CHECK_NOTHROW(s.synchronize());
    }
    test_vector<int> v(0, s);
    v.assign(5'000, 1, s);
    inclusive_scan(v, v, s);
    CHECK(v.get(4'999, s) == 5'000);
}

TEST_CASE("ranges that do not fit are refused, and nothing written") {
    test_vector<int> v(20, 1, test_device(0));
    const test_vector<int> eleven(11, 1, test_device(0));
    const test_vector<int> elsewhere(20, 1, test_device(1));
    const stream s1(test_device(1));
    const std::string kind = devmem_test::path_is_cuda ? "cuda" : "cpu";
    const auto refused = [](const auto& f) { return message_of<devmem::invalid_argument>(f); };
    CHECK(refused([&] { inclusive_scan(eleven, v); }) ==
          "inclusive_scan: ranges of 11 and 20 elements; sizes must be equal");
    CHECK(refused([&] { exclusive_scan(eleven.first(0), v, 0); }) ==
          "exclusive_scan: ranges of 0 and 20 elements; sizes must be equal");
    CHECK(refused([&] { inclusive_scan(v.first(10), v.subspan(1, 10)); }) ==
          "inclusive_scan: the output overlaps an input without being the same range; copy one of "
          "them");
    CHECK(message_of<devmem::wrong_device>([&] { inclusive_scan(elsewhere, v); }) ==
          "inclusive_scan: a range is on " + kind + ":1, the stream on " + kind +
              ":0; all must be on one device");
    CHECK(message_of<devmem::wrong_device>([&] { exclusive_scan(v, v, 0, s1); }) ==
          "exclusive_scan: the stream is " + kind + ":1's, the object " + kind + ":0's");
    CHECK(elements_of(v) == std::vector<int>(20, 1));
}

TEST_CASE("on a GPU it is not permitted in this version, and says so") {
    if constexpr (!devmem_test::path_is_cuda) {
        DEVMEM_SKIP("this path has no GPU");
    } else {
        test_vector<int> v(10, 1, test_device(3));
        CHECK(message_of<devmem::not_permitted>([&] { inclusive_scan(v, v); }) ==
              "inclusive_scan: no kernel for cuda:3 in a file that nvcc has not compiled; "
              "compile it with nvcc, or copy the data to a CPU device");
        CHECK_THROWS_AS(exclusive_scan(v, v, 2), devmem::not_permitted);
        CHECK(elements_of(v) == std::vector<int>(10, 1));
    }
}
