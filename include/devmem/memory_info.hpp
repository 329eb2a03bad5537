/// \file
/// `memory_info`: what a device's memory is used for; `format_bytes`.
#pragma once

#include <devmem/device/tables.hpp>
#include <devmem/memory/pool.hpp>

#include <cstddef>
#include <iosfwd>
#include <ostream>
#include <string>

namespace devmem::inline v0 {

/// Bytes of a device's own memory.
struct memory_figures {
    std::size_t total = 0;           ///< it has (CPU: the capacity set, else physical memory)
    std::size_t free = 0;            ///< nobody has
    std::size_t live = 0;            ///< asked for by devmem's containers that exist
    std::size_t cached = 0;          ///< kept by devmem for the next container
    std::size_t peak = 0;            ///< most `live` has been
    std::size_t used_by_others = 0;  ///< neither free nor devmem's
};

/// A number of bytes for reading: `1.5 MiB`.
inline std::string format_bytes(std::size_t bytes) {
    detail::text<32> text;
    return detail::add_bytes(text, bytes).c_str();
}

/// Prints the figures on one line.
inline std::ostream& operator<<(std::ostream& out, const memory_figures& f) {
    return out << format_bytes(f.free) << " free of " << format_bytes(f.total) << ", live "
               << format_bytes(f.live) << ", cached " << format_bytes(f.cached) << ", peak "
               << format_bytes(f.peak);
}

/// What a device's memory is used for now. Makes a context on a CUDA device that has none.
/// @throws no_such_device @sync none
inline memory_figures memory_info(device d = current_device()) {
    const backend_table& table = detail::table_of(d, "memory_info");
    memory_counts counts;
    detail::check(table.memory_info(d, &counts), "memory_info", table, d);
    memory_figures f{.total = counts.total, .free = counts.free};
    std::size_t reserved = 0;
    if (const auto* pool = detail::find_pool(d, memory_space::device)) {
        f.live = pool->live();
        f.cached = pool->cached();
        f.peak = pool->peak();
        reserved = pool->reserved();
    }
    const std::size_t known = f.free + reserved;
    f.used_by_others = f.total > known ? f.total - known : 0;
    return f;
}

}  // namespace devmem::inline v0
