/// \file
/// `runtime_instances`: how many copies of devmem's state a process has.
#pragma once

#include <devmem/memory/pin_module.hpp>

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdio>

namespace devmem::inline v0 {

namespace detail {

/// The instances met so far; as many as a process can sensibly have.
struct instance_list {
    const void* seen[64];
    std::size_t count = 0;

    void add(const void* instance) noexcept {
        for (std::size_t i = 0; i < count; ++i) {
            if (seen[i] == instance) return;
        }
        if (count < sizeof seen / sizeof *seen) seen[count++] = instance;
    }
};

/// The name of the n-th module of the process; the program's own is empty.
struct module_name {
    std::size_t wanted;
    std::size_t at = 0;
    bool found = false;
    char name[4096] = {};
};

inline int read_module_name(dl_phdr_info* module, std::size_t, void* into) noexcept {
    auto& out = *static_cast<module_name*>(into);
    if (out.at++ != out.wanted) return 0;
    std::snprintf(out.name, sizeof out.name, "%s", module->dlpi_name);
    out.found = true;
    return 1;
}

inline void ask_module(const char* name, instance_list& list) noexcept {
    using question = const void* (*)() noexcept;
    void* handle = dlopen(*name != '\0' ? name : nullptr, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return;
    if (void* found = dlsym(handle, "devmem_v0_instance")) {
        list.add(reinterpret_cast<question>(found)());
    }
    dlclose(handle);
}

}  // namespace detail

/// How many instances of devmem's state this process has: one, unless the loader was kept from
/// merging them (`dlopen` with local scope into a program linked without `-rdynamic`, version
/// scripts, `-Bsymbolic`). Each block returns to the instance that made it, whatever the number;
/// figures, current streams and pools are an instance's own.
/// @thread safe
inline std::size_t runtime_instances() noexcept {
    detail::instance_list found;
    found.add(devmem_v0_instance());
    // One name a pass: a module must not be opened while the loader's list is being walked.
    for (std::size_t i = 0;; ++i) {
        detail::module_name module{.wanted = i};
        dl_iterate_phdr(&detail::read_module_name, &module);
        if (!module.found) return found.count;
        detail::ask_module(module.name, found);
    }
}

}  // namespace devmem::inline v0
