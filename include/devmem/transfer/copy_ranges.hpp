/// \file
/// The body of every copy: direction, devices, stream and staging follow from the two ranges.
#pragma once

#include <devmem/container/range.hpp>
#include <devmem/memory/obtain.hpp>
#include <devmem/stream/resolve.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

enum class copy_mode { asynchronous, blocking };

/// The device whose stream copies by default: the destination's, and to the host the source's.
inline device device_of_copy(const byte_range& src, const byte_range& dst) noexcept {
    const bool to_host = dst.pageable || dst.space == memory_space::pinned;
    const bool from_host = src.pageable || src.space == memory_space::pinned;
    if (dst.pageable || (to_host && !from_host)) return src.where;
    return dst.where;
}

[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_stream(const stream_state& s,
                                                                 const byte_range& src,
                                                                 const byte_range& dst,
                                                                 const call_site& operation) {
    text<200> message;
    message.add("the stream is %s:%d's, which takes no part in the copy from ",
                kind_name(s.where.kind()), s.where.index());
    const auto add_place = [&message](const byte_range& r) {
        if (r.pageable) {
            message.add("host memory");
        } else {
            message.add("%s:%d", kind_name(r.where.kind()), r.where.index());
        }
    };
    add_place(src);
    message.add(" to ");
    add_place(dst);
    throw_failure({.code = error_code::wrong_device, .operation = operation, .where = s.where},
                  message.c_str());
}

[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_sizes(const byte_range& src,
                                                                const byte_range& dst,
                                                                const call_site& operation) {
    text<160> message;
    message.add(
        "%zu elements do not fit %zu; sizes must be equal, so resize the destination or name "
        "a part of it",
        src.count, dst.count);
    throw_failure({.code = error_code::invalid_argument,
                   .operation = operation,
                   .where = dst.where,
                   .bytes = src.bytes},
                  message.c_str());
}

/// @throws wrong_device when the stream is neither side's
inline void require_part_in_copy(const stream_state& s, const byte_range& src,
                                 const byte_range& dst, const call_site& operation) {
    const bool of_source = !src.pageable && s.where == src.where;
    const bool of_destination = !dst.pageable && s.where == dst.where;
    if (!of_source && !of_destination) [[unlikely]] {
        refuse_stream(s, src, dst, operation);
    }
}

inline stream_state& stream_of_copy(const byte_range& src, const byte_range& dst, stream_view given,
                                    const call_site& operation) {
    if (given.names_a_stream()) return given.state();
    return current_stream_state(device_of_copy(src, dst), operation);
}

/// Whether the ranges, which are not the same, share bytes.
inline bool overlap(const byte_range& a, const byte_range& b) noexcept {
    return a.data < b.data + b.bytes && b.data < a.data + a.bytes;
}

/// Queues the bytes on one backend; the source, where pageable, has been read on return unless the
/// copy is to be waited for anyway.
inline void queue_copy(stream_state& s, const byte_range& src, const byte_range& dst,
                       copy_mode mode, const call_site& operation) {
    const scoped_access reading(src.of, s, access_mode::read, operation);
    const scoped_access writing(dst.of, s, access_mode::write, operation);
    const auto queue = src.pageable && mode == copy_mode::asynchronous ? s.table->upload_async
                                                                       : s.table->copy_async;
    check(queue(s.where, s.handle, dst.data, src.data, src.bytes), operation, *s.table, s.where,
          src.bytes);
}

/// Releases a block when a scope ends.
class [[nodiscard]] scoped_block {
  public:
    explicit scoped_block(block& b) noexcept : block_(b) {}
    ~scoped_block() { block_.release(&block_); }
    scoped_block(const scoped_block&) = delete;
    scoped_block& operator=(const scoped_block&) = delete;

  private:
    block& block_;
};

/// Copies between overlapping ranges as if through a temporary: through one.
inline void queue_overlapping(stream_state& s, const byte_range& src, const byte_range& dst,
                              const call_site& operation) {
    refuse_forked_child(operation);
    block& between =
        obtain_pooled(*s.table, s.where, memory_space::device, src.bytes, s, operation);
    const scoped_block owner(between);
    const byte_range temporary{.data = static_cast<std::byte*>(between.data),
                               .count = src.count,
                               .bytes = src.bytes,
                               .of = &between,
                               .where = s.where};
    queue_copy(s, src, temporary, copy_mode::asynchronous, operation);
    queue_copy(s, temporary, dst, copy_mode::asynchronous, operation);
}

/// The stream of a copy between kinds of device, which the side that is not the CPU makes; to it
/// the CPU's memory is pageable. The one given, where it is that side's.
inline stream_state& stream_between_kinds(const byte_range& src, const byte_range& dst,
                                          stream_view given, const call_site& operation) {
    const device copier = src.where.kind() == device_kind::cpu ? dst.where : src.where;
    if (given.names_a_stream() && given.device() == copier) return given.state();
    return current_stream_state(copier, operation);
}

/// Between kinds of device the host waits: for what conflicts on the side of the CPU, for the
/// stream that the copy is in the order of, and for the copy, which `queue(stream)` queues.
template <class Queue>
void copy_between_kinds(const byte_range& src, const byte_range& dst, stream_view given,
                        const call_site& operation, const Queue& queue) {
    stream_state& s = stream_between_kinds(src, dst, given, operation);
    if (given.names_a_stream() && &given.state() != &s) {
        synchronize_stream(given.state(), operation);
    }
    queue(s);
    synchronize_stream(s, operation);
}

/// @throws invalid_argument when the ranges differ in size, wrong_device for a stream of a device
/// that takes no part
inline void copy_ranges(const byte_range& src, const byte_range& dst, stream_view given,
                        copy_mode mode, const call_site& operation) {
    if (src.count != dst.count) [[unlikely]] {
        refuse_sizes(src, dst, operation);
    }
    if (given.names_a_stream()) require_part_in_copy(given.state(), src, dst, operation);
    if (src.bytes == 0 || src.data == dst.data) return;
    if (!src.pageable && !dst.pageable && src.where.kind() != dst.where.kind()) {
        copy_between_kinds(src, dst, given, operation, [&](stream_state& on) {
            queue_copy(on, src, dst, copy_mode::blocking, operation);
        });
        return;
    }
    stream_state& s = stream_of_copy(src, dst, given, operation);
    if (overlap(src, dst)) {
        queue_overlapping(s, src, dst, operation);
    } else {
        queue_copy(s, src, dst, mode, operation);
    }
    if (mode == copy_mode::blocking) synchronize_stream(s, operation);
}

}  // namespace devmem::inline v0::detail
