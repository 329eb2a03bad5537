/// \file
/// A backend that does nothing but count, and answers what a test tells it: what the order of
/// streams costs, and what becomes of it when calls fail, is tested down to the single call.
#pragma once

#include <devmem/backend/fork.hpp>
#include <devmem/backend/table.hpp>
#include <devmem/memory/give_back.hpp>
#include <devmem/stream/retire.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace devmem_test {

struct fake_backend {
    using status = devmem::status;
    using device = devmem::device;

    static constexpr devmem::device_kind kind = devmem::device_kind::cpu;

    /// An event knows when it was recorded, by a clock that counts records.
    struct event {
        int recorded_at = 0;
    };

    // What has been called.
    inline static int events_made;
    inline static int events_destroyed;
    inline static int records;
    inline static int stream_waits;
    inline static int event_waits;
    inline static int stream_syncs;
    inline static int device_syncs;
    inline static int stream_queries;
    inline static int event_queries;
    inline static int streams_destroyed;
    inline static int failed_waits;  // told by the native code
    static constexpr int most_asked = 64;
    inline static int asked;  // for memory
    inline static std::size_t asked_for[most_asked];
    inline static int refused;  // so many times, with `on_allocate`
    inline static int allocated;
    inline static int freed;  // tried; a failure tells the number as its native code
    inline static int freed_on_stream;
    inline static void* freed_on;
    inline static const event* waited_for;
    inline static const event* last_recorded;

    // What is to be answered.
    inline static status on_allocate;
    inline static status on_allocate_again;  // where it is a failure: from the second time on
    inline static status on_info;
    inline static status on_event_create;
    inline static status on_record;
    inline static status on_stream_wait;
    inline static status on_event_wait;
    inline static status on_stream_sync;
    inline static status on_device_sync;
    inline static status on_query;
    inline static status on_free;
    inline static status on_default_stream;
    inline static bool stream_is_done;
    inline static int events_done_to;  // those recorded up to that time have been passed
    inline static bool is_in_callback;

    static void reset() noexcept {
        events_made = events_destroyed = records = stream_waits = event_waits = failed_waits = 0;
        stream_syncs = device_syncs = stream_queries = event_queries = streams_destroyed = 0;
        freed = freed_on_stream = events_done_to = asked = refused = 0;
        on_allocate = {devmem::error_code::out_of_memory, 0};
        on_allocate_again = on_info = {};
        freed_on = nullptr;
        waited_for = last_recorded = nullptr;
        on_event_create = on_record = on_stream_wait = on_event_wait = {};
        on_stream_sync = on_device_sync = on_query = on_free = on_default_stream = {};
        stream_is_done = is_in_callback = false;
    }

    static const char* native_name(std::int32_t) noexcept { return "fake"; }
    static bool in_callback() noexcept { return is_in_callback; }

    static status device_count(int* count) noexcept {
        *count = 0;
        return {};
    }
    static status facts(device, devmem::device_facts*) noexcept { return {}; }
    static status current_device(device*) noexcept { return {}; }
    static status push_device(device, device*) noexcept { return {}; }
    static status pop_device(device) noexcept { return {}; }
    static status memory_info(device, devmem::memory_counts* out) noexcept {
        *out = {.total = 4096, .free = 1024};
        return on_info;
    }
    static status synchronize_device(device) noexcept {
        ++device_syncs;
        return on_device_sync;
    }
    static status allocate(device, devmem::memory_space, std::size_t bytes, void** out) noexcept {
        if (asked < most_asked) asked_for[asked] = bytes;
        if (++asked <= refused)
            return asked > 1 && !on_allocate_again.ok() ? on_allocate_again : on_allocate;
        *out = &addresses[++allocated % most_asked];
        return {};
    }
    static status deallocate(device, devmem::memory_space, void*, std::size_t) noexcept {
        ++freed;
        status s = on_free;
        if (!s.ok()) s.native = freed;
        return s;
    }
    static status allocate_async(device d, void*, std::size_t bytes, void** out) noexcept {
        return allocate(d, devmem::memory_space::device, bytes, out);
    }
    static status deallocate_async(device, void* stream, void*, std::size_t) noexcept {
        ++freed_on_stream;
        freed_on = stream;
        return on_free;
    }
    static status default_stream(device, void** out) noexcept {
        if (on_default_stream.ok()) *out = &a_default_stream;
        return on_default_stream;
    }
    static status stream_create(device, void**) noexcept { return {}; }
    static status stream_destroy(device, void*) noexcept {
        ++streams_destroyed;
        return {};
    }
    static status stream_identity(device, void*, std::uint64_t*, device*) noexcept { return {}; }
    static status stream_query(device, void*, bool* done) noexcept {
        ++stream_queries;
        *done = stream_is_done && on_query.ok();
        return on_query;
    }
    static status stream_synchronize(device, void*) noexcept {
        ++stream_syncs;
        return on_stream_sync;
    }
    static status stream_wait_event(device, void*, void* e) noexcept {
        ++stream_waits;
        waited_for = static_cast<event*>(e);
        return on_stream_wait;
    }
    static status event_create(device, bool, void** out) noexcept {
        if (!on_event_create.ok()) return on_event_create;
        ++events_made;
        *out = new event;
        return {};
    }
    static status event_destroy(device, void* e) noexcept {
        ++events_destroyed;
        delete static_cast<event*>(e);
        return {};
    }
    static status event_record(device, void* e, void*) noexcept {
        ++records;
        if (!on_record.ok()) return on_record;
        auto* recorded = static_cast<event*>(e);
        recorded->recorded_at = ++clock;
        last_recorded = recorded;
        return {};
    }
    static status event_query(device, void* e, bool* done) noexcept {
        ++event_queries;
        *done = on_query.ok() && static_cast<event*>(e)->recorded_at <= events_done_to;
        return on_query;
    }
    static status event_synchronize(device, void* e) noexcept {
        ++event_waits;
        waited_for = static_cast<event*>(e);
        status s = on_event_wait;
        if (!s.ok()) s.native = ++failed_waits;
        return s;
    }
    static status event_elapsed(device, void*, void*, float*) noexcept { return {}; }
    static status copy_async(device, void*, void*, const void*, std::size_t) noexcept { return {}; }
    static status upload_async(device, void*, void*, const void*, std::size_t) noexcept {
        return {};
    }
    static status copy_2d_async(device, void*, const devmem::row_copy&) noexcept { return {}; }
    static status upload_2d_async(device, void*, const devmem::row_copy&) noexcept { return {}; }
    static status fill_async(device, void*, void*, const void*, std::size_t, std::size_t) noexcept {
        return {};
    }
    static status host_call(device, void*, const devmem::host_function&) noexcept { return {}; }

    inline static int clock = 0;
    inline static char a_default_stream;
    inline static char addresses[most_asked];
};

inline constexpr devmem::backend_table fake_table = devmem::detail::make_table<fake_backend>();

/// A device that no other test has streams or memory on.
inline constexpr devmem::device fake_device{devmem::device_kind::cpu,
                                            devmem::detail::max_devices - 1};

/// A stream of the fake backend. Its state is its own, and stays, as states do.
class fake_stream {
  public:
    fake_stream() : state_(devmem::detail::streams.obtain(fake_table, fake_device)) {
        begin_stream(state_, &state_);
    }
    ~fake_stream() {
        raise_to(state_.passed, state_.tick.load_relaxed());
        state_.handle = nullptr;
    }
    fake_stream(const fake_stream&) = delete;
    fake_stream& operator=(const fake_stream&) = delete;

    devmem::detail::stream_state& operator*() const noexcept { return state_; }
    devmem::detail::stream_state* operator->() const noexcept { return &state_; }

    /// An access of something ends.
    devmem::detail::stream_mark work() const noexcept {
        return {&state_, devmem::detail::take_tick(state_)};
    }
    std::size_t events() const noexcept {
        std::size_t n = 0;
        for (auto* e = state_.events; e != nullptr; e = e->next) ++n;
        return n;
    }

  private:
    devmem::detail::stream_state& state_;
};

/// While it lives devmem takes the process for a forked child.
class [[nodiscard]] as_forked_child {
  public:
    as_forked_child() noexcept { devmem::detail::forked_child = true; }
    ~as_forked_child() { devmem::detail::forked_child = false; }
    as_forked_child(const as_forked_child&) = delete;
    as_forked_child& operator=(const as_forked_child&) = delete;
};

}  // namespace devmem_test
