/// \file
/// How streams and events end: without a wait, and where the backend must not be called, later.
#pragma once

#include <devmem/stream/order.hpp>

#include <new>
#include <utility>

namespace devmem::inline v0::detail {

/// @pre `s.ordering` is held
inline status end_handle_locked(stream_state& s) noexcept {
    if (s.is_borrowed) {  // each of its accesses has recorded its end
        s.has_ended = true;
        s.handle = nullptr;
        return {};
    }
    if (s.gave_raw.exchange(false)) static_cast<void>(take_tick(s));  // after all that is queued
    const std::uint64_t ended = s.tick.load_acquire();
    const bool is_covered = s.passed.load_acquire() >= ended || covering_event(s, ended) != nullptr;
    if (const status last = is_covered ? status{} : record_ended(s); !last.ok()) {
        if (last.code != error_code::device_lost) return {};
        raise_to(s.passed, ended);  // nothing of it will run any more
    }
    s.has_ended = true;
    return s.table->stream_destroy(s.where, std::exchange(s.handle, nullptr));
}

/// Gives up the handle of a stream without an owner. What is in flight is covered by a last event;
/// where that cannot be recorded the handle is kept, to be asked and given up later.
inline void end_handle(stream_state& s) noexcept {
    status destroyed;
    {
        const lock_guard lock(s.ordering);
        destroyed = end_handle_locked(s);
    }
    check_in_destructor(destroyed, "~stream", *s.table, s.where);
}
/// Whether all work of a stream without an owner is over, so that its state may serve another.
inline bool is_over(stream_state& s) noexcept {
    if (s.handle != nullptr) end_handle(s);
    if (s.handle != nullptr) return false;
    const std::uint64_t ended = s.tick.load_acquire();
    if (look(s).code == error_code::device_lost) raise_to(s.passed, ended);
    return s.passed.load_acquire() >= ended;
}

inline void put_off(stream_state& s) noexcept {
    stream_state* head = streams.retired.load_relaxed();
    do {
        s.next = head;
    } while (!streams.retired.compare_exchange(head, &s));
}

/// For a stream whose owner is gone, or a borrowed one that is.
inline void retire(stream_state& s) noexcept {
    if (process_is_forked()) return;
    if (s.table->in_callback() || !is_over(s)) {
        put_off(s);
    } else {
        streams.recycle(s);
    }
}

/// An event of a backend, of no use to anybody any more.
struct dead_event {
    const backend_table* table;
    device where;
    void* handle;

    void destroy() const noexcept {
        check_in_destructor(table->event_destroy(where, handle), "~event", *table, where);
    }
};

/// Events whose owners were destroyed in a host callback.
struct DEVMEM_STATE dead_event_list {
    struct entry {
        dead_event dead;
        entry* next;
    };
    atomic<entry*> first{nullptr};

    void push(const dead_event& dead) noexcept {
        auto* made = new (std::nothrow) entry{dead, first.load_relaxed()};
        if (made == nullptr) {
            report_destructor_error("an event is lost: no memory to put it off");
            return;
        }
        while (!first.compare_exchange(made->next, made)) {
        }
    }

    void drain() noexcept {
        for (entry* e = first.exchange(nullptr); e != nullptr;) {
            entry* next = e->next;
            e->dead.destroy();
            delete e;
            e = next;
        }
    }
};

inline DEVMEM_STATE dead_event_list dead_events{};

inline void let_go(const dead_event& dead) noexcept {
    if (process_is_forked()) return;
    if (dead.table->in_callback()) {
        dead_events.push(dead);
    } else {
        dead.destroy();
    }
}

/// Ends what was put off, as far as it can be. Called by whoever makes a stream or an event.
inline void end_what_was_put_off() noexcept {
    if (dead_events.first.load_relaxed() != nullptr) dead_events.drain();
    if (streams.retired.load_relaxed() == nullptr) return;
    for (stream_state* s = streams.retired.exchange(nullptr); s != nullptr;) {
        stream_state* next = s->next;
        retire(*s);
        s = next;
    }
}

}  // namespace devmem::inline v0::detail
