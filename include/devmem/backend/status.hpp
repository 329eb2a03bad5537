/// \file
/// What a backend function returns: eight bytes, devmem's code and the backend's own.
#pragma once

#include <cstdint>

namespace devmem::inline v0 {

/// What went wrong, whatever the backend.
enum class error_code : std::int32_t {
    none,
    out_of_memory,
    no_such_device,
    wrong_device,
    access_conflict,
    capture_error,
    device_lost,
    not_permitted,
    invalid_argument,
    length_error,
    forked,
    deadlock,
    no_host_twin,
    backend_failure,  ///< the backend failed in a way that has no code of its own here
};

/// The result of a backend function.
struct [[nodiscard]] status {
    error_code code = error_code::none;  ///< what has happened
    std::int32_t native = 0;             ///< the backend's own code: a `cudaError_t`, an `errno`

    /// Whether it did what it was asked.
    constexpr bool ok() const noexcept { return code == error_code::none; }
};

static_assert(sizeof(status) == 8);

}  // namespace devmem::inline v0
