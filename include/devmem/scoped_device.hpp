/// \file
/// `scoped_device` and `on_device`: make a device current for a while.
#pragma once

#include <devmem/device/tables.hpp>

#include <utility>

namespace devmem::inline v0 {

/// Makes a device current for the calling thread while it lives, and restores the one before,
/// also when an exception passes. Scopes nest strictly; they are neither copied nor moved.
/// @thread the thread that made it destroys it
class [[nodiscard]] scoped_device {
  public:
    /// @throws no_such_device
    explicit scoped_device(device d)
        : table_(detail::table_of(d, "scoped_device")), kind_before_(detail::kind_of_scope) {
        detail::check(table_.push_device(d, &before_), "scoped_device", table_, d);
        detail::kind_of_scope =
            d.kind() == device_kind::cuda ? detail::current_kind::cuda : detail::current_kind::cpu;
    }
    ~scoped_device() {
        detail::kind_of_scope = kind_before_;
        detail::check_in_destructor(table_.pop_device(before_), "~scoped_device", table_, before_);
    }
    scoped_device(const scoped_device&) = delete;
    scoped_device& operator=(const scoped_device&) = delete;

  private:
    const backend_table& table_;
    detail::current_kind kind_before_;
    device before_;
};

/// Calls `f(args...)` while `d` is current and returns what it returns.
/// @throws no_such_device, and what `f` throws
template <class F, class... Args>
decltype(auto) on_device(device d, F&& f, Args&&... args) {
    const scoped_device current(d);
    return std::forward<F>(f)(std::forward<Args>(args)...);
}

}  // namespace devmem::inline v0
