// Elements in order. The very bits are compared with std::stable_sort's.
#include "elements.hpp"
#include "kernels.hpp"
#include "message_of.hpp"
#include "random.hpp"
#include "test_backend.hpp"

#include <devmem/sort.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

using devmem::less;
using devmem::sort;
using devmem::sort_by_key;
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

/// By one of their parts, so that some differ and are equal.
struct by_number {
    bool operator()(const wide_element& a, const wide_element& b) const {
        return a.number < b.number;
    }
    bool operator()(const affine_map& a, const affine_map& b) const { return a.factor < b.factor; }
};
struct descending {
    template <class T>
    bool operator()(const T& a, const T& b) const {
        return b < a;
    }
};

/// Values of one type of number all over its range, or of a few values; of floating-point numbers
/// also zeros of either sign, subnormal ones and infinities, but no NaN.
template <class T>
void draw_number(random_numbers& random, T& x, unsigned kind) {
    const std::uint64_t bits = random.next();
    if constexpr (std::is_floating_point_v<T>) {
        std::memcpy(&x, &bits, sizeof x);
        if (std::isnan(x)) x = random.one_in(2) ? std::numeric_limits<T>::infinity() : T{1};
        if (kind == 1) x = random.one_in(2) ? T{0} : -T{0};
        if (kind == 2) x = static_cast<T>(static_cast<int>(random.below(9)) - 4) / 3;
        if (kind == 3 && random.one_in(3)) x = -std::numeric_limits<T>::denorm_min();
    } else {
        x = static_cast<T>(bits);
        if (kind == 1) x = static_cast<T>(bits % 2);
        if (kind == 2) x = static_cast<T>(random.below(300));
        if (kind == 3) x = static_cast<T>(x & static_cast<T>(0x7F00));
    }
}
template <class T>
std::vector<T> drawn_keys(random_numbers& random, std::size_t n) {
    if constexpr (std::is_arithmetic_v<T>) {
        const unsigned kind = random.below(5);
        std::vector<T> keys(n);
        for (T& x : keys) draw_number(random, x, kind);
        return keys;
    } else {
        return drawn_values<T>(random, n, random.one_in(2) ? 4 : 5'000);
    }
}

template <class T, class Less>
bool sorts(random_numbers& random, std::size_t n, const Less& order) {
    const stream s(test_device(static_cast<int>(random.below(4))));
    std::vector<T> keys = drawn_keys<T>(random, n);
    if (random.one_in(8)) std::stable_sort(keys.begin(), keys.end(), order);
    if (random.one_in(8)) std::reverse(keys.begin(), keys.end());
    in_the_middle<T> range(keys, s);
    sort(range.view(), order, s);
    std::stable_sort(keys.begin(), keys.end(), order);
    s.synchronize();
    return same_bits(range.read_back(), keys) && range.edges_are_kept();
}

/// With values of that type: positions, where it can hold them.
template <class T, class V, class Less>
bool sorts_by_key(random_numbers& random, std::size_t n, const Less& order) {
    const stream s(test_device(static_cast<int>(random.below(4))));
    const std::vector<T> keys = drawn_keys<T>(random, n);
    const std::vector<V> values = drawn_values<V>(random, n, 100'000);
    std::vector<std::size_t> positions(n);
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::size_t a, std::size_t b) { return order(keys[a], keys[b]); });
    std::vector<T> expected_keys;
    std::vector<V> expected_values;
    for (const std::size_t i : positions) {
        expected_keys.push_back(keys[i]);
        expected_values.push_back(values[i]);
    }
    in_the_middle<T> range(keys, s);
    in_the_middle<V> with(values, s);
    sort_by_key(range.view(), with.view(), order, s);
    s.synchronize();
    return same_bits(range.read_back(), expected_keys) && range.edges_are_kept() &&
           same_bits(with.read_back(), expected_values) && with.edges_are_kept();
}

template <class T, class V, class Less>
void check_random_inputs(std::uint64_t seed, const Less& order) {
    random_numbers random(seed);
    std::size_t wrong = 0;
    for (int i = 0; i < 60; ++i) {
        const std::size_t n = random.one_in(5) ? random.below(12'000) : random.below(300);
        wrong += sorts<T>(random, n, order) ? 0u : 1u;
        wrong += sorts_by_key<T, V>(random, n, order) ? 0u : 1u;
    }
    CHECK(wrong == 0);
}

constexpr std::size_t sizes[] = {0,     1,     2,     7,     15,    16,    17,     33,
                                 255,   256,   257,   1'023, 1'024, 1'025, 2'047,  2'048,
                                 2'049, 3'073, 4'096, 8'192, 8'193, 9'217, 70'000, 100'001};

}  // namespace

TEST_CASE("random numbers of every type, by less") {
    DEVMEM_NEEDS_KERNELS();
    check_random_inputs<std::uint8_t, int>(1, less{});
    check_random_inputs<signed char, std::int64_t>(2, less{});
    check_random_inputs<std::int16_t, float>(3, less{});
    check_random_inputs<int, int>(4, less{});
    check_random_inputs<float, affine_map>(5, less{});
    check_random_inputs<double, std::uint8_t>(6, less{});
    check_random_inputs<std::int64_t, wide_element>(7, less{});
    check_random_inputs<std::uint64_t, std::int16_t>(8, less{});
}

TEST_CASE("random elements of every type, by another order") {
    DEVMEM_NEEDS_KERNELS();
    check_random_inputs<wide_element, int>(11, by_number{});
    check_random_inputs<affine_map, std::int64_t>(12, by_number{});
    check_random_inputs<int, affine_map>(13, descending{});
    check_random_inputs<float, double>(14, descending{});
    check_random_inputs<std::uint8_t, wide_element>(15, descending{});
}

TEST_CASE("every size") {
    DEVMEM_NEEDS_KERNELS();
    random_numbers random(16);
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        CHECK(sorts<int>(random, n, less{}));
        CHECK(sorts<affine_map>(random, n, by_number{}));
        CHECK(sorts_by_key<float, std::uint32_t>(random, n, less{}));
        CHECK(sorts_by_key<wide_element, std::uint32_t>(random, n, by_number{}));
    }
    CHECK(sorts_by_key<float, int>(random, (1 << 18) + 1, less{}));
    CHECK(sorts<float>(random, (1 << 18) + 1, descending{}));
}

TEST_CASE("a million numbers") {
    DEVMEM_NEEDS_KERNELS();
    random_numbers random(21);
    for (const std::size_t n :
         std::initializer_list<std::size_t>{(1 << 20) - 1, 1 << 20, (1 << 20) + 1}) {
        CAPTURE(n);
        std::vector<std::uint16_t> keys(n);
        std::vector<std::size_t> counts(1 << 16);
        for (std::uint16_t& x : keys) ++counts[x = static_cast<std::uint16_t>(random.next())];
        test_vector<std::uint16_t> v(keys, test_device(0));
        sort(v);
        keys.clear();
        for (std::size_t x = 0; x < counts.size(); ++x) {
            keys.insert(keys.end(), counts[x], static_cast<std::uint16_t>(x));
        }
        CHECK(elements_of(v) == keys);
    }
}

TEST_CASE("truth values and wide numbers are numbers") {
    DEVMEM_NEEDS_KERNELS();
    test_vector<bool> flags(5'000, test_device(0));
    const bool yes = true;
    for (const std::size_t i : {0u, 17u, 4'000u}) flags.set(i, yes);
    sort(flags);
    CHECK(!flags.get(4'996));
    CHECK(flags.get(4'997));
    random_numbers random(17);
    std::vector<long double> wide(3'000);
    for (long double& x : wide) x = static_cast<long double>(random.next()) - 1e18L;
    wide[5] = wide[2'000] = std::numeric_limits<long double>::quiet_NaN();
    test_vector<long double> v(wide, test_device(0));
    sort(v);
    std::vector<long double> found = elements_of(v);
    CHECK((std::isnan(found[2'998]) && std::isnan(found[2'999])));
    found.resize(2'998);
    CHECK(std::is_sorted(found.begin(), found.end()));
}

TEST_CASE("zeros of either sign keep their order, and NaN goes to the end in its order") {
    DEVMEM_NEEDS_KERNELS();
    for (const std::size_t n : std::initializer_list<std::size_t>{9u, 9'000u}) {
        CAPTURE(n);
        std::vector<float> keys(n);
        const float some[] = {0.0f,
                              std::bit_cast<float>(0xFFC0'0001u),
                              -0.0f,
                              std::numeric_limits<float>::infinity(),
                              -1.0f,
                              std::bit_cast<float>(0x7FC0'0002u),
                              1.0f,
                              -0.0f,
                              -std::numeric_limits<float>::infinity()};
        for (std::size_t i = 0; i < n; ++i) keys[i] = some[i % 9];
        test_vector<float> v(keys, test_device(0));
        sort(v);
        const auto nan =
            std::stable_partition(keys.begin(), keys.end(), [](float x) { return !std::isnan(x); });
        std::stable_sort(keys.begin(), nan);
        CHECK(same_bits(elements_of(v), keys));
    }
}

TEST_CASE("the order is that of less, on the stream that is given or the current one") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(2));
    test_vector<int> v({3, 1, 2}, s);
    test_vector<char> w({'c', 'a', 'b'}, s);
    sort_by_key(v, w, s);
    CHECK(elements_of(v) == std::vector{1, 2, 3});
    CHECK(elements_of(w) == std::vector{'a', 'b', 'c'});
    sort_by_key(w, v, descending{}, s);
    CHECK(elements_of(v) == std::vector{3, 2, 1});
    sort(v, s);
    CHECK(elements_of(v) == std::vector{1, 2, 3});
    const devmem::stream_guard guard(s);
    sort(v, descending{});
    CHECK(elements_of(v) == std::vector{3, 2, 1});
    sort_by_key(v.last(2), w.last(2));
    CHECK(elements_of(v) == std::vector{3, 1, 2});
    CHECK(elements_of(w) == std::vector{'c', 'a', 'b'});
    sort(v.first(0));
    sort(v);
    CHECK(v.get(0, s) == 1);
}

TEST_CASE("it is queued, and ordered with what other streams do") {
    DEVMEM_NEEDS_KERNELS();
    const stream a(test_device(1));
    const stream b(test_device(1));
    random_numbers random(18);
    auto keys = drawn_keys<int>(random, 20'000);
    test_vector<int> v(keys, a);
    for (int i = 0; i < 3; ++i) {
        sort(v, descending{}, b);
        sort(v, a);
    }
    std::sort(keys.begin(), keys.end());
    CHECK(elements_of(v) == keys);
}

TEST_CASE("what less throws leaves a permutation") {
    DEVMEM_NEEDS_KERNELS();
    random_numbers random(19);
    const stream s(test_device(0));
    std::vector<int> keys(20'000);
    std::iota(keys.begin(), keys.end(), 0);
    for (std::size_t i = keys.size(); i > 1; --i) {
        std::swap(keys[i - 1], keys[static_cast<std::size_t>(random.next() % i)]);
    }
    // Some are compared early, some late: the largest two when all is merged.
    for (const int last : {1, 10'000, 19'998, 19'999}) {
        CAPTURE(last);
        test_vector<int> v(keys, s);
        test_vector<int> w(keys, s);
        sort_by_key(
            v, w,
            [last](int a, int b) {
                if (std::max(a, b) == last && std::min(a, b) == last - 1)
                    throw std::runtime_error("neighbours");
                return a < b;
            },
            s);
        CHECK_THROWS_WITH_AS(s.synchronize(), "neighbours", std::runtime_error);
        CHECK_NOTHROW(s.synchronize());
        std::vector<int> found = elements_of(v);
        CHECK(found == elements_of(w));
        std::sort(found.begin(), found.end());
        std::vector<int> all(keys.size());
        std::iota(all.begin(), all.end(), 0);
        CHECK(found == all);
    }
}

TEST_CASE("memory that there is not is std::bad_alloc") {
    CHECK_THROWS_AS(devmem::detail::scratch<char>(std::size_t{1} << 60), std::bad_alloc);
}

TEST_CASE("a less that is no order touches nothing but the range") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    random_numbers random(20);
    for (const std::size_t n : std::initializer_list<std::size_t>{100u, 5'000u, 30'001u}) {
        in_the_middle<int> range(drawn_keys<int>(random, n), s);
        sort(
            range.view(), [](int, int) { return true; }, s);
        sort(
            range.view(),
            [](int a, int b) {
                return (static_cast<unsigned>(a) * 40'503u ^ static_cast<unsigned>(b)) % 3 == 0;
            },
            s);
        s.synchronize();
        CHECK(range.read_back().size() == n);
        CHECK(range.edges_are_kept());
    }
}

TEST_CASE("a less that answers by chance touches nothing but the range either") {
    DEVMEM_NEEDS_KERNELS();
    static std::atomic<std::uint64_t> asked{0};
    const auto by_chance = [](int, int) { return random_numbers(++asked).one_in(2); };
    const stream s(test_device(0));
    random_numbers random(22);
    for (int i = 0; i < 20; ++i) {
        in_the_middle<int> range(drawn_keys<int>(random, 30'001), s);
        sort(range.view(), by_chance, s);
        s.synchronize();
        CHECK(range.read_back().size() == 30'001);
        CHECK(range.edges_are_kept());
    }
}

TEST_CASE("ranges that do not fit are refused, and nothing written") {
    test_vector<int> v({3, 2, 1, 0}, test_device(0));
    test_vector<int> elsewhere(4, test_device(1));
    const std::string kind = devmem_test::path_is_cuda ? "cuda" : "cpu";
    const auto refused = [](const auto& f) { return message_of<devmem::invalid_argument>(f); };
    CHECK(refused([&] { sort_by_key(v, v.first(2)); }) ==
          "sort_by_key: ranges of 4 and 2 elements; sizes must be equal");
    CHECK(refused([&] { sort_by_key(v, v); }) == "sort_by_key: the keys and the values overlap");
    CHECK(refused([&] { sort_by_key(v.first(3), v.last(3)); }) ==
          "sort_by_key: the keys and the values overlap");
    CHECK(message_of<devmem::wrong_device>([&] { sort_by_key(v, elsewhere); }) ==
          "sort_by_key: a range is on " + kind + ":1, the stream on " + kind +
              ":0; all must be on one device");
    CHECK(message_of<devmem::wrong_device>([&] { sort(v, stream(test_device(1))); }) ==
          "sort: the stream is " + kind + ":1's, the object " + kind + ":0's");
    CHECK(elements_of(v) == std::vector{3, 2, 1, 0});
}

TEST_CASE("on a GPU it is not permitted in this version, and says so") {
    if constexpr (!devmem_test::path_is_cuda) {
        DEVMEM_SKIP("this path has no GPU");
    } else {
        test_vector<int> v({2, 1}, test_device(3));
        test_vector<int> w({2, 1}, test_device(3));
        CHECK(message_of<devmem::not_permitted>([&] { sort(v); }) ==
              "sort: no kernel for cuda:3 in a file that nvcc has not compiled; "
              "compile it with nvcc, or copy the data to a CPU device");
        CHECK_THROWS_AS(sort_by_key(v, w, descending{}), devmem::not_permitted);
        CHECK(elements_of(v) == std::vector{2, 1});
    }
}
