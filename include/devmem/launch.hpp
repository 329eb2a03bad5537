/// \file
/// `launch`: a function for each index, with accesses of containers among its arguments.
#pragma once

#include <devmem/access.hpp>
#include <devmem/algorithm/loop.hpp>
#include <devmem/config.hpp>
#include <devmem/detail/values.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace devmem::inline v0 {

/// How often `launch` calls its function: for each i in [0, n).
class index_range {
  public:
    /// The numbers below `n`.
    explicit constexpr index_range(std::size_t n, place at = place::here()) noexcept
        : size_(n), at_(at) {}
    constexpr std::size_t size() const noexcept { return size_; }  ///< how many
    /// The line that launches.
    constexpr place at() const noexcept { return at_; }

  private:
    std::size_t size_;
    place at_;
};

namespace detail {
inline namespace DEVMEM_KERNEL_NAMESPACE {

/// The elements of an access, as whatever the function asks for: a span or a pointer.
template <class T>
struct launched_elements {
    T* data;
    std::size_t size;

    DEVMEM_HD constexpr operator T*() const noexcept { return data; }  // NOLINT(*-explicit-*)
    template <class U>
    requires std::same_as<U, T> || std::same_as<U, const T> DEVMEM_HD constexpr
    operator device_span<U>() const noexcept {  // NOLINT(*-explicit-*)
        return {data, size};
    }
};

template <class A>
struct launched {
    using as_span = A;
};
template <class T>
struct launched<launched_elements<T>> {
    using as_span = device_span<T>;
};

/// An argument of a launch: a value that is copied, or an access that is open until the launch has
/// been queued.
template <class A>
class bound_argument {
  public:
    bound_argument(stream_state&, const A& argument, const call_site&) : value_(argument) {}
    const A& value() const noexcept { return value_; }

  private:
    const A& value_;
};
template <class T>
class bound_argument<access_request<T>> {
  public:
    bound_argument(stream_state& s, const access_request<T>& wanted, const call_site& by)
        : used_(s, wanted.view, wanted.mode, by) {}
    launched_elements<T> value() const noexcept {
        return {used_.elements().data, used_.elements().size};
    }

  private:
    used_range<T> used_;
};

template <class A>
using launched_value = std::remove_cvref_t<
    decltype(std::declval<const bound_argument<std::remove_cvref_t<A>>&>().value())>;

/// A functor that can be called with the arguments as spans; else as the parameters ask.
template <class F, class... Values>
concept takes_spans = std::invocable<const F&, std::size_t, typename launched<Values>::as_span...>;

template <class F, class... Values>
concept launchable_with =
    takes_spans<F, Values...> || std::invocable<const F&, std::size_t, const Values&...>;

template <class F, class... Values>
DEVMEM_HD void call_launched(const F& f, std::size_t i, const Values&... values) {
    if constexpr (takes_spans<F, Values...>) {
        f(i, static_cast<typename launched<Values>::as_span>(values)...);
    } else {
        f(i, values...);
    }
}

/// `f(i, values…)`.
template <class F, class... Values>
struct launch_body {
    F f;
    values<Values...> arguments;

    DEVMEM_HD void operator()(std::size_t i) const { arguments.apply(call{f, i}); }
    void operator()(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i) (*this)(i);
    }

  private:
    struct call {
        const F& f;
        std::size_t i;
        DEVMEM_HD void operator()(const Values&... values) const { call_launched(f, i, values...); }
    };
};

template <class F, class... Bound>
void launch_bound(stream_state& on, std::size_t n, const F& f, const call_site& by,
                  const Bound&... bound) {
    // An index may stand for much work, so that few of them are worth sharing.
    constexpr std::size_t grain = 16;
    using body =
        launch_body<F, std::remove_cvref_t<decltype(std::declval<const Bound&>().value())>...>;
    queue_loop(on, n, grain, body{f, make_values(bound.value()...)}, by);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE
}  // namespace detail

/// What `launch` passes on as it is: a value that can be copied to a device by its bytes.
/// Containers are named by `read`, `write` or `read_write`.
template <class A>
concept launch_argument = std::is_trivially_copyable_v<std::remove_cvref_t<A>>;

/// A function that `launch` can call with an index and these arguments.
template <class F, class... Args>
concept launchable = detail::launchable_with<F, detail::launched_value<Args>...>;

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Calls `f(i, args…)` for each i of the range, in no order, several at once. `read(v)`, `write(v)`
/// and `read_write(v)` may stand anywhere among the arguments: each becomes the `device_span` or
/// the pointer that the parameter asks for, and the stream waits for what conflicts with it.
/// Everything else is copied at the call. What `f` throws on the CPU is thrown by the stream's next
/// `synchronize`.
/// @throws wrong_device when a container is of another device, access_conflict, not_permitted on a
/// GPU (file not built by nvcc) @sync none @complexity n calls
template <class F, launch_argument... Args>
requires launchable<F, Args...>
void launch(stream_view s, index_range range, F f, Args&&... args) {
    const detail::call_site by("launch", range.at());
    detail::stream_state& on =
        s.names_a_stream() ? s.state() : detail::current_stream_state(current_device(), by);
    detail::launch_bound(on, range.size(), f, by,
                         detail::bound_argument<std::remove_cvref_t<Args>>(on, args, by)...);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0
