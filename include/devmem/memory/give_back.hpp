/// \file
/// How blocks go once nobody holds them: to the pool, to the backend, or to the user.
#pragma once

#include <devmem/memory/reclaim.hpp>

namespace devmem::inline v0::detail {

/// Gives a block's memory, of which no use is in flight, back to its backend. Where that fails the
/// memory stays, cached; on a lost device it is gone anyway.
inline status give_back(block& b) noexcept {
    memory_pool& pool = *b.pool;
    const status s = b.table->deallocate(b.where, b.space, b.data, b.granted);
    if (!s.ok() && s.code != error_code::device_lost) {
        pool.put(b);
        return s;
    }
    pool.count_out(b);
    b.ledger.leave_lock();
    delete &b;
    return s;
}

/// Whether all uses of a block without an owner have passed; the streams are asked, but not waited
/// for.
inline bool is_free(const block& b) noexcept {
    b.ledger.for_each_pending([](const stream_mark& m) { static_cast<void>(look(*m.stream)); });
    return b.ledger.is_ready_for(nullptr);
}

/// The backend's own release may wait for anything, so it is asked only when all uses have passed.
[[gnu::noinline]] inline void dispose_direct(block* b) noexcept {
    if (!is_free(*b)) {
        reclaimable.push(*b);
        return;
    }
    const backend_table& table = *b->table;
    const device where = b->where;
    check_in_destructor(give_back(*b), "release", table, where);
}

/// To the pool, with its uses: whoever gets it next comes after them. Not what was given when
/// memory was short.
inline void dispose_pooled(block* b) noexcept {
    if (b->size_class >= 0) {
        b->pool->put(*b);
    } else {
        dispose_direct(b);
    }
}

inline void deallocate_on(block& b, void* stream) noexcept {
    const status s = b.table->deallocate_async(b.where, stream, b.data, b.granted);
    check_in_destructor(s, "release", *b.table, b.where);
    if (!s.ok() && s.code != error_code::device_lost) {
        b.pool->put(b);  // to be given back another way
        return;
    }
    b.pool->count_out(b);
    b.ledger.leave_lock();
    delete &b;
}

/// The one stream that still uses a block, where its handle may be used for that: `end` is told,
/// and the stream's lock is held. Several streams, or one that is gone or borrowed, have to pass
/// first.
inline bool is_last_user(const stream_mark& end, const block& b) noexcept {
    const stream_state& s = *end.stream;
    return s.where == b.where && !s.is_borrowed && !s.has_ended && !has_passed(end);
}

/// In the order of the one stream that still uses it, if there is one; nobody waits.
inline void dispose_stream_ordered(block* b) noexcept {
    stream_mark end;
    int users = 0;
    b->ledger.for_each_pending([&](const stream_mark& m) {
        end = m;
        ++users;
    });
    if (users == 1) {
        const lock_guard lock(end.stream->ordering);
        if (is_last_user(end, *b)) {
            deallocate_on(*b, end.stream->handle);
            return;
        }
    }
    void* handle = nullptr;
    const status s = is_free(*b) ? b->table->default_stream(b->where, &handle) : status{};
    if (handle != nullptr) {
        deallocate_on(*b, handle);
        return;
    }
    check_in_destructor(s, "release", *b->table, b->where);
    reclaimable.push(*b);
}

/// Gives all cached memory of a device and space back to the backend, waiting for the work that
/// still uses it; the first error, if any. What cannot be waited for stays cached.
inline status give_back_cached(device d, memory_space space) noexcept {
    memory_pool* pool = find_pool(d, space);
    if (pool == nullptr) return {};
    status first;
    for (block* b = pool->take_all(); b != nullptr;) {
        block* const next = b->next;
        status s = b->ledger.settle();
        if (s.ok() || s.code == error_code::device_lost) {
            s = give_back(*b);
        } else {
            pool->put(*b);
        }
        if (first.ok()) first = s;
        b = next;
    }
    return first;
}

}  // namespace devmem::inline v0::detail
