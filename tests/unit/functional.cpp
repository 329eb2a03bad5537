// The functors that algorithms know.
#include <devmem/functional.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

using devmem::equal_to;
using devmem::less;
using devmem::plus;

namespace {

struct nothing_defined {
    int value;
};
struct ordered {
    int value;
    friend bool operator<(const ordered& a, const ordered& b) { return a.value > b.value; }
};

}  // namespace

TEST_CASE("they compute what the operators do, of one type") {
    CHECK(plus{}(2, 3) == 5);
    CHECK(plus{}(std::uint8_t{200}, std::uint8_t{100}) == 44);
    CHECK(std::same_as<decltype(plus{}(std::uint8_t{1}, std::uint8_t{1})), std::uint8_t>);
    CHECK(less{}(-1, 1));
    CHECK(!less{}(1, 1));
    CHECK(!less{}(-0.0, 0.0));
    CHECK(less{}(ordered{2}, ordered{1}));
    CHECK(equal_to{}(-0.0, 0.0));
    CHECK(!equal_to{}(std::numeric_limits<float>::quiet_NaN(),
                      std::numeric_limits<float>::quiet_NaN()));
    static_assert(plus{}(1, 2) == 3 && less{}(1, 2) && equal_to{}(2, 2));
}

TEST_CASE("they are called only with what has the operator, and may go to a device") {
    CHECK(std::predicate<less, const ordered&, const ordered&>);
    CHECK(!std::predicate<less, const nothing_defined&, const nothing_defined&>);
    CHECK(!std::predicate<equal_to, const ordered&, const ordered&>);
    CHECK(std::is_empty_v<plus>);
    CHECK((std::is_empty_v<less> && std::is_empty_v<equal_to>));
    CHECK((std::is_trivially_copyable_v<less> && std::is_trivial_v<equal_to>));
}
