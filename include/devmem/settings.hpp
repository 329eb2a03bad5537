/// \file
/// What is decided before devmem's first use: by `configure`, and by the environment, which wins.
#pragma once

#include <devmem/backend/cpu/deferred.hpp>
#include <devmem/backend/cpu/options.hpp>
#include <devmem/backend/fork.hpp>
#include <devmem/detail/order_mode.hpp>
#include <devmem/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace devmem::inline v0 {

/// How work queued on CPU streams is run.
class cpu_scheduler {
  public:
    /// A thread a stream: work runs beside the host, as on a GPU.
    static constexpr cpu_scheduler threads() noexcept {
        return cpu_scheduler(detail::scheduler_kind::threads);
    }
    /// By the caller, before the call that queues it returns: for debuggers.
    static constexpr cpu_scheduler in_line() noexcept {
        return cpu_scheduler(detail::scheduler_kind::in_line);
    }
    /// Not before the host waits, in an order drawn from the seed: a wait that the program forgot
    /// shows under one of the first few. Seed 0 runs only what is demanded, as late as is legal.
    static constexpr cpu_scheduler deferred(std::uint64_t seed) noexcept {
        return cpu_scheduler(detail::scheduler_kind::deferred, seed);
    }
    /// For devmem's own use.
    constexpr detail::scheduler_kind kind() const noexcept { return kind_; }
    /// Of `deferred`; else 0.
    constexpr std::uint64_t seed() const noexcept { return seed_; }

    /// Of one kind, and with the same seed.
    friend constexpr bool operator==(cpu_scheduler, cpu_scheduler) noexcept = default;

  private:
    constexpr explicit cpu_scheduler(detail::scheduler_kind kind, std::uint64_t seed = 0) noexcept
        : kind_(kind), seed_(seed) {}
    detail::scheduler_kind kind_;
    std::uint64_t seed_;
};

/// Settings of the process. Each is overridden by the environment variable named beside it.
struct settings {
    std::size_t cpu_devices = 1;   ///< virtual CPU devices, 1 to 64: `DEVMEM_CPU_DEVICES`
    std::size_t cpu_capacity = 0;  ///< bytes a CPU device, 0: no limit: `DEVMEM_CPU_CAPACITY`
    std::size_t cpu_threads = 0;   ///< of parallel ranges, 0: one a core: `DEVMEM_CPU_THREADS`
    std::size_t staging_bytes = std::size_t{4} << 20;  ///< `DEVMEM_STAGING_BYTES`: pageable memory
                                                       ///< up to this is copied without a wait
    cpu_scheduler scheduler = cpu_scheduler::threads();  ///< `DEVMEM_SCHEDULER=threads|inline|`
                                                         ///< `deferred:SEED`
    /// What is done about missing waits in containers with `ordering::manual`:
    /// `DEVMEM_CHECK_ORDER=off|print|throw`; later `set_order_check`.
    order_check check_order = order_check::off;
};

namespace detail {

struct DEVMEM_STATE settings_state {
    mutex changing;
    atomic<bool> in_force{false};
    settings chosen{};
    bool poison = false;  // DEVMEM_POISON=1: memory asked for uninitialized holds a NaN pattern
};

inline DEVMEM_STATE settings_state process_settings{};

[[noreturn]] inline void refuse_variable(const char* name, const char* value, const char* good) {
    text<256> message;
    message.add("%s='%.64s' is not one of: %s", name, value, good);
    throw_failure({.code = error_code::invalid_argument, .operation = "environment"},
                  message.c_str());
}

/// Reads a whole number between `least` and `most`; leaves `value` alone where the variable is
/// not set.
inline void read_number(const char* name, std::size_t least, std::size_t most, std::size_t& value) {
    const char* set = std::getenv(name);
    if (set == nullptr) return;
    char* end = nullptr;
    errno = 0;
    const unsigned long long number = std::strtoull(set, &end, 10);
    const bool digits = set[0] >= '0' && set[0] <= '9' && *end == '\0' && errno == 0;
    if (!digits || number < least || number > most) {
        text<96> good;
        good.add("whole numbers from %zu to %zu", least, most);
        refuse_variable(name, set, good.c_str());
    }
    value = static_cast<std::size_t>(number);
}

/// Reads `deferred:SEED`; the seed is a decimal number.
inline bool read_seed(const char* set, std::uint64_t& seed) noexcept {
    constexpr char word[] = "deferred:";
    constexpr std::size_t length = sizeof word - 1;
    if (std::strncmp(set, word, length) != 0) return false;
    const char* const digits = set + length;
    char* end = nullptr;
    errno = 0;
    const unsigned long long number = std::strtoull(digits, &end, 10);
    seed = static_cast<std::uint64_t>(number);
    return digits[0] >= '0' && digits[0] <= '9' && *end == '\0' && errno == 0;
}

inline void read_scheduler(cpu_scheduler& scheduler) {
    const char* set = std::getenv("DEVMEM_SCHEDULER");
    if (set == nullptr) return;
    if (std::strcmp(set, "threads") == 0) {
        scheduler = cpu_scheduler::threads();
    } else if (std::strcmp(set, "inline") == 0) {
        scheduler = cpu_scheduler::in_line();
    } else if (std::uint64_t seed = 0; read_seed(set, seed)) {
        scheduler = cpu_scheduler::deferred(seed);
    } else {
        refuse_variable("DEVMEM_SCHEDULER", set, "threads, inline, deferred:SEED");
    }
}

inline void read_order_check(order_check& check) {
    const char* set = std::getenv("DEVMEM_CHECK_ORDER");
    if (set == nullptr) return;
    if (std::strcmp(set, "off") == 0) {
        check = order_check::off;
    } else if (std::strcmp(set, "print") == 0) {
        check = order_check::print;
    } else if (std::strcmp(set, "throw") == 0) {
        check = order_check::raise;
    } else {
        refuse_variable("DEVMEM_CHECK_ORDER", set, "off, print, throw");
    }
}

inline constexpr std::size_t most_bytes = ~std::size_t{0} >> 1;

/// What the environment makes of the settings a program has chosen.
inline settings overridden_by_environment(settings s) {
    read_number("DEVMEM_CPU_DEVICES", 1, max_devices, s.cpu_devices);
    read_number("DEVMEM_CPU_CAPACITY", 0, most_bytes, s.cpu_capacity);
    read_number("DEVMEM_CPU_THREADS", 0, 4096, s.cpu_threads);
    read_number("DEVMEM_STAGING_BYTES", 0, most_bytes, s.staging_bytes);
    read_scheduler(s.scheduler);
    read_order_check(s.check_order);
    return s;
}

inline void put_in_force() {
    settings_state& state = process_settings;
    const lock_guard lock(state.changing);
    if (state.in_force.load_relaxed()) return;
    const settings s = overridden_by_environment(state.chosen);
    std::size_t poison = 0;
    read_number("DEVMEM_POISON", 0, 1, poison);
    state.poison = poison == 1;
    if (watch_for_forks() != 0) {
        throw_failure({.code = error_code::out_of_memory, .operation = "environment"},
                      "no memory to have forked children know themselves");
    }
    cpu_options_in_force = {static_cast<int>(s.cpu_devices),
                            s.cpu_capacity,
                            static_cast<int>(s.cpu_threads),
                            s.staging_bytes,
                            s.scheduler.kind(),
                            s.scheduler.seed()};
    if (s.scheduler.kind() == scheduler_kind::deferred) deferred.use_seed(s.scheduler.seed());
    put_in_force(s.check_order);
    state.in_force.store_release(true);
}

/// First use: reads the environment, and ends the time in which `configure` may be called.
/// @throws invalid_argument when a variable has a bad value; the next use throws again
inline void ensure_settings() {
    if (!process_settings.in_force.load_acquire()) put_in_force();
}

}  // namespace detail

/// Chooses the settings of the process; the environment wins over them.
/// @throws not_permitted after devmem's first use, invalid_argument for a number out of range
/// @thread safe
inline void configure(const settings& s) {
    detail::settings_state& state = detail::process_settings;
    const detail::lock_guard lock(state.changing);
    if (state.in_force.load_relaxed()) {
        detail::throw_failure(
            {.code = error_code::not_permitted, .operation = "configure"},
            "devmem is in use already; call it before the first device, stream or container");
    }
    if (s.cpu_devices < 1 || s.cpu_devices > static_cast<std::size_t>(detail::max_devices) ||
        s.cpu_threads > 4096 || s.cpu_capacity > detail::most_bytes ||
        s.staging_bytes > detail::most_bytes) {
        detail::text<256> message;
        message.add(
            "cpu_devices %zu (1 to %d), cpu_threads %zu (0 to 4096), cpu_capacity %zu, "
            "staging_bytes %zu: a number is out of range",
            s.cpu_devices, detail::max_devices, s.cpu_threads, s.cpu_capacity, s.staging_bytes);
        detail::throw_failure({.code = error_code::invalid_argument, .operation = "configure"},
                              message.c_str());
    }
    state.chosen = s;
}

}  // namespace devmem::inline v0
