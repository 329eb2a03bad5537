/// \file
/// `host_function`: work for a stream, small enough to be queued by copying its bytes.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace devmem::inline v0 {

/// What is done with the closure in a `host_function`; either ends its life.
enum class host_function_action { run, drop };

/// A closure that is moved by copying bytes. It must be run or dropped exactly once: whoever was
/// given it and accepted it does so, else its maker.
struct host_function {
    static constexpr std::size_t capacity = 48;

    void (*act)(void* closure, host_function_action) noexcept = nullptr;
    alignas(16) std::byte closure[capacity];

    void run() noexcept { act(closure, host_function_action::run); }
    void drop() noexcept { act(closure, host_function_action::drop); }
};

static_assert(sizeof(host_function) == 64);

namespace detail {

/// Closures that may be moved by copying their bytes and fit are kept in place.
template <class F>
inline constexpr bool kept_in_place = std::is_trivially_copyable_v<F> &&
                                      sizeof(F) <= host_function::capacity && alignof(F) <= 16;

/// Makes a host function of `f`, which must not throw when called.
template <class F>
host_function make_host_function(F&& f) {
    using closure = std::remove_cvref_t<F>;
    host_function made;
    if constexpr (kept_in_place<closure>) {
        ::new (static_cast<void*>(made.closure)) closure(std::forward<F>(f));
        made.act = [](void* at, host_function_action action) noexcept {
            if (action == host_function_action::run) (*static_cast<closure*>(at))();
        };
    } else {
        ::new (static_cast<void*>(made.closure)) closure*(new closure(std::forward<F>(f)));
        made.act = [](void* at, host_function_action action) noexcept {
            closure* boxed = *static_cast<closure**>(at);
            if (action == host_function_action::run) (*boxed)();
            delete boxed;
        };
    }
    return made;
}

}  // namespace detail

}  // namespace devmem::inline v0
