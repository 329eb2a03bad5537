/// \file
/// `cuda_backend`: NVIDIA GPUs through the CUDA runtime. Host calls only.
///
/// Whatever the default-stream macro of the file, the calls made here mean the same: every stream
/// is named by a handle, the legacy default stream by `cudaStreamLegacy`, never by 0.
#pragma once

#include <devmem/backend/cuda/copy.hpp>
#include <devmem/backend/cuda/driver.hpp>
#include <devmem/backend/cuda/fill.hpp>
#include <devmem/backend/cuda/scope.hpp>
#include <devmem/backend/cuda/staging.hpp>
#include <devmem/backend/cuda/status.hpp>
#include <devmem/backend/table.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace devmem::inline v0 {

/// NVIDIA GPUs. Each call leaves the thread's current device as it was, makes a context on the
/// device it is given only (and none to count devices or tell facts), and after a failure clears
/// the runtime's last error.
struct cuda_backend {
    static constexpr device_kind kind = device_kind::cuda;

    static const char* native_name(std::int32_t native) noexcept {
        return native == 0 ? "" : cudaGetErrorName(static_cast<cudaError_t>(native));
    }
    static bool in_callback() noexcept { return detail::in_queue_work; }

    /// None where there is no driver, or none that this runtime can use.
    static status device_count(int* count) noexcept {
        *count = 0;
        if (const status r = detail::cuda_refusal(); !r.ok()) return r;
        int found = 0;
        const status s = detail::runtime_status(cudaGetDeviceCount(&found));
        if (s.ok()) *count = found;
        return s.code == error_code::no_such_device ? status{} : s;
    }

    static status facts(device d, device_facts* out) noexcept {
        if (const status r = detail::cuda_refusal(); !r.ok()) return r;
        const detail::cuda_driver* driver = nullptr;
        if (const status s = detail::use_driver(&driver); !s.ok()) return s;
        CUdevice_v1 found = 0;
        if (const status s = detail::find_cuda_device(*driver, d, &found); !s.ok()) return s;
        unsigned flags = 0;
        int active = 0;
        CUresult r = driver->device_name(out->name, static_cast<int>(sizeof out->name), found);
        if (r == CUDA_SUCCESS) r = driver->device_memory(&out->total_memory, found);
        if (r == CUDA_SUCCESS) r = driver->primary_state(found, &flags, &active);
        int concurrent = 0;
        if (r == CUDA_SUCCESS) {
            r = driver->device_attribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                                         found);
        }
        out->active = active != 0;
        out->concurrent_managed_access = concurrent != 0;
        return detail::driver_status(r);
    }

    static status current_device(device* out) noexcept {
        if (const status r = detail::cuda_refusal(); !r.ok()) return r;
        int index = 0;
        const status s = detail::runtime_status(cudaGetDevice(&index));
        if (s.ok()) *out = device::cuda(index);
        return s;
    }

    static status push_device(device d, device* before) noexcept {
        if (const status s = current_device(before); !s.ok()) return s;
        const detail::cuda_driver* driver = nullptr;
        if (const status s = detail::use_driver(&driver); !s.ok()) return s;
        CUcontext wanted = nullptr;
        if (const status s = detail::primary_context(*driver, d, &wanted); !s.ok()) return s;
        return detail::driver_status(driver->context_push(wanted));
    }

    /// What push found current lies below on the thread's stack of contexts, also where that is no
    /// primary context or none at all.
    static status pop_device(device) noexcept {
        if (detail::process_is_forked()) return {error_code::forked, 0};
        const detail::cuda_driver* driver = nullptr;
        if (const status s = detail::use_driver(&driver); !s.ok()) return s;
        CUcontext popped = nullptr;
        const CUresult r = driver->context_pop(&popped);
        return r == CUDA_ERROR_DEINITIALIZED ? status{} : detail::driver_status(r);
    }

    static status memory_info(device d, memory_counts* out) noexcept {
        return detail::on_cuda(
            d, [out](const auto&) noexcept { return cudaMemGetInfo(&out->free, &out->total); });
    }

    static status synchronize_device(device d) noexcept {
        return detail::on_cuda(d, [](const auto&) noexcept { return cudaDeviceSynchronize(); });
    }

    static status allocate(device d, memory_space space, std::size_t bytes, void** out) noexcept {
        return detail::on_cuda(d, [space, bytes, out](const auto&) noexcept {
            switch (space) {
                case memory_space::device:
                    return cudaMalloc(out, bytes);
                case memory_space::pinned:
                    return cudaHostAlloc(out, bytes, cudaHostAllocPortable);
                case memory_space::mapped:
                    return cudaHostAlloc(out, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
                case memory_space::managed:
                    return cudaMallocManaged(out, bytes, cudaMemAttachGlobal);
            }
            return cudaErrorInvalidValue;
        });
    }

    static status deallocate(device d, memory_space space, void* data, std::size_t) noexcept {
        const bool of_host = space == memory_space::pinned || space == memory_space::mapped;
        return detail::on_cuda_release(d, [of_host, data](const auto&) noexcept {
            return of_host ? cudaFreeHost(data) : cudaFree(data);
        });
    }

    static status allocate_async(device d, void* stream, std::size_t bytes, void** out) noexcept {
        return detail::on_cuda(d, [stream, bytes, out](const auto&) noexcept {
            return cudaMallocAsync(out, bytes, as_stream(stream));
        });
    }

    static status deallocate_async(device d, void* stream, void* data, std::size_t) noexcept {
        return detail::on_cuda_release(d, [stream, data](const auto&) noexcept {
            return cudaFreeAsync(data, as_stream(stream));
        });
    }

    /// The legacy default stream has one handle for all devices, and is that of the current one.
    static status default_stream(device d, void** out) noexcept {
        if (const status r = detail::cuda_refusal(); !r.ok()) return r;
        const detail::cuda_driver* driver = nullptr;
        if (const status s = detail::use_driver(&driver); !s.ok()) return s;
        CUdevice_v1 found = 0;
        const status s = detail::find_cuda_device(*driver, d, &found);
        if (s.ok()) *out = cudaStreamLegacy;
        return s;
    }

    static status stream_create(device d, void** out) noexcept {
        return detail::on_cuda(d, [out](const auto&) noexcept {
            cudaStream_t made = nullptr;
            const cudaError_t result = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
            *out = made;
            return result;
        });
    }

    static status stream_destroy(device d, void* stream) noexcept {
        return detail::on_cuda_release(
            d, [stream](const auto&) noexcept { return cudaStreamDestroy(as_stream(stream)); });
    }

    /// A null handle is refused: what it means depends on how the file that it is from was
    /// compiled.
    static status stream_identity(device d, void* stream, std::uint64_t* id, device* of) noexcept {
        if (const status r = detail::cuda_refusal(); !r.ok()) return r;
        if (stream == nullptr) return detail::to_status(cudaErrorInvalidResourceHandle);
        return detail::on_cuda(d, [=](const detail::cuda_driver& driver) noexcept -> status {
            unsigned long long found = 0;
            const status s = detail::runtime_status(cudaStreamGetId(as_stream(stream), &found));
            *id = found;
            return s.ok() ? stream_device(driver, as_stream(stream), of) : s;
        });
    }

    /// Asks the driver: the runtime would take "not ready" for an error, and put it in the place
    /// of an earlier one that is not ours.
    static status stream_query(device d, void* stream, bool* done) noexcept {
        return detail::on_cuda(d, [stream, done](const detail::cuda_driver& driver) noexcept {
            return is_done(driver.stream_query(as_stream(stream)), done);
        });
    }

    static status stream_synchronize(device d, void* stream) noexcept {
        return detail::on_cuda(
            d, [stream](const auto&) noexcept { return cudaStreamSynchronize(as_stream(stream)); });
    }

    static status stream_wait_event(device d, void* stream, void* event) noexcept {
        return detail::on_cuda(d, [stream, event](const auto&) noexcept {
            return cudaStreamWaitEvent(as_stream(stream), as_event(event), cudaEventWaitDefault);
        });
    }

    static status event_create(device d, bool timed, void** out) noexcept {
        return detail::on_cuda(d, [timed, out](const auto&) noexcept {
            cudaEvent_t made = nullptr;
            const cudaError_t result =
                cudaEventCreateWithFlags(&made, timed ? cudaEventDefault : cudaEventDisableTiming);
            *out = made;
            return result;
        });
    }

    static status event_destroy(device d, void* event) noexcept {
        return detail::on_cuda_release(
            d, [event](const auto&) noexcept { return cudaEventDestroy(as_event(event)); });
    }

    static status event_record(device d, void* event, void* stream) noexcept {
        return detail::on_cuda(d, [event, stream](const auto&) noexcept {
            return cudaEventRecord(as_event(event), as_stream(stream));
        });
    }

    /// Asks the driver, as `stream_query`.
    static status event_query(device d, void* event, bool* done) noexcept {
        return detail::on_cuda(d, [event, done](const detail::cuda_driver& driver) noexcept {
            return is_done(driver.event_query(as_event(event)), done);
        });
    }

    static status event_synchronize(device d, void* event) noexcept {
        return detail::on_cuda(
            d, [event](const auto&) noexcept { return cudaEventSynchronize(as_event(event)); });
    }

    static status event_elapsed(device d, void* begin, void* end, float* milliseconds) noexcept {
        return detail::on_cuda(d, [begin, end, milliseconds](const auto&) noexcept {
            return cudaEventElapsedTime(milliseconds, as_event(begin), as_event(end));
        });
    }

    static status copy_async(device d, void* stream, void* dst, const void* src,
                             std::size_t bytes) noexcept {
        return detail::on_cuda(d, [=](const detail::cuda_driver& driver) noexcept {
            return detail::cuda_copy(driver, as_stream(stream), dst, src, bytes);
        });
    }

    static status upload_async(device d, void* stream, void* dst, const void* src,
                               std::size_t bytes) noexcept {
        return detail::on_cuda(d, [=](const detail::cuda_driver& driver) noexcept {
            return detail::cuda_upload(driver, d, as_stream(stream), dst, src, bytes);
        });
    }

    static status copy_2d_async(device d, void* stream, const row_copy& rows) noexcept {
        return detail::on_cuda(d, [stream, &rows](const detail::cuda_driver& driver) noexcept {
            return detail::cuda_copy_2d(driver, as_stream(stream), rows);
        });
    }

    static status upload_2d_async(device d, void* stream, const row_copy& rows) noexcept {
        return detail::on_cuda(d, [d, stream, &rows](const detail::cuda_driver& driver) noexcept {
            return detail::cuda_upload_2d(driver, d, as_stream(stream), rows);
        });
    }

    static status fill_async(device d, void* stream, void* dst, const void* pattern,
                             std::size_t width, std::size_t count) noexcept {
        return detail::on_cuda(d, [=](const detail::cuda_driver& driver) noexcept {
            return detail::cuda_fill(driver, d, as_stream(stream), dst, pattern, width, count);
        });
    }

    static status host_call(device d, void* stream, const host_function& f) noexcept {
        return detail::on_cuda(d, [stream, &f](const auto&) noexcept {
            return detail::cuda_host_call(as_stream(stream), f);
        });
    }

  private:
    static cudaStream_t as_stream(void* handle) noexcept {
        return static_cast<cudaStream_t>(handle);
    }
    static cudaEvent_t as_event(void* handle) noexcept { return static_cast<cudaEvent_t>(handle); }

    static status is_done(CUresult asked, bool* done) noexcept {
        *done = asked == CUDA_SUCCESS;
        return asked == CUDA_ERROR_NOT_READY ? status{} : detail::driver_status(asked);
    }

    /// The device of a stream, by its context, which is made current to be asked.
    static status stream_device(const detail::cuda_driver& driver, cudaStream_t stream,
                                device* of) noexcept {
        CUcontext context = nullptr;
        CUresult r = driver.stream_context(stream, &context);
        if (r == CUDA_SUCCESS) r = driver.context_push(context);
        if (r != CUDA_SUCCESS) return detail::driver_status(r);
        CUdevice_v1 found = 0;
        r = driver.context_device(&found);
        CUcontext popped = nullptr;
        static_cast<void>(driver.context_pop(&popped));
        if (r == CUDA_SUCCESS) *of = device::cuda(found);
        return detail::driver_status(r);
    }
};

static_assert(backend<cuda_backend>);

namespace detail {

inline constexpr backend_table cuda_table = make_table<cuda_backend>();

}  // namespace detail

}  // namespace devmem::inline v0

/// CUDA's table for the files of the program that were built without CUDA: they refer to this
/// function weakly. `used`, for a file may define it that does not call it.
extern "C" inline __attribute__((used, visibility("default"))) const devmem::backend_table*
devmem_v0_cuda_table() noexcept {
    return &devmem::detail::cuda_table;
}
