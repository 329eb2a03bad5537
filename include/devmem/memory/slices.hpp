/// \file
/// `slice_group`: ledgers of their own for parts of a block.
#pragma once

#include <devmem/memory/reclaim.hpp>

#include <cstddef>
#include <utility>

namespace devmem::inline v0::detail {

/// A part of a block: no memory of its own, but a ledger, which joins that of the whole when the
/// part is let go and no access of it is open.
struct slice_block : block {
    struct shared_state {
        const block* whole;
        std::size_t left;  // slices that have not joined yet, under the lock of the whole's ledger
        slice_block* slices;
    };
    shared_state* shared = nullptr;

    static void join(block* b) noexcept {
        shared_state* const shared = static_cast<slice_block*>(b)->shared;
        const block& whole = *shared->whole;
        if (whole.ledger.merge(b->ledger, shared->left) != 0) return;
        delete[] shared->slices;
        delete shared;
        if (whole.ledger.unsplit()) hand_on(const_cast<block&>(whole));
    }
};

/// Owns the slices of a block; none where there is no block.
class slice_group {
  public:
    /// @throws access_conflict while an access of the block is open, or when it is split already;
    /// std::bad_alloc
    slice_group(const block* whole, std::size_t count, const call_site& by) {
        if (whole == nullptr) return;
        refuse_forked_child(by);
        join_slices(*whole);
        whole->ledger.split(by);
        slice_block* made = nullptr;
        try {
            made = new slice_block[count];
            for (std::size_t i = 0; i < count; ++i) made[i].ledger.inherit(whole->ledger);
            shared_ = new slice_block::shared_state{whole, count, made};
        } catch (...) {
            delete[] made;
            whole->ledger.unsplit();
            throw;
        }
        count_ = count;
        for (std::size_t i = 0; i < count; ++i) {
            made[i].table = whole->table;
            made[i].where = whole->where;
            made[i].space = whole->space;
            made[i].dispose = &slice_block::join;
            made[i].shared = shared_;
        }
    }
    slice_group(slice_group&& other) noexcept
        : shared_(std::exchange(other.shared_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    slice_group& operator=(slice_group&& other) noexcept {
        std::swap(shared_, other.shared_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~slice_group() {
        if (process_is_forked()) return;
        slice_block* const slices = shared_ != nullptr ? shared_->slices : nullptr;
        for (std::size_t i = 0; i < count_; ++i) hand_on(slices[i]);
    }

    const block* slice(std::size_t i) const noexcept {
        return shared_ != nullptr ? &shared_->slices[i] : nullptr;
    }

  private:
    slice_block::shared_state* shared_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace devmem::inline v0::detail
