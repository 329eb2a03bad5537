/// \file
/// `ledger_state`: what a ledger keeps, in a word as long as one stream alone uses the block.
#pragma once

#include <devmem/memory/ledger_word.hpp>
#include <devmem/memory/uses.hpp>

#include <cstdint>

namespace devmem::inline v0::detail {

/// The uses of a block. While one stream alone uses it, one word tells all: accesses are opened and
/// closed by a compare and swap of it. As soon as several do, the list of uses, under a lock, is
/// what counts.
class ledger_state {
  protected:
    ledger_state() noexcept = default;
    ~ledger_state() = default;
    ledger_state(const ledger_state&) = delete;
    ledger_state& operator=(const ledger_state&) = delete;

    /// Holds the lock with all uses in the list; at its end the word tells all again if it can.
    class spread_scope {
      public:
        explicit spread_scope(ledger_state& of) noexcept : of_(of) {
            of_.lock_.lock();
            of_.spread();
        }
        ~spread_scope() {
            of_.pack(of_.word_.load_relaxed());
            of_.lock_.unlock();
        }
        spread_scope(const spread_scope&) = delete;
        spread_scope& operator=(const spread_scope&) = delete;

      private:
        ledger_state& of_;
    };

    stream_mark latest(const stream_use& u) const noexcept {
        const bool in_list = (word_.load_relaxed() & ledger_word::several) != 0;
        if (in_list) return u.conflict_with(access_mode::write);
        return {u.stream, larger(read_tick_.load_relaxed(), write_tick_.load_relaxed())};
    }

    void spread() noexcept {
        std::uint64_t w = word_.load_relaxed();
        while (!word_.compare_exchange(w, w | ledger_word::several)) {
        }
        if ((w & ledger_word::several) == 0 && uses_.size() == 1) {
            stream_use& only = *uses_.begin();
            only.read_tick = read_tick_.load_relaxed();
            only.write_tick = write_tick_.load_relaxed();
            only.open_reads = ledger_word::open_reads(w);
            only.open_writes = ledger_word::open_writes(w);
        }
        word_.fetch_and_relaxed(ledger_word::flags);
    }

    void pack(std::uint64_t w) noexcept {
        w &= ledger_word::flags & ~ledger_word::several;
        if (uses_.size() > 1) {
            w |= ledger_word::several;
        } else if (uses_.size() == 1) {
            const stream_use& only = *uses_.begin();
            if (only.open_reads < ledger_word::most_open &&
                only.open_writes < ledger_word::most_open) {
                keep_ticks(only);
                w |= only.open_reads * ledger_word::one_read +
                     only.open_writes * ledger_word::one_write +
                     (std::uint64_t{only.stream->number} << ledger_word::stream_shift);
            } else {
                w |= ledger_word::several;
            }
        }
        word_.store_release(w);
    }

    /// Who closes an access without the lock may have raised the ticks since they were looked at,
    /// so those of the same stream are only raised.
    void keep_ticks(const stream_use& only) noexcept {
        if (ticks_of_ == only.stream) {
            raise_to(read_tick_, only.read_tick);
            raise_to(write_tick_, only.write_tick);
        } else {
            ticks_of_ = only.stream;
            read_tick_.store_relaxed(only.read_tick);
            write_tick_.store_relaxed(only.write_tick);
        }
    }

    mutable mutex lock_;
    atomic<std::uint64_t> word_{0};
    atomic<std::uint64_t> read_tick_{0};   // of the only stream, while there is one
    atomic<std::uint64_t> write_tick_{0};  // the same
    // Under the lock:
    const stream_state* ticks_of_ = nullptr;
    use_list uses_;
};

}  // namespace devmem::inline v0::detail
