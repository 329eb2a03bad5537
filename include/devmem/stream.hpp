/// \file
/// `stream` and `stream_view`: an order of work on a device, owned or borrowed.
#pragma once

#include <devmem/config.hpp>
#include <devmem/stream/retire.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

struct CUstream_st;

namespace devmem::inline v0 {

class event;
class stream;

/// CUDA's `cudaStream_t`, without CUDA's headers.
using native_stream = CUstream_st*;

/// A stream of somebody else's: what functions take. Small; passed by value.
///
/// A default-constructed view names no stream. Given as the stream of an operation it stands for
/// the current stream of the object's device; anything else done with it is a caller's bug.
/// @lifetime valid while the stream is
class stream_view {
  public:
    constexpr stream_view() noexcept = default;
    /// Of a stream that is owned elsewhere.
    stream_view(const stream& s) noexcept;  // NOLINT(google-explicit-constructor)
    stream_view(int) = delete;              // 0 is not a stream: say current_stream(device)
    stream_view(std::nullptr_t) = delete;

    /// False for a default-constructed view.
    bool names_a_stream() const noexcept { return state_ != nullptr; }
    devmem::device device() const { return state().where; }  ///< what it is an order of work on
    /// No other stream of the process has, or had, this number. Messages name streams by it.
    std::uint64_t id() const { return state().id.load_relaxed(); }

    /// True when nothing is pending. @sync none
    bool query() const {
        detail::stream_state& s = state();
        const std::uint64_t ended = s.tick.load_acquire();
        bool done = false;
        detail::check(s.table->stream_query(s.where, s.handle, &done), "stream::query", *s.table,
                      s.where);
        if (done) detail::note_synchronize(s, ended);
        return done;
    }
    /// Work queued from now on waits for the event; the host does not, unless the event is of
    /// another kind of device. @sync none
    void wait(const event& e) const;
    /// Blocks the host until all work queued so far has run. @sync stream
    /// @throws what that work has thrown, once; device_lost
    void synchronize() const { detail::synchronize_stream(state(), "stream::synchronize"); }
    /// The `cudaStream_t`.
    /// @throws wrong_device for a stream of the CPU
    native_stream native_handle() const {
        if (device().kind() != device_kind::cuda) {
            detail::throw_failure({.code = error_code::wrong_device,
                                   .operation = "stream::native_handle",
                                   .where = device()},
                                  "a stream of the CPU has no CUDA handle");
        }
        return static_cast<native_stream>(state().handle);
    }

    /// Whether both are of one stream.
    friend bool operator==(stream_view a, stream_view b) noexcept { return a.state_ == b.state_; }

    /// For devmem's own use.
    explicit constexpr stream_view(detail::stream_state& s) noexcept : state_(&s) {}
    /// For devmem's own use.
    detail::stream_state& state() const {
        DEVMEM_ASSERT(state_ != nullptr);
        return *state_;
    }

  private:
    detail::stream_state* state_ = nullptr;
};

/// How a stream is made.
struct stream_options {
    /// An event is recorded at the end of each access: who waits for an access never waits for what
    /// was queued after it, not even the first time that a block is met on another stream. Of more
    /// than eight ends that are not passed, older ones are waited for with the next.
    bool precise = false;
};

/// `stream(device, precise)`
inline constexpr stream_options precise{.precise = true};

/// An order of work on a device: what is queued on it runs in that order, beside the host and
/// beside other streams. Owns the stream; on CUDA it is non-blocking.
///
/// Destroying it waits for nothing: what is queued still runs, and memory that it uses is not used
/// for anything else before.
class stream {
  public:
    /// @throws no_such_device
    explicit stream(devmem::device d = current_device(), stream_options options = {})
        : state_(&obtain(d)) {
        state_->records_each = options.precise;
        void* handle = nullptr;
        const status made = state_->table->stream_create(d, &handle);
        if (!made.ok()) detail::streams.recycle(*state_);
        detail::check(made, "stream", *state_->table, d);
        detail::begin_stream(*state_, handle);
    }
    ~stream() { destroy(); }
    /// Takes the stream over; the other owns none then.
    stream(stream&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    /// Lets its own stream go first.
    stream& operator=(stream&& other) noexcept {
        if (this != &other) {
            destroy();
            state_ = std::exchange(other.state_, nullptr);
        }
        return *this;
    }

    /// As `stream_view` has it. @{
    devmem::device device() const { return stream_view(*this).device(); }
    std::uint64_t id() const { return stream_view(*this).id(); }
    bool query() const { return stream_view(*this).query(); }
    void wait(const event& e) const { stream_view(*this).wait(e); }
    void synchronize() const { stream_view(*this).synchronize(); }
    native_stream native_handle() const { return stream_view(*this).native_handle(); }
    /// @}

  private:
    friend class stream_view;

    static detail::stream_state& obtain(devmem::device d) {
        const backend_table& table = detail::table_of(d, "stream");
        detail::end_what_was_put_off();
        return detail::streams.obtain(table, d);
    }

    void destroy() noexcept {
        if (state_ == nullptr) return;
        detail::retire(*std::exchange(state_, nullptr));
    }

    detail::stream_state* state_;
};

inline stream_view::stream_view(const stream& s) noexcept : state_(s.state_) {}

/// The calling thread's current stream on a device: that of the innermost `stream_guard`, else
/// CUDA's legacy default stream, or queue 0 of a CPU device.
/// @throws no_such_device
inline stream_view current_stream(device d = current_device()) {
    return stream_view(detail::current_stream_state(d, "current_stream"));
}

/// Lets in a `cudaStream_t` of the program's own, which must outlive its use here.
/// @throws invalid_argument for a null handle (say `current_stream(d)`), wrong_device when the
/// stream is another device's or the device is a CPU
inline stream_view borrow_stream(native_stream handle, device d) {
    const backend_table& table = detail::table_of(d, "borrow_stream");
    detail::failure refused{
        .code = error_code::wrong_device, .operation = "borrow_stream", .where = d};
    if (d.kind() != device_kind::cuda) {
        detail::throw_failure(refused, "the CPU has no native streams: make a devmem::stream");
    }
    if (handle == nullptr) {
        refused.code = error_code::invalid_argument;
        detail::throw_failure(refused, "the handle is null: say current_stream(device)");
    }
    std::uint64_t id = 0;
    device of;
    detail::check(table.stream_identity(d, handle, &id, &of), "borrow_stream", table, d);
    if (of != d) {
        detail::text<96> message;
        message.add("the stream belongs to cuda:%d, not to cuda:%d", of.index(), d.index());
        detail::throw_failure(refused, message.c_str());
    }
    detail::stream_registry& all = detail::streams;
    const detail::lock_guard borrowing(all.borrowing);
    for (detail::stream_state* s = all.borrowed; s != nullptr; s = s->next) {
        if (s->where == d && s->borrowed_id == id) return stream_view(*s);
    }
    detail::stream_state& made = all.obtain(table, d);
    made.is_borrowed = true;
    made.records_each = true;
    made.borrowed_id = id;
    detail::begin_stream(made, handle);
    for (detail::stream_state** at = &all.borrowed; *at != nullptr;) {
        detail::stream_state* const s = *at;
        if (s->handle == handle) {  // the stream that had it is gone
            *at = s->next;
            detail::retire(*s);
        } else {
            at = &s->next;
        }
    }
    made.next = all.borrowed;
    all.borrowed = &made;
    return stream_view(made);
}

}  // namespace devmem::inline v0
