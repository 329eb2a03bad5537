/// \file
/// The failures of a fault sweep on the CPU path, by the backend's hook, and what it counts.
#pragma once

#include "contents.hpp"
#include "fault.hpp"

#include <devmem/backend/cpu.hpp>
#include <devmem/device.hpp>
#include <devmem/pool.hpp>

#include <cerrno>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace devmem_test {

/// The thread's current device.
struct thread_place {
    devmem::device device;

    static thread_place now() { return {devmem::current_device()}; }
    friend bool operator==(const thread_place&, const thread_place&) = default;
};

/// What devmem has given to containers, and what the engine has given to devmem.
struct amounts {
    std::size_t live = 0;
    std::vector<std::size_t> given_out;  // bytes of device memory

    static amounts now() {
        amounts a;
        a.live = live_bytes();
        devmem::detail::cpu_engine& engine = devmem::detail::engine();
        for (int i = 0; i < engine.options().devices; ++i) {
            a.given_out.push_back(engine.at(i).used());
        }
        return a;
    }

    bool has_grown_since(const amounts& before, std::size_t by = 1) const {
        for (std::size_t i = 0; i < given_out.size(); ++i) {
            if (given_out[i] >= before.given_out[i] + by) return true;
        }
        return false;
    }

    std::string text() const {
        std::string t = "bytes of device memory";
        for (const std::size_t bytes : given_out) t += ", " + std::to_string(bytes);
        return t;
    }
};

/// Failures of the CPU backend's functions, by its hook. Operations call it on this thread only.
struct faults {
    static void start_recording() {
        names_.clear();
        devmem::detail::cpu_call_hook.store_relaxed(&record);
    }

    static std::vector<std::string> recorded() {
        devmem::detail::cpu_call_hook.store_relaxed(nullptr);
        return names_;
    }

    static std::vector<fault> plan(const std::vector<std::string>& functions) {
        std::vector<fault> all;
        std::map<std::string, std::size_t> seen;
        for (std::size_t i = 0; i < functions.size(); ++i) {
            const std::size_t occurrence = ++seen[functions[i]];
            for (const devmem::status s : errors_of(functions[i])) {
                fault f{.nth = i + 1,
                        .function = functions[i],
                        .occurrence = occurrence,
                        .error = s.native,
                        .code = s.code,
                        .error_name = devmem::cpu_backend::native_name(s.native),
                        .of_release = is_release(functions[i])};
                all.push_back(f);
                if (s.code != devmem::error_code::out_of_memory || occurrence > 1) continue;
                f.kind = fault_kind::ever;
                all.push_back(f);
            }
        }
        return all;
    }

    static void arm(const fault& f) {
        armed_ = f;
        calls_ = 0;
        was_reached_ = false;
        devmem::detail::cpu_call_hook.store_relaxed(&fail);
    }

    static bool disarm(const fault&) {
        devmem::detail::cpu_call_hook.store_relaxed(nullptr);
        return was_reached_;
    }

    static bool last_error_is_clear() { return true; }

    static void settle_caches() {
        settle();
        devmem::empty_cache();
        settle();  // what is freed in the order of a stream
    }

    static void check_no_misuse() {}

  private:
    static devmem::status record(const char* function) noexcept {
        names_.emplace_back(function);
        return {};
    }

    static devmem::status fail(const char* function) noexcept {
        if (armed_.function != function) return {};
        if (++calls_ != armed_.occurrence && armed_.kind == fault_kind::once) return {};
        was_reached_ = true;
        // A wait that fails tells the caller nothing of work that uses the caller's own memory, so
        // that here is done.
        if (is_wait(function)) drain();
        return {armed_.code, armed_.error};
    }

    /// A wait that nothing can end; no memory for the work, no thread for the stream.
    static std::vector<devmem::status> errors_of(const std::string& function) {
        using devmem::error_code;
        if (is_wait(function)) return {{error_code::deadlock, EDEADLK}};
        return {{error_code::out_of_memory, ENOMEM}, {error_code::backend_failure, EAGAIN}};
    }

    static bool is_wait(const std::string& function) {
        return function.find("synchronize") != std::string::npos;
    }

    static void drain() noexcept {
        devmem::detail::cpu_engine& engine = devmem::detail::engine();
        for (int i = 0; i < engine.options().devices; ++i) {
            static_cast<void>(engine.at(i).synchronize());
        }
    }

    static bool is_release(const std::string& function) {
        return function.find("deallocate") == 0 || function.find("destroy") != std::string::npos;
    }

    inline static std::vector<std::string> names_;
    inline static fault armed_;
    inline static std::size_t calls_ = 0;
    inline static bool was_reached_ = false;
};

}  // namespace devmem_test
