// copy_2d and copy_2d_async: rows of any shape, in every direction, against a plain loop.
#include "contents.hpp"
#include "gate.hpp"
#include "message_of.hpp"
#include "random.hpp"
#include "test_backend.hpp"

#include <devmem/copy_2d.hpp>
#include <devmem/error.hpp>
#include <devmem/fill.hpp>
#include <devmem/pitched_buffer.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using devmem::copy_2d;
using devmem::copy_2d_async;
using devmem::shape_2d;
using devmem::stream;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::message_of;
using devmem_test::nothing_stays;
using devmem_test::random_numbers;
using devmem_test::settle;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_mapped;
using devmem_test::test_pinned;
using devmem_test::test_vector;

namespace {

using vector = test_vector<int>;
using host_vector = std::vector<int>;
template <class T>
using matrix = devmem::pitched_buffer<T, devmem_test::test_backend>;
using view = devmem::device_view<int>;
using rows_view = devmem::pitched_view<int>;
using constant_rows = devmem::pitched_view<const int>;

template <class Src, class Dst>
concept can_copy = requires(Src&& src, Dst&& dst) {
    copy_2d(std::forward<Src>(src), std::forward<Dst>(dst), {.rows = 1, .columns = 1});
};
template <class Src, class Dst>
concept can_copy_async = requires(Src&& src, Dst&& dst) {
    copy_2d_async(std::forward<Src>(src), std::forward<Dst>(dst), {.rows = 1, .columns = 1});
};
template <class Src, class Dst>
concept can_copy_shaped = requires(Src&& src, Dst&& dst) {
    copy_2d(std::forward<Src>(src), std::forward<Dst>(dst));
};
template <class Src, class Dst>
concept can_copy_shaped_async = requires(Src&& src, Dst&& dst) {
    copy_2d_async(std::forward<Src>(src), std::forward<Dst>(dst));
};

static_assert(can_copy<const host_vector&, vector&> && can_copy<vector&, host_vector&>);
static_assert(can_copy<view, view> && can_copy<vector, vector&>);
static_assert(!can_copy<host_vector&, host_vector&> && !can_copy<vector&, const vector&>);
static_assert(!can_copy<vector&, test_vector<float>&>);
static_assert(can_copy_async<const host_vector&, vector&> && can_copy_async<view, view>);
static_assert(!can_copy_async<vector&, host_vector&> && !can_copy_async<vector, vector&>);
// Where no side is pitched, nobody knows a shape; where one is, it is not asked for.
static_assert(!can_copy_shaped<vector&, vector&> && !can_copy<matrix<int>&, vector&>);
static_assert(can_copy_shaped<matrix<int>&, host_vector&>);
static_assert(can_copy_shaped<const host_vector&, matrix<int>&>);
static_assert(can_copy_shaped<const matrix<int>&, rows_view>);
static_assert(can_copy_shaped<matrix<int>, vector&>);
static_assert(!can_copy_shaped<matrix<int>&, constant_rows>);
static_assert(!can_copy_shaped<matrix<int>&, const matrix<int>&>);
static_assert(!can_copy_shaped<matrix<int>&, matrix<float>&>);
static_assert(can_copy_shaped_async<constant_rows, rows_view>);
static_assert(can_copy_shaped_async<constant_rows, vector&>);
static_assert(can_copy_shaped_async<const host_vector&, matrix<int>&>);
static_assert(!can_copy_shaped_async<matrix<int>&, host_vector&>);
static_assert(!can_copy_shaped_async<matrix<int>, vector&>);
static_assert(!can_copy_shaped_async<vector&, matrix<int>>);

/// How often the host has entered a wait so far.
std::uint64_t host_waits() {
#if defined(DEVMEM_CUDA)
    return simulated_cuda::host_waits();
#else
    return devmem::detail::engine().waits().entered.load_relaxed();
#endif
}

/// What is to come out.
host_vector by_loop(const host_vector& src, host_vector dst, const shape_2d& shape,
                    std::size_t from = 0, std::size_t to = 0) {
    for (std::size_t r = 0; r < shape.rows; ++r) {
        for (std::size_t c = 0; c < shape.columns; ++c) {
            dst[to + r * shape.dst_pitch + c] = src[from + r * shape.src_pitch + c];
        }
    }
    return dst;
}

shape_2d random_shape(random_numbers& random) {
    shape_2d shape;
    shape.rows = random.below(8);
    shape.columns = random.below(9);
    shape.src_pitch = shape.columns + random.below(3) * random.below(5);
    shape.dst_pitch = shape.columns + random.below(3) * random.below(5);
    return shape;
}

template <class R>
host_vector values_of(const R& range) {
    return contents(range);
}
host_vector values_of(const host_vector& values) { return values; }

/// `copy_2d` and, where that is possible, `copy_2d_async` from one kind of range to another.
template <class Src, class Dst, class MakeSrc, class MakeDst>
void check_direction(const MakeSrc& make_src, const MakeDst& make_dst) {
    random_numbers random(7);
    const Src src = make_src(counted<int>(100, 1000));
    for (int i = 0; i < 60; ++i) {
        const shape_2d shape = random_shape(random);
        const host_vector wanted = by_loop(counted<int>(100, 1000), host_vector(100, -1), shape);
        CAPTURE(shape.rows);
        CAPTURE(shape.columns);
        CAPTURE(shape.src_pitch);
        CAPTURE(shape.dst_pitch);
        Dst dst = make_dst(host_vector(100, -1));
        copy_2d(src, dst, shape);
        CHECK(values_of(dst) == wanted);
        if constexpr (can_copy_async<const Src&, Dst&>) {
            Dst later = make_dst(host_vector(100, -1));
            copy_2d_async(src, later, shape);
            CHECK(values_of(later) == wanted);
        }
    }
}

const auto on_host = [](host_vector values) { return values; };
template <class V>
auto on_device(int i) {
    return [i](const host_vector& values) { return V(values, test_device(i)); };
}

}  // namespace

TEST_CASE("rows of any shape, in every direction, as by a loop") {
    const nothing_stays check;
    using pinned = test_pinned<int>;
    check_direction<vector, vector>(on_device<vector>(1), on_device<vector>(1));
    check_direction<vector, vector>(on_device<vector>(1), on_device<vector>(2));
    check_direction<host_vector, vector>(on_host, on_device<vector>(1));
    check_direction<vector, host_vector>(on_device<vector>(1), on_host);
    check_direction<pinned, vector>(on_device<pinned>(1), on_device<vector>(1));
    check_direction<vector, pinned>(on_device<vector>(1), on_device<pinned>(2));
    check_direction<pinned, pinned>(on_device<pinned>(1), on_device<pinned>(1));
    check_direction<host_vector, pinned>(on_host, on_device<pinned>(1));
    check_direction<pinned, host_vector>(on_device<pinned>(1), on_host);
    check_direction<test_mapped<int>, test_managed<int>>(on_device<test_mapped<int>>(1),
                                                         on_device<test_managed<int>>(1));
}

TEST_CASE("within one vector, as if through a temporary") {
    const nothing_stays check;
    random_numbers random(9);
    for (int i = 0; i < 300; ++i) {
        shape_2d shape = random_shape(random);
        if (random.one_in(2)) shape.dst_pitch = shape.src_pitch;
        const std::size_t from = random.below(20);
        const std::size_t to = random.below(20);
        CAPTURE(shape.rows);
        CAPTURE(shape.columns);
        CAPTURE(shape.src_pitch);
        CAPTURE(shape.dst_pitch);
        CAPTURE(from);
        CAPTURE(to);
        const host_vector values = counted<int>(140);
        vector v(values, test_device(1));
        copy_2d_async(v.subspan(from, 120), v.subspan(to, 120), shape);
        CHECK(contents(v) == by_loop(values, values, shape, from, to));
    }
}

TEST_CASE("without pitches rows lie one behind the other") {
    const nothing_stays check;
    const vector v(counted<int>(12), test_device(1));
    host_vector back(12);
    copy_2d(v, back, {.rows = 3, .columns = 4});
    CHECK(back == counted<int>(12));
    host_vector some(20, -1);
    copy_2d(v, some, {.rows = 2, .columns = 2, .src_pitch = 4, .dst_pitch = 10});
    host_vector wanted(20, -1);
    wanted[0] = 0;
    wanted[1] = 1;
    wanted[10] = 4;
    wanted[11] = 5;
    CHECK(some == wanted);
}

TEST_CASE("matrices, blocks of them, and dense ranges") {
    const nothing_stays check;
    matrix<int> m(6, 7, test_device(1));
    copy_2d(counted<int>(42), m);
    host_vector back(42);
    copy_2d(m, back);
    CHECK(back == counted<int>(42));
    matrix<int> other(6, 7, test_device(2));
    copy_2d_async(m, other);
    copy_2d(other, back);
    CHECK(back == counted<int>(42));
    // A block to a vector and to a block elsewhere.
    vector dense(6, test_device(1));
    copy_2d_async(std::as_const(m).block(1, 2, 2, 3), dense);
    CHECK(contents(dense) == host_vector{9, 10, 11, 16, 17, 18});
    copy_2d_async(m.block(1, 2, 2, 3), other.block(4, 0, 2, 3));
    CHECK(contents(other.row(4)) == host_vector{9, 10, 11, 31, 32, 33, 34});
    CHECK(contents(other.row(5)) == host_vector{16, 17, 18, 38, 39, 40, 41});
    const std::array<int, 2> two{-1, -2};
    copy_2d_async(two, m.block(0, 0, 2, 1));
    CHECK(contents(m.row(0)) == host_vector{-1, 1, 2, 3, 4, 5, 6});
    CHECK(contents(m.row(1)) == host_vector{-2, 8, 9, 10, 11, 12, 13});
    // Columns to columns of one matrix: rows that lie between one another, and that overlap.
    copy_2d_async(m.block(0, 0, 6, 2), m.block(0, 4, 6, 2));
    CHECK(contents(m.row(2)) == host_vector{14, 15, 16, 17, 14, 15, 20});
    copy_2d_async(m.block(0, 0, 5, 6), m.block(1, 1, 5, 6));
    CHECK(contents(m.row(3)) == host_vector{21, 14, 15, 16, 17, 14, 15});
    // Matrices of other element sizes.
    matrix<std::array<char, 3>> triples(5, 4, test_device(1));
    std::vector<std::array<char, 3>> values(20, std::array<char, 3>{1, 2, 3});
    copy_2d(values, triples);
    std::vector<std::array<char, 3>> triples_back(20);
    copy_2d(triples, triples_back);
    CHECK(triples_back == values);
}

TEST_CASE("nothing is copied where there are no rows or no columns") {
    const nothing_stays check;
    vector v(counted<int>(4), test_device(1));
    vector none(test_device(1));
    copy_2d(v, none, {.rows = 0, .columns = 4, .src_pitch = 50});
    copy_2d(none, v, {.rows = 4, .columns = 0});
    const matrix<int> no_rows(0, 7, test_device(1));
    matrix<int> same(0, 7, test_device(2));
    copy_2d(no_rows, same);
    copy_2d(none, same);
    host_vector empty;
    copy_2d(no_rows, empty);
    CHECK(contents(v) == counted<int>(4));
    // To itself.
    copy_2d(v, v, {.rows = 2, .columns = 1, .src_pitch = 2, .dst_pitch = 2});
    CHECK(contents(v) == counted<int>(4));
}

TEST_CASE("what does not fit is refused, and both shapes are named") {
    const nothing_stays check;
    vector v(counted<int>(20), test_device(1));
    host_vector host(20);
    constexpr std::size_t huge = ~std::size_t{0};
    const auto refused = [&](const shape_2d& shape) {
        CHECK_THROWS_AS(copy_2d(v, host, shape), devmem::invalid_argument);
        CHECK_THROWS_AS(copy_2d(host, v, shape), devmem::invalid_argument);
        CHECK_THROWS_AS(copy_2d_async(host, v, shape), devmem::invalid_argument);
    };
    refused({.rows = 3, .columns = 7});
    refused({.rows = 2, .columns = 4, .src_pitch = 17});
    refused({.rows = 2, .columns = 4, .dst_pitch = 17});
    refused({.rows = 2, .columns = 4, .src_pitch = 3});
    refused({.rows = 2, .columns = 4, .dst_pitch = 3});
    refused({.rows = huge, .columns = 2});
    refused({.rows = 2, .columns = huge});
    refused({.rows = 2, .columns = 2, .src_pitch = huge});
    refused({.rows = huge / 2 + 2, .columns = 2, .src_pitch = 2, .dst_pitch = 2});
    copy_2d(v, host, {.rows = 2, .columns = 4, .src_pitch = 16, .dst_pitch = 16});
    const auto said = [](const auto& f) { return message_of<devmem::invalid_argument>(f); };
    CHECK(said([&] { copy_2d(v, host, {.rows = 2, .columns = 4, .dst_pitch = 3}); }) ==
          "copy_2d: 2 rows of 4 elements, each 3 after the one before, do not fit the destination "
          "of 20; a pitch is no shorter than a row");
    matrix<int> m(3, 4, test_device(1));
    matrix<int> wider(3, 5, test_device(1));
    CHECK(said([&] { copy_2d(m, wider); }).find("3 x 4 elements do not fit 3 x 5") !=
          std::string::npos);
    CHECK(said([&] { copy_2d(m, host); }).find("3 x 4 elements and a range of 20") !=
          std::string::npos);
    CHECK_THROWS_AS(copy_2d_async(host, m), devmem::invalid_argument);
    CHECK(contents(v) == counted<int>(20));
}

TEST_CASE("the stream is one of a side's device") {
    const nothing_stays check;
    matrix<int> a(2, 3, test_device(1));
    matrix<int> b(2, 3, test_device(2));
    CHECK_THROWS_AS(copy_2d_async(a, b, stream(test_device(3))), devmem::wrong_device);
    copy_2d(counted<int>(6), a, stream(test_device(1)));
    copy_2d_async(a, b, stream(test_device(1)));
    host_vector back(6);
    copy_2d(b, back, stream(test_device(2)));
    CHECK(back == counted<int>(6));
}

TEST_CASE("it is queued, keeps the order of its operands, and has read pageable memory") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream s(test_device(1));
    const stream t(test_device(1));
    matrix<int> a(4, 5, s);
    matrix<int> b(4, 5, s);
    matrix<int> c(4, 5, s);
    host_vector values = counted<int>(20);
    settle();
    devmem_test::gate held;
    held.close(s);
    const std::uint64_t waits = host_waits();
    copy_2d_async(values, a, s);
    copy_2d_async(a, b, t);  // after the copy on s, though t is not held up
    copy_2d_async(b.block(0, 0, 2, 5), c.block(2, 0, 2, 5), s);
    values.assign(20, -1);
    CHECK(host_waits() == waits);
    CHECK_FALSE(t.query());
    held.open();
    host_vector back(20);
    copy_2d(b, back);
    CHECK(back == counted<int>(20));
    CHECK(contents(c.row(3)) == counted<int>(5, 5));
}

TEST_CASE("its memory may go before it has run") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream s(test_device(1));
    vector kept(6, s);
    {
        matrix<int> m(2, 3, s);
        copy_2d(counted<int>(6), m, s);
        devmem_test::gate held(s);
        copy_2d_async(m, kept, s);
        m = matrix<int>(test_device(1));
        const matrix<int> next(2, 3, stream(test_device(1)));
        held.open();
    }
    CHECK(contents(kept) == counted<int>(6));
}

TEST_CASE("what is too large to be staged has been read as well") {
    const nothing_stays check;
    constexpr std::size_t rows = 40;
    constexpr std::size_t columns = 33'000;  // over the limit of 4 MiB
    std::vector<int> values = counted<int>(rows * columns);
    test_vector<int> v(rows * (columns + 10), test_device(1));
    copy_2d_async(values, v, {.rows = rows, .columns = columns, .dst_pitch = columns + 10});
    values.assign(values.size(), -1);
    std::vector<int> back(values.size());
    copy_2d(v, back, {.rows = rows, .columns = columns, .src_pitch = columns + 10});
    CHECK(back == counted<int>(rows * columns));
}

#if defined(DEVMEM_CUDA)
TEST_CASE("between kinds of device") {
    const nothing_stays check;
    devmem::pitched_buffer<int> on_cpu(3, 4, devmem::device::cpu(1));
    devmem::pitched_buffer<int> on_gpu(3, 4, test_device(1));
    copy_2d(counted<int>(12), on_cpu);
    copy_2d_async(on_cpu, on_gpu);
    devmem::pitched_buffer<int> back(3, 4, devmem::device::cpu(2));
    copy_2d_async(on_gpu, back, stream(devmem::device::cpu(2)));
    host_vector values(12);
    copy_2d(back, values);
    CHECK(values == counted<int>(12));
}
#endif
