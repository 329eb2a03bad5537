/// \file
/// What the engine found when a wait could not end; a status has no room for it.
#pragma once

#include <devmem/detail/text.hpp>
#include <devmem/messages.hpp>

namespace devmem::inline v0::detail {

/// Which streams wait for which, down to what holds them, for the last status of this thread that
/// said `deadlock`.
inline DEVMEM_STATE thread_local text<400> last_deadlock{};

}  // namespace devmem::inline v0::detail
