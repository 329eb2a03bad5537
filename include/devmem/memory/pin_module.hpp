/// \file
/// Keeps the module that hands out blocks in memory, since blocks name functions in it.
#pragma once

#include <devmem/messages.hpp>

#include <dlfcn.h>

/// An address of this instance's state: the same in every module that shares the instance.
extern "C" inline __attribute__((used, visibility("default"))) const void*
devmem_v0_instance() noexcept {
    return &devmem::detail::handlers;
}

namespace devmem::inline v0::detail {

/// A module opened by `dlopen` must not be unloaded while blocks point into it, so it never is.
inline void pin_this_module() noexcept {
    static const bool pinned = []() noexcept {
        Dl_info here{};
        if (dladdr(reinterpret_cast<const void*>(&pin_this_module), &here) != 0) {
            // The program itself cannot be opened by its name, and need not be.
            return dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
        }
        return false;
    }();
    static_cast<void>(pinned);
}

}  // namespace devmem::inline v0::detail
