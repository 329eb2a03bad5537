/// \file
/// Which backends this program has: the CPU's table, and CUDA's where some file brought it.
#pragma once

#include <devmem/backend/cpu.hpp>
#include <devmem/backend/table.hpp>

#include <dlfcn.h>

/// CUDA's table. Files built with the CUDA path define it; in a program without such a file it is
/// null.
extern "C" __attribute__((weak, visibility("default"))) const devmem::backend_table*
devmem_v0_cuda_table() noexcept;

#if defined(DEVMEM_CUDA)
#include <devmem/backend/cuda.hpp>
#endif

namespace devmem::inline v0::detail {

/// CUDA's table, or null. The weak reference is bound when this module is loaded; where it found
/// nothing, the loader is asked once for one that came with another module.
inline const backend_table* linked_cuda_table() noexcept {
    static const backend_table* const found = []() noexcept -> const backend_table* {
        using function = const backend_table* (*)() noexcept;
        function table = &devmem_v0_cuda_table;
        if (table == nullptr) {
            table = reinterpret_cast<function>(dlsym(RTLD_DEFAULT, "devmem_v0_cuda_table"));
        }
        return table != nullptr ? table() : nullptr;
    }();
    return found;
}

}  // namespace devmem::inline v0::detail
