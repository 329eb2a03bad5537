/// \file
/// From a device to its backend, and which device is current for the calling thread.
#pragma once

#include <devmem/backend/tables.hpp>
#include <devmem/error.hpp>
#include <devmem/settings.hpp>

#include <cstdint>

namespace devmem::inline v0::detail {

/// The backend's table for a kind, or null where this program has none.
inline const backend_table* find_table(device_kind kind) {
    ensure_settings();
    switch (kind) {
        case device_kind::cpu:
            return &cpu_table;
        case device_kind::cuda:
            return linked_cuda_table();
        case device_kind::mps:
            break;
    }
    return nullptr;
}

/// How many devices of a kind this process can use; none where this program has no backend for it.
inline status count_of(const backend_table* table, int* count) {
    *count = 0;
    if (table == nullptr) return {};
    const status s = table->device_count(count);
    if (!s.ok()) *count = 0;
    if (*count > max_devices) *count = max_devices;
    return s;
}

/// The same for lists and choices, to which a backend that fails has no devices.
/// @throws not_permitted in a host callback, where CUDA must not even be asked this
inline int count_devices(device_kind kind) {
    const backend_table* table = find_table(kind);
    int count = 0;
    const status s = count_of(table, &count);
    if (s.code == error_code::not_permitted || s.code == error_code::forked) {
        check(s, "devices", *table, device(kind, 0));
    }
    return count;
}

inline bool is_present(device d) { return d.index() >= 0 && d.index() < count_devices(d.kind()); }

/// The table of a device's backend.
/// @throws no_such_device when the device is not there, and what the backend reports
inline const backend_table& table_of(device d, const call_site& operation) {
    const backend_table* table = find_table(d.kind());
    int count = 0;
    if (const status s = count_of(table, &count); !s.ok()) check(s, operation, *table, d);
    if (d.index() >= 0 && d.index() < count) return *table;
    text<160> message;
    message.add("%s:%d is not here; this process has ", kind_name(d.kind()), d.index());
    if (count == 0) {
        message.add("no %s device", kind_name(d.kind()));
        if (d.kind() == device_kind::cuda && linked_cuda_table() == nullptr) {
            message.add(" (it was built without the CUDA path: link devmem::cuda)");
        }
    } else {
        message.add("%s:0 to %s:%d", kind_name(d.kind()), kind_name(d.kind()), count - 1);
    }
    throw_failure({.code = error_code::no_such_device, .operation = operation, .where = d},
                  message.c_str());
}

/// The kind made current by the innermost scope of this thread; none: the best there is.
enum class current_kind : std::int32_t { unset = -1, cpu = 0, cuda = 1 };
inline DEVMEM_STATE thread_local current_kind kind_of_scope = current_kind::unset;

/// Each kind has a current device of its own; the first where there is none.
/// @throws what the backend reports: it must not look as if the first were current
inline device current_device_of(device_kind kind) {
    const backend_table* table = find_table(kind);
    device current(kind, 0);
    int count = 0;
    status s = count_of(table, &count);
    if (s.ok() && count > 0) s = table->current_device(&current);
    if (!s.ok()) check(s, "current_device", *table, current);
    return current;
}

inline device_kind kind_in_use() {
    if (kind_of_scope != current_kind::unset) {
        return kind_of_scope == current_kind::cuda ? device_kind::cuda : device_kind::cpu;
    }
    return count_devices(device_kind::cuda) > 0 ? device_kind::cuda : device_kind::cpu;
}

}  // namespace devmem::inline v0::detail

namespace devmem::inline v0 {

/// The device that is current for the calling thread: that of the innermost `scoped_device` or
/// `stream_guard`; with none open the CUDA runtime's current device, or `cpu:0` without a GPU.
/// @sync none @thread safe
inline device current_device() { return detail::current_device_of(detail::kind_in_use()); }

}  // namespace devmem::inline v0
