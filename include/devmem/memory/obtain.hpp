/// \file
/// Obtaining blocks: from the pool, straight from the backend, in a stream's order, or by functions
/// of the user's.
#pragma once

#include <devmem/memory/give_back.hpp>
#include <devmem/memory/pin_module.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

[[noreturn]] inline void refuse_memory(status s, const backend_table& table, device d,
                                       memory_space space, std::size_t bytes,
                                       const call_site& operation) {
    const memory_pool& pool = pool_of(d, space);
    text<320> message;
    add_bytes(message, bytes)
        .add(" of %s memory refused on %s:%d; live ", to_word(space), kind_name(d.kind()),
             d.index());
    add_bytes(message, pool.live()).add(", cached ");
    add_bytes(message, pool.cached());
    memory_counts counts;
    if (space == memory_space::device && table.memory_info(d, &counts).ok()) {
        add_bytes(message.add(", free "), counts.free).add(" of ");
        add_bytes(message, counts.total);
    }
    throw_failure({.code = s.code,
                   .operation = operation,
                   .where = d,
                   .bytes = bytes,
                   .native = s.native,
                   .native_name = table.native_name(s.native)},
                  message.c_str());
}

/// Memory that the host may touch must have been passed by all its uses: the host would not wait.
inline const stream_state* next_user(memory_space space, const stream_state& on) noexcept {
    return space == memory_space::device ? &on : nullptr;
}

/// A cached block of that class whose uses have passed, once the streams that it has waited for
/// have been asked how far they are; or null.
inline block* find_passed(memory_pool& pool, size_class wanted, const stream_state* user) noexcept {
    const pending_streams pending = pool.pending(wanted);
    for (int i = 0; i < pending.count; ++i) static_cast<void>(look(*pending.of[i]));
    return pending.count > 0 ? pool.take(wanted, user) : nullptr;
}

/// A cached block of that class once its uses have passed, for which the host waits; or null.
inline block* wait_for_cached(memory_pool& pool, size_class wanted) noexcept {
    block* const found = pool.take_any(wanted);
    if (found == nullptr || found->ledger.settle().ok()) return found;
    pool.put(*found);
    return nullptr;
}

inline status ask_backend(block& b) noexcept {
    return b.table->allocate(b.where, b.space, b.granted, &b.data);
}

/// When a device has no memory left: disposes of what was put off, and gives back all that is only
/// cached, of whatever space. Waits for the work that still uses it. False where the device itself
/// has failed; what cannot be given back is no reason to give up.
inline bool make_room(device d, status* failed) noexcept {
    static_cast<void>(reclaim_and_wait());
    for (int space = 0; space < memory_spaces; ++space) {
        const status s = give_back_cached(d, static_cast<memory_space>(space));
        if (s.code != error_code::device_lost) continue;
        *failed = s;
        return false;
    }
    return true;
}

/// After the backend has had no memory left (`s`): makes room and asks again, at last for no more
/// than `bytes`.
inline status trim_and_ask(block& b, std::size_t bytes, status s) noexcept {
    if (!make_room(b.where, &s)) return s;
    s = ask_backend(b);
    if (s.code == error_code::out_of_memory && b.granted > bytes) {
        b.granted = bytes;
        b.size_class = -1;  // without the room that others of its class would expect
        s = ask_backend(b);
    }
    return s;
}

/// A new record for a block, to be filled in.
inline block& new_block(const backend_table& table, device d, memory_space space, std::size_t bytes,
                        void (*dispose)(block*) noexcept) {
    pin_this_module();
    auto* b = new block;
    b->table = &table;
    b->where = d;
    b->space = space;
    b->requested = bytes;
    b->granted = bytes;
    b->release = &release_block;
    b->dispose = dispose;
    return *b;
}

/// A block gets an owner, who uses it first on `on`. Events are recorded for each access of memory
/// that the host may touch, so that the host waits for nothing that is queued later.
inline block& hand_out(memory_pool& pool, block& b, stream_state& on) noexcept {
    b.pool = &pool;
    b.ledger.begin_on(on, b.space != memory_space::device);
    pool.count_owner(b);
    return b;
}

/// A block for the pool from the backend, or a cached one that has to be waited for.
[[gnu::noinline]] inline block& obtain_for_pool(const backend_table& table, memory_pool& pool,
                                                device d, memory_space space, std::size_t bytes,
                                                const call_site& operation) {
    const size_class wanted = class_of(bytes);
    block& made = new_block(table, d, space, bytes, &dispose_pooled);
    if (wanted.bytes != 0) {
        made.granted = wanted.bytes;
        made.size_class = wanted.index;
    }
    status s = ask_backend(made);
    if (s.code == error_code::out_of_memory) {
        block* const cached = wanted.bytes != 0 ? wait_for_cached(pool, wanted) : nullptr;
        if (cached != nullptr) {
            delete &made;
            pool.count_out(*cached);
            return *cached;
        }
        s = trim_and_ask(made, bytes, s);
    }
    if (s.ok()) return made;
    delete &made;
    refuse_memory(s, table, d, space, bytes, operation);
}

/// From the pool: a cached block of the right class whose uses have passed, or come before what is
/// queued on `on`. Streams are asked how far they are only if none is known to be ready.
/// @pre bytes > 0
inline block& obtain_pooled(const backend_table& table, device d, memory_space space,
                            std::size_t bytes, stream_state& on, const call_site& operation) {
    reclaim();
    memory_pool& pool = pool_of(d, space);
    const size_class wanted = class_of(bytes);
    const stream_state* const user = next_user(space, on);
    block* b = nullptr;
    if (wanted.bytes != 0) {
        b = pool.take(wanted, user);
        if (b == nullptr) b = find_passed(pool, wanted, user);
    }
    if (b != nullptr) {
        pool.count_out(*b);
    } else {
        b = &obtain_for_pool(table, pool, d, space, bytes, operation);
    }
    b->requested = bytes;
    return hand_out(pool, *b, on);
}

inline block& obtain_direct(const backend_table& table, device d, memory_space space,
                            std::size_t bytes, stream_state& on, const call_site& operation) {
    reclaim();
    memory_pool& pool = pool_of(d, space);
    block& b = new_block(table, d, space, bytes, &dispose_direct);
    status s = ask_backend(b);
    if (s.code == error_code::out_of_memory) s = trim_and_ask(b, bytes, s);
    if (!s.ok()) {
        delete &b;
        refuse_memory(s, table, d, space, bytes, operation);
    }
    return hand_out(pool, b, on);
}

inline block& obtain_stream_ordered(const backend_table& table, device d, memory_space space,
                                    std::size_t bytes, stream_state& on,
                                    const call_site& operation) {
    if (space != memory_space::device) {
        return obtain_direct(table, d, space, bytes, on, operation);
    }
    reclaim();
    memory_pool& pool = pool_of(d, space);
    block& b = new_block(table, d, space, bytes, &dispose_stream_ordered);
    status s = table.allocate_async(d, on.handle, bytes, &b.data);
    if (s.code == error_code::out_of_memory && make_room(d, &s)) {
        s = table.allocate_async(d, on.handle, bytes, &b.data);
    }
    if (!s.ok()) {
        delete &b;
        refuse_memory(s, table, d, space, bytes, operation);
    }
    hand_out(pool, b, on);
    b.ledger.use_now(on);  // it exists in the order of that stream only
    return b;
}

/// Memory of the user's, let go by a function of the user's.
template <class Release>
struct foreign_block : block {
    Release let_go;
    explicit foreign_block(Release r) : let_go(static_cast<Release&&>(r)) {}
};

template <class Release>
void dispose_foreign(block* b) noexcept {
    if (!is_free(*b)) {
        reclaimable.push(*b);
        return;
    }
    auto* whole = static_cast<foreign_block<Release>*>(b);
    b->pool->count_out(*b);
    whole->let_go(b->data, b->granted);
    b->ledger.leave_lock();
    delete whole;
}

/// @throws std::bad_alloc; the caller keeps `data` then
template <class Release>
block& make_foreign(const backend_table& table, device d, memory_space space, void* data,
                    std::size_t bytes, stream_state& on, Release let_go) {
    pin_this_module();
    memory_pool& pool = pool_of(d, space);
    auto* b = new foreign_block<Release>(static_cast<Release&&>(let_go));
    b->table = &table;
    b->where = d;
    b->space = space;
    b->data = data;
    b->requested = bytes;
    b->granted = bytes;
    b->release = &release_block;
    b->dispose = &dispose_foreign<Release>;
    return hand_out(pool, *b, on);
}

}  // namespace devmem::inline v0::detail
