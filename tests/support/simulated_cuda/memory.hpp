/// \file
/// The address registry, and device memory that the host cannot touch.
#pragma once

#include "simulated_cuda.hpp"

#include <devmem/backend/cpu/queue.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace simulated_cuda::inside {

using devmem::detail::queue_mark;

/// One piece of memory at two addresses: the one that the program sees, which the host cannot
/// touch, and the one by which the runtime reads and writes it.
struct device_block {
    std::byte* seen = nullptr;
    std::byte* reached = nullptr;
    std::size_t bytes = 0;
};

/// Blocks of device memory, 256 bytes aligned, out of slabs mapped twice.
class device_memory {
  public:
    static const bool faults;

    /// Empty when the system has no more.
    std::optional<device_block> obtain(std::size_t bytes);
    void give_back(const device_block& b);
    /// True for an address that is or was a device's.
    bool owns(const void* p) const;

    /// Between the two, which may be called any number of times at once, the host may touch it.
    void open();
    void close();

  private:
    struct slab {
        std::byte* seen = nullptr;
        std::byte* reached = nullptr;
        std::size_t bytes = 0;
        int file = -1;
        std::map<std::size_t, std::size_t> unused;  // offset, bytes
    };

    bool map(slab& s, std::size_t bytes) const;
    void protect(int rights) const;
    static std::optional<device_block> cut(slab& s, std::size_t bytes);

    std::vector<slab> slabs_;
    int opened_ = 0;
};

/// Marks a block's bytes as the program's, or as nobody's, for a sanitizer that can.
void open_to_program(const device_block& b);
void close_to_program(const device_block& b);

struct allocation {
    memory_kind kind = memory_kind::device;
    int device = 0;
    bool stream_ordered = false;
    device_block block;
    std::vector<queue_mark> uses;  // queued work that reads or writes it

    bool of_host() const { return kind == memory_kind::pinned || kind == memory_kind::mapped; }
    bool in_use() const;
    void wait() const;
};

/// What an address is.
struct place {
    enum class state { pageable, live, dead };
    state what = state::pageable;
    memory_kind kind = memory_kind::device;  // of live memory
    int device = 0;
    std::byte* reached = nullptr;

    bool on_host() const {
        return what == state::pageable || (what == state::live && (kind == memory_kind::pinned ||
                                                                   kind == memory_kind::mapped));
    }
};

/// All memory that the simulated runtime has given out. Only host threads touch it.
class address_space {
  public:
    /// Null when the system has no more. New memory is full of 0xFF bytes.
    void* allocate(memory_kind kind, int device, std::size_t bytes, bool stream_ordered);

    /// Forgets the allocation that begins at `p`, if it is of that sort; it is the caller's to
    /// `release`.
    std::optional<allocation> take(void* p, bool of_host);
    bool is_stream_ordered(const void* p) const;
    void release(const allocation& a);
    /// Releases once `mark` is reached.
    void release_after(const allocation& a, queue_mark mark);

    /// Whether [p, p + bytes) lies in one live allocation, in none, or in memory that is not live.
    place find(const void* p, std::size_t bytes) const;
    void note_use(const void* p, queue_mark mark);
    memory_amount live(int device, memory_kind kind) const;

    /// Opens the memory of all devices to the host, while it does a kernel's work. Without a race
    /// detector only, under which it is open anyway and a lock would be seen as an order.
    void open();
    void close();

  private:
    using map = std::map<const std::byte*, allocation>;
    map::const_iterator containing(const void* p) const;
    void collect();

    mutable std::mutex mutex_;
    map live_;
    device_memory device_memory_;
    std::vector<std::pair<device_block, queue_mark>> dying_;
};

}  // namespace simulated_cuda::inside
