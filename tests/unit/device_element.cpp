// What may be an element: decided at compile time, by what the type is.
#include "test_backend.hpp"

#include <devmem/container/element.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

struct plain {
    int a;
    float b;
};
struct nested {
    plain p[2];
    std::array<double, 3> d;
};
enum class small : unsigned char { one };
union either {
    int i;
    float f;
};
struct copies {
    copies() = default;
    copies(const copies& other) : value(other.value + 1) {}
    copies& operator=(const copies&) = default;
    int value = 0;
};
struct destroys {
    ~destroys() {}
};
struct with_virtual {
    virtual void f() {}
};
struct alignas(512) too_aligned {
    int value;
};
struct alignas(256) just_aligned {
    int value;
};
struct keeps_pointer {
    const int* where;
};

/// Whether the container can be named with it, without an error outside the immediate context.
template <class T>
concept can_be_kept = requires {
    typename devmem::device_vector<T>;
};

template <class... Ts>
constexpr bool all_accepted = (devmem::device_element<Ts> && ...) && (can_be_kept<Ts> && ...);
template <class... Ts>
constexpr bool none_accepted = !(devmem::device_element<Ts> || ...) && !(can_be_kept<Ts> || ...);

static_assert(
    all_accepted<bool, char, std::byte, int, float, double, std::size_t, small, plain, nested,
                 either, std::array<float, 3>, just_aligned, keeps_pointer, int*>);
static_assert(none_accepted<std::string, std::unique_ptr<int>, std::vector<int>, copies, destroys,
                            with_virtual>);
// Not trivially copyable in every standard library.
static_assert(none_accepted<std::pair<int, float>>);
static_assert(none_accepted<const int, volatile int, int&, void, too_aligned>);

}  // namespace

TEST_CASE("an element is a type that may be moved by copying its bytes") {
    CHECK(all_accepted<plain, bool>);
    CHECK(none_accepted<std::string>);
    const devmem_test::test_vector<nested> v(2, nested{{{1, 2.0F}, {3, 4.0F}}, {5, 6, 7}});
    CHECK(v.get(1).p[1].a == 3);
    CHECK(v.get(1).d[2] == 7);
}
