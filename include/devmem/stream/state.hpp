/// \file
/// What is behind a stream: its device, its handle and the exception its work has thrown.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/device/tables.hpp>

#include <cstdint>
#include <exception>

namespace devmem::inline v0::detail {

/// A stream's state. States are never freed: work in flight may still name the state of a stream
/// that was destroyed; its id tells that the state now serves another.
struct stream_state {
    const backend_table* table = nullptr;
    device where{};
    void* handle = nullptr;
    atomic<std::uint64_t> id{0};
    atomic<bool> has_exception{false};
    mutex keeping;
    std::exception_ptr exception;  // under `keeping`
    stream_state* next = nullptr;  // of the idle or the borrowed
    std::uint64_t borrowed_id = 0;
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

/// Blocks until all work queued on the stream has run; rethrows what that work has thrown, once.
inline void synchronize_stream(stream_state& s, const char* operation) {
    check(s.table->stream_synchronize(s.where, s.handle), operation, *s.table, s.where);
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

/// All states of this process.
struct DEVMEM_STATE stream_registry {
    mutex borrowing;  // taken before `changing`
    mutex changing;
    atomic<std::uint64_t> next_id{1};
    stream_state* idle = nullptr;
    stream_state* borrowed = nullptr;
    atomic<stream_state*> defaults[backend_kinds][max_devices];

    /// A state with a new id, for a stream of `d`.
    stream_state& obtain(const backend_table& table, device d) {
        stream_state* s = nullptr;
        {
            const lock_guard lock(changing);
            if (idle != nullptr) {
                s = idle;
                idle = s->next;
            }
        }
        if (s == nullptr) s = new stream_state;
        s->table = &table;
        s->where = d;
        s->handle = nullptr;
        s->id.store_relaxed(next_id.fetch_add_relaxed(1));
        return *s;
    }

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
};

inline DEVMEM_STATE stream_registry streams{};

inline stream_state& default_stream_state(device d, const char* operation) {
    const backend_table& table = table_of(d, operation);
    atomic<stream_state*>& slot = streams.defaults[static_cast<int>(d.kind())][d.index()];
    if (stream_state* const found = slot.load_acquire()) return *found;
    void* handle = nullptr;
    check(table.default_stream(d, &handle), operation, table, d);
    stream_state& made = streams.obtain(table, d);
    made.handle = handle;
    stream_state* winner = nullptr;
    if (slot.compare_exchange(winner, &made)) return made;
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
inline stream_state& current_stream_state(device d, const char* operation) {
    for (const stream_frame* f = stream_frames; f != nullptr; f = f->outer) {
        if (f->current->where == d) return *f->current;
    }
    return default_stream_state(d, operation);
}

}  // namespace devmem::inline v0::detail
