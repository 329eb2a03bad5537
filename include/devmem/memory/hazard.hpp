/// \file
/// Reports of accesses that nothing orders, and what would.
#pragma once

#include <devmem/memory/uses.hpp>
#include <devmem/stream/order.hpp>

#include <cstddef>
#include <cstring>

namespace devmem::inline v0::detail {

/// The stream as messages name it: by its device and its id, which `stream::id()` tells.
template <std::size_t N>
text<N>& add_stream(text<N>& message, const stream_state& s) {
    return message.add("%s:%d stream %llu", kind_name(s.where.kind()), s.where.index(),
                       static_cast<unsigned long long>(s.id.load_relaxed()));
}

/// The last part of a file's name.
inline const char* short_name(const char* file) noexcept {
    const char* const slash = std::strrchr(file, '/');
    return slash != nullptr ? slash + 1 : file;
}

template <std::size_t N>
text<N>& add_place(text<N>& message, const call_site& by) {
    return message.add("%s at %.80s:%d", by.name, short_name(by.at.file), by.at.line);
}

/// The use that conflicts, if it is not known to come before: on `s`, or on the host where that is
/// null.
inline const stream_use* unordered_use(const use_list& uses, stream_state* s, access_mode mode) {
    const lock_guard lock(host.lock);
    if (s != nullptr) queue_after_host(s->known);
    const vector_clock& known = s != nullptr ? s->known : host.known;
    for (const stream_use& u : uses) {
        if (u.stream == s) continue;
        if (u.conflict_with(mode).tick > known.at(u.stream->number)) return &u;
    }
    return nullptr;
}

/// Looks for a conflicting access that nothing orders before one by `by` on `s`, or by the host
/// where that is null. Where hazards are not to be thrown, the report is left to be printed.
/// @throws access_conflict
inline void check_order(const use_list& uses, stream_state* s, access_mode mode,
                        const call_site& by, text<600>& message) {
    const stream_use* const before = unordered_use(uses, s, mode);
    if (before == nullptr) return;
    const bool after_write = mode == access_mode::read || before->write_tick >= before->read_tick;
    const char* const hazard = mode == access_mode::read ? "a read after a write"
                               : after_write             ? "a write after a write"
                                                         : "a write after a read";
    message.add("%s that nothing orders: ", hazard);
    add_place(message, by).add(" on ");
    if (s != nullptr) {
        add_stream(message, *s);
    } else {
        message.add("the host");
    }
    message.add(" does not wait for ");
    add_place(message, after_write ? before->written_by : before->read_by).add(" on ");
    add_stream(message, *before->stream).add("; let ");
    if (s != nullptr) {
        add_stream(message, *s);
        add_stream(message.add(" wait for an event recorded after it on "), *before->stream);
    } else {
        add_stream(message.add("the host synchronize an event recorded after it on "),
                   *before->stream);
    }
    if (order_check_in_force() == order_check::print) return;
    throw_failure(
        {.code = error_code::access_conflict, .operation = by, .where = before->stream->where},
        message.c_str());
}

/// With no lock held, since a sink is the program's.
inline void report(const text<600>& hazard) {
    if (hazard.size() > 0) note(hazard.c_str());
}

}  // namespace devmem::inline v0::detail
