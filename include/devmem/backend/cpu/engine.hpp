/// \file
/// The CPU path's state: virtual devices with their streams and figures, and the worker team.
#pragma once

#include <devmem/backend/cpu/options.hpp>
#include <devmem/backend/cpu/queue.hpp>
#include <devmem/backend/cpu/sync.hpp>
#include <devmem/backend/cpu/team.hpp>
#include <devmem/backend/device_value.hpp>

#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace devmem::inline v0::detail {

/// A queue of a device. Queues are never freed: a destroyed stream's is used for the next one.
struct cpu_stream {
    explicit cpu_stream(scheduler_kind scheduler) noexcept : work(scheduler) {}

    queue work;
    std::uint64_t id = 0;
    int device_index = 0;
    cpu_stream* next_of_device = nullptr;
    cpu_stream* next_idle = nullptr;
};

struct cpu_event {
    queue_mark mark;
    timespec* time = nullptr;  // of a timed event; written by `mark`'s queue, for its waiters
};

/// Lets go of the place for a time, which the mark's queue may still have to write; it then frees
/// it. Where that cannot be queued the place is lost, and the status says so.
inline status retire_time(queue_mark mark, timespec* time) noexcept {
    if (!mark.reached()) {
        return mark.of->push(make_host_function([time]() noexcept { delete time; }));
    }
    delete time;
    return {};
}

class cpu_device {
  public:
    /// The first call makes the device's default stream; null when there is no memory for it.
    cpu_stream* default_stream(int index, scheduler_kind scheduler) noexcept {
        const lock_guard lock(mutex_);
        if (default_ == nullptr) default_ = make(index, scheduler);
        return default_;
    }

    cpu_stream* create_stream(int index, scheduler_kind scheduler) noexcept {
        const lock_guard lock(mutex_);
        for (cpu_stream** at = &idle_; *at != nullptr; at = &(*at)->next_idle) {
            cpu_stream* found = *at;
            if (!found->work.idle_relaxed()) continue;
            *at = found->next_idle;
            give_id(*found);
            return found;
        }
        return make(index, scheduler);
    }

    void recycle(cpu_stream* s) noexcept {
        const lock_guard lock(mutex_);
        s->next_idle = idle_;
        idle_ = s;
    }

    /// Blocks until all work queued so far on the device has run.
    status synchronize() noexcept {
        status first_failure;
        for (cpu_stream* s = all_.load_acquire(); s != nullptr; s = s->next_of_device) {
            const status waited = s->work.wait(s->work.last_ticket());
            if (first_failure.ok()) first_failure = waited;
        }
        return first_failure;
    }

    /// Counts `bytes` as used, unless that would exceed a capacity other than 0.
    bool take(std::size_t bytes, std::size_t capacity) noexcept {
        std::size_t used = used_.load_relaxed();
        do {
            if (capacity != 0 && (used > capacity || bytes > capacity - used)) return false;
        } while (!used_.compare_exchange_relaxed(used, used + bytes));
        return true;
    }

    void give_back(std::size_t bytes) noexcept { used_.fetch_sub_relaxed(bytes); }

    std::size_t used() const noexcept { return used_.load_relaxed(); }

    /// Ids are the process's: no two streams ever have the same, on whatever device.
    static std::uint64_t new_stream_id() noexcept {
        static atomic<std::uint64_t> next{1};
        return next.fetch_add_relaxed(1);
    }

  private:
    static void give_id(cpu_stream& s) noexcept {
        s.id = new_stream_id();
        s.work.name_as({"cpu", s.device_index, s.id});
    }

    cpu_stream* make(int index, scheduler_kind scheduler) noexcept {
        auto* made = new (std::nothrow) cpu_stream(scheduler);
        if (made == nullptr) return nullptr;
        made->device_index = index;
        give_id(*made);
        made->next_of_device = all_.load_relaxed();
        all_.store_release(made);
        return made;
    }

    mutex mutex_;
    cpu_stream* default_ = nullptr;
    cpu_stream* idle_ = nullptr;
    atomic<cpu_stream*> all_{nullptr};
    atomic<std::size_t> used_{0};
};

class cpu_engine {
  public:
    explicit cpu_engine(const cpu_options& options) noexcept
        : options_(options), team_(options.threads > 0 ? options.threads : cores()) {}

    const cpu_options& options() const noexcept { return options_; }
    bool has(device d) const noexcept {
        return d.kind() == device_kind::cpu && d.index() >= 0 && d.index() < options_.devices;
    }
    cpu_device& at(int index) noexcept { return devices_[index]; }
    team& helpers() noexcept { return team_; }
    /// Of all queues of the process, also of those that no device has.
    const host_wait_counts& waits() const noexcept { return host_waits; }

    static int cores() noexcept {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        return online > 0 ? static_cast<int>(online) : 1;
    }

  private:
    cpu_options options_;
    team team_;
    cpu_device devices_[max_devices];
};

/// Made at first use and never destroyed: its threads may be at work until the process ends.
DEVMEM_STATE inline cpu_engine& engine() noexcept {
    alignas(cpu_engine) static std::byte storage[sizeof(cpu_engine)];
    static cpu_engine* const made = ::new (storage) cpu_engine(cpu_options_in_force);
    return *made;
}

}  // namespace devmem::inline v0::detail
