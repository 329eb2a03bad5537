// Some elements of a range, in their order, one after the other.
#include "elements.hpp"
#include "kernels.hpp"
#include "message_of.hpp"
#include "random.hpp"
#include "test_backend.hpp"

#include <devmem/select.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

using devmem::copy_if;
using devmem::copy_if_async;
using devmem::stream;
using devmem::unique;
using devmem::unique_async;
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

/// Numbers by which elements are chosen and compared.
template <class T>
double number_of(const T& x) {
    if constexpr (std::is_same_v<T, wide_element>) {
        return static_cast<double>(x.number);
    } else if constexpr (std::is_same_v<T, affine_map>) {
        return x.factor / 2;
    } else {
        return static_cast<double>(x);
    }
}

struct at_most {
    double limit;
    template <class T>
    bool operator()(const T& x) const {
        return number_of(x) <= limit;
    }
};
struct same_number {
    template <class T>
    bool operator()(const T& a, const T& b) const {
        return !(number_of(a) < number_of(b)) && !(number_of(b) < number_of(a));
    }
};

template <class T>
std::vector<T> chosen(const std::vector<T>& values, const at_most& pred) {
    std::vector<T> kept;
    std::copy_if(values.begin(), values.end(), std::back_inserter(kept), pred);
    return kept;
}

/// `expected`, and behind it what was there.
template <class T>
std::vector<T> over(std::vector<T> expected, const std::vector<T>& was) {
    expected.insert(expected.end(), was.begin() + static_cast<std::ptrdiff_t>(expected.size()),
                    was.end());
    return expected;
}

/// Of values of which `percent` are kept, into a part of a vector with some more room, or in place.
template <class T>
bool copies(random_numbers& random, std::size_t n, unsigned percent) {
    const stream s(test_device(static_cast<int>(random.below(4))));
    const auto values = drawn_values<T>(random, n, 100);
    const at_most pred{number_of(devmem_test::nth_value<T>(percent, 100)) - 0.05};
    const std::vector<T> expected = chosen(values, pred);
    in_the_middle<T> from(values, s);
    if (random.one_in(2)) {
        if (copy_if(from.view(), from.view(), pred, s) != expected.size()) return false;
        std::vector<T> found = from.read_back();
        found.erase(found.begin() + static_cast<std::ptrdiff_t>(expected.size()), found.end());
        return same_bits(found, expected) && from.edges_are_kept();
    }
    const auto was = drawn_values<T>(random, n + random.below(3));
    in_the_middle<T> to(was, s);
    return copy_if(from.view(), to.view(), pred, s) == expected.size() &&
           same_bits(to.read_back(), over(expected, was)) && to.edges_are_kept();
}

template <class T>
bool makes_unique(random_numbers& random, std::size_t n, unsigned variety) {
    const stream s(test_device(static_cast<int>(random.below(4))));
    const auto values = drawn_values<T>(random, n, variety);
    std::vector<T> expected;
    std::unique_copy(values.begin(), values.end(), std::back_inserter(expected), same_number{});
    in_the_middle<T> range(values, s);
    if (unique(range.view(), same_number{}, s) != expected.size()) return false;
    std::vector<T> found = range.read_back();
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(expected.size()), found.end());
    return same_bits(found, expected) && range.edges_are_kept();
}

template <class T>
void check_random_inputs(std::uint64_t seed) {
    random_numbers random(seed);
    std::size_t wrong = 0;
    for (int i = 0; i < 120; ++i) {
        const std::size_t n = random.one_in(5) ? random.below(15'000) : random.below(500);
        const unsigned percent = random.one_in(3) ? 100 * random.below(2) : random.below(101);
        wrong += copies<T>(random, n, percent) ? 0u : 1u;
        wrong += makes_unique<T>(random, n, 1 + random.below(random.one_in(2) ? 2 : 50)) ? 0u : 1u;
    }
    CHECK(wrong == 0);
}

const auto is_even = [](int x) { return x % 2 == 0; };

}  // namespace

TEST_CASE("random inputs of every type") {
    DEVMEM_NEEDS_KERNELS();
    check_random_inputs<std::uint8_t>(1);
    check_random_inputs<std::int16_t>(2);
    check_random_inputs<int>(3);
    check_random_inputs<float>(4);
    check_random_inputs<double>(5);
    check_random_inputs<std::int64_t>(6);
    check_random_inputs<wide_element>(7);
    check_random_inputs<affine_map>(8);
}

TEST_CASE("every size") {
    DEVMEM_NEEDS_KERNELS();
    random_numbers random(9);
    for (const std::size_t n : std::initializer_list<std::size_t>{
             0, 1, 7, 8, 63, 64, 65, 255, 256, 257, 4'095, 4'096, 4'097, 8'192, 50'000}) {
        CAPTURE(n);
        for (const unsigned percent : {0u, 1u, 50u, 99u, 100u}) {
            CHECK(copies<int>(random, n, percent));
            CHECK(copies<affine_map>(random, n, percent));
            CHECK(makes_unique<int>(random, n, 1 + percent));
        }
    }
    for (const std::size_t n :
         std::initializer_list<std::size_t>{(1 << 20) - 1, 1 << 20, (1 << 20) + 1}) {
        CAPTURE(n);
        CHECK(copies<float>(random, n, 40));
    }
    CHECK(makes_unique<int>(random, (1 << 20) + 1, 2));
}

TEST_CASE("the asynchronous forms count into one integer of any type") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(1));
    const test_vector<int> in({1, 2, 2, 4, 4, 4, 5, 6}, s);
    test_vector<int> out(8, 9, s);
    test_vector<std::size_t> counts(3, 77, s);
    copy_if_async(in, out, counts.subspan(1, 1), is_even, s);
    CHECK(elements_of(counts) == std::vector<std::size_t>{77, 6, 77});
    CHECK(elements_of(out) == std::vector{2, 2, 4, 4, 4, 6, 9, 9});
    test_vector<signed char> small(1, s);
    unique_async(out, small, s);
    CHECK(small.get(0, s) == 4);
    CHECK(elements_of(out.first(4)) == std::vector{2, 4, 6, 9});
    unique_async(
        out.first(4), small, [](int a, int b) { return is_even(a) == is_even(b); }, s);
    CHECK(small.get(0, s) == 2);
    CHECK(elements_of(out.first(2)) == std::vector{2, 9});
    devmem_test::test_pinned<std::uint32_t> pinned(1, s);
    copy_if_async(in, out, pinned, is_even, s);
    CHECK(pinned[0] == 6);
    copy_if_async(in.first(0), out.first(0), pinned, is_even, s);
    CHECK(pinned[0] == 0);
    // The element for the count may be one of those that are looked at.
    test_vector<int> v(in, s);
    copy_if_async(v, out, v.last(1), is_even, s);
    CHECK(v.get(7, s) == 6);
}

TEST_CASE("the blocking forms return the count, on the stream that is given or the current one") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    test_vector<int> v({3, 3, 4, 4, 3, 8}, s);
    test_vector<int> out(6, s);
    CHECK(copy_if(v, out, is_even, s) == 3);
    CHECK(unique(out.first(3), s) == 2);
    const devmem::stream_guard guard(s);
    CHECK(copy_if(v, v, is_even) == 3);
    CHECK(unique(v.first(3)) == 2);
    CHECK(elements_of(v.first(2)) == std::vector{4, 8});
    CHECK(unique(v.first(2), [](int, int) { return true; }) == 1);
    CHECK(unique(v.first(0)) == 0);
    CHECK(copy_if(v.first(0), v.first(0), is_even) == 0);
    for (int i = 0; i < 20; ++i) {
        v.assign(6, i, s);
        CHECK(copy_if(v, out, is_even, s) == (is_even(i) ? 6 : 0));
    }
}

TEST_CASE("values that compare equal need not be the same: the first one stays") {
    DEVMEM_NEEDS_KERNELS();
    const std::vector<float> values{0.0f, -0.0f, 1.0f, -0.0f, 0.0f};
    test_vector<float> v(values, test_device(0));
    CHECK(unique(v) == 3);
    CHECK(same_bits(elements_of(v.first(3)), std::vector<float>{0.0f, 1.0f, -0.0f}));
}

TEST_CASE("each element is asked about once, and what that throws leaves all as it was") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    std::vector<int> values(50'000);
    for (int i = 0; i < 50'000; ++i) values[static_cast<std::size_t>(i)] = i / 2;
    test_vector<int> v(values, s);
    test_vector<int> out(50'000, 5, s);
    const auto throws = [](int x) -> bool {
        if (x == 20'000) throw std::runtime_error("element 20000");
        return x % 2 == 0;
    };
    CHECK_THROWS_WITH_AS(static_cast<void>(copy_if(v, out, throws, s)), "element 20000",
                         std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(copy_if(v, v, throws, s)), std::runtime_error);
    test_vector<int> count(1, 8, s);
    unique_async(
        v, count, [&](int a, int b) { return throws(a) == throws(b); }, s);
    CHECK_THROWS_WITH_AS(s.synchronize(), "element 20000", std::runtime_error);
    CHECK_NOTHROW(s.synchronize());
    CHECK(count.get(0, s) == 8);
    CHECK(elements_of(v) == values);
    CHECK(elements_of(out) == std::vector<int>(50'000, 5));
    devmem_test::test_pinned<int> asked(50'000, 0, s);
    int* const times = asked.data();
    const auto counting = [times](int x) { return ++times[x] == 1; };
    for (int i = 0; i < 50'000; ++i) values[static_cast<std::size_t>(i)] = 49'999 - i;
    const test_vector<int> once(values, s);
    CHECK(copy_if(once, out, counting, s) == 50'000);
    CHECK(std::all_of(times, times + 50'000, [](int n) { return n == 1; }));
}

TEST_CASE("ranges that do not fit are refused, and nothing written") {
    test_vector<int> v(300, 1, test_device(0));
    test_vector<int> one(1, test_device(0));
    test_vector<std::uint8_t> byte(1, test_device(0));
    const test_vector<int> elsewhere(10, 0, test_device(1));
    const std::string kind = devmem_test::path_is_cuda ? "cuda" : "cpu";
    const auto refused = [](const auto& f) { return message_of<devmem::invalid_argument>(f); };
    CHECK(refused([&] { static_cast<void>(copy_if(v.first(5), v.last(4), is_even)); }) ==
          "copy_if: 5 elements may be kept, and the output has room for 4");
    CHECK(refused([&] { static_cast<void>(copy_if(v.first(5), v.subspan(1, 9), is_even)); }) ==
          "copy_if: the output overlaps an input without being the same range; copy one of them");
    CHECK(refused([&] { copy_if_async(v, v, v.first(2), is_even); }) ==
          "copy_if_async: ranges of 2 and 1 elements; sizes must be equal");
    CHECK(refused([&] { copy_if_async(v.first(9), v.last(9), v.last(1), is_even); }) ==
          "copy_if_async: the element for the count is one of the output's");
    CHECK(refused([&] { unique_async(v, v.subspan(7, 1)); }) ==
          "unique_async: the element for the count is one of the output's");
    CHECK(refused([&] { unique_async(v, byte); }) ==
          "unique_async: 300 elements may be more than a count of 1 bytes can say");
    CHECK(message_of<devmem::wrong_device>([&] { copy_if_async(elsewhere, v, one, is_even); }) ==
          "copy_if_async: a range is on " + kind + ":1, the stream on " + kind +
              ":0; all must be on one device");
    CHECK(message_of<devmem::wrong_device>([&] {
              static_cast<void>(unique(v, stream(test_device(1))));
          }) == "unique: the stream is " + kind + ":1's, the object " + kind + ":0's");
    CHECK(elements_of(v) == std::vector<int>(300, 1));
}

TEST_CASE("on a GPU it is not permitted in this version, and says so") {
    if constexpr (!devmem_test::path_is_cuda) {
        DEVMEM_SKIP("this path has no GPU");
    } else {
        const test_vector<int> in(10, 1, test_device(3));
        test_vector<int> out(10, 2, test_device(3));
        test_vector<int> count(1, 3, test_device(3));
        CHECK(message_of<devmem::not_permitted>([&] { copy_if_async(in, out, count, is_even); }) ==
              "copy_if_async: no kernel for cuda:3 in a file that nvcc has not compiled; "
              "compile it with nvcc, or copy the data to a CPU device");
        CHECK_THROWS_AS(static_cast<void>(copy_if(in, out, is_even)), devmem::not_permitted);
        CHECK_THROWS_AS(unique_async(out, count), devmem::not_permitted);
        CHECK_THROWS_AS(static_cast<void>(unique(out)), devmem::not_permitted);
        CHECK(elements_of(out) == std::vector<int>(10, 2));
        CHECK(count.get(0) == 3);
    }
}
