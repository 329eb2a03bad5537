/// \file
/// `dynamic_backend`: the code path chosen at run time, by the device.
#pragma once

#include <devmem/backend/table.hpp>
#include <devmem/backend/tables.hpp>

#include <cstddef>
#include <cstdint>

namespace devmem::inline v0 {

/// Passes each call on to the backend of the device's kind, among those that this program has. It
/// has no devices of its own: the count is of all kinds, and the current device that of the best
/// kind there is.
struct dynamic_backend {
    static constexpr device_kind kind = device_kind::cpu;  // what is always there

    static const char* native_name(std::int32_t native) noexcept {
        const backend_table* cuda = detail::linked_cuda_table();
        return (cuda != nullptr ? *cuda : detail::cpu_table).native_name(native);
    }
    static bool in_callback() noexcept { return detail::cpu_table.in_callback(); }

    static status device_count(int* count) noexcept {
        int gpus = 0;
        int cpus = 0;
        const backend_table* cuda = detail::linked_cuda_table();
        if (cuda == nullptr || !cuda->device_count(&gpus).ok()) gpus = 0;
        const status s = detail::cpu_table.device_count(&cpus);
        *count = gpus + cpus;
        return s;
    }
    static status current_device(device* out) noexcept {
        int gpus = 0;
        const backend_table* cuda = detail::linked_cuda_table();
        const bool has_gpu = cuda != nullptr && cuda->device_count(&gpus).ok() && gpus > 0;
        return (has_gpu ? *cuda : detail::cpu_table).current_device(out);
    }

#define DEVMEM_FORWARD(name, parameters, ...)                            \
    static status name parameters noexcept {                             \
        const backend_table* table = of(d);                              \
        return table != nullptr ? table->name(__VA_ARGS__)               \
                                : status{error_code::no_such_device, 0}; \
    }
    DEVMEM_FORWARD(facts, (device d, device_facts* out), d, out)
    DEVMEM_FORWARD(push_device, (device d, device* before), d, before)
    DEVMEM_FORWARD(pop_device, (device d), d)
    DEVMEM_FORWARD(memory_info, (device d, memory_counts* out), d, out)
    DEVMEM_FORWARD(synchronize_device, (device d), d)
    DEVMEM_FORWARD(allocate, (device d, memory_space space, std::size_t bytes, void** out), d,
                   space, bytes, out)
    DEVMEM_FORWARD(deallocate, (device d, memory_space space, void* data, std::size_t bytes), d,
                   space, data, bytes)
    DEVMEM_FORWARD(allocate_async, (device d, void* s, std::size_t bytes, void** out), d, s, bytes,
                   out)
    DEVMEM_FORWARD(deallocate_async, (device d, void* s, void* data, std::size_t bytes), d, s, data,
                   bytes)
    DEVMEM_FORWARD(default_stream, (device d, void** out), d, out)
    DEVMEM_FORWARD(stream_create, (device d, void** out), d, out)
    DEVMEM_FORWARD(stream_destroy, (device d, void* s), d, s)
    DEVMEM_FORWARD(stream_identity, (device d, void* s, std::uint64_t* id, device* on), d, s, id,
                   on)
    DEVMEM_FORWARD(stream_query, (device d, void* s, bool* done), d, s, done)
    DEVMEM_FORWARD(stream_synchronize, (device d, void* s), d, s)
    DEVMEM_FORWARD(stream_wait_event, (device d, void* s, void* event), d, s, event)
    DEVMEM_FORWARD(event_create, (device d, bool timed, void** out), d, timed, out)
    DEVMEM_FORWARD(event_destroy, (device d, void* event), d, event)
    DEVMEM_FORWARD(event_record, (device d, void* event, void* s), d, event, s)
    DEVMEM_FORWARD(event_query, (device d, void* event, bool* done), d, event, done)
    DEVMEM_FORWARD(event_synchronize, (device d, void* event), d, event)
    DEVMEM_FORWARD(event_elapsed, (device d, void* begin, void* end, float* milliseconds), d, begin,
                   end, milliseconds)
    DEVMEM_FORWARD(copy_async, (device d, void* s, void* dst, const void* src, std::size_t bytes),
                   d, s, dst, src, bytes)
    DEVMEM_FORWARD(upload_async, (device d, void* s, void* dst, const void* src, std::size_t bytes),
                   d, s, dst, src, bytes)
    DEVMEM_FORWARD(copy_2d_async, (device d, void* s, const row_copy& rows), d, s, rows)
    DEVMEM_FORWARD(upload_2d_async, (device d, void* s, const row_copy& rows), d, s, rows)
    DEVMEM_FORWARD(fill_async,
                   (device d, void* s, void* dst, const void* pattern, std::size_t width,
                    std::size_t count),
                   d, s, dst, pattern, width, count)
    DEVMEM_FORWARD(host_call, (device d, void* s, const host_function& f), d, s, f)
#undef DEVMEM_FORWARD

  private:
    static const backend_table* of(device d) noexcept {
        switch (d.kind()) {
            case device_kind::cpu:
                return &detail::cpu_table;
            case device_kind::cuda:
                return detail::linked_cuda_table();
            case device_kind::mps:
                break;
        }
        return nullptr;
    }
};

static_assert(backend<dynamic_backend>);

}  // namespace devmem::inline v0
