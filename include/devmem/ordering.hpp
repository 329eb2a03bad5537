/// \file
/// `ordering`: who keeps the accesses of a container in order.
#pragma once

namespace devmem::inline v0 {

/// Who keeps the accesses of a container in order.
enum class ordering {
    automatic,  ///< devmem: streams and the host wait for accesses that conflict with theirs
    /// The program, by events. devmem waits for nothing but at the end: memory is still used for
    /// something else only when every use has passed. With `DEVMEM_CHECK_ORDER` a missing wait is
    /// reported.
    manual,
};

}  // namespace devmem::inline v0
