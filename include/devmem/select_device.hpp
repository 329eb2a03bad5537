/// \file
/// `select_device`: the device that is wanted or, where it is absent, the best there is.
#pragma once

#include <devmem/device.hpp>
#include <devmem/device_text.hpp>
#include <devmem/memory/pool.hpp>
#include <devmem/messages.hpp>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace devmem::inline v0 {

/// The type of `most_free_memory`.
struct most_free_memory_t {
    explicit constexpr most_free_memory_t() noexcept = default;
};
/// A rule for `select_device`: the device of the best kind with the most free memory.
inline constexpr most_free_memory_t most_free_memory{};

namespace detail {

/// The best there is: the current GPU, else `cpu:0`.
inline device best_device() {
    return count_devices(device_kind::cuda) > 0 ? current_device_of(device_kind::cuda)
                                                : device::cpu();
}

/// Each fallback is noted once a process: a bit a kind and index asked for; those that cannot be
/// meant seriously share one.
struct DEVMEM_STATE noted_fallbacks {
    atomic<std::uint64_t> bits{0};

    bool first_time(device wanted) noexcept {
        const bool has_own_bit = wanted.index() >= 0 && wanted.index() < 20;
        const int bit = static_cast<int>(wanted.kind()) * 21 + (has_own_bit ? wanted.index() : 20);
        const std::uint64_t mask = std::uint64_t{1} << bit;
        return (bits.fetch_or_relaxed(mask) & mask) == 0;
    }
};

inline DEVMEM_STATE noted_fallbacks fallbacks{};

/// Free memory without making a context: a device that nobody uses yet has all of it free.
inline std::size_t estimate_free(device d) {
    const backend_table& table = table_of(d, "select_device");
    device_facts facts;
    check(table.facts(d, &facts), "select_device", table, d);
    if (!facts.active) return facts.total_memory;
    memory_counts counts;
    check(table.memory_info(d, &counts), "select_device", table, d);
    const memory_pool* pool = find_pool(d, memory_space::device);
    return counts.free + (pool != nullptr ? pool->cached() : 0);
}

}  // namespace detail

/// `preferred` if it is there, else the best there is: the current GPU, at last `cpu:0`. A fallback
/// is noted once on the message sink. Makes no context.
inline device select_device(device preferred) {
    if (is_available(preferred)) return preferred;
    const device taken = detail::best_device();
    if (detail::fallbacks.first_time(preferred)) {
        detail::text<96> message;
        message.add("%s is not here; using %s", to_string(preferred).c_str(),
                    to_string(taken).c_str());
        detail::note(message.c_str());
    }
    return taken;
}

/// The device called `preferred`, as `device::parse` reads it, else the best there is.
/// @throws invalid_argument for a text that names no device
inline device select_device(std::string_view preferred) {
    return select_device(parse_device(preferred));
}
/// The same.
inline device select_device(const char* preferred) {
    return select_device(device::parse(preferred));
}

/// What the environment variable `DEVMEM_DEVICE` names (it is read once), else the best there is.
/// @throws invalid_argument when the variable names no device
inline device select_device() {
    // Copied, for the environment may change, and kept, for this may be called while statics end.
    static const std::string* const wanted = []() -> const std::string* {
        const char* set = std::getenv("DEVMEM_DEVICE");
        return set == nullptr ? nullptr : new std::string(set);
    }();
    if (wanted == nullptr) return detail::best_device();
    return select_device(detail::parse_device(wanted->c_str(), "DEVMEM_DEVICE"));
}

/// The device with the most free memory among those of the best kind there is. Makes no context:
/// of a GPU that this process does not use yet, all memory counts as free.
inline device select_device(most_free_memory_t) {
    const device_kind kind = detail::best_device().kind();
    device best(kind, 0);
    std::size_t most = 0;
    for (const device d : devices(kind)) {
        const std::size_t free = detail::estimate_free(d);
        if (free > most) {
            most = free;
            best = d;
        }
    }
    return best;
}

}  // namespace devmem::inline v0
