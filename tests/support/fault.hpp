/// \file
/// `fault`: one way in which one backend call of an operation fails.
#pragma once

#include <devmem/backend/status.hpp>

#include <cstddef>
#include <string>

namespace devmem_test {

enum class fault_kind {
    once,
    ever,      ///< every call of the function
    lost,      ///< and every call on the device from then on
    unloaded,  ///< and every call of anything from then on
};

/// One way in which one call of an operation fails.
struct fault {
    std::size_t nth = 0;                                 ///< which call of the operation, from 1
    std::string function;                                ///< that it calls
    std::size_t occurrence = 0;                          ///< which call of that function, from 1
    int error = 0;                                       ///< the backend's own
    devmem::error_code code = devmem::error_code::none;  ///< on the CPU path, devmem's
    std::string error_name;
    fault_kind kind = fault_kind::once;
    bool of_release = false;  ///< the function frees or destroys

    /// The device, or all that there is.
    bool takes_all() const { return kind == fault_kind::lost || kind == fault_kind::unloaded; }

    std::string text() const {
        constexpr const char* ends[] = {"", ", and so does every one", ", and the device is lost",
                                        ", and the driver is gone"};
        return "call " + std::to_string(nth) + " of the operation, " + function + ", fails with " +
               error_name + ends[static_cast<int>(kind)];
    }
};

}  // namespace devmem_test
