/// \file
/// What is behind a stream: its device, its handle, how far its accesses have got, and the
/// exception its work has thrown.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/device/tables.hpp>
#include <devmem/stream/clock.hpp>

#include <cstdint>
#include <exception>

namespace devmem::inline v0::detail {

/// An event recorded in a stream, after the work of all accesses up to a tick.
struct mark_event {
    void* handle = nullptr;
    std::uint64_t covers = 0;
    std::uint32_t waiting = 0;  // threads of the host in wait for it: it must stay as it is
    vector_clock known;         // where order is checked: what comes before it
    mark_event* next = nullptr;
};

/// Where a ledger's word has the number of a stream.
inline constexpr int ledger_key_shift = 32;

/// A stream's state. States are never freed: blocks keep their place in a stream as state and tick,
/// and work in flight may still name the state of a stream that was destroyed. Such a state serves
/// another stream once all its work is over, under a new id; ticks go on counting, so that a mark
/// of an earlier stream is one that has been passed.
struct stream_state {
    const backend_table* table = nullptr;
    device where{};
    void* handle = nullptr;
    std::uint32_t number = 0;      // of this state, from 1
    std::uint64_t ledger_key = 0;  // the same, as ledgers keep it
    bool is_borrowed = false;
    bool records_each = false;  // an event at the end of each access, not at the first crossing
    std::uint64_t borrowed_id = 0;
    atomic<std::uint64_t> id{0};  // of the stream: the process has no other of that number

    atomic<std::uint64_t> tick{0};    // accesses that have ended
    atomic<std::uint64_t> passed{0};  // the host knows the work up to this tick to be over
    atomic<bool> gave_raw{false};     // work that no access tells of may be queued
    mutex ordering;                   // for what comes and goes with a stream, and for the events
    bool has_ended = true;            // no handle; the newest event covers every tick
    mark_event* events = nullptr;

    vector_clock known;  // where order is checked: what the work queued next comes after

    atomic<bool> has_exception{false};
    mutex keeping;
    std::exception_ptr exception;  // under `keeping`

    stream_state* next = nullptr;         // of the idle, the retired or the borrowed
    stream_state* next_of_all = nullptr;  // in the order of their making, the newest first
};

/// A stream's state as it was when work was queued.
struct stream_ticket {
    stream_state* state;
    std::uint64_t id;
};

inline stream_ticket ticket_of(stream_state& s) noexcept { return {&s, s.id.load_relaxed()}; }

/// Keeps the exception being handled for the stream's next `synchronize`, if it is the first and
/// the stream still lives.
inline void keep_exception(stream_ticket of) noexcept {
    const lock_guard lock(of.state->keeping);
    if (of.state->id.load_relaxed() != of.id || of.state->exception != nullptr) return;
    of.state->exception = std::current_exception();
    of.state->has_exception.store_relaxed(true);
}

/// All states of this process.
struct DEVMEM_STATE stream_registry {
    mutex borrowing;  // taken before `changing`
    mutex changing;
    atomic<std::uint64_t> next_id{1};
    std::uint32_t last_number = 0;
    stream_state* idle = nullptr;
    stream_state* borrowed = nullptr;
    atomic<stream_state*> retired{nullptr};  // without an owner, perhaps with work in flight
    atomic<stream_state*> all{nullptr};
    atomic<stream_state*> defaults[backend_kinds][max_devices];

    /// A state with a new id, for a stream of `d`; it is to be given a handle.
    stream_state& obtain(const backend_table& table, device d) {
        stream_state* s = take_idle(d);
        if (s == nullptr) {
            s = new stream_state;
            const lock_guard lock(changing);
            s->number = ++last_number;
            s->ledger_key = std::uint64_t{s->number} << ledger_key_shift;
            s->table = &table;
            s->where = d;
            s->next_of_all = all.load_relaxed();
            all.store_release(s);
        }
        {
            const lock_guard lock(host.lock);
            s->known.clear();
        }
        // Marks of the stream before may still be looked at.
        const lock_guard lock(s->ordering);
        s->is_borrowed = false;
        s->records_each = false;
        s->borrowed_id = 0;
        s->gave_raw.store_relaxed(false);
        s->id.store_release(next_id.fetch_add_relaxed(1));
        return *s;
    }

    /// For a state whose work is over, or that never had any.
    void recycle(stream_state& s) noexcept {
        std::exception_ptr unseen;
        {
            const lock_guard lock(s.keeping);
            s.id.store_relaxed(0);
            unseen.swap(s.exception);
            s.has_exception.store_relaxed(false);
        }
        const lock_guard lock(changing);
        s.next = idle;
        idle = &s;
    }

  private:
    /// States keep their events, which are a device's.
    stream_state* take_idle(device d) noexcept {
        const lock_guard lock(changing);
        for (stream_state** at = &idle; *at != nullptr; at = &(*at)->next) {
            stream_state* const found = *at;
            if (found->where != d) continue;
            *at = found->next;
            return found;
        }
        return nullptr;
    }
};

inline DEVMEM_STATE stream_registry streams{};

/// From now on the state is that of a stream.
inline void begin_stream(stream_state& s, void* handle) noexcept {
    const lock_guard lock(s.ordering);
    s.handle = handle;
    s.has_ended = false;
}

inline stream_state& default_stream_state(device d, const call_site& operation) {
    const backend_table& table = table_of(d, operation);
    atomic<stream_state*>& slot = streams.defaults[static_cast<int>(d.kind())][d.index()];
    if (stream_state* const found = slot.load_acquire()) return *found;
    void* handle = nullptr;
    check(table.default_stream(d, &handle), operation, table, d);
    stream_state& made = streams.obtain(table, d);
    begin_stream(made, handle);
    stream_state* winner = nullptr;
    if (slot.compare_exchange(winner, &made)) return made;
    made.has_ended = true;
    streams.recycle(made);
    return *slot.load_acquire();
}

/// A stream made current by a `stream_guard` of this thread; the innermost first.
struct stream_frame {
    stream_state* current = nullptr;
    const stream_frame* outer = nullptr;
};

inline DEVMEM_STATE thread_local const stream_frame* stream_frames = nullptr;

/// The stream that is current for the calling thread on `d`.
inline stream_state& current_stream_state(device d, const call_site& operation) {
    for (const stream_frame* f = stream_frames; f != nullptr; f = f->outer) {
        if (f->current->where == d) return *f->current;
    }
    return default_stream_state(d, operation);
}

}  // namespace devmem::inline v0::detail
