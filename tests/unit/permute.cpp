// Elements from, and to, positions that a range names.
#include "elements.hpp"
#include "kernels.hpp"
#include "message_of.hpp"
#include "random.hpp"
#include "test_backend.hpp"

#include <devmem/permute.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using devmem::gather_elements;
using devmem::scatter_elements;
using devmem::stream;
using devmem_test::affine_map;
using devmem_test::drawn_values;
using devmem_test::elements_of;
using devmem_test::in_the_middle;
using devmem_test::message_of;
using devmem_test::random_numbers;
using devmem_test::same_bits;
using devmem_test::test_device;
using devmem_test::test_vector;
using devmem_test::wide_element;

namespace {

template <class Index>
std::vector<Index> drawn_indices(random_numbers& random, std::size_t n, std::size_t below) {
    std::vector<Index> indices(n);
    for (Index& index : indices) index = static_cast<Index>(random.next() % below);
    return indices;
}

/// `n` of [0, below), each once. @pre n <= below
template <class Index>
std::vector<Index> distinct_indices(random_numbers& random, std::size_t n, std::size_t below) {
    std::vector<Index> all(below);
    for (std::size_t i = 0; i < below; ++i) all[i] = static_cast<Index>(i);
    for (std::size_t i = 0; i < n; ++i) {
        std::swap(all[i], all[i + static_cast<std::size_t>(random.next() % (below - i))]);
    }
    all.resize(n);
    return all;
}

template <class T, class Index>
bool gathers(random_numbers& random, std::size_t size, std::size_t n) {
    const stream s(test_device(static_cast<int>(random.below(4))));
    const auto src = drawn_values<T>(random, size);
    const auto indices = drawn_indices<Index>(random, n, size);
    in_the_middle<T> from(src, s);
    in_the_middle<Index> which(indices, s);
    in_the_middle<T> to(drawn_values<T>(random, n), s);
    gather_elements(from.view(), which.view(), to.view(), s);
    s.synchronize();
    std::vector<T> expected;
    for (const Index index : indices) expected.push_back(src[static_cast<std::size_t>(index)]);
    return same_bits(to.read_back(), expected) && to.edges_are_kept();
}

template <class T, class Index>
bool scatters(random_numbers& random, std::size_t n, std::size_t size) {
    const stream s(test_device(static_cast<int>(random.below(4))));
    const auto src = drawn_values<T>(random, n);
    const auto indices = distinct_indices<Index>(random, n, size);
    auto expected = drawn_values<T>(random, size);
    in_the_middle<T> from(src, s);
    in_the_middle<Index> which(indices, s);
    in_the_middle<T> to(expected, s);
    scatter_elements(from.view(), which.view(), to.view(), s);
    s.synchronize();
    for (std::size_t i = 0; i < n; ++i) expected[static_cast<std::size_t>(indices[i])] = src[i];
    return same_bits(to.read_back(), expected) && to.edges_are_kept();
}

/// 100 of each, with as many elements as an index can name.
template <class T, class Index>
void check_random_inputs(std::uint64_t seed) {
    random_numbers random(seed);
    constexpr unsigned most = sizeof(Index) == 1 ? 127 : 5'000;
    std::size_t wrong = 0;
    for (int i = 0; i < 100; ++i) {
        const unsigned few = 1 + random.below(random.one_in(3) ? most : most / 10);
        wrong += gathers<T, Index>(random, few, random.below(2 * few)) ? 0u : 1u;
        wrong += scatters<T, Index>(random, random.below(few + 1), few) ? 0u : 1u;
    }
    CHECK(wrong == 0);
}

template <class Index>
std::string refused_index(std::vector<Index> indices, std::size_t size) {
    const stream s(test_device(0));
    const test_vector<int> src(size, 5, s);
    const test_vector<Index> which(indices, s);
    test_vector<int> out(indices.size(), s);
    gather_elements(src, which, out, s);
    const std::string gathering = message_of<devmem::invalid_argument>([&] { s.synchronize(); });
    const test_vector<int> wide(indices.size(), 5, s);
    test_vector<int> narrow(size, 7, s);
    scatter_elements(wide, which, narrow, s);
    const std::string scattering = message_of<devmem::invalid_argument>([&] { s.synchronize(); });
    CHECK_NOTHROW(s.synchronize());
    CHECK(gathering.substr(0, 17) == "gather_elements: ");
    CHECK(scattering.substr(0, 18) == "scatter_elements: ");
    CHECK(gathering.substr(17) == scattering.substr(18));
    return gathering.substr(17);
}

}  // namespace

TEST_CASE("random inputs of every type of element and index") {
    DEVMEM_NEEDS_KERNELS();
    check_random_inputs<std::uint8_t, int>(1);
    check_random_inputs<std::int16_t, std::uint8_t>(2);
    check_random_inputs<int, std::int16_t>(3);
    check_random_inputs<float, std::uint32_t>(4);
    check_random_inputs<double, std::int64_t>(5);
    check_random_inputs<std::int64_t, std::size_t>(6);
    check_random_inputs<affine_map, int>(7);
    check_random_inputs<wide_element, signed char>(8);
}

TEST_CASE("every size") {
    DEVMEM_NEEDS_KERNELS();
    random_numbers random(9);
    for (const std::size_t n :
         std::initializer_list<std::size_t>{0, 1, 7, 255, 256, 257, 4'095, 4'096, 4'097, 50'000}) {
        CAPTURE(n);
        CHECK(gathers<float, int>(random, 1'000, n));
        CHECK(scatters<affine_map, int>(random, n, n + 3));
    }
    for (const std::size_t n :
         std::initializer_list<std::size_t>{(1 << 20) - 1, 1 << 20, (1 << 20) + 1}) {
        CAPTURE(n);
        CHECK(gathers<int, std::uint32_t>(random, 70'000, n));
    }
    CHECK(scatters<int, int>(random, (1 << 20) + 1, (1 << 20) + 1));
}

TEST_CASE("an index that is not there is an error of the stream, and touches nothing") {
    DEVMEM_NEEDS_KERNELS();
    CHECK(refused_index<int>({0, 3, 4, 9}, 4) ==
          "index 4 at position 2 is not within the 4 elements");
    CHECK(refused_index<signed char>({0, -1}, 4) ==
          "index -1 at position 1 is not within the 4 elements");
    CHECK(refused_index<std::int64_t>({std::numeric_limits<std::int64_t>::min()}, 4) ==
          "index -9223372036854775808 at position 0 is not within the 4 elements");
    CHECK(refused_index<std::uint64_t>({1, std::numeric_limits<std::uint64_t>::max()}, 2) ==
          "index 18446744073709551615 at position 1 is not within the 2 elements");
    CHECK(refused_index<std::uint8_t>({0}, 0) ==
          "index 0 at position 0 is not within the 0 elements");
    std::vector<int> many(200'000, 1);
    many[70'000] = 2;
    many[70'001] = -5;
    many[190'000] = 3;
    CHECK(refused_index<int>(many, 2) == "index 2 at position 70000 is not within the 2 elements");
}

TEST_CASE("what a wrong index is beside stays as it was") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(1));
    test_vector<int> v(30, 7, s);
    const test_vector<int> src(3, 1, s);
    const test_vector<int> which({-1, 10, 11}, s);
    scatter_elements(src, which, v.subspan(10, 10), s);
    CHECK_THROWS_AS(s.synchronize(), devmem::invalid_argument);
    const std::vector<int> found = elements_of(v);
    for (const std::size_t i : {9u, 20u, 21u}) CHECK(found[i] == 7);
}

TEST_CASE("it is queued, and ordered with what other streams do") {
    DEVMEM_NEEDS_KERNELS();
    const stream a(test_device(0));
    const stream b(test_device(0));
    random_numbers random(10);
    const auto order = distinct_indices<int>(random, 10'000, 10'000);
    const auto values = drawn_values<float>(random, 10'000);
    test_vector<float> v(values, a);
    const test_vector<int> which(order, b);
    test_vector<float> w(10'000, a);
    for (int i = 0; i < 5; ++i) {
        scatter_elements(v, which, w, i % 2 == 0 ? a : b);
        gather_elements(w, which, v, i % 2 == 0 ? b : a);
    }
    CHECK(elements_of(v) == values);
    const devmem::stream_guard guard(b);
    gather_elements(v, which, w);
    CHECK(w.get(3) == values[static_cast<std::size_t>(order[3])]);
}

TEST_CASE("ranges that do not fit are refused, and nothing written") {
    test_vector<int> v(20, 1, test_device(0));
    const test_vector<int> ten(10, 0, test_device(0));
    const test_vector<int> elsewhere(10, 0, test_device(1));
    const std::string kind = devmem_test::path_is_cuda ? "cuda" : "cpu";
    const auto refused = [](const auto& f) { return message_of<devmem::invalid_argument>(f); };
    CHECK(refused([&] { gather_elements(ten, ten, v); }) ==
          "gather_elements: ranges of 10 and 20 elements; sizes must be equal");
    CHECK(refused([&] { scatter_elements(v.first(9), ten, v); }) ==
          "scatter_elements: ranges of 9 and 10 elements; sizes must be equal");
    const std::string overlap = "the output overlaps an input; copy one of them";
    CHECK(refused([&] { gather_elements(v.first(10), ten, v.first(10)); }) ==
          "gather_elements: " + overlap);
    CHECK(refused([&] { gather_elements(ten, v.first(10), v.subspan(9, 10)); }) ==
          "gather_elements: " + overlap);
    CHECK(refused([&] { scatter_elements(v.first(10), ten, v); }) ==
          "scatter_elements: " + overlap);
    CHECK(refused([&] { scatter_elements(ten, v.last(10), v); }) == "scatter_elements: " + overlap);
    CHECK(message_of<devmem::wrong_device>([&] { gather_elements(elsewhere, ten, v.first(10)); }) ==
          "gather_elements: a range is on " + kind + ":1, the stream on " + kind +
              ":0; all must be on one device");
    CHECK(message_of<devmem::wrong_device>([&] { scatter_elements(ten, elsewhere, v); }) ==
          "scatter_elements: a range is on " + kind + ":1, the stream on " + kind +
              ":0; all must be on one device");
    CHECK(elements_of(v) == std::vector<int>(20, 1));
}

TEST_CASE("on a GPU it is not permitted in this version, and says so") {
    if constexpr (!devmem_test::path_is_cuda) {
        DEVMEM_SKIP("this path has no GPU");
    } else {
        const test_vector<int> in(10, 1, test_device(3));
        test_vector<int> out(10, 2, test_device(3));
        CHECK(message_of<devmem::not_permitted>([&] { gather_elements(in, in, out); }) ==
              "gather_elements: no kernel for cuda:3 in a file that nvcc has not compiled; "
              "compile it with nvcc, or copy the data to a CPU device");
        CHECK_THROWS_AS(scatter_elements(in, in, out), devmem::not_permitted);
        CHECK(elements_of(out) == std::vector<int>(10, 2));
    }
}
