/// \file
/// Uploads of pageable memory, staged through pinned buffers that are used again.
#pragma once

#include <devmem/backend/cpu/options.hpp>
#include <devmem/backend/cpu/sync.hpp>
#include <devmem/backend/cuda/copy.hpp>
#include <devmem/backend/cuda/scope.hpp>
#include <devmem/backend/cuda/status.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace devmem::inline v0::detail {

/// Pinned memory; whoever used it last is through when the event is.
struct staging_buffer {
    staging_buffer* next = nullptr;
    void* data = nullptr;
    cudaEvent_t passed = nullptr;

    /// Frees what there is of it, with the buffer's device current.
    static void destroy(staging_buffer* b) noexcept {
        if (b->passed != nullptr) static_cast<void>(runtime_status(cudaEventDestroy(b->passed)));
        if (b->data != nullptr) static_cast<void>(runtime_status(cudaFreeHost(b->data)));
        delete b;
    }
};

/// Buffers of one device and size, the one longest in use first.
class staging_list {
  public:
    staging_buffer* take() noexcept {
        const lock_guard lock(mutex_);
        staging_buffer* first = first_;
        if (first == nullptr) return nullptr;
        first_ = first->next;
        --count_;
        return first;
    }

    /// For one that was taken and is still in use.
    void put_first(staging_buffer* b) noexcept {
        const lock_guard lock(mutex_);
        b->next = first_;
        if (first_ == nullptr) last_ = b;
        first_ = b;
        ++count_;
    }

    /// For one whose use has just begun; tells whether there are now more than `keep`.
    bool put_last(staging_buffer* b, std::size_t keep) noexcept {
        const lock_guard lock(mutex_);
        b->next = nullptr;
        (first_ == nullptr ? first_ : last_->next) = b;
        last_ = b;
        return ++count_ > keep;
    }

  private:
    mutex mutex_;
    staging_buffer* first_ = nullptr;
    staging_buffer* last_ = nullptr;
    std::size_t count_ = 0;
};

/// Sizes of buffers: 4 KiB and its doubles.
inline constexpr std::size_t smallest_staging = std::size_t{4} << 10;
inline constexpr std::size_t staging_sizes = 20;
/// After a burst, buffers of a size beyond this many bytes are freed as they are found unused.
inline constexpr std::size_t staging_kept_bytes = std::size_t{16} << 20;

struct DEVMEM_STATE staging_cache {
    staging_list of[max_devices][staging_sizes];
};

inline DEVMEM_STATE staging_cache cuda_staging{};

/// Which size holds `bytes`; `staging_sizes` if none does.
constexpr std::size_t staging_size_index(std::size_t bytes) noexcept {
    std::size_t index = 0;
    while (index < staging_sizes && (smallest_staging << index) < bytes) ++index;
    return index;
}

/// A buffer that nobody uses, from the list or new; null when there is no memory for one.
inline staging_buffer* obtain_staging(const cuda_driver& driver, staging_list& list,
                                      std::size_t size) noexcept {
    if (staging_buffer* used = list.take(); used != nullptr) {
        if (driver.event_query(used->passed) == CUDA_SUCCESS) return used;
        list.put_first(used);
    }
    auto* made = new (std::nothrow) staging_buffer;
    if (made == nullptr) return nullptr;
    if (runtime_status(cudaHostAlloc(&made->data, size, cudaHostAllocPortable)).ok() &&
        runtime_status(cudaEventCreateWithFlags(&made->passed, cudaEventDisableTiming)).ok()) {
        return made;
    }
    staging_buffer::destroy(made);
    return nullptr;
}

/// Returns a buffer whose use has been queued, and frees an unused one where there are too many.
inline void return_staging(const cuda_driver& driver, staging_list& list, std::size_t size,
                           staging_buffer* b) noexcept {
    const std::size_t keep = staging_kept_bytes / size + 2;
    if (!list.put_last(b, keep)) return;
    staging_buffer* oldest = list.take();
    if (oldest == nullptr) return;
    if (driver.event_query(oldest->passed) == CUDA_SUCCESS) {
        staging_buffer::destroy(oldest);
    } else {
        list.put_first(oldest);
    }
}

/// Queues, and waits for the stream.
template <class Queue>
status queue_and_wait(cudaStream_t stream, const Queue& queue) noexcept {
    if (const status s = queue(); !s.ok()) return s;
    // Where the device reads pageable memory by itself, the copy above does not wait.
    return runtime_status(cudaStreamSynchronize(stream));
}

/// Copies pageable memory, which has been read when this returns. What is at most as large as the
/// staging limit does not wait, save where there is no pinned memory left to stage it.
///
/// `stage(buffer)` writes the bytes to a buffer, `queue_staged(buffer)` queues them from there,
/// `queue()` straight from where they are.
template <class Stage, class QueueStaged, class Queue>
status cuda_upload_bytes(const cuda_driver& driver, device d, cudaStream_t stream,
                         std::size_t bytes, const Stage& stage, const QueueStaged& queue_staged,
                         const Queue& queue) noexcept {
    if (const status s = refuse_capture(stream); !s.ok()) return s;
    const std::size_t index = staging_size_index(bytes);
    if (bytes > cpu_options_in_force.staging_bytes || index >= staging_sizes) {
        return queue_and_wait(stream, queue);
    }
    const std::size_t size = smallest_staging << index;
    staging_list& list = cuda_staging.of[d.index()][index];
    staging_buffer* staged = obtain_staging(driver, list, size);
    if (staged == nullptr) return queue_and_wait(stream, queue);

    stage(staged->data);
    const status copied = queue_staged(staged->data);
    if (!copied.ok()) {
        list.put_first(staged);
        return copied;
    }
    if (const status s = runtime_status(cudaEventRecord(staged->passed, stream)); !s.ok()) {
        // The buffer is in use with nothing to tell until when.
        if (const status waited = runtime_status(cudaStreamSynchronize(stream)); !waited.ok()) {
            return waited;  // the buffer is left alone for good
        }
        list.put_first(staged);
        return {};
    }
    return_staging(driver, list, size, staged);
    return {};
}

inline status cuda_upload(const cuda_driver& driver, device d, cudaStream_t stream, void* dst,
                          const void* src, std::size_t bytes) noexcept {
    return cuda_upload_bytes(
        driver, d, stream, bytes, [=](void* staged) noexcept { std::memcpy(staged, src, bytes); },
        [=, &driver](const void* staged) noexcept {
            return cuda_copy(driver, stream, dst, staged, bytes);
        },
        [=]() noexcept {
            return runtime_status(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, stream));
        });
}

inline status cuda_upload_2d(const cuda_driver& driver, device d, cudaStream_t stream,
                             const row_copy& rows) noexcept {
    return cuda_upload_bytes(
        driver, d, stream, rows.width * rows.height,
        [&rows](void* staged) noexcept { copy_all_rows(rows.to_packed(staged)); },
        [stream, &driver, &rows](const void* staged) noexcept {
            return cuda_copy_2d(driver, stream, rows.from_packed(staged));
        },
        [stream, &rows]() noexcept { return cuda_queue_rows(stream, rows); });
}

/// Frees the staging buffers of a device that are not in use.
inline void release_staging(const cuda_driver& driver, device d) noexcept {
    for (staging_list& list : cuda_staging.of[d.index()]) {
        while (staging_buffer* b = list.take()) {
            if (driver.event_query(b->passed) != CUDA_SUCCESS) {
                list.put_first(b);
                break;
            }
            staging_buffer::destroy(b);
        }
    }
}

}  // namespace devmem::inline v0::detail
