/// \file
/// Accesses: what work of the program's own declares, so that it is in order with all other work.
#pragma once

#include <devmem/container/range.hpp>
#include <devmem/device_span.hpp>
#include <devmem/memory/reclaim.hpp>
#include <devmem/stream/resolve.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace devmem::inline v0 {

/// An access of a container's elements on a stream: `v.read(s)`, `v.write(s)`, `v.read_write(s)`.
/// Opening it has made the stream wait for what conflicts; while it lives its span may be given to
/// work that is queued on the stream, and when it ends others can wait for that work.
///
/// Moved, not copied. The stream must live until it ends. While it is open, another access that
/// conflicts with it, on another stream or by the host, throws `access_conflict`.
template <class T>
class [[nodiscard]] block_access {
  public:
    /// Takes the access over; the other is then over.
    block_access(block_access&& other) noexcept
        : block_(std::exchange(other.block_, nullptr)),
          stream_(other.stream_),
          mode_(other.mode_),
          span_(std::exchange(other.span_, {})) {}
    /// Ends its own first.
    block_access& operator=(block_access&& other) noexcept {
        if (this != &other) {
            end();
            block_ = std::exchange(other.block_, nullptr);
            stream_ = other.stream_;
            mode_ = other.mode_;
            span_ = std::exchange(other.span_, {});
        }
        return *this;
    }
    ~block_access() { end(); }

    /// For a kernel that is queued before the access ends.
    device_span<T> span() const& noexcept { return span_; }
    void span() const&& = delete;  // the access would have ended before the work is queued

    /// For devmem's own use: accesses come from containers.
    block_access(const detail::block* of, device_span<T> span, detail::stream_state& s,
                 detail::access_mode mode, const detail::call_site& by)
        : block_(of), stream_(&s), mode_(mode), span_(span) {
        detail::refuse_forked_child(by);
        if (block_ != nullptr) detail::begin_access(*block_, s, mode, by);
    }

  private:
    void end() noexcept {
        if (block_ == nullptr) return;
        detail::end_access(*std::exchange(block_, nullptr), *stream_, mode_);
    }

    const detail::block* block_;
    detail::stream_state* stream_;
    detail::access_mode mode_;
    device_span<T> span_;
};

/// What `launch` is told of a container among its arguments.
template <class T>
struct access_request {
    device_view<T> view;       ///< of the elements that are used
    detail::access_mode mode;  ///< whether they are written
};

/// An argument of `launch` that the work reads.
template <device_range R>
requires(!detail::is_temporary_owner<R>)
    access_request<const detail::element_of_t<R>> read(R&& range) {
    return {range.view(), detail::access_mode::read};
}
/// An argument of `launch` that the work writes.
template <detail::output_range R>
access_request<detail::element_of_t<R>> write(R&& range) {
    return {range.view(), detail::access_mode::write};
}
/// An argument of `launch` that the work reads and writes.
template <detail::output_range R>
access_request<detail::element_of_t<R>> read_write(R&& range) {
    return {range.view(), detail::access_mode::write};
}

/// Lets a bare span, of memory of `d`, into copies and algorithms: nothing waits on its account,
/// and no use of it is recorded. The order, and that the memory lives, are the caller's affair.
template <class T>
requires device_element<std::remove_const_t<T>> device_view<T> unordered(
    device_span<T> span, device d = current_device()) {
    return {span.data(), span.size(), nullptr, d, memory_space::device};
}

}  // namespace devmem::inline v0
