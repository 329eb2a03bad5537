/// \file
/// What the CPU path is told before its first use.
#pragma once

#include <devmem/backend/cpu/queue.hpp>
#include <devmem/messages.hpp>

#include <cstddef>
#include <cstdint>

namespace devmem::inline v0::detail {

struct cpu_options {
    int devices = 1;
    std::size_t capacity = 0;  // bytes a device; 0: no limit
    int threads = 0;           // of the team, callers included; 0: one a core
    std::size_t staging_bytes = std::size_t{4} << 20;
    scheduler_kind scheduler = scheduler_kind::threads;
    std::uint64_t seed = 0;  // of the scheduler `deferred`
};

/// Written by the settings before the engine is made, read from then on.
inline DEVMEM_STATE cpu_options cpu_options_in_force{};

}  // namespace devmem::inline v0::detail
