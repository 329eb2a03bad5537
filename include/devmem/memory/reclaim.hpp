/// \file
/// Letting blocks go without a wait, and accesses that outlive their block's owner.
#pragma once

#include <devmem/memory/pool.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// Blocks without an owner that cannot be given back yet, the oldest first: let go in a host
/// callback, where nothing may be asked, or still in use by work that nobody waits for.
class DEVMEM_STATE reclaim_list {
  public:
    void push(block& b) noexcept {
        b.next = nullptr;
        const lock_guard lock(mutex_);
        (first_ == nullptr ? first_ : last_->next) = &b;
        last_ = &b;
        is_empty_.store_relaxed(false);
    }
    /// The oldest, so many at most, as a list.
    block* take(std::size_t most) noexcept {
        if (is_empty_.load_relaxed()) return nullptr;
        const lock_guard lock(mutex_);
        block* const oldest = first_;
        block** end = &first_;
        for (; *end != nullptr && most > 0; --most) end = &(*end)->next;
        block* const rest = *end;
        *end = nullptr;
        first_ = rest;
        is_empty_.store_relaxed(rest == nullptr);
        return oldest;
    }

  private:
    mutex mutex_;
    block* first_ = nullptr;
    block* last_ = nullptr;
    atomic<bool> is_empty_{true};
};

inline DEVMEM_STATE reclaim_list reclaimable{};

/// For a block without an owner: disposes of it, unless an access of it is open.
inline void hand_on(block& b) noexcept {
    if (b.table->in_callback()) {
        reclaimable.push(b);
    } else if (b.ledger.let_go()) {
        b.dispose(&b);
    }
}

/// What owners call. In a forked child the memory is left alone.
inline void release_block(block* b) noexcept {
    if (process_is_forked()) return;
    b->pool->count_release(*b);
    hand_on(*b);
}

inline constexpr std::size_t all_put_off = ~std::size_t{0};

/// Disposes of what was put off, as far as it has passed: of the oldest few, so that who allocates
/// does not pay for all that is in flight. Does not wait.
inline void reclaim(std::size_t most = 16) noexcept {
    for (block* b = reclaimable.take(most); b != nullptr;) {
        block* const next = b->next;
        hand_on(*b);
        b = next;
    }
}

/// The same with all; waits for what has not passed.
inline status reclaim_and_wait() noexcept {
    status first;
    for (block* b = reclaimable.take(all_put_off); b != nullptr;) {
        block* const next = b->next;
        if (b->ledger.let_go()) {  // else the last access to end disposes of it
            const status s = b->ledger.settle();
            if (first.ok()) first = s;
            hand_on(*b);
        }
        b = next;
    }
    return first;
}

/// Before a block is used: slices let go in a host callback have still to join it.
inline void join_slices(const block& b) noexcept {
    if (b.ledger.is_split()) [[unlikely]] {
        reclaim(all_put_off);
    }
}

/// Opens an access. @throws forked, access_conflict, and what the backend reports
inline void begin_access(const block& b, stream_state& s, access_mode mode, const call_site& by) {
    refuse_forked_child(by);
    join_slices(b);
    b.ledger.open(s, mode, by);
}

/// Ends an access. Where the owner has gone meanwhile, the last to end disposes of the block.
inline void end_access(const block& b, stream_state& s, access_mode mode) noexcept {
    if (b.ledger.close(s, mode)) [[unlikely]]
        hand_on(const_cast<block&>(b));
}

/// An access of a block, if there is one, that lasts as long as the scope: until the work that it
/// is for has been queued.
class [[nodiscard]] scoped_access {
  public:
    /// @throws access_conflict, and what the backend reports
    scoped_access(const block* b, stream_state& s, access_mode mode, const call_site& by)
        : block_(b), stream_(s), mode_(mode) {
        if (block_ != nullptr) begin_access(*block_, s, mode, by);
    }
    ~scoped_access() {
        if (block_ != nullptr) end_access(*block_, stream_, mode_);
    }
    scoped_access(const scoped_access&) = delete;
    scoped_access& operator=(const scoped_access&) = delete;

  private:
    const block* block_;
    stream_state& stream_;
    access_mode mode_;
};

}  // namespace devmem::inline v0::detail
