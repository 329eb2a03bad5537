/// \file
/// Whether this process is a forked child of one in which devmem was in use.
#pragma once

#include <devmem/messages.hpp>

#include <pthread.h>

namespace devmem::inline v0::detail {

/// Set in a forked child, which has none of the threads that its parent's queues and locks need.
/// Plain: it is written while the child has one thread.
inline DEVMEM_STATE bool forked_child = false;

/// True in a forked child of a process that had used devmem. There nothing of devmem's may be
/// waited for and no lock be taken: another thread may have held it at the fork.
inline bool process_is_forked() noexcept { return forked_child; }

/// Has every child that is forked from now on know itself. Returns an `errno`.
inline int watch_for_forks() noexcept {
    return pthread_atfork(nullptr, nullptr, []() noexcept { forked_child = true; });
}

}  // namespace devmem::inline v0::detail
