/// \file
/// How the handles of streams and events are let go: at once or, where the backend must not be
/// called, later.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/device/tables.hpp>

#include <new>

namespace devmem::inline v0::detail {

enum class handle_kind { stream, event };

/// A stream or an event of a backend, of no use to anybody any more.
struct dead_handle {
    const backend_table* table;
    device where;
    void* handle;
    handle_kind kind;

    void destroy() const noexcept {
        const bool is_stream = kind == handle_kind::stream;
        const status s =
            is_stream ? table->stream_destroy(where, handle) : table->event_destroy(where, handle);
        check_in_destructor(s, is_stream ? "~stream" : "~event", *table, where);
    }
};

/// Handles whose owners were destroyed in a host callback.
struct DEVMEM_STATE dead_handle_list {
    struct entry {
        dead_handle dead;
        entry* next;
    };
    atomic<entry*> first{nullptr};

    void push(const dead_handle& dead) noexcept {
        auto* made = new (std::nothrow) entry{dead, first.load_relaxed()};
        if (made == nullptr) {
            report_destructor_error("a stream or event is lost: no memory to put it off");
            return;
        }
        while (!first.compare_exchange(made->next, made)) {
        }
    }

    void drain() noexcept {
        if (first.load_relaxed() == nullptr) [[likely]] {
            return;
        }
        for (entry* e = first.exchange(nullptr); e != nullptr;) {
            entry* next = e->next;
            e->dead.destroy();
            delete e;
            e = next;
        }
    }
};

/// Emptied by whoever makes a stream or an event.
inline DEVMEM_STATE dead_handle_list dead_handles{};

inline void let_go(const dead_handle& dead) noexcept {
    if (dead.table->in_callback()) {
        dead_handles.push(dead);
    } else {
        dead.destroy();
    }
}

}  // namespace devmem::inline v0::detail
