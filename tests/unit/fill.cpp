// fill: values of every width, to every part, bit for bit.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/error.hpp>
#include <devmem/fill.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_mapped;
using devmem_test::test_pinned;
using devmem_test::test_vector;

template <std::size_t Width>
using bytes = std::array<std::uint8_t, Width>;

/// Fills parts of a vector of elements of that width with random values, beside a mirror.
template <std::size_t Width>
void fill_width() {
    CAPTURE(Width);
    std::mt19937 random(static_cast<unsigned>(Width));
    test_vector<bytes<Width>> v(100, test_device(1));
    std::vector<bytes<Width>> mirror(100);
    for (int round = 0; round < 40; ++round) {
        bytes<Width> value;
        // Few different bytes, so that patterns within the value repeat now and then.
        const unsigned kinds = 1 + static_cast<unsigned>(round) % 3;
        for (auto& byte : value) byte = static_cast<std::uint8_t>(0x11 * (random() % kinds + 1));
        const std::size_t from = random() % 100;
        const std::size_t n = random() % (101 - from);
        devmem::fill(v.subspan(from, n), value);
        std::fill_n(mirror.begin() + static_cast<std::ptrdiff_t>(from), n, value);
    }
    CHECK(contents(v) == mirror);
}

template <std::size_t... Widths>
void fill_widths(std::index_sequence<Widths...>) {
    (fill_width<Widths + 1>(), ...);
}

}  // namespace

TEST_CASE("values of every width, at every offset") {
    const nothing_stays check;
    fill_widths(std::make_index_sequence<33>());
    fill_width<64>();
    fill_width<1000>();
}

TEST_CASE("values are kept bit for bit") {
    const nothing_stays check;
    const auto bits_after_fill = []<class Bits, class T>(Bits, T value) {
        test_vector<T> v(7, test_device(1));
        devmem::fill(v, value);
        const std::vector<T> values = contents(v);
        std::vector<Bits> bits;
        for (const T& element : values) bits.push_back(std::bit_cast<Bits>(element));
        CHECK(bits == std::vector<Bits>(7, bits.front()));
        return bits.front();
    };
    CHECK(bits_after_fill(std::uint32_t{}, -0.0F) == 0x80000000U);
    CHECK(bits_after_fill(std::uint64_t{}, -0.0) == 0x8000000000000000U);
    CHECK(bits_after_fill(std::uint32_t{}, 256) == 256U);
    CHECK(bits_after_fill(std::uint64_t{}, std::int64_t{1} << 40) == std::uint64_t{1} << 40);
    CHECK(bits_after_fill(std::uint64_t{}, std::uint64_t{0x0000000200000001}) ==
          0x0000000200000001U);
    // A NaN with a payload.
    CHECK(bits_after_fill(std::uint32_t{}, std::bit_cast<float>(0x7FC12345U)) == 0x7FC12345U);
}

TEST_CASE("memory of every space, and nothing beside the part") {
    const nothing_stays check;
    const auto fill_middle = []<class Vector>(Vector v) {
        devmem::fill(v.subspan(3, 4), 9);
        CHECK(contents(v) == std::vector<int>{0, 1, 2, 9, 9, 9, 9, 7, 8, 9});
        devmem::fill(v, 0);
        CHECK(contents(v) == std::vector<int>(10, 0));
    };
    fill_middle(test_vector<int>(counted<int>(10), test_device(1)));
    fill_middle(test_pinned<int>(counted<int>(10), test_device(1)));
    fill_middle(test_mapped<int>(counted<int>(10), test_device(1)));
    fill_middle(test_managed<int>(counted<int>(10), test_device(1)));
}

TEST_CASE("a fill takes its value at the call and keeps the stream's order") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    test_vector<double> narrow(1000, s);
    test_vector<bytes<24>> wide(1000, s);
    s.synchronize();
    devmem_test::gate held(s);
    double value = 1.5;
    bytes<24> wide_value;
    wide_value.fill(1);
    wide_value[23] = 7;
    devmem::fill(narrow, value, s);
    devmem::fill(wide, wide_value, s);
    value = 0;
    wide_value.fill(0);
    devmem::fill(narrow.first(1), 2, s);  // an int becomes a double
    CHECK_FALSE(s.query());
    held.open();
    CHECK(narrow.get(0, s) == 2.0);
    CHECK(narrow.get(999, s) == 1.5);
    CHECK(wide.get(999, s)[23] == 7);
    CHECK(wide.get(0, s)[0] == 1);
}

TEST_CASE("many elements are filled, whoever fills them") {
    const nothing_stays check;
    test_vector<std::uint16_t> v(3'000'001, test_device(1));
    devmem::fill(v.last(3'000'000), 0xABCD);
    const std::vector<std::uint16_t> values = contents(v);
    CHECK(values.front() == 0);
    CHECK(std::all_of(values.begin() + 1, values.end(), [](auto x) { return x == 0xABCD; }));
    test_vector<bytes<12>> w(500'001, test_device(1));
    const bytes<12> value{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    devmem::fill(w, value);
    CHECK(contents(w) == std::vector<bytes<12>>(500'001, value));
}

TEST_CASE("nothing to fill is nothing to do, but a wrong stream stays wrong") {
    const nothing_stays check;
    test_vector<int> empty(0, test_device(1));
    devmem::fill(empty, 1);
    CHECK(empty.empty());
    test_vector<int> v(3, test_device(1));
    devmem::fill(v.first(0), 1);
    CHECK(contents(v) == std::vector<int>(3, 0));
    const devmem::stream other(test_device(2));
    CHECK_THROWS_AS(devmem::fill(v, 1, other), devmem::wrong_device);
    CHECK(contents(v) == std::vector<int>(3, 0));
}
