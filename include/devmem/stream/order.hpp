/// \file
/// How streams and the host are made to wait for an access that has ended on a stream.
#pragma once

#include <devmem/stream/state.hpp>

#include <cstdint>
#include <new>

namespace devmem::inline v0::detail {

/// The end of an access: its stream, and the tick that it took there.
struct stream_mark {
    stream_state* stream = nullptr;
    std::uint64_t tick = 0;
};

/// Raises a count that only grows; what was done before is seen by who reads it.
inline void raise_to(atomic<std::uint64_t>& count, std::uint64_t value) noexcept {
    std::uint64_t found = count.load_relaxed();
    while (found < value && !count.compare_exchange(found, value)) {
    }
}

/// Ends an access whose work has been queued: the stream's next tick is its own.
inline std::uint64_t take_tick(stream_state& s) noexcept { return s.tick.fetch_add_release(1) + 1; }

/// Whether the host knows that the work is over, without asking the backend.
inline bool has_passed(const stream_mark& m) noexcept {
    return m.stream->passed.load_acquire() >= m.tick;
}

/// Where order is checked: what an event recorded now on `s` comes after.
inline void note_record(vector_clock& event, stream_state& s, std::uint64_t ended) noexcept {
    if (!is_checking()) return;
    const lock_guard lock(host.lock);
    queue_after_host(s.known);
    event.clear();
    event.join(s.known);
    event.raise(s.number, ended);
}

/// The same: `later`, a stream or the host, comes after what `event` does.
inline void note_wait(vector_clock& later, const vector_clock& event) noexcept {
    if (!is_checking()) return;
    const lock_guard lock(host.lock);
    later.join(event);
}

/// The same: `later` comes after an access that has passed, and what its stream knew.
inline void note_passed(vector_clock& later, const stream_mark& m) noexcept {
    if (!is_checking() || m.tick == 0) return;
    const lock_guard lock(host.lock);
    later.join(m.stream->known);
    later.raise(m.stream->number, m.tick);
}

/// The same: the host comes after the accesses of `s` up to a tick, and what that knew.
inline void note_synchronize(const stream_state& s, std::uint64_t ended) noexcept {
    if (!is_checking()) return;
    const lock_guard lock(host.lock);
    host.known.join(s.known);
    host.known.raise(s.number, ended);
}

/// Of the events that cover the tick the one that covers least more; null where there is none.
/// @pre `s.ordering` is held
inline mark_event* covering_event(const stream_state& s, std::uint64_t tick) noexcept {
    mark_event* found = nullptr;
    for (mark_event* e = s.events; e != nullptr; e = e->next) {
        if (e->covers >= tick && (found == nullptr || e->covers < found->covers)) found = e;
    }
    return found;
}

/// An event to be recorded: one more up to a small number, then that which covers least.
/// @pre `s.ordering` is held
inline mark_event* reusable_event(stream_state& s) noexcept {
    constexpr int enough = 8;
    int count = 0;
    mark_event* oldest = nullptr;
    for (mark_event* e = s.events; e != nullptr; e = e->next, ++count) {
        if (e->waiting == 0 && (oldest == nullptr || e->covers < oldest->covers)) oldest = e;
    }
    const bool is_unused = oldest != nullptr && oldest->covers <= s.passed.load_relaxed();
    if (is_unused || (count >= enough && oldest != nullptr)) return oldest;
    auto* made = new (std::nothrow) mark_event;
    if (made == nullptr) return oldest;
    made->next = s.events;
    s.events = made;
    return made;
}

/// Records an event that covers every access that has ended. @pre `s.ordering` is held
inline status record_ended(stream_state& s) noexcept {
    mark_event* e = reusable_event(s);
    if (e == nullptr) return {error_code::out_of_memory, 0};
    if (e->handle == nullptr) {
        const status made = s.table->event_create(s.where, false, &e->handle);
        if (!made.ok()) return made;
    }
    const std::uint64_t ended = s.tick.load_acquire();
    const status recorded = s.table->event_record(s.where, e->handle, s.handle);
    if (recorded.ok()) {
        e->covers = ended;
        note_record(e->known, s, ended);
    }
    return recorded;
}

/// An event that covers the tick, recorded now if there is none. @pre `s.ordering` is held
inline status cover(stream_state& s, std::uint64_t tick, mark_event** out) noexcept {
    *out = covering_event(s, tick);
    if (*out != nullptr) return {};
    // A borrowed stream's handle is used during accesses only: what could not be recorded then is
    // as good as lost. So is an access that ends after its stream.
    if (s.is_borrowed || s.has_ended) return {error_code::device_lost, 0};
    const status recorded = record_ended(s);
    *out = covering_event(s, tick);
    return recorded;
}

/// Records an event for an access that has ended, so that who waits for it will not wait for what
/// is queued later. Where that fails, a stream of devmem's own is recorded when somebody waits.
inline void record_end(const stream_mark& m) noexcept {
    stream_state& s = *m.stream;
    const lock_guard lock(s.ordering);
    if (s.has_ended || has_passed(m) || covering_event(s, m.tick) != nullptr) return;
    static_cast<void>(record_ended(s));
}

/// Makes what is queued on `waiter` from now on wait for the mark. @pre both are of one backend
inline status make_wait(stream_state& waiter, const stream_mark& m) noexcept {
    stream_state& s = *m.stream;
    const lock_guard lock(s.ordering);
    if (has_passed(m)) return {};
    mark_event* e = nullptr;
    if (const status covered = cover(s, m.tick, &e); !covered.ok()) return covered;
    note_wait(waiter.known, e->known);
    return waiter.table->stream_wait_event(waiter.where, waiter.handle, e->handle);
}

/// Blocks the host until the work before the mark is over. Holds no lock meanwhile: other threads
/// go on queueing on the stream.
inline status wait_for(const stream_mark& m) noexcept {
    stream_state& s = *m.stream;
    if (has_passed(m)) return {};
    // Not even a lock is taken there: who holds it may be waiting for the work that asks.
    if (s.table->in_callback()) return {error_code::not_permitted, 0};
    mark_event* e = nullptr;
    std::uint64_t covers = 0;
    {
        const lock_guard lock(s.ordering);
        covers = s.tick.load_acquire();
        if (cover(s, m.tick, &e).ok()) {
            ++e->waiting;
            covers = e->covers;
        }
    }
    // Where nothing tells when the stream gets there, all of the device is waited for.
    const status waited = e != nullptr ? s.table->event_synchronize(s.where, e->handle)
                                       : s.table->synchronize_device(s.where);
    const lock_guard lock(s.ordering);
    if (e != nullptr) {
        --e->waiting;
        note_wait(host.known, e->known);
    }
    if (waited.ok()) raise_to(s.passed, covers);
    return waited;
}

/// Finds out, without a wait, how far the stream has got.
inline status look(stream_state& s) noexcept {
    const lock_guard lock(s.ordering);
    const std::uint64_t ended = s.tick.load_acquire();
    if (s.passed.load_acquire() >= ended) return {};
    bool done = false;
    if (!s.is_borrowed && !s.has_ended) {
        const status asked = s.table->stream_query(s.where, s.handle, &done);
        if (done) raise_to(s.passed, ended);
        if (!asked.ok()) return asked;
    }
    const mark_event* newest = nullptr;
    for (std::uint64_t below = ~std::uint64_t{0};; below = newest->covers) {
        newest = nullptr;
        for (const mark_event* e = s.events; e != nullptr; e = e->next) {
            const bool is_older = e->covers < below && e->covers > s.passed.load_relaxed();
            if (is_older && (newest == nullptr || e->covers > newest->covers)) newest = e;
        }
        if (newest == nullptr) return {};
        const status asked = s.table->event_query(s.where, newest->handle, &done);
        if (done) raise_to(s.passed, newest->covers);
        if (!asked.ok()) return asked;
    }
}

/// Blocks until all work queued on the stream has run.
inline status synchronize_work(stream_state& s) noexcept {
    const std::uint64_t ended = s.tick.load_acquire();
    const status waited = s.table->stream_synchronize(s.where, s.handle);
    if (waited.ok()) {
        raise_to(s.passed, ended);
        note_synchronize(s, ended);
    }
    return waited;
}

/// Blocks until all work queued on the device has run.
inline status synchronize_all(const backend_table& table, device d) noexcept {
    const status waited = table.synchronize_device(d);
    if (!waited.ok()) return waited;
    for (stream_state* s = streams.all.load_acquire(); s != nullptr; s = s->next_of_all) {
        if (s->where != d || s->id.load_acquire() == 0) continue;
        static_cast<void>(look(*s));
        note_synchronize(*s, s->passed.load_relaxed());
    }
    return {};
}

/// Blocks until all work queued on the stream has run; rethrows what that work has thrown, once.
inline void synchronize_stream(stream_state& s, const call_site& operation) {
    check(synchronize_work(s), operation, *s.table, s.where);
    if (!s.has_exception.load_relaxed()) [[likely]] {
        return;
    }
    std::exception_ptr kept;
    {
        const lock_guard lock(s.keeping);
        kept.swap(s.exception);
        s.has_exception.store_relaxed(false);
    }
    if (kept != nullptr) std::rethrow_exception(kept);
}

}  // namespace devmem::inline v0::detail
