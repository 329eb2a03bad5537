/// \file
/// `device` and what can be asked of devices: which there are, their properties, waiting for them.
#pragma once

#include <devmem/device/tables.hpp>
#include <devmem/error.hpp>
#include <devmem/stream/order.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace devmem::inline v0 {

/// What is known of a device without using it.
struct device_properties {
    std::string name;              ///< as its maker calls it
    std::size_t total_memory = 0;  ///< bytes
};

/// The devices of one kind that this process can use. Makes no context.
inline std::vector<device> devices(device_kind kind) {
    std::vector<device> found;
    const int count = detail::count_devices(kind);
    found.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) found.emplace_back(kind, i);
    return found;
}

/// All devices that this process can use: GPUs first, CPUs last. Makes no context.
inline std::vector<device> devices() {
    std::vector<device> found = devices(device_kind::cuda);
    const std::vector<device> cpus = devices(device_kind::cpu);
    found.insert(found.end(), cpus.begin(), cpus.end());
    return found;
}

/// Whether this process can use the device.
inline bool is_available(device d) { return detail::is_present(d); }

/// The properties of a device. Makes no context.
/// @throws no_such_device
inline device_properties properties(device d) {
    const backend_table& table = detail::table_of(d, "properties");
    device_facts facts;
    detail::check(table.facts(d, &facts), "properties", table, d);
    return {facts.name, facts.total_memory};
}

/// Blocks the host until all work queued so far on the device, on whatever stream, has run.
/// @throws no_such_device, device_lost @sync device
inline void synchronize(device d = current_device(), place at = place::here()) {
    const detail::call_site operation("synchronize", at);
    const backend_table& table = detail::table_of(d, operation);
    detail::check(detail::synchronize_all(table, d), operation, table, d);
}

namespace detail {

/// The number after the colon; -1 where it is none.
inline int parse_index(const char* digits) noexcept {
    if (digits[0] < '0' || digits[0] > '9' || (digits[0] == '0' && digits[1] != '\0')) return -1;
    char* end = nullptr;
    const long index = std::strtol(digits, &end, 10);
    return *end == '\0' && index < 1'000'000 ? static_cast<int>(index) : -1;
}

/// As `device::parse`; an error names the operation.
inline device parse_device(const char* text, const call_site& operation) {
    const char* colon = text != nullptr ? std::strchr(text, ':') : nullptr;
    for (const device_kind kind : {device_kind::cpu, device_kind::cuda, device_kind::mps}) {
        const char* name = kind_name(kind);
        const std::size_t length = std::strlen(name);
        if (text == nullptr || std::strncmp(text, name, length) != 0) continue;
        if (colon == nullptr && std::strlen(text) == length) {
            return kind == device_kind::cuda ? current_device_of(kind) : device(kind, 0);
        }
        const int index = colon == text + length ? parse_index(colon + 1) : -1;
        if (index >= 0) return {kind, index};
    }
    detail::text<256> message;
    message.add(
        "'%.64s' names no device; write cpu, cuda or mps, or one of them with an index, "
        "as in cpu:0 or cuda:1",
        text != nullptr ? text : "(null)");
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

}  // namespace detail

inline device device::parse(const char* text) {
    return detail::parse_device(text, "device::parse");
}

}  // namespace devmem::inline v0
