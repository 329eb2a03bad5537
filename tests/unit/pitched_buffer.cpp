// Matrices whose rows begin where it suits the device.
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/copy_2d.hpp>
#include <devmem/error.hpp>
#include <devmem/fill.hpp>
#include <devmem/pitched_buffer.hpp>
#include <devmem/to.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::live_bytes;
using devmem_test::nothing_stays;
using devmem_test::test_device;

namespace {

template <class T, class... Options>
using matrix = devmem::pitched_buffer<T, devmem_test::test_backend, Options...>;

template <std::size_t Size>
struct element {
    std::array<unsigned char, Size> bytes;
};

static_assert(std::is_same_v<matrix<int>, matrix<int, devmem::pooled>>);
static_assert(std::is_nothrow_move_constructible_v<matrix<int>>);
static_assert(std::is_nothrow_move_assignable_v<matrix<int>>);
static_assert(std::is_nothrow_swappable_v<matrix<int>>);
static_assert(std::is_convertible_v<devmem::pitched_view<int>, devmem::pitched_view<const int>>);
static_assert(!std::is_convertible_v<devmem::pitched_view<const int>, devmem::pitched_view<int>>);

template <class M>
concept gives_views = requires(M&& m) {
    std::forward<M>(m).view();
};
static_assert(gives_views<matrix<int>&> && gives_views<const matrix<int>&>);
static_assert(!gives_views<matrix<int>>);

/// Rows one behind the other.
template <class M>
auto dense(const M& m) {
    std::vector<typename M::value_type> values(m.rows() * m.columns());
    devmem::copy_2d(m, values);
    return values;
}

template <class T>
void check_pitch(std::size_t columns, std::size_t wanted_bytes) {
    const matrix<T> m(2, columns, test_device(1));
    CHECK(m.pitch() * sizeof(T) == wanted_bytes);
    CHECK(m.pitch() >= columns);
}

}  // namespace

TEST_CASE("rows begin at multiples of 256 bytes, or of what suits the element") {
    const nothing_stays check;
    check_pitch<char>(1, 256);
    check_pitch<char>(256, 256);
    check_pitch<char>(257, 512);
    check_pitch<float>(64, 256);
    check_pitch<float>(65, 512);
    check_pitch<double>(1, 256);
    check_pitch<element<256>>(3, 768);
    check_pitch<element<512>>(3, 1536);
    check_pitch<element<12>>(1, 768);     // 256 and 12
    check_pitch<element<20>>(1, 640);     // 128 and 20
    check_pitch<element<300>>(3, 1200);   // 8 and 300
    check_pitch<element<1001>>(3, 3003);  // 1
    const matrix<float> m(3, 5, test_device(1));
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(reinterpret_cast<std::uintptr_t>(m.row(i).address()) % 256 == 0);
    }
}

TEST_CASE("a new matrix is zero; its rows and blocks are views of it") {
    const nothing_stays check;
    matrix<int> m(4, 6, test_device(1));
    CHECK(m.rows() == 4);
    CHECK(m.columns() == 6);
    CHECK(m.device() == test_device(1));
    CHECK(m.space() == devmem::memory_space::device);
    CHECK_FALSE(m.empty());
    CHECK(dense(m) == std::vector<int>(24));
    devmem::copy(counted<int>(6), m.row(2));
    devmem::fill(m.row(3).first(2), 9);
    const std::vector<int> wanted{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                  0, 1, 2, 3, 4, 5, 9, 9, 0, 0, 0, 0};
    CHECK(dense(m) == wanted);
    const devmem::pitched_view<const int> part = std::as_const(m).block(2, 1, 2, 3);
    CHECK(part.device() == test_device(1));
    CHECK(part.pitch() == m.pitch());
    CHECK(contents(part.row(0)) == std::vector<int>{1, 2, 3});
    CHECK(contents(part.row(1)) == std::vector<int>{9, 0, 0});
    CHECK(contents(part.block(1, 0, 1, 1).row(0)) == std::vector<int>{9});
    CHECK(m.block(4, 6, 0, 0).empty());
}

TEST_CASE("a row or block that is not there is refused") {
    const nothing_stays check;
    matrix<int> m(4, 6, test_device(1));
    constexpr std::size_t huge = ~std::size_t{0};
    CHECK_THROWS_AS(m.row(4), devmem::invalid_argument);
    CHECK_THROWS_AS(m.row(huge), devmem::invalid_argument);
    CHECK_THROWS_AS(m.block(0, 0, 5, 1), devmem::invalid_argument);
    CHECK_THROWS_AS(m.block(0, 0, 1, 7), devmem::invalid_argument);
    CHECK_THROWS_AS(m.block(3, 0, 2, 1), devmem::invalid_argument);
    CHECK_THROWS_AS(m.block(1, 1, huge, 1), devmem::invalid_argument);
    CHECK_THROWS_AS(m.block(1, 1, 1, huge), devmem::invalid_argument);
    try {
        static_cast<void>(m.block(2, 3, 3, 4));
    } catch (const devmem::invalid_argument& e) {
        CHECK(std::string(e.what()).find("3 x 4 at row 2, column 3 is not within 4 x 6") !=
              std::string::npos);
    }
}

TEST_CASE("sizes that no object can have are refused before anything is asked for") {
    const nothing_stays check;
    constexpr std::size_t huge = ~std::size_t{0};
    const std::size_t live = live_bytes();
    for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, huge},
             {huge, 1},
             {huge, huge},
             {1, huge / 4},
             {std::size_t{1} << 33, std::size_t{1} << 31},
             {std::size_t{1} << 56, 1}}) {
        CHECK_THROWS_AS(matrix<int>(rows, columns, test_device(1)), devmem::length_error);
        CHECK_THROWS_AS(matrix<int>(rows, columns, devmem::uninitialized, test_device(1)),
                        devmem::length_error);
    }
    CHECK(live_bytes() == live);
}

TEST_CASE("no rows or no columns need no memory") {
    const nothing_stays check;
    const std::size_t live = live_bytes();
    const matrix<int> none(test_device(1));
    const matrix<int> no_rows(0, 5, test_device(1));
    matrix<int> no_columns(5, 0, test_device(1));
    CHECK(live_bytes() == live);
    CHECK(none.empty());
    CHECK(no_rows.empty());
    CHECK(no_rows.columns() == 5);
    CHECK(no_columns.empty());
    CHECK(no_columns.row(4).empty());
    CHECK(no_columns.block(1, 0, 3, 0).rows() == 3);
    CHECK(dense(no_columns).empty());
    CHECK(dense(no_rows).empty());
}

TEST_CASE("copies have memory of their own; what is moved from is empty") {
    const nothing_stays check;
    matrix<int> m(2, 3, test_device(1));
    devmem::copy_2d(counted<int>(6), m);
    matrix<int> copy(m);
    CHECK(dense(copy) == counted<int>(6));
    CHECK(copy.pitch() == m.pitch());
    matrix<int> elsewhere(test_device(2));
    elsewhere = m;
    CHECK(elsewhere.device() == test_device(2));
    CHECK(dense(elsewhere) == counted<int>(6));
    matrix<int> taken(std::move(copy));
    CHECK(dense(taken) == counted<int>(6));
    CHECK(copy.empty());
    CHECK(copy.rows() == 0);
    CHECK(copy.columns() == 0);
    CHECK(copy.pitch() == 0);
    CHECK(copy.device() == test_device(1));
    copy = std::move(taken);
    CHECK(dense(copy) == counted<int>(6));
    swap(copy, elsewhere);
    CHECK(copy.device() == test_device(2));
    CHECK(elsewhere.device() == test_device(1));
    CHECK(dense(copy) == counted<int>(6));
    taken = matrix<int>(1, 1, test_device(3));
    CHECK(taken.device() == test_device(3));
}

TEST_CASE("to moves a matrix") {
    const nothing_stays check;
    std::vector<matrix<int>> all;
    all.emplace_back(2, 3, test_device(1));
    devmem::copy_2d(counted<int>(6), all[0]);
    CHECK(devmem::bytes_of(all) == 2 * all[0].pitch() * sizeof(int));
    all = devmem::to(test_device(2), std::move(all));
    CHECK(all[0].device() == test_device(2));
    CHECK(all[0].rows() == 2);
    CHECK(all[0].columns() == 3);
    CHECK(dense(all[0]) == counted<int>(6));
}

TEST_CASE("accesses are declared, as of a vector") {
    const nothing_stays check;
    matrix<int> m(2, 3, test_device(1));
    const devmem::stream s(test_device(1));
    const devmem::stream t(test_device(1));
    const auto writing = m.write(s);
    CHECK(writing.span().size() == 2 * m.pitch());
    CHECK_THROWS_AS(static_cast<void>(m.read(t)), devmem::access_conflict);
    CHECK_THROWS_AS(devmem::copy_2d(counted<int>(6), m, t), devmem::access_conflict);
}
