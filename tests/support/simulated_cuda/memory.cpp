#include "memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#define SIMULATED_WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMULATED_WITH_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SIMULATED_WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIMULATED_WITH_TSAN 1
#endif
#endif

#if defined(SIMULATED_WITH_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace simulated_cuda::inside {

namespace {

#if defined(SIMULATED_WITH_TSAN)
constexpr bool with_race_detector = true;
#else
constexpr bool with_race_detector = false;
#endif

constexpr std::size_t alignment = 256;
constexpr std::size_t slab_bytes = std::size_t{32} << 20;
constexpr std::size_t page = 4096;
constexpr std::size_t worth_returning = std::size_t{1} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
}

/// Blocks lie apart, so that running over the end of one meets nobody's memory.
constexpr std::size_t with_gap(std::size_t bytes) { return round_up(bytes, alignment) + alignment; }

}  // namespace

const bool device_memory::faults = !with_race_detector;

void open_to_program(const device_block& b) {
#if defined(SIMULATED_WITH_ASAN)
    __asan_unpoison_memory_region(b.seen, b.bytes);
#else
    static_cast<void>(b);
#endif
}

void close_to_program(const device_block& b) {
#if defined(SIMULATED_WITH_ASAN)
    __asan_poison_memory_region(b.seen, b.bytes);
#else
    static_cast<void>(b);
#endif
}

bool device_memory::map(slab& s, std::size_t bytes) const {
    s.bytes = bytes;
    s.file = memfd_create("simulated device memory", MFD_CLOEXEC);
    if (s.file < 0) return false;
    if (ftruncate(s.file, static_cast<off_t>(bytes)) != 0) return false;
    void* reached = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s.file, 0);
    if (reached == MAP_FAILED) return false;
    s.reached = static_cast<std::byte*>(reached);
    if (with_race_detector) {
        s.seen = s.reached;
    } else {
        const int rights = opened_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE;
        void* seen = mmap(nullptr, bytes, rights, MAP_SHARED, s.file, 0);
        if (seen == MAP_FAILED) return false;
        s.seen = static_cast<std::byte*>(seen);
    }
    s.unused[0] = bytes;
    close_to_program({s.seen, s.reached, bytes});
    return true;
}

std::optional<device_block> device_memory::cut(slab& s, std::size_t bytes) {
    const std::size_t taken = with_gap(bytes);
    for (auto range = s.unused.begin(); range != s.unused.end(); ++range) {
        const auto [offset, size] = *range;
        if (size < taken) continue;
        s.unused.erase(range);
        if (size > taken) s.unused[offset + taken] = size - taken;
        return device_block{s.seen + offset, s.reached + offset, bytes};
    }
    return std::nullopt;
}

std::optional<device_block> device_memory::obtain(std::size_t bytes) {
    for (slab& s : slabs_) {
        if (auto block = cut(s, bytes)) return block;
    }
    slab made;
    if (!map(made, std::max(slab_bytes, round_up(with_gap(bytes), page)))) return std::nullopt;
    slabs_.push_back(std::move(made));
    return cut(slabs_.back(), bytes);
}

void device_memory::give_back(const device_block& b) {
    for (slab& s : slabs_) {
        if (b.seen < s.seen || b.seen >= s.seen + s.bytes) continue;
        auto offset = static_cast<std::size_t>(b.seen - s.seen);
        std::size_t size = with_gap(b.bytes);
        if (size >= worth_returning) {
            fallocate(s.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      static_cast<off_t>(offset), static_cast<off_t>(size));
        }
        auto next = s.unused.lower_bound(offset);
        if (next != s.unused.end() && next->first == offset + size) {
            size += next->second;
            next = s.unused.erase(next);
        }
        if (next != s.unused.begin()) {
            const auto before = std::prev(next);
            if (before->first + before->second == offset) {
                before->second += size;
                return;
            }
        }
        s.unused[offset] = size;
        return;
    }
}

bool device_memory::owns(const void* p) const {
    const auto* at = static_cast<const std::byte*>(p);
    return std::any_of(slabs_.begin(), slabs_.end(),
                       [at](const slab& s) { return at >= s.seen && at < s.seen + s.bytes; });
}

void device_memory::protect(int rights) const {
    for (const slab& s : slabs_) {
        if (mprotect(s.seen, s.bytes, rights) != 0) std::abort();
    }
}

void device_memory::open() {
    if (opened_++ == 0) protect(PROT_READ | PROT_WRITE);
}

void device_memory::close() {
    if (--opened_ == 0) protect(PROT_NONE);
}

bool allocation::in_use() const {
    return std::any_of(uses.begin(), uses.end(),
                       [](const queue_mark& mark) { return !mark.reached(); });
}

void allocation::wait() const {
    for (const queue_mark& mark : uses) static_cast<void>(mark.wait());
}

void* address_space::allocate(memory_kind kind, int device, std::size_t bytes,
                              bool stream_ordered) {
    allocation made{kind, device, stream_ordered, {}, {}};
    {
        const std::lock_guard lock(mutex_);
        if (kind == memory_kind::device) {
            collect();
            const auto block = device_memory_.obtain(bytes);
            if (!block) return nullptr;
            made.block = *block;
        } else {
            void* data = std::aligned_alloc(page, round_up(bytes, page));
            if (data == nullptr) return nullptr;
            auto* at = static_cast<std::byte*>(data);
            made.block = {at, at, bytes};
        }
        live_[made.block.seen] = made;
    }
    if (kind == memory_kind::device) open_to_program(made.block);
    std::memset(made.block.reached, 0xFF, bytes);
    return made.block.seen;
}

bool address_space::is_stream_ordered(const void* p) const {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(static_cast<const std::byte*>(p));
    return found != live_.end() && found->second.stream_ordered;
}

std::optional<allocation> address_space::take(void* p, bool of_host) {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(static_cast<const std::byte*>(p));
    if (found == live_.end() || found->second.of_host() != of_host) return std::nullopt;
    allocation taken = std::move(found->second);
    live_.erase(found);
    return taken;
}

void address_space::release(const allocation& a) {
    if (a.kind != memory_kind::device) {
        std::free(a.block.seen);
        return;
    }
    close_to_program(a.block);
    const std::lock_guard lock(mutex_);
    device_memory_.give_back(a.block);
}

void address_space::release_after(const allocation& a, queue_mark mark) {
    const std::lock_guard lock(mutex_);
    dying_.emplace_back(a.block, mark);
}

/// Under a race detector the memory of the dying is not used again: finding out that they are dead
/// would order this thread after the queue that they died on.
void address_space::collect() {
    if (with_race_detector) return;
    const auto dead = std::partition(dying_.begin(), dying_.end(),
                                     [](const auto& d) { return !d.second.reached(); });
    for (auto d = dead; d != dying_.end(); ++d) device_memory_.give_back(d->first);
    dying_.erase(dead, dying_.end());
}

address_space::map::const_iterator address_space::containing(const void* p) const {
    const auto* at = static_cast<const std::byte*>(p);
    auto found = live_.upper_bound(at);
    if (found == live_.begin()) return live_.end();
    --found;
    return at < found->second.block.seen + found->second.block.bytes ? found : live_.end();
}

place address_space::find(const void* p, std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    place found;
    const auto at = containing(p);
    if (at == live_.end()) {
        if (device_memory_.owns(p)) found.what = place::state::dead;
        found.reached = static_cast<std::byte*>(const_cast<void*>(p));
        return found;
    }
    const allocation& a = at->second;
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(p) - a.block.seen);
    found.what = bytes <= a.block.bytes - offset ? place::state::live : place::state::dead;
    found.kind = a.kind;
    found.device = a.device;
    found.reached = a.block.reached + offset;
    return found;
}

void address_space::note_use(const void* p, queue_mark mark) {
    const std::lock_guard lock(mutex_);
    const auto at = containing(p);
    if (at == live_.end()) return;
    std::vector<queue_mark>& uses = live_.find(at->first)->second.uses;
    const auto same = std::find_if(uses.begin(), uses.end(),
                                   [&mark](const queue_mark& m) { return m.of == mark.of; });
    if (same == uses.end()) {
        uses.push_back(mark);
    } else {
        same->ticket = std::max(same->ticket, mark.ticket);
    }
}

void address_space::open() {
    if (with_race_detector) return;
    const std::lock_guard lock(mutex_);
    device_memory_.open();
}

void address_space::close() {
    if (with_race_detector) return;
    const std::lock_guard lock(mutex_);
    device_memory_.close();
}

memory_amount address_space::live(int device, memory_kind kind) const {
    const std::lock_guard lock(mutex_);
    memory_amount amount;
    for (const auto& [seen, a] : live_) {
        if (a.device != device || a.kind != kind) continue;
        amount.bytes += a.block.bytes;
        ++amount.blocks;
    }
    return amount;
}

}  // namespace simulated_cuda::inside
