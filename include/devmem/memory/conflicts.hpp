/// \file
/// What an access must come after: the uses of other streams that conflict with it.
#pragma once

#include <devmem/memory/hazard.hpp>
#include <devmem/memory/uses.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

constexpr const char* to_word(access_mode mode) noexcept {
    return mode == access_mode::read ? "read" : "written";
}

/// @throws access_conflict while an access that conflicts is open on a stream other than `but`
inline void refuse_open_elsewhere(const use_list& uses, const stream_state* but, access_mode mode,
                                  const call_site& by) {
    for (const stream_use& u : uses) {
        if (u.stream == but) continue;
        const bool is_write = u.open_writes != 0;
        if (!is_write && (mode == access_mode::read || u.open_reads == 0)) continue;
        text<256> message;
        message.add("to be %s while it is still being %s on ", to_word(mode),
                    to_word(is_write ? access_mode::write : access_mode::read));
        add_stream(message, *u.stream).add("; end that access first");
        throw_failure(
            {.code = error_code::access_conflict, .operation = by, .where = u.stream->where},
            message.c_str());
    }
}

/// The end of a conflicting use that is not known to have passed; a mark without a stream where
/// there is none.
inline stream_mark first_pending(const use_list& uses, access_mode mode) noexcept {
    for (const stream_use& u : uses) {
        const stream_mark m = u.conflict_with(mode);
        if (!has_passed(m)) return m;
    }
    return {};
}

/// Uses that nobody has to wait for any more are dropped, but those that go on.
inline void forget_passed(use_list& uses) noexcept {
    uses.remove_if([](const stream_use& u) {
        return !u.is_open() && !u.raw_reads && !u.raw_writes && u.has_passed();
    });
}

/// After a write that has waited for all others, only it is left to be waited for.
inline void supersede(use_list& uses, const stream_state& by) noexcept {
    for (stream_use& u : uses) {
        if (u.stream != &by) u.read_tick = u.write_tick = 0;
    }
    forget_passed(uses);
}

/// Streams must wait for writes that they have not waited for yet.
inline void forget_waits(use_list& uses) noexcept {
    for (stream_use& u : uses) u.has_waited = false;
}

/// Work of the program's own on an address given out is over when what its stream has been given by
/// now is.
inline void mark_raw(use_list& uses) noexcept {
    for (stream_use& u : uses) {
        if (!u.raw_reads && !u.raw_writes) continue;
        stream_state& s = *u.stream;
        const lock_guard lock(s.ordering);
        if (s.id.load_relaxed() != u.raw_id) {  // the stream is gone, and its work over
            u.raw_reads = u.raw_writes = false;
            continue;
        }
        const std::uint64_t tick = s.has_ended ? s.tick.load_acquire() : take_tick(s);
        if (u.raw_reads) u.read_tick = tick;
        if (u.raw_writes) u.write_tick = tick;
        // The one use of a borrowed handle outside an access: it lives as long as its addresses do.
        if (s.is_borrowed && !s.has_ended) static_cast<void>(record_ended(s));
    }
    forget_waits(uses);
}

}  // namespace devmem::inline v0::detail
