/// \file
/// What CPU queues do with memory: obtaining it, copying and filling it by the team.
#pragma once

#include <devmem/backend/cpu/engine.hpp>
#include <devmem/backend/cpu/queue.hpp>
#include <devmem/backend/memory_space.hpp>
#include <devmem/backend/row_copy.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace devmem::inline v0::detail {

/// Bytes of memory that the machine has, and has free.
inline std::size_t physical_bytes() noexcept {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}
inline std::size_t free_physical_bytes() noexcept {
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Memory aligned as every block is; large blocks on huge pages where the system offers them.
/// Null when there is none, and for more than the machine has: the system would promise that, and
/// end the process when it is touched.
inline void* host_allocate(std::size_t bytes) noexcept {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : block_alignment;
    if (bytes > physical_bytes()) return nullptr;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* data = std::aligned_alloc(alignment, rounded);
    if (data != nullptr && alignment == huge_page) madvise(data, rounded, MADV_HUGEPAGE);
    return data;
}

/// Ranges shorter than this are not worth waking a helper for.
inline constexpr std::size_t bytes_worth_sharing = std::size_t{256} << 10;

/// One piece a thread: `memcpy` goes around the caches only in pieces that are large.
inline void copy_bytes(void* dst, const void* src, std::size_t bytes) noexcept {
    engine().helpers().run(
        bytes, bytes_worth_sharing,
        [=](std::size_t begin, std::size_t end) {
            std::memcpy(static_cast<std::byte*>(dst) + begin,
                        static_cast<const std::byte*>(src) + begin, end - begin);
        },
        1);
}

/// Copies rows, in pieces that are worth sharing.
inline void copy_rows(const row_copy& rows) noexcept {
    if (rows.is_dense()) return copy_bytes(rows.dst, rows.src, rows.width * rows.height);
    const std::size_t grain =
        rows.width < bytes_worth_sharing ? bytes_worth_sharing / rows.width : 1;
    engine().helpers().run(rows.height, grain, [&rows](std::size_t begin, std::size_t end) {
        copy_some_rows(rows, begin, end);
    });
}

/// Copies rows on `q`, which have been read when this returns.
inline status push_staged_rows(queue& q, const row_copy& rows) noexcept {
    void* staged = std::malloc(rows.width * rows.height);
    if (staged == nullptr) return {error_code::out_of_memory, ENOMEM};
    copy_all_rows(rows.to_packed(staged));
    const status s = q.push(make_host_function([copied = rows.from_packed(staged)]() noexcept {
        copy_rows(copied);
        std::free(const_cast<void*>(copied.src));
    }));
    if (!s.ok()) std::free(staged);
    return s;
}

/// Writes words of one type; the address need not be aligned for it.
template <class Word>
void fill_words(std::byte* dst, const std::byte* pattern, std::size_t count) noexcept {
    Word word;
    std::memcpy(&word, pattern, sizeof word);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(dst + i * sizeof word, &word, sizeof word);
}

inline void fill_elements(std::byte* dst, const std::byte* pattern, std::size_t width,
                          std::size_t count) noexcept {
    const bool uniform = std::memcmp(pattern, pattern + 1, width - 1) == 0;
    if (uniform) {
        std::memset(dst, static_cast<unsigned char>(pattern[0]), width * count);
    } else if (width == 2) {
        fill_words<std::uint16_t>(dst, pattern, count);
    } else if (width == 4) {
        fill_words<std::uint32_t>(dst, pattern, count);
    } else if (width == 8) {
        fill_words<std::uint64_t>(dst, pattern, count);
    } else {
        for (std::size_t i = 0; i < count; ++i) std::memcpy(dst + i * width, pattern, width);
    }
}

/// Fills on `q`; the pattern is kept beside the work, so that it may go when this returns.
inline status push_fill(queue& q, void* dst, const void* pattern, std::size_t width,
                        std::size_t count) noexcept {
    auto* kept = static_cast<std::byte*>(std::malloc(width));
    if (kept == nullptr) return {error_code::out_of_memory, ENOMEM};
    std::memcpy(kept, pattern, width);
    const status s = q.push(make_host_function([dst, kept, width, count]() noexcept {
        const std::size_t grain = width < bytes_worth_sharing ? bytes_worth_sharing / width : 1;
        engine().helpers().run(count, grain, [=](std::size_t begin, std::size_t end) {
            fill_elements(static_cast<std::byte*>(dst) + begin * width, kept, width, end - begin);
        });
        std::free(kept);
    }));
    if (!s.ok()) std::free(kept);
    return s;
}

/// The processor's name, as the system tells it.
inline void read_processor_name(char* name, std::size_t size) noexcept {
    std::snprintf(name, size, "CPU");
    std::FILE* info = std::fopen("/proc/cpuinfo", "re");
    if (info == nullptr) return;
    char line[512];
    while (std::fgets(line, sizeof line, info) != nullptr) {
        if (std::strncmp(line, "model name", 10) != 0) continue;
        const char* text = std::strchr(line, ':');
        if (text == nullptr) break;
        text += std::strspn(text, ": \t");
        std::snprintf(name, size, "%.*s", static_cast<int>(std::strcspn(text, "\n")), text);
        break;
    }
    std::fclose(info);
}

}  // namespace devmem::inline v0::detail
