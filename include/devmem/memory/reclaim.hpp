/// \file
/// Letting blocks go without a wait, and accesses that outlive their block's owner.
#pragma once

#include <devmem/memory/pool.hpp>

namespace devmem::inline v0::detail {

/// Blocks without an owner that cannot be given back yet: let go in a host callback, where nothing
/// may be asked, or still in use by work that nobody waits for.
struct DEVMEM_STATE reclaim_list {
    atomic<block*> first{nullptr};

    void push(block& b) noexcept {
        block* head = first.load_relaxed();
        do {
            b.next = head;
        } while (!first.compare_exchange(head, &b));
    }

    block* take_all() noexcept {
        return first.load_relaxed() == nullptr ? nullptr : first.exchange(nullptr);
    }
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

/// Disposes of what was put off, as far as it has passed. Does not wait.
inline void reclaim() noexcept {
    for (block* b = reclaimable.take_all(); b != nullptr;) {
        block* const next = b->next;
        hand_on(*b);
        b = next;
    }
}

/// The same; waits for what has not passed.
inline status reclaim_and_wait() noexcept {
    status first;
    for (block* b = reclaimable.take_all(); b != nullptr;) {
        block* const next = b->next;
        const status s = b->ledger.settle();
        if (first.ok()) first = s;
        hand_on(*b);
        b = next;
    }
    return first;
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
        if (block_ != nullptr) block_->ledger.open(s, mode, by);
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
