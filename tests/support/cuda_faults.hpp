/// \file
/// The failures of a fault sweep on the CUDA path, over the simulated runtime, and what it counts.
#pragma once

#include "contents.hpp"
#include "documented_errors.hpp"
#include "fault.hpp"
#include "simulated_cuda.hpp"

#include <devmem/backend/cuda.hpp>
#include <devmem/pool.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace devmem_test {

/// The thread's stack of contexts and the device on top.
struct thread_place {
    std::size_t depth = 0;
    int device = -1;

    static thread_place now() {
        thread_place p;
        REQUIRE(cudaGetDevice(&p.device) == cudaSuccess);
        p.depth = simulated_cuda::context_depth();
        return p;
    }
    friend bool operator==(const thread_place&, const thread_place&) = default;
};

/// What devmem has given to containers, and what the simulation has given to devmem.
struct amounts {
    std::size_t live = 0;
    std::vector<std::size_t> given_out;

    static amounts now() {
        using simulated_cuda::memory_kind;
        amounts a;
        a.live = live_bytes();
        for (int device = 0; device < 4; ++device) {
            for (const auto kind : {memory_kind::device, memory_kind::pinned, memory_kind::mapped,
                                    memory_kind::managed}) {
                a.given_out.push_back(simulated_cuda::live(device, kind).blocks);
            }
        }
        a.given_out.push_back(simulated_cuda::live_streams());
        a.given_out.push_back(simulated_cuda::live_events());
        return a;
    }

    bool has_grown_since(const amounts& before, std::size_t by = 1) const {
        for (std::size_t i = 0; i < given_out.size(); ++i) {
            if (given_out[i] >= before.given_out[i] + by) return true;
        }
        return false;
    }

    std::string text() const {
        std::string t = "blocks of device, pinned, mapped, managed memory";
        for (std::size_t i = 0; i + 2 < given_out.size(); ++i) {
            t += (i % 4 == 0 ? "; " : ", ") + std::to_string(given_out[i]);
        }
        t += "; streams " + std::to_string(given_out[given_out.size() - 2]);
        return t + "; events " + std::to_string(given_out.back());
    }
};

/// Failures of the simulated runtime's functions.
struct faults {
    static void start_recording() { simulated_cuda::clear_calls(); }

    static std::vector<std::string> recorded() {
        std::vector<std::string> functions;
        for (const simulated_cuda::call& c : simulated_cuda::calls()) {
            functions.emplace_back(c.function);
        }
        return functions;
    }

    static std::vector<fault> plan(const std::vector<std::string>& functions) {
        std::vector<fault> all;
        std::map<std::string, std::size_t> seen;
        for (std::size_t i = 0; i < functions.size(); ++i) {
            const std::string& function = functions[i];
            const std::size_t occurrence = ++seen[function];
            for (const int error : simulated_cuda::documented_errors(function)) {
                if (!is_failure(function, error)) continue;
                fault f{.nth = i + 1,
                        .function = function,
                        .occurrence = occurrence,
                        .error = error,
                        .error_name = cudaGetErrorName(static_cast<cudaError_t>(error)),
                        .kind = kind_of(error),
                        .of_release = is_release(function)};
                all.push_back(f);
                if (error != cudaErrorMemoryAllocation || occurrence > 1) continue;
                f.kind = fault_kind::ever;
                all.push_back(f);
            }
        }
        return all;
    }

    static void arm(const fault& f) {
        simulated_cuda::clear_calls();
        switch (f.kind) {
            case fault_kind::once:
                simulated_cuda::fail_call(f.function, static_cast<int>(f.occurrence), f.error);
                break;
            case fault_kind::ever:
                simulated_cuda::fail_every_call(f.function, f.error);
                break;
            case fault_kind::lost:
                simulated_cuda::break_device_at(static_cast<int>(f.nth), f.error);
                break;
            case fault_kind::unloaded:
                simulated_cuda::unload_at(static_cast<int>(f.nth));
                break;
        }
        depth_ = simulated_cuda::context_depth();
    }

    /// Nothing fails any more; tells whether the failure was met.
    static bool disarm(const fault& f) {
        simulated_cuda::fail_no_more();
        for (int i = 0; i < 4; ++i) simulated_cuda::break_device(i, cudaSuccess);
        simulated_cuda::unloading(false);
        const auto calls = simulated_cuda::calls();
        const bool was_reached =
            std::any_of(calls.begin(), calls.end(),
                        [&f](const simulated_cuda::call& c) { return c.result == f.error; });
        // A driver that has gone pops nothing, and there is nothing to pop.
        while (f.kind == fault_kind::unloaded && simulated_cuda::context_depth() > depth_) {
            const devmem::detail::cuda_driver* driver = nullptr;
            REQUIRE(devmem::detail::use_driver(&driver).ok());
            CUcontext popped = nullptr;
            REQUIRE(driver->context_pop(&popped) == CUDA_SUCCESS);
        }
        return was_reached;
    }

    static bool last_error_is_clear() { return cudaPeekAtLastError() == cudaSuccess; }

    /// Gives back what devmem only keeps.
    static void settle_caches() {
        settle();
        devmem::empty_cache();
        for (int i = 0; i < 4; ++i) {
            const auto d = devmem::device::cuda(i);
            REQUIRE(devmem::detail::on_cuda(d, [d](const auto& driver) noexcept {
                        devmem::detail::release_staging(driver, d);
                        return cudaSuccess;
                    }).ok());
        }
    }

    static void check_no_misuse() {
        for (const std::string& misuse : simulated_cuda::misuses()) FAIL_CHECK(misuse);
        simulated_cuda::clear_misuses();
    }

  private:
    /// Left out is what is no failure of a program that keeps the rules:
    /// - "not ready", and an address that the driver does not know, are answers;
    /// - that there is no driver or device is found out when the runtime starts, which it has;
    /// - devmem pops only what it has pushed.
    static bool is_failure(const std::string& function, int error) {
        if (error == cudaErrorNotReady) return function == "cudaEventElapsedTime";
        if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) return false;
        if (function == "cuPointerGetAttribute" && error == CUDA_ERROR_INVALID_VALUE) return false;
        return function != "cuCtxPopCurrent" || error == CUDA_ERROR_DEINITIALIZED;
    }

    static fault_kind kind_of(int error) {
        if (error == cudaErrorCudartUnloading) return fault_kind::unloaded;
        return devmem::detail::is_cuda_fault(error) ? fault_kind::lost : fault_kind::once;
    }

    static bool is_release(const std::string& function) {
        for (const char* name : {"cudaFree", "cudaFreeHost", "cudaFreeAsync", "cudaStreamDestroy",
                                 "cudaEventDestroy"}) {
            if (function == name) return true;
        }
        return false;
    }

    inline static std::size_t depth_ = 0;
};

}  // namespace devmem_test
