/// \file
/// `device`: which processor, and which of its kind. A value, as small as an integer.
#pragma once

#include <cstdint>

namespace devmem::inline v0 {

/// Kinds of device. `mps` can be named, and is never present.
enum class device_kind : std::int32_t { cpu, cuda, mps };

/// A processor with memory of its own: a kind and an index, printed and parsed as `cuda:1`.
///
/// A value that names a device; whether that device is there is asked by `is_available`, and found
/// out by whoever uses it, who then throws `no_such_device`.
class device {
  public:
    /// `cpu:0`, which is always there.
    constexpr device() noexcept = default;
    /// The device of that kind and number.
    constexpr device(device_kind kind, int index) noexcept : kind_(kind), index_(index) {}

    /// `cpu:0`, `cpu:1`, …
    static constexpr device cpu(int index = 0) noexcept { return {device_kind::cpu, index}; }
    /// `cuda:0`, `cuda:1`, …
    static constexpr device cuda(int index) noexcept { return {device_kind::cuda, index}; }

    /// The device called `cpu`, `cpu:0`, `cuda`, `cuda:1`, `mps`, …; `cuda` alone is the current
    /// CUDA device, or `cuda:0` where there is none. Defined in `<devmem/device.hpp>`.
    /// @throws invalid_argument for any other text; the message lists the good words
    static device parse(const char* text);

    constexpr device_kind kind() const noexcept { return kind_; }  ///< what it is
    constexpr int index() const noexcept { return index_; }        ///< which of that kind, from 0

    /// Of one kind, and with the same index.
    friend constexpr bool operator==(device a, device b) noexcept {
        return a.kind_ == b.kind_ && a.index_ == b.index_;
    }

  private:
    device_kind kind_ = device_kind::cpu;
    std::int32_t index_ = 0;
};

static_assert(sizeof(device) == 8);

namespace detail {

constexpr const char* kind_name(device_kind kind) noexcept {
    switch (kind) {
        case device_kind::cpu:
            return "cpu";
        case device_kind::cuda:
            return "cuda";
        case device_kind::mps:
            return "mps";
    }
    return "unknown";
}

/// Kinds that a backend can be linked in for, and the most devices of one kind.
inline constexpr int backend_kinds = 2;
inline constexpr int max_devices = 64;

}  // namespace detail

}  // namespace devmem::inline v0
