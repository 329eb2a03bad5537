/// \file
/// `access_ledger`: who uses a block, and how a new access is made to wait for what conflicts.
#pragma once

#include <devmem/memory/conflicts.hpp>
#include <devmem/memory/ledger_state.hpp>

#include <cstddef>
#include <cstdint>

namespace devmem::inline v0::detail {

/// The record of a block's accesses: the writes not yet superseded, and the reads since.
///
/// Members may be called by several threads as long as all of them read; whoever writes is the only
/// user, as with any object.
class access_ledger : ledger_state {
  public:
    /// A block that is ready for `s`, which is the next to use it.
    void begin_on(stream_state& s, bool records) noexcept {
        const std::uint64_t w = word_.load_relaxed();
        const std::uint64_t kept =
            (w & ledger_word::records) | (records ? ledger_word::records : 0);
        if (ledger_word::is_only(w, s)) {
            word_.store_relaxed(w | kept);
            return;
        }
        begin_anew(s, kept);
    }

    /// Opens an access on `s`, and makes `s` wait for what conflicts with it on other streams.
    /// @throws access_conflict while a conflicting access is open on another stream, and what the
    /// backend reports; nothing is open then
    void open(stream_state& s, access_mode mode, const call_site& by) {
        std::uint64_t w = word_.load_relaxed();
        if (!is_checking()) {
            while (ledger_word::is_only(w, s)) {
                if (word_.compare_exchange(w, w + ledger_word::one_open(mode))) return;
            }
        }
        open_slowly(s, mode, by);
    }

    /// Ends an access whose work has been queued. Tells whether the block is to be released now,
    /// its owner having gone before.
    bool close(stream_state& s, access_mode mode) noexcept {
        const std::uint64_t tick = take_tick(s);
        std::uint64_t w = word_.load_acquire();  // and with it whose the ticks are
        if (ledger_word::is_quietly_only(w, s) && !s.records_each) {
            raise_to(mode == access_mode::read ? read_tick_ : write_tick_, tick);
            do {
                if (word_.compare_exchange(w, w - ledger_word::one_open(mode))) return false;
                w = word_.load_acquire();
            } while (ledger_word::is_quietly_only(w, s));
        }
        return close_slowly(s, mode, tick);
    }

    /// A use that has been queued on `s` already, which is the first to use the block.
    void use_now(stream_state& s) noexcept {
        const std::uint64_t tick = take_tick(s);
        if (s.records_each) record_end({&s, tick});
        raise_to(write_tick_, tick);
    }

    /// The address is given out for work of the program's own on `s`: an access that ends when the
    /// block is let go, or met on another stream.
    void open_raw(stream_state& s, access_mode mode, const call_site& by) {
        open(s, mode, by);
        const spread_scope all(*this);
        stream_use& own = *uses_.find(s);
        s.gave_raw.store_relaxed(true);
        own.raw_id = s.id.load_relaxed();
        --own.open(mode);
        (mode == access_mode::read ? own.raw_reads : own.raw_writes) = true;
        word_.fetch_or_relaxed(ledger_word::raw);
    }

    /// False when the host need wait for nothing.
    bool has_uses() const noexcept { return !ledger_word::is_unused(word_.load_acquire()); }

    /// Before the host reads or writes: blocks it until what conflicts has passed.
    /// @throws access_conflict while a conflicting access is open, and what the backend reports
    void wait_on_host(access_mode mode, const call_site& by) {
        if (!has_uses()) return;
        if (!is_manual()) mark_raw_uses();
        text<600> hazard;
        for (;;) {
            stream_mark pending;
            {
                const spread_scope all(*this);
                refuse_split(by);
                refuse_open_elsewhere(uses_, nullptr, mode, by);
                if (is_manual()) {
                    if (is_checking()) check_order(uses_, nullptr, mode, by, hazard);
                    break;
                }
                pending = first_pending(uses_, mode);
                if (pending.stream == nullptr) {
                    for (const stream_use& u : uses_) {
                        note_passed(host.known, u.conflict_with(mode));
                    }
                    forget_passed(uses_);
                    return;
                }
            }
            check(wait_for(pending), by, *pending.stream->table, pending.stream->where);
        }
        report(hazard);
    }

    /// The owner goes. True if nothing is open, else the last to close is told to release.
    bool let_go() noexcept {
        return ledger_word::is_plain(word_.load_acquire()) || let_go_slowly();
    }

    /// For a block in nobody's use: whether work on `s` may use it without a wait. Without a
    /// stream: whether all uses have passed.
    bool is_ready_for(const stream_state* s) const noexcept {
        for (const stream_use& u : uses_) {
            if (u.stream == s) continue;
            if (!has_passed(latest(u))) return false;
        }
        return true;
    }

    /// For a block in nobody's use: calls `f` with each use that has not passed.
    template <class F>
    void for_each_pending(const F& f) const {
        for (const stream_use& u : uses_) {
            if (const stream_mark m = latest(u); !has_passed(m)) f(m);
        }
    }

    /// For a block in nobody's use: blocks the host until all uses have passed.
    status settle() const noexcept {
        status first;
        for_each_pending([&first](const stream_mark& m) {
            const status s = wait_for(m);
            if (first.ok()) first = s;
        });
        return first;
    }

    /// Whether slices hold it.
    bool is_split() const noexcept { return (word_.load_relaxed() & ledger_word::split) != 0; }

    /// Before the block is destroyed: another thread may be on its way out of the lock.
    void leave_lock() noexcept { const lock_guard last(lock_); }

    void set_manual(bool is) noexcept {
        if (is) {
            word_.fetch_or_relaxed(ledger_word::manual);
        } else {
            word_.fetch_and_relaxed(~ledger_word::manual);
        }
    }

    // --- Slices ---------------------------------------------------------------------------------

    /// Refuses all accesses until `unsplit`; events are recorded for what slices inherit, so that
    /// they will not wait for what is queued later.
    /// @throws access_conflict while an access is open, or when it is split already
    void split(const call_site& by) {
        mark_raw_uses();
        const spread_scope all(*this);
        refuse_split(by);
        refuse_open_elsewhere(uses_, nullptr, access_mode::write, by);
        for (const stream_use& u : uses_) record_end(u.conflict_with(access_mode::write));
        word_.fetch_or_relaxed(ledger_word::split | ledger_word::records);
    }

    /// A slice's ledger begins with the marks of the whole. @throws std::bad_alloc
    void inherit(access_ledger& whole) {
        const spread_scope of_whole(whole);
        for (const stream_use& u : whole.uses_) uses_.find_or_add(*u.stream) = u;
        const std::uint64_t kept =
            whole.word_.load_relaxed() & (ledger_word::manual | ledger_word::raw);
        word_.store_relaxed(kept | ledger_word::records | ledger_word::several);
        pack(word_.load_relaxed());
    }

    /// Adds a slice's uses, waiting for them where there is no memory to add them. Counts down how
    /// many slices are `left`, and tells.
    std::size_t merge(access_ledger& slice, std::size_t& left) noexcept {
        const spread_scope all(*this);
        const spread_scope of_slice(slice);
        for (const stream_use& u : slice.uses_) {
            try {
                uses_.find_or_add(*u.stream).add(u);
            } catch (...) {
                check_in_destructor(wait_for(u.conflict_with(access_mode::write)), "~device_slices",
                                    *u.stream->table, u.stream->where);
            }
        }
        forget_waits(uses_);
        word_.fetch_or_relaxed(slice.word_.load_relaxed() & ledger_word::raw);
        return --left;
    }

    /// Accepts accesses again. Tells whether the block is to be released now.
    bool unsplit() noexcept {
        const spread_scope all(*this);
        word_.fetch_and_relaxed(~ledger_word::split);
        return is_last_of_all();
    }

  private:
    bool is_manual() const noexcept { return (word_.load_relaxed() & ledger_word::manual) != 0; }
    bool is_last_of_all() const noexcept {
        const std::uint64_t w = word_.load_relaxed();
        if ((w & ledger_word::orphaned) == 0) return false;
        for (const stream_use& u : uses_) {
            if (u.is_open()) return false;
        }
        return true;
    }

    void refuse_split(const call_site& by) const {
        if (!is_split()) return;
        throw_failure({.code = error_code::access_conflict, .operation = by},
                      "it is split; use its slices, or let them go first");
    }

    void mark_raw_uses() noexcept {
        if ((word_.load_relaxed() & ledger_word::raw) == 0) return;
        const spread_scope all(*this);
        mark_raw(uses_);
    }

    [[gnu::noinline]] void open_slowly(stream_state& s, access_mode mode, const call_site& by) {
        if (s.table->in_callback()) check({error_code::not_permitted, 0}, by, *s.table, s.where);
        if (!is_manual()) mark_raw_uses();
        text<600> hazard;
        for (;;) {
            stream_mark pending;
            {
                const spread_scope all(*this);
                refuse_split(by);
                refuse_open_elsewhere(uses_, &s, mode, by);
                pending = order_after_others(s, mode, by, hazard);
                if (pending.stream == nullptr) {
                    stream_use& own = uses_.find_or_add(s);
                    ++own.open(mode);
                    if (is_checking()) own.last(mode) = by;
                    break;
                }
            }
            // Streams of different kinds of device cannot wait for one another; the host can.
            check(wait_for(pending), by, *pending.stream->table, pending.stream->where);
        }
        report(hazard);
    }

    /// Makes `s` wait for what conflicts. What it cannot wait for is returned.
    stream_mark order_after_others(stream_state& s, access_mode mode, const call_site& by,
                                   text<600>& hazard) {
        constexpr std::size_t few = 4;
        if (uses_.size() > few && !is_checking()) forget_passed(uses_);
        stream_use& own = uses_.find_or_add(s);
        if (is_manual()) {
            if (is_checking()) check_order(uses_, &s, mode, by, hazard);
            if (mode == access_mode::write) forget_waits(uses_);
            return {};
        }
        if (mode == access_mode::read && own.has_waited) return {};
        for (const stream_use& u : uses_) {
            const stream_mark m = u.conflict_with(mode);
            if (u.stream == &s) continue;
            if (has_passed(m)) {
                note_passed(s.known, m);
                continue;
            }
            if (!same_backend(*s.table, *m.stream->table)) return m;
            word_.fetch_or_relaxed(ledger_word::records);
            check(make_wait(s, m), by, *s.table, s.where);
        }
        own.has_waited = true;
        if (mode == access_mode::write) supersede(uses_, s);
        return {};
    }

    [[gnu::noinline]] void begin_anew(stream_state& s, std::uint64_t kept) noexcept {
        stream_use own{.stream = &s};
        if (const stream_use* before = uses_.find(s); before != nullptr) own = *before;
        uses_.keep_only(own);
        pack(kept);
    }

    [[gnu::noinline]] bool let_go_slowly() noexcept {
        mark_raw_uses();
        const spread_scope all(*this);
        bool is_open = is_split();
        for (stream_use& u : uses_) {
            is_open = is_open || u.is_open();
            u.raw_reads = u.raw_writes = false;
        }
        word_.fetch_and_relaxed(~(ledger_word::raw | ledger_word::manual | ledger_word::orphaned));
        if (is_open) word_.fetch_or_relaxed(ledger_word::orphaned);
        return !is_open;
    }

    [[gnu::noinline]] bool close_slowly(stream_state& s, access_mode mode,
                                        std::uint64_t tick) noexcept {
        if (process_is_forked()) return false;
        const bool records = (word_.load_relaxed() & ledger_word::records) != 0;
        // Who ends an access in a host callback leaves the record to who meets the block next.
        if ((records || s.records_each) && !s.table->in_callback()) record_end({&s, tick});
        const spread_scope all(*this);
        uses_.find(s)->close(mode, tick);
        return is_last_of_all();
    }
};

}  // namespace devmem::inline v0::detail
