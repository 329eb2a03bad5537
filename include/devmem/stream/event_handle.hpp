/// \file
/// `event_handle`: owns a backend's event, made at the first mark on a device.
#pragma once

#include <devmem/stream/retire.hpp>

#include <utility>

struct CUevent_st;

namespace devmem::inline v0 {

/// CUDA's `cudaEvent_t`, without CUDA's headers.
using native_event = CUevent_st*;

namespace detail {

class event_handle {
  public:
    event_handle() noexcept = default;
    ~event_handle() { reset(); }
    event_handle(event_handle&& other) noexcept
        : table_(other.table_),
          where_(other.where_),
          handle_(std::exchange(other.handle_, nullptr)),
          known_(std::move(other.known_)) {}
    event_handle& operator=(event_handle&& other) noexcept {
        if (this != &other) {
            reset();
            table_ = other.table_;
            where_ = other.where_;
            handle_ = std::exchange(other.handle_, nullptr);
            known_ = std::move(other.known_);
        }
        return *this;
    }

    void record(stream_state& s, bool timed, const call_site& operation) {
        if (handle_ == nullptr || where_ != s.where) {
            reset();
            check(s.table->event_create(s.where, timed, &handle_), operation, *s.table, s.where);
            table_ = s.table;
            where_ = s.where;
            end_what_was_put_off();
        }
        const std::uint64_t ended = s.tick.load_acquire();
        check(table_->event_record(where_, handle_, s.handle), operation, *table_, where_);
        note_record(known_, s, ended);
    }

    bool query(const call_site& operation) const {
        bool done = true;
        if (handle_ != nullptr) {
            check(table_->event_query(where_, handle_, &done), operation, *table_, where_);
        }
        if (done) note_wait(host.known, known_);
        return done;
    }

    void synchronize(const call_site& operation) const {
        if (handle_ == nullptr) return;
        check(table_->event_synchronize(where_, handle_), operation, *table_, where_);
        note_wait(host.known, known_);
    }

    /// Between kinds of device there is no wait but the host's.
    void make_wait(stream_state& s, const call_site& operation) const {
        if (handle_ == nullptr) return;
        if (!same_backend(*table_, *s.table)) {
            synchronize(operation);
            return;
        }
        check(s.table->stream_wait_event(s.where, s.handle, handle_), operation, *s.table, s.where);
        note_wait(s.known, known_);
    }

    float milliseconds_since(const event_handle& begin, const call_site& operation) const {
        float milliseconds = 0;
        if (handle_ == nullptr || begin.handle_ == nullptr || where_ != begin.where_) {
            throw_failure({.code = error_code::invalid_argument, .operation = operation},
                          "both events must have been recorded, on one device");
        }
        check(table_->event_elapsed(where_, begin.handle_, handle_, &milliseconds), operation,
              *table_, where_);
        return milliseconds;
    }

    native_event native_handle(const call_site& operation) const {
        if (handle_ != nullptr && where_.kind() != device_kind::cuda) {
            throw_failure(
                {.code = error_code::wrong_device, .operation = operation, .where = where_},
                "an event of the CPU has no CUDA handle");
        }
        return static_cast<native_event>(handle_);
    }

  private:
    void reset() noexcept {
        if (handle_ == nullptr) return;
        let_go({table_, where_, handle_});
        handle_ = nullptr;
    }

    const backend_table* table_ = nullptr;
    device where_{};
    void* handle_ = nullptr;
    vector_clock known_;
};

}  // namespace detail

}  // namespace devmem::inline v0
