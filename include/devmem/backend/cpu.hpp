/// \file
/// `cpu_backend`: the host's cores as N virtual devices with real asynchronous streams.
#pragma once

#include <devmem/backend/cpu/engine.hpp>
#include <devmem/backend/cpu/work.hpp>
#include <devmem/backend/fork.hpp>
#include <devmem/backend/table.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace devmem::inline v0 {

namespace detail {

/// The CPU's current device is the thread's own; each kind has one.
inline DEVMEM_STATE thread_local int current_cpu = 0;

/// What a test makes of each call of the CPU backend, which then does nothing unless that is ok.
/// Null in programs.
using call_hook = status (*)(const char* function) noexcept;
inline DEVMEM_STATE atomic<call_hook> cpu_call_hook{nullptr};

}  // namespace detail

/// Plain CPU code. Device memory is host memory that devmem does not let the host touch, so that
/// what compiles here compiles for a GPU.
struct cpu_backend {
    static constexpr device_kind kind = device_kind::cpu;

    static const char* native_name(std::int32_t native) noexcept {
        switch (native) {
            case 0:
                return "";
            case EAGAIN:
                return "EAGAIN";
            case EBUSY:
                return "EBUSY";
            case EDEADLK:
                return "EDEADLK";
            case EINVAL:
                return "EINVAL";
            case ENODEV:
                return "ENODEV";
            case ENOMEM:
                return "ENOMEM";
            default:
                return "errno";
        }
    }
    static bool in_callback() noexcept { return detail::in_queue_work; }

    static status device_count(int* count) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        *count = detail::engine().options().devices;
        return {};
    }

    static status facts(device d, device_facts* out) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        if (!detail::engine().has(d)) return absent;
        detail::read_processor_name(out->name, sizeof out->name);
        memory_counts counts;
        if (const status s = memory_info(d, &counts); !s.ok()) return s;
        out->total_memory = counts.total;
        out->active = true;
        return {};
    }

    static status current_device(device* out) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        *out = device::cpu(detail::current_cpu);
        return {};
    }

    static status push_device(device d, device* before) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        if (!detail::engine().has(d)) return absent;
        *before = device::cpu(detail::current_cpu);
        detail::current_cpu = d.index();
        return {};
    }

    static status pop_device(device before) noexcept {
        if (detail::process_is_forked()) return forked_away;
        detail::current_cpu = before.index();
        return {};
    }

    static status memory_info(device d, memory_counts* out) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        detail::cpu_engine& e = detail::engine();
        if (!e.has(d)) return absent;
        if (const std::size_t capacity = e.options().capacity; capacity != 0) {
            *out = {capacity, capacity - e.at(d.index()).used()};
        } else {
            *out = {detail::physical_bytes(), detail::free_physical_bytes()};
        }
        return {};
    }

    static status synchronize_device(device d) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        if (!detail::engine().has(d)) return absent;
        count_wait();
        return detail::engine().at(d.index()).synchronize();
    }

    static status allocate(device d, memory_space space, std::size_t bytes, void** out) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        detail::cpu_engine& e = detail::engine();
        if (!e.has(d)) return absent;
        const bool counted = space == memory_space::device;
        if (counted && !e.at(d.index()).take(bytes, e.options().capacity)) {
            return {error_code::out_of_memory, ENOMEM};
        }
        *out = detail::host_allocate(bytes);
        if (*out != nullptr) return {};
        if (counted) e.at(d.index()).give_back(bytes);
        return {error_code::out_of_memory, ENOMEM};
    }

    static status deallocate(device d, memory_space space, void* data, std::size_t bytes) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        if (!detail::engine().has(d)) return absent;
        std::free(data);
        if (space == memory_space::device) detail::engine().at(d.index()).give_back(bytes);
        return {};
    }

    static status allocate_async(device d, void*, std::size_t bytes, void** out) noexcept {
        return allocate(d, memory_space::device, bytes, out);
    }

    static status deallocate_async(device d, void* stream, void* data, std::size_t bytes) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        return push(stream, [data, bytes, d]() noexcept {
            std::free(data);
            detail::engine().at(d.index()).give_back(bytes);
        });
    }

    static status default_stream(device d, void** out) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        detail::cpu_engine& e = detail::engine();
        if (!e.has(d)) return absent;
        return give(e.at(d.index()).default_stream(d.index(), e.options().scheduler), out);
    }

    static status stream_create(device d, void** out) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        detail::cpu_engine& e = detail::engine();
        if (!e.has(d)) return absent;
        return give(e.at(d.index()).create_stream(d.index(), e.options().scheduler), out);
    }

    static status stream_destroy(device d, void* stream) noexcept {
        if (detail::process_is_forked()) return forked_away;
        detail::engine().at(d.index()).recycle(as_stream(stream));
        return {};
    }

    static status stream_identity(device, void* stream, std::uint64_t* id, device* of) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        *id = as_stream(stream)->id;
        *of = device::cpu(as_stream(stream)->device_index);
        return {};
    }

    static status stream_query(device, void* stream, bool* done) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        *done = detail::mark_end(as_stream(stream)->work).query();
        return {};
    }

    static status stream_synchronize(device, void* stream) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        count_wait();
        return detail::mark_end(as_stream(stream)->work).wait();
    }

    static status stream_wait_event(device, void* stream, void* event) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        return detail::push_wait(as_stream(stream)->work, as_event(event)->mark);
    }

    static status event_create(device d, bool timed, void** out) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        if (!detail::engine().has(d)) return absent;
        auto* made = new (std::nothrow) detail::cpu_event;
        if (made != nullptr && timed) {
            made->time = new (std::nothrow) timespec{};
            if (made->time == nullptr) {
                delete made;
                made = nullptr;
            }
        }
        return give(made, out);
    }

    static status event_destroy(device, void* event) noexcept {
        if (detail::process_is_forked()) return forked_away;
        const detail::cpu_event last = *as_event(event);
        delete as_event(event);
        return last.time == nullptr ? status{} : detail::retire_time(last.mark, last.time);
    }

    static status event_record(device, void* event, void* stream) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        detail::cpu_event& e = *as_event(event);
        detail::queue& q = as_stream(stream)->work;
        if (e.time == nullptr) {
            e.mark = detail::mark_end(q);
            return {};
        }
        // Another queue that is still to write the time of an earlier mark keeps the place for it.
        const bool left_behind = e.mark.of != &q && !e.mark.reached();
        timespec* const time = left_behind ? new (std::nothrow) timespec{} : e.time;
        if (time == nullptr) return {error_code::out_of_memory, ENOMEM};
        const status s = push(stream, [time]() noexcept { clock_gettime(CLOCK_MONOTONIC, time); });
        if (!s.ok()) {
            if (left_behind) delete time;
            return s;
        }
        const detail::cpu_event before = e;
        e = {detail::mark_end(q), time};
        return left_behind ? detail::retire_time(before.mark, before.time) : status{};
    }

    static status event_query(device, void* event, bool* done) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        *done = as_event(event)->mark.query();
        return {};
    }

    static status event_synchronize(device, void* event) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        count_wait();
        return as_event(event)->mark.wait();
    }

    static status event_elapsed(device, void* begin, void* end, float* milliseconds) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        const detail::cpu_event* b = as_event(begin);
        const detail::cpu_event* e = as_event(end);
        if (b->time == nullptr || e->time == nullptr || b->mark.of == nullptr ||
            e->mark.of == nullptr) {
            return {error_code::invalid_argument, EINVAL};
        }
        if (!b->mark.reached() || !e->mark.reached()) return {error_code::not_permitted, EBUSY};
        *milliseconds =
            static_cast<float>(static_cast<double>(e->time->tv_sec - b->time->tv_sec) * 1e3 +
                               static_cast<double>(e->time->tv_nsec - b->time->tv_nsec) * 1e-6);
        return {};
    }

    static status copy_async(device, void* stream, void* dst, const void* src,
                             std::size_t bytes) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        return push(stream, [dst, src, bytes]() noexcept { detail::copy_bytes(dst, src, bytes); });
    }

    static status upload_async(device d, void* stream, void* dst, const void* src,
                               std::size_t bytes) noexcept {
        return upload_2d_async(d, stream, {dst, bytes, src, bytes, bytes, 1});
    }

    static status copy_2d_async(device, void* stream, const row_copy& rows) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        return push(stream, [rows]() noexcept { detail::copy_rows(rows); });
    }

    static status upload_2d_async(device d, void* stream, const row_copy& rows) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        const bool stages = rows.width * rows.height <= detail::engine().options().staging_bytes;
        if (stages) return detail::push_staged_rows(as_stream(stream)->work, rows);
        if (const status s = copy_2d_async(d, stream, rows); !s.ok()) return s;
        return stream_synchronize(d, stream);
    }

    static status fill_async(device, void* stream, void* dst, const void* pattern,
                             std::size_t width, std::size_t count) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        return detail::push_fill(as_stream(stream)->work, dst, pattern, width, count);
    }

    static status host_call(device, void* stream, const host_function& f) noexcept {
        if (const status r = refusal(); !r.ok()) return r;
        return as_stream(stream)->work.push(f);
    }

  private:
    static constexpr status absent{error_code::no_such_device, ENODEV};
    static constexpr status called_back{error_code::not_permitted, EDEADLK};
    static constexpr status forked_away{error_code::forked, 0};

    /// Why nothing is to be done here, whatever is asked.
    static status refusal(const char* function = __builtin_FUNCTION()) noexcept {
        if (detail::process_is_forked()) [[unlikely]] {
            return forked_away;
        }
        if (in_callback()) return called_back;
        const auto hook = detail::cpu_call_hook.load_relaxed();
        if (hook != nullptr) [[unlikely]] {
            return hook(function);
        }
        return {};
    }
    static void count_wait() noexcept { detail::host_waits.entered.fetch_add_relaxed(1); }

    static detail::cpu_stream* as_stream(void* handle) noexcept {
        return static_cast<detail::cpu_stream*>(handle);
    }
    static detail::cpu_event* as_event(void* handle) noexcept {
        return static_cast<detail::cpu_event*>(handle);
    }
    static status give(void* made, void** out) noexcept {
        *out = made;
        return made != nullptr ? status{} : status{error_code::out_of_memory, ENOMEM};
    }
    template <class F>
    static status push(void* stream, const F& f) noexcept {
        return as_stream(stream)->work.push(detail::make_host_function(f));
    }
};

static_assert(backend<cpu_backend>);

namespace detail {

inline constexpr backend_table cpu_table = make_table<cpu_backend>();

}  // namespace detail

}  // namespace devmem::inline v0
