/// \file
/// `placement`: where a new container's memory goes, a device or a stream of it.
#pragma once

#include <devmem/stream.hpp>

#include <type_traits>

namespace devmem::inline v0 {

/// Where something new goes: a device, or a stream, which names its device and is the first to use
/// the memory. By default the current device.
class placement {
  public:
    /// The current device.
    constexpr placement(place at = place::here()) noexcept : at_(at) {}
    // NOLINTBEGIN(google-explicit-constructor): call sites write v(n, device) and v(n, stream)
    /// A device, and there its current stream.
    constexpr placement(devmem::device d, place at = place::here()) noexcept
        : device_(d), has_device_(true), at_(at) {}
    /// A stream's device, first used on the stream.
    constexpr placement(stream_view s, place at = place::here()) noexcept : stream_(s), at_(at) {}
    /// The same.
    placement(const devmem::stream& s, place at = place::here()) noexcept : stream_(s), at_(at) {}
    // NOLINTEND(google-explicit-constructor)

    /// Whether it names a stream.
    bool is_stream() const noexcept { return stream_.names_a_stream(); }
    /// Whether it names a device alone.
    bool is_device() const noexcept { return has_device_; }
    /// The stream. @pre is_stream()
    stream_view stream() const noexcept { return stream_; }
    /// The device. @pre is_device()
    devmem::device device() const noexcept { return device_; }
    /// The line that says where.
    place at() const noexcept { return at_; }

  private:
    devmem::device device_{};
    bool has_device_ = false;
    stream_view stream_{};
    place at_;
};

namespace detail {

/// A placement that has been looked up.
struct resolved_placement {
    const backend_table* table;
    device where;
    stream_state* on;
    place at;
};

[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_kind(device where, device_kind only,
                                                               const call_site& operation) {
    text<160> message;
    message.add("%s:%d was given, but its backend is fixed to %s devices", kind_name(where.kind()),
                where.index(), kind_name(only));
    throw_failure({.code = error_code::wrong_device, .operation = operation, .where = where},
                  message.c_str());
}

/// @throws no_such_device, and wrong_device where `only` names a kind and the device is another
inline resolved_placement resolve_placement(const placement& given, const device_kind* only,
                                            const call_site& operation) {
    device where;
    stream_state* on = nullptr;
    if (given.is_stream()) {
        on = &given.stream().state();
        where = on->where;
    } else if (given.is_device()) {
        where = given.device();
    } else {
        where = only != nullptr ? current_device_of(*only) : current_device();
    }
    if (only != nullptr && where.kind() != *only) [[unlikely]] {
        refuse_kind(where, *only, operation);
    }
    if (on == nullptr) {
        static_cast<void>(table_of(where, operation));
        on = &current_stream_state(where, operation);
    }
    return {on->table, where, on, given.at()};
}

}  // namespace detail

}  // namespace devmem::inline v0
