// Single elements: get, set and their asynchronous forms, and elements of every layout.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/error.hpp>
#include <devmem/event.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::settle;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

struct three_bytes {
    std::uint8_t b[3];
    friend bool operator==(const three_bytes&, const three_bytes&) = default;
};

struct alignas(64) cache_line {
    int value;
    friend bool operator==(const cache_line& a, const cache_line& b) { return a.value == b.value; }
};

struct alignas(256) most_aligned {
    std::int8_t value;
    friend bool operator==(const most_aligned& a, const most_aligned& b) {
        return a.value == b.value;
    }
};

struct large {
    std::array<std::uint32_t, 50'000> words;
    friend bool operator==(const large&, const large&) = default;
};

/// Without a default constructor: zeros are still zeros.
struct marked {
    explicit marked(int v) : value(v) {}
    int value;
};

struct nothing {};

enum class color : std::uint8_t { red, green };

/// Overwrites what an expression of the caller's may have left there.
[[gnu::noinline]] void overwrite_stack() {
    volatile unsigned char bytes[4096];
    for (volatile unsigned char& byte : bytes) byte = 0xA5;
}

/// What a container does with its elements, for elements of some layout.
template <class T>
void use_elements(const T& a, const T& b) {
    const nothing_stays check;
    test_vector<T> v(3, a, test_device(1));
    v.set(1, b);
    CHECK(v.get(0) == a);
    CHECK(v.get(1) == b);
    v.resize(7, b);
    v.append(v.first(2));
    v.assign(v.subspan(1, 8));
    REQUIRE(v.size() == 8);
    CHECK(v.get(0) == b);
    CHECK(v.get(1) == a);
    CHECK(v.get(5) == b);
    CHECK(v.get(6) == a);
    CHECK(v.get(7) == b);
    v.assign(5, a);
    CHECK(contents(v) == std::vector<T>(5, a));
    CHECK(reinterpret_cast<std::uintptr_t>(v.data()) % alignof(T) == 0);
    settle();
    test_pinned<T> p(v);
    p[2] = b;
    CHECK(p.get(2) == b);
    CHECK(p[1] == a);
    const test_vector<T> zeros(2, test_device(1));
    const T zero = zeros.get(1);
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &zero, sizeof zero);
    bool is_zero = true;
    for (const unsigned char byte : bytes) is_zero = is_zero && byte == 0;
    CHECK(is_zero);
}

}  // namespace

TEST_CASE("get and set reach one element") {
    const nothing_stays check;
    test_vector<int> v(counted<int>(5), test_device(1));
    v.set(0, 10);
    v.set(4, 14);
    CHECK(v.get(0) == 10);
    CHECK(v.get(4) == 14);
    CHECK(contents(v) == std::vector<int>{10, 1, 2, 3, 14});
    const devmem::stream s(test_device(1));
    v.set(2, -1, s);
    CHECK(v.get(2, s) == -1);
    CHECK(contents(v) == std::vector<int>{10, 1, -1, 3, 14});
}

TEST_CASE("the asynchronous forms keep a stream's order") {
    const nothing_stays check;
    const devmem::stream s(test_device(1));
    test_vector<int> v(4, s);
    test_pinned<int> one(1, test_device(1));
    test_vector<int> elsewhere(1, test_device(2));
    settle();
    for (int i = 0; i < 100; ++i) v.set_async(3, i, s);
    v.get_async(3, one, s);
    v.get_async(3, v.first(1), s);
    v.get_async(3, elsewhere, s);
    s.synchronize();
    CHECK(one[0] == 99);
    CHECK(contents(v) == std::vector<int>{99, 0, 0, 99});
    CHECK(contents(elsewhere) == std::vector<int>{99});
    v.get_async(3, v.last(1), s);  // to itself
    CHECK(v.get(3, s) == 99);
}

TEST_CASE("set_async takes the value at the call") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const devmem::stream s(test_device(0));
    test_vector<int> v(4, s);
    devmem_test::gate held(s);
    v.set_async(3, 40 + 2, s);
    overwrite_stack();
    CHECK_FALSE(s.query());
    held.open();
    CHECK(v.get(3, s) == 42);
}

TEST_CASE("an element that is not there is refused") {
    const nothing_stays check;
    test_vector<int> v(3, 7, test_device(1));
    v.reserve(10);
    test_vector<int> one(1, test_device(1));
    CHECK_THROWS_AS(v.get(3), devmem::invalid_argument);
    CHECK_THROWS_AS(v.set(3, 1), devmem::invalid_argument);
    CHECK_THROWS_AS(v.set_async(3, 1), devmem::invalid_argument);
    CHECK_THROWS_AS(v.get_async(3, one), devmem::invalid_argument);
    CHECK_THROWS_AS(v.get(~std::size_t{0}), devmem::invalid_argument);
    const test_vector<int> empty;
    CHECK_THROWS_AS(empty.get(0), devmem::invalid_argument);
    // A place for one element is wanted, neither none nor two.
    test_vector<int> none(0, test_device(1));
    test_vector<int> two(2, test_device(1));
    CHECK_THROWS_AS(v.get_async(0, none), devmem::invalid_argument);
    CHECK_THROWS_AS(v.get_async(0, two), devmem::invalid_argument);
    CHECK(contents(v) == std::vector<int>(3, 7));
    CHECK(contents(two) == std::vector<int>{0, 0});
}

TEST_CASE("a stream of another device is refused for elements") {
    const nothing_stays check;
    const devmem::stream other(test_device(2));
    test_vector<int> v(3, 7, test_device(1));
    CHECK_THROWS_AS(v.get(0, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.set(0, 1, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.set_async(0, 1, other), devmem::wrong_device);
    CHECK_THROWS_AS(v.to_host(other), devmem::wrong_device);
    CHECK(contents(v) == std::vector<int>(3, 7));
}

TEST_CASE("elements of every layout are kept as they are") {
    SUBCASE("one byte") { use_elements<std::int8_t>(-1, 5); }
    SUBCASE("three bytes") { use_elements<three_bytes>({{1, 2, 3}}, {{4, 4, 5}}); }
    SUBCASE("eight bytes") { use_elements<double>(0.1, -0.25); }
    SUBCASE("an array") {
        use_elements<std::array<float, 3>>({1.0F, 2.0F, 3.0F}, {0.0F, 0.0F, 5.0F});
    }
    SUBCASE("a whole cache line") { use_elements<cache_line>({1}, {2}); }
    SUBCASE("the widest alignment") { use_elements<most_aligned>({1}, {2}); }
    SUBCASE("an enumeration") { use_elements<color>(color::green, color::red); }
    SUBCASE("a large struct") {
        static large a{};
        static large b{};
        a.words.fill(3);
        b.words.back() = 9;
        use_elements<large>(a, b);
    }
    SUBCASE("without a default constructor") {
        const nothing_stays check;
        test_vector<marked> v(2, marked(5));
        v.resize(3);
        CHECK(v.get(1).value == 5);
        CHECK(v.get(2).value == 0);
    }
    SUBCASE("without contents") {
        const nothing_stays check;
        test_vector<nothing> v(5);
        v.resize(9, nothing{});
        CHECK(v.size() == 9);
        CHECK(v.size_bytes() == 9);
    }
}

TEST_CASE("bool elements come to the host") {
    const nothing_stays check;
    test_vector<bool> v(3, true);
    v.set(1, false);
    CHECK(v.get(0));
    CHECK_FALSE(v.get(1));
    CHECK(v.to_host() == std::vector<bool>{true, false, true});
    test_pinned<bool> p(v);
    CHECK_FALSE(p[1]);
}
