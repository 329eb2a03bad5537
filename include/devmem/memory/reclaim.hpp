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
        count_.store_relaxed(count_.load_relaxed() + 1);
    }
    block* take() noexcept {
        if (count_.load_relaxed() == 0) return nullptr;
        const lock_guard lock(mutex_);
        block* const oldest = first_;
        if (oldest == nullptr) return nullptr;
        first_ = oldest->next;
        count_.store_relaxed(count_.load_relaxed() - 1);
        return oldest;
    }
    std::size_t count() const noexcept { return count_.load_relaxed(); }

  private:
    mutex mutex_;
    block* first_ = nullptr;
    block* last_ = nullptr;
    atomic<std::size_t> count_{0};
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

/// Disposes of what was put off, as far as it has passed: of the oldest few, so that who allocates
/// does not pay for all that is in flight. Does not wait.
inline void reclaim() noexcept {
    constexpr std::size_t few = 16;
    const std::size_t put_off = reclaimable.count();
    for (std::size_t i = 0; i < put_off && i < few; ++i) {
        block* const b = reclaimable.take();
        if (b == nullptr) return;
        hand_on(*b);
    }
}

/// The same with all; waits for what has not passed.
inline status reclaim_and_wait() noexcept {
    status first;
    for (std::size_t i = reclaimable.count(); i > 0; --i) {
        block* const b = reclaimable.take();
        if (b == nullptr) break;
        if (!b->ledger.let_go()) continue;  // the last access to end disposes of it
        const status s = b->ledger.settle();
        if (first.ok()) first = s;
        hand_on(*b);
    }
    return first;
}

/// Before a block is used: slices let go in a host callback have still to join it.
inline void join_slices(const block& b) noexcept {
    if (b.ledger.is_split()) [[unlikely]] {
        for (std::size_t i = reclaimable.count(); i > 0 && b.ledger.is_split(); --i) {
            if (block* const put_off = reclaimable.take()) hand_on(*put_off);
        }
    }
}

/// Opens an access. @throws access_conflict, and what the backend reports
inline void begin_access(const block& b, stream_state& s, access_mode mode, const call_site& by) {
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
