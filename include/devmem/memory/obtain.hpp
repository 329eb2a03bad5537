/// \file
/// Obtaining and letting go of blocks: from the pool, straight from the backend, in a stream's
/// order, or by functions of the user's.
#pragma once

#include <devmem/memory/block.hpp>
#include <devmem/memory/pin_module.hpp>
#include <devmem/memory/pool.hpp>
#include <devmem/stream/state.hpp>

#include <cstddef>
#include <new>

namespace devmem::inline v0::detail {

/// Blocks let go where waiting is not permitted (in a host callback) or has failed: released by the
/// next allocation.
struct DEVMEM_STATE reclaim_list {
    atomic<block*> first{nullptr};

    void push(block& b) noexcept {
        block* head = first.load_relaxed();
        do {
            b.next = head;
        } while (!first.compare_exchange(head, &b));
    }

    void drain() noexcept {
        if (first.load_relaxed() == nullptr) return;
        for (block* b = first.exchange(nullptr); b != nullptr;) {
            block* next = b->next;
            b->release(b);
            b = next;
        }
    }
};

inline DEVMEM_STATE reclaim_list reclaimable{};

/// What every release does first. False when the block was put off, since it may still be in use.
/// On a lost device nothing is.
inline bool ready_to_release(block& b) noexcept {
    status waited;
    if (!b.table->in_callback()) {
        waited = settle_uses(b);
        if (waited.ok() || waited.code == error_code::device_lost) return true;
    }
    check_in_destructor(waited, "release", *b.table, b.where);
    reclaimable.push(b);
    return false;
}

/// Gives a block's memory back to its backend.
inline status give_back(block& b) noexcept {
    const status s = b.table->deallocate(b.where, b.space, b.data, b.granted);
    delete &b;
    return s;
}

/// Gives all cached memory of a device and space back to the backend; the first error, if any.
inline status give_back_cached(device d, memory_space space) noexcept {
    memory_pool* pool = find_pool(d, space);
    if (pool == nullptr) return {};
    status first;
    for (block* b = pool->take_all(); b != nullptr;) {
        block* next = b->next;
        const status s = give_back(*b);
        if (first.ok()) first = s;
        b = next;
    }
    return first;
}

inline void release_pooled(block* b) noexcept {
    if (!ready_to_release(*b)) return;
    memory_pool& pool = *find_pool(b->where, b->space);
    pool.count_release(*b);
    if (class_of(b->granted).bytes == b->granted) {
        pool.put(*b);
        return;
    }
    // Given when memory was short, without the room that others of its class would expect.
    const backend_table& table = *b->table;
    const device where = b->where;
    check_in_destructor(give_back(*b), "release", table, where);
}

inline void release_direct(block* b) noexcept {
    if (!ready_to_release(*b)) return;
    find_pool(b->where, b->space)->count_release(*b);
    const backend_table& table = *b->table;
    const device where = b->where;
    check_in_destructor(give_back(*b), "release", table, where);
}

inline void release_stream_ordered(block* b) noexcept {
    if (!ready_to_release(*b)) return;
    find_pool(b->where, b->space)->count_release(*b);
    void* stream = nullptr;
    status s = b->table->default_stream(b->where, &stream);
    if (s.ok()) s = b->table->deallocate_async(b->where, stream, b->data, b->granted);
    check_in_destructor(s, "release", *b->table, b->where);
    delete b;
}

[[noreturn]] inline void refuse_memory(status s, const backend_table& table, device d,
                                       memory_space space, std::size_t bytes,
                                       const char* operation) {
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

/// Asks the backend for `granted` bytes; when it has none left, gives back what is only cached and
/// asks again, at last for no more than `bytes`.
inline status allocate_or_trim(block& b, std::size_t bytes) noexcept {
    const auto ask = [&b] { return b.table->allocate(b.where, b.space, b.granted, &b.data); };
    status s = ask();
    if (s.code != error_code::out_of_memory) return s;
    const memory_pool* pool = find_pool(b.where, b.space);
    if (pool != nullptr && pool->cached() > 0) {
        if (const status freed = give_back_cached(b.where, b.space); !freed.ok()) return freed;
        s = ask();
    }
    if (s.code == error_code::out_of_memory && b.granted > bytes) {
        b.granted = bytes;
        s = ask();
    }
    return s;
}

/// A new record for a block, to be filled in.
inline block& new_block(const backend_table& table, device d, memory_space space, std::size_t bytes,
                        void (*release)(block*) noexcept) {
    pin_this_module();
    auto* b = new block;
    b->table = &table;
    b->where = d;
    b->space = space;
    b->requested = bytes;
    b->granted = bytes;
    b->release = release;
    return *b;
}

/// @pre bytes > 0
inline block& obtain_pooled(const backend_table& table, device d, memory_space space,
                            std::size_t bytes, stream_state&, const char* operation) {
    reclaimable.drain();
    memory_pool& pool = pool_of(d, space);
    const size_class wanted = class_of(bytes);
    block* b = wanted.bytes == 0 ? nullptr : pool.take(wanted);
    if (b == nullptr) {
        b = &new_block(table, d, space, bytes, &release_pooled);
        if (wanted.bytes != 0) b->granted = wanted.bytes;
        if (const status s = allocate_or_trim(*b, bytes); !s.ok()) {
            delete b;
            refuse_memory(s, table, d, space, bytes, operation);
        }
    }
    b->requested = bytes;
    pool.count_owner(*b);
    return *b;
}

inline block& obtain_direct(const backend_table& table, device d, memory_space space,
                            std::size_t bytes, stream_state&, const char* operation) {
    reclaimable.drain();
    memory_pool& pool = pool_of(d, space);
    block& b = new_block(table, d, space, bytes, &release_direct);
    if (const status s = allocate_or_trim(b, bytes); !s.ok()) {
        delete &b;
        refuse_memory(s, table, d, space, bytes, operation);
    }
    pool.count_owner(b);
    return b;
}

inline block& obtain_stream_ordered(const backend_table& table, device d, memory_space space,
                                    std::size_t bytes, stream_state& on, const char* operation) {
    if (space != memory_space::device) {
        return obtain_direct(table, d, space, bytes, on, operation);
    }
    reclaimable.drain();
    memory_pool& pool = pool_of(d, space);
    block& b = new_block(table, d, space, bytes, &release_stream_ordered);
    if (const status s = table.allocate_async(d, on.handle, bytes, &b.data); !s.ok()) {
        delete &b;
        refuse_memory(s, table, d, space, bytes, operation);
    }
    b.note_use(d);  // it exists in the order of that stream only
    pool.count_owner(b);
    return b;
}

/// Memory of the user's, let go by a function of the user's.
template <class Release>
struct foreign_block : block {
    Release let_go;
    explicit foreign_block(Release r) : let_go(static_cast<Release&&>(r)) {}
};

template <class Release>
void release_foreign(block* b) noexcept {
    if (!ready_to_release(*b)) return;
    auto* whole = static_cast<foreign_block<Release>*>(b);
    find_pool(b->where, b->space)->count_release(*b);
    whole->let_go(b->data, b->granted);
    delete whole;
}

/// @throws std::bad_alloc; the caller keeps `data` then
template <class Release>
block& make_foreign(const backend_table& table, device d, memory_space space, void* data,
                    std::size_t bytes, Release let_go) {
    pin_this_module();
    memory_pool& pool = pool_of(d, space);
    auto* b = new foreign_block<Release>(static_cast<Release&&>(let_go));
    b->table = &table;
    b->where = d;
    b->space = space;
    b->data = data;
    b->requested = bytes;
    b->granted = bytes;
    b->release = &release_foreign<Release>;
    pool.count_owner(*b);
    return *b;
}

}  // namespace devmem::inline v0::detail
