// A function of the elements of one range, two or three, to a range.
#include "contents.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "message_of.hpp"
#include "test_backend.hpp"

#include <devmem/event.hpp>
#include <devmem/stream_guard.hpp>
#include <devmem/transform.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using devmem::stream;
using devmem::transform;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::message_of;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

struct pair {
    float a;
    std::int16_t b;
};

const auto twice = [](int x) { return 2 * x; };
const auto sum = [](int x, int y) { return x + y; };

}  // namespace

TEST_CASE("each element goes through the function") {
    DEVMEM_NEEDS_KERNELS();
    for (const std::size_t n : {0u, 1u, 2u, 7u, 4095u, 4096u, 4097u, 8193u, 1'048'579u}) {
        CAPTURE(n);
        const test_vector<int> in(counted<int>(n, 5), test_device(1));
        test_vector<int> out(n, test_device(1));
        transform(in, out, [](int x) { return 3 * x - 1; });
        const std::vector<int> found = contents(out);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) wrong += found[i] != 3 * (5 + static_cast<int>(i)) - 1;
        CHECK(wrong == 0);
    }
}

TEST_CASE("the output may be the input") {
    DEVMEM_NEEDS_KERNELS();
    test_vector<int> v(counted<int>(10'000), test_device(0));
    transform(v, v, [](int x) { return x + 1; });
    transform(v.view(), v, twice);
    CHECK(v.get(0) == 2);
    CHECK(v.get(9'999) == 20'000);
    transform(v.first(5), v.first(5), [](int) { return 0; });
    CHECK(v.get(4) == 0);
    CHECK(v.get(5) == 12);
}

TEST_CASE("two inputs, which may be one range and the output") {
    DEVMEM_NEEDS_KERNELS();
    const std::size_t n = 5'001;
    const test_vector<int> a(counted<int>(n), test_device(0));
    const test_vector<int> b(counted<int>(n, 100), test_device(0));
    test_vector<int> out(n, test_device(0));
    transform(a, b, out, [](int x, int y) { return 2 * x - y; });
    CHECK(out.get(0) == -100);
    CHECK(out.get(5'000) == 5'000 - 100);
    transform(a, a, out, sum);
    CHECK(out.get(5'000) == 10'000);
    transform(out, b, out, sum);
    CHECK(out.get(5'000) == 10'000 + 5'100);
    transform(b, out, out, sum);
    CHECK(out.get(0) == 200);
    transform(out, out, out, sum);
    CHECK(out.get(0) == 400);
}

TEST_CASE("three inputs, of any types, any of which may be the output") {
    DEVMEM_NEEDS_KERNELS();
    for (const std::size_t n : {0u, 1u, 7u, 255u, 256u, 257u, 1'048'577u}) {
        CAPTURE(n);
        const test_vector<int> a(counted<int>(n), test_device(0));
        const test_vector<float> b(n, 0.5f, test_device(0));
        test_vector<double> c(n, 3.0, test_device(0));
        transform(a, b, c, c, [](int x, float y, double z) { return double{y} * x + z; });
        const std::vector<double> found = contents(c);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) wrong += found[i] != static_cast<double>(i) * 0.5 + 3;
        CHECK(wrong == 0);
    }
    const test_vector<int> three(3, test_device(0));
    test_vector<int> out(3, test_device(0));
    const auto all = [](int x, int y, int z) { return x + y + z; };
    CHECK(message_of<devmem::invalid_argument>([&] {
              transform(three, three, three.first(2), out, all);
          }) == "transform: ranges of 2 and 3 elements; sizes must be equal");
    const test_vector<int> elsewhere(3, test_device(1));
    CHECK_THROWS_AS(transform(three, elsewhere, three, out, all), devmem::wrong_device);
}

TEST_CASE("types may differ; the result is converted to the output's") {
    DEVMEM_NEEDS_KERNELS();
    const test_vector<int> whole({1, 2, 3}, test_device(0));
    test_vector<float> halves(3, test_device(0));
    transform(whole, halves, [](int x) { return x * 0.5; });
    CHECK(contents(halves) == std::vector{0.5f, 1.0f, 1.5f});
    test_vector<signed char> narrow(3, test_device(0));
    transform(halves, narrow, [](float x) { return x * 2; });
    CHECK(contents(narrow) == std::vector<signed char>{1, 2, 3});
    test_vector<pair> pairs(3, test_device(0));
    transform(whole, halves, pairs, [](int x, float y) {
        return pair{y, static_cast<std::int16_t>(x)};
    });
    CHECK(pairs.get(2).a == 1.5f);
    CHECK(pairs.get(2).b == 3);
    test_vector<std::uint64_t> wide(3, test_device(0));
    transform(pairs, wide, [](const pair& p) {
        return (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(p.b);
    });
    CHECK(wide.get(0) == (std::uint64_t{1} << 40) + 1);
}

TEST_CASE("ranges may be parts, of containers of any space") {
    DEVMEM_NEEDS_KERNELS();
    test_vector<int> v(counted<int>(10), test_device(0));
    // Parts that touch do not overlap.
    transform(v.first(5), v.last(5), twice);
    CHECK(contents(v) == std::vector{0, 1, 2, 3, 4, 0, 2, 4, 6, 8});
    transform(v.last(5), v.first(5), twice);
    CHECK(contents(v) == std::vector{0, 4, 8, 12, 16, 0, 2, 4, 6, 8});
    devmem_test::test_pinned<int> pinned(3, test_device(0));
    transform(v.subspan(2, 3), pinned, twice);
    CHECK(pinned[2] == 32);
    devmem_test::test_managed<int> managed(3, test_device(0));
    transform(pinned, managed, twice);
    CHECK(managed[0] == 32);
    const auto& constant = v;
    transform(constant.first(3), managed.view(), twice);
    CHECK(managed[1] == 8);
}

TEST_CASE("a range that overlaps the output in part is refused, and nothing written") {
    test_vector<int> v(counted<int>(20), test_device(0));
    const test_vector<int> other(10, test_device(0));
    const std::string refused =
        "transform: the output overlaps an input without being the same range; copy one of them";
    const auto overlapping = [&](auto from, auto to) {
        return message_of<devmem::invalid_argument>([&] { transform(from, to, twice); });
    };
    CHECK(overlapping(v.first(10), v.subspan(1, 10)) == refused);
    CHECK(overlapping(v.subspan(1, 10), v.first(10)) == refused);
    CHECK(overlapping(v.first(10), v.subspan(9, 10)) == refused);
    CHECK(overlapping(v.subspan(9, 10), v.first(10)) == refused);
    CHECK(message_of<devmem::invalid_argument>(
              [&] { transform(other, v.first(10), v.subspan(5, 10), sum); }) == refused);
    CHECK(message_of<devmem::invalid_argument>(
              [&] { transform(v.first(10), other, v.subspan(5, 10), sum); }) == refused);
    CHECK(contents(v) == counted<int>(20));
}

TEST_CASE("sizes that differ are refused, and the message names both") {
    const test_vector<int> ten(10, test_device(0));
    const test_vector<int> eleven(11, test_device(0));
    test_vector<int> out(10, test_device(0));
    const auto refused = [](const auto& f) { return message_of<devmem::invalid_argument>(f); };
    CHECK(refused([&] { transform(eleven, out, twice); }) ==
          "transform: ranges of 11 and 10 elements; sizes must be equal");
    CHECK(refused([&] { transform(ten, eleven, out, sum); }) ==
          "transform: ranges of 11 and 10 elements; sizes must be equal");
    CHECK(refused([&] { transform(eleven, ten, out, sum); }) ==
          "transform: ranges of 11 and 10 elements; sizes must be equal");
    CHECK(refused([&] { transform(test_vector<int>(0, test_device(0)), out, twice); }) ==
          "transform: ranges of 0 and 10 elements; sizes must be equal");
}

TEST_CASE("ranges and stream must be of one device, and the message names both") {
    const test_vector<int> on_0(10, test_device(0));
    const test_vector<int> on_1(10, test_device(1));
    test_vector<int> out(10, test_device(1));
    const stream s0(test_device(0));
    const std::string kind = devmem_test::path_is_cuda ? "cuda" : "cpu";
    const auto refused = [](const auto& f) { return message_of<devmem::wrong_device>(f); };
    CHECK(refused([&] { transform(on_0, out, twice); }) == "transform: a range is on " + kind +
                                                               ":0, the stream on " + kind +
                                                               ":1; all must be on one device");
    CHECK(refused([&] { transform(on_1, on_0, out, sum); }) == "transform: a range is on " + kind +
                                                                   ":0, the stream on " + kind +
                                                                   ":1; all must be on one device");
    CHECK(refused([&] { transform(on_1, out, twice, s0); }) ==
          "transform: the stream is " + kind + ":0's, the object " + kind + ":1's");
}

TEST_CASE("it runs on the stream given, else on the current one of the output's device") {
    DEVMEM_NEEDS_KERNELS();
    DEVMEM_NEEDS_GATE();
    const stream s(test_device(2));
    test_vector<int> v(100, 1, s);
    devmem_test::settle();
    {
        devmem_test::gate held(s);
        transform(v, v, twice, s);
        CHECK(!s.query());
        const devmem::stream_guard guard(s);
        const devmem::stream_guard elsewhere(devmem::current_stream(test_device(0)));
        transform(v, v, twice);
        CHECK(!s.query());
        CHECK(devmem::current_stream(test_device(0)).query());
    }
    s.synchronize();
    CHECK(v.get(99) == 4);
}

TEST_CASE("what the function throws is thrown by the next synchronize, once") {
    DEVMEM_NEEDS_KERNELS();
    const stream s(test_device(0));
    test_vector<int> v(counted<int>(100'000), s);
    transform(
        v, v,
        [](int x) -> int {
            if (x == 77'777) throw std::runtime_error("element 77777");
            return x;
        },
        s);
    CHECK_THROWS_WITH_AS(s.synchronize(), "element 77777", std::runtime_error);
    CHECK_NOTHROW(s.synchronize());
    transform(v, v, twice, s);
    CHECK_NOTHROW(s.synchronize());
    CHECK(v.get(99'999) == 199'998);
}

TEST_CASE("transforms of several streams share the team") {
    DEVMEM_NEEDS_KERNELS();
    constexpr int streams = 4;
    constexpr std::size_t n = 50'000;
    std::vector<stream> all;
    std::vector<test_vector<int>> vectors;
    for (int i = 0; i < streams; ++i) {
        all.emplace_back(test_device(i));
        vectors.emplace_back(n, i, all.back());
    }
    for (int round = 0; round < 50; ++round) {
        for (std::size_t i = 0; i < streams; ++i) {
            transform(
                vectors[i], vectors[i], [](int x) { return x + 4; }, all[i]);
        }
    }
    for (std::size_t i = 0; i < streams; ++i) {
        all[i].synchronize();
        CHECK(contents(vectors[i]) == std::vector<int>(n, static_cast<int>(i) + 200));
    }
}

TEST_CASE("on a GPU it is not permitted in this version, and says so") {
    if constexpr (!devmem_test::path_is_cuda) {
        DEVMEM_SKIP("this path has no GPU");
    } else {
        const test_vector<int> in(10, 1, test_device(2));
        test_vector<int> out(10, 2, test_device(2));
        CHECK(message_of<devmem::not_permitted>([&] { transform(in, out, twice); }) ==
              "transform: no kernel for cuda:2 in a file that nvcc has not compiled; "
              "compile it with nvcc, or copy the data to a CPU device");
        CHECK_THROWS_AS(transform(in, in, out, sum), devmem::not_permitted);
        CHECK(contents(out) == std::vector(10, 2));
    }
}
