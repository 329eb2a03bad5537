// What cannot throw says so, and what is copied cheaply stays small.
#include "test_backend.hpp"

#include <devmem/device_span.hpp>
#include <devmem/device_view.hpp>
#include <devmem/event.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using devmem_test::test_managed;
using devmem_test::test_mapped;
using devmem_test::test_pinned;
using devmem_test::test_vector;

template <class C>
constexpr bool
    keeps_promises =
        std::is_nothrow_move_constructible_v<C>&& std::is_nothrow_move_assignable_v<C>&&
            std::is_nothrow_destructible_v<C>&& std::is_nothrow_swappable_v<C>&&
                std::is_copy_constructible_v<C>&& std::is_copy_assignable_v<C> &&
        !std::is_nothrow_copy_constructible_v<C> &&
        !std::
            is_nothrow_copy_assignable_v<C>&& noexcept(
                std::
                    declval<const C&>()
                        .size())&& noexcept(std::declval<const C&>()
                                                .size_bytes())&& noexcept(std::declval<const C&>().capacity())&& noexcept(std::
                                                                                                                              declval<
                                                                                                                                  const C&>()
                                                                                                                                  .empty())&& noexcept(std::
                                                                                                                                                           declval<
                                                                                                                                                               const C&>()
                                                                                                                                                               .device())&& noexcept(std::
                                                                                                                                                                                         declval<
                                                                                                                                                                                             const C&>()
                                                                                                                                                                                             .space())&& noexcept(std::declval<const C&>()
                                                                                                                                                                                                                      .view())&& noexcept(std::declval<C&>()
                                                                                                                                                                                                                                              .view())&& noexcept(std::
                                                                                                                                                                                                                                                                      declval<
                                                                                                                                                                                                                                                                          C&>()
                                                                                                                                                                                                                                                                          .clear())&& noexcept(std::
                                                                                                                                                                                                                                                                                                   declval<
                                                                                                                                                                                                                                                                                                       C&>()
                                                                                                                                                                                                                                                                                                       .reset())&& noexcept(std::
                                                                                                                                                                                                                                                                                                                                declval<
                                                                                                                                                                                                                                                                                                                                    C&>()
                                                                                                                                                                                                                                                                                                                                    .swap(std::declval<
                                                                                                                                                                                                                                                                                                                                          C&>()));

static_assert(keeps_promises<test_vector<float>>);
static_assert(keeps_promises<test_vector<float, devmem::direct>>);
static_assert(keeps_promises<test_vector<float, devmem::stream_ordered>>);
static_assert(keeps_promises<test_pinned<int>>);
static_assert(keeps_promises<test_mapped<int>>);
static_assert(keeps_promises<test_managed<int>>);
static_assert(noexcept(std::declval<test_pinned<int>&>().unsynchronized_data()));
// These wait, so they can find out that a device has failed.
static_assert(!noexcept(std::declval<test_pinned<int>&>().begin()));
static_assert(!noexcept(std::declval<test_pinned<int>&>()[0]));

// A vector of containers moves them when it grows.
static_assert(std::is_same_v<decltype(std::move_if_noexcept(std::declval<test_vector<float>&>())),
                             test_vector<float>&&>);

template <class V>
constexpr bool is_cheap_view = std::is_trivially_copyable_v<V>&&
    std::is_nothrow_default_constructible_v<V>&& noexcept(std::declval<const V&>().size());
static_assert(is_cheap_view<devmem::device_view<int>>);
static_assert(is_cheap_view<devmem::device_view<const int>>);
static_assert(is_cheap_view<devmem::device_span<int>>);
static_assert(std::is_trivially_copyable_v<devmem::stream_view>);
static_assert(sizeof(devmem::stream_view) == sizeof(void*));
static_assert(sizeof(devmem::device_span<int>) == 2 * sizeof(void*));
// device, ordering, block, address, size, capacity
static_assert(sizeof(test_vector<double>) <= 6 * sizeof(void*));

// Owners move and are not copied; scopes do neither.
static_assert(std::is_nothrow_move_constructible_v<devmem::stream>);
static_assert(std::is_nothrow_move_assignable_v<devmem::stream>);
static_assert(std::is_nothrow_move_constructible_v<devmem::event>);
static_assert(std::is_nothrow_move_assignable_v<devmem::event>);
static_assert(!std::is_copy_constructible_v<devmem::stream>);
static_assert(!std::is_copy_constructible_v<devmem::event>);
template <class Scope>
constexpr bool stays_where_it_is =
    !std::is_copy_constructible_v<Scope> && !std::is_move_constructible_v<Scope> &&
    !std::is_copy_assignable_v<Scope> && !std::is_move_assignable_v<Scope> &&
    std::is_nothrow_destructible_v<Scope>;
static_assert(stays_where_it_is<devmem::scoped_device>);
static_assert(stays_where_it_is<devmem::stream_guard>);

}  // namespace

TEST_CASE("promises are kept by the types, as the compiler has checked") {
    CHECK(keeps_promises<test_vector<float>>);
    // The one promise that only running it can show: a growing vector copies none.
    std::vector<test_vector<int>> all;
    all.emplace_back(std::size_t{4}, 1);
    const int* address = all[0].data();
    for (int i = 0; i < 50; ++i) all.emplace_back(std::size_t{1});
    CHECK(all[0].data() == address);
}
