/// \file
/// The word in which a ledger keeps its state while one stream alone uses the block.
#pragma once

#include <devmem/memory/uses.hpp>

#include <cstdint>

/// From the lowest bit: open reads, open writes, flags, and the number of the only stream.
namespace devmem::inline v0::detail::ledger_word {

inline constexpr int write_shift = 12;
inline constexpr std::uint64_t one_read = 1;
inline constexpr std::uint64_t one_write = std::uint64_t{1} << write_shift;
inline constexpr std::uint64_t most_open = one_write - 1;
inline constexpr std::uint64_t open_bits = one_write * one_write - 1;

inline constexpr std::uint64_t several = std::uint64_t{1} << 24;   // the list of uses counts
inline constexpr std::uint64_t records = std::uint64_t{1} << 25;   // the end of each access
inline constexpr std::uint64_t split = std::uint64_t{1} << 26;     // into slices
inline constexpr std::uint64_t orphaned = std::uint64_t{1} << 27;  // the owner has gone
inline constexpr std::uint64_t manual = std::uint64_t{1} << 28;    // nobody is made to wait
inline constexpr std::uint64_t raw = std::uint64_t{1} << 29;       // its address was given out
inline constexpr std::uint64_t flags = several | records | split | orphaned | manual | raw;

inline constexpr int stream_shift = ledger_key_shift;

constexpr std::uint64_t one_open(access_mode mode) noexcept {
    return mode == access_mode::read ? one_read : one_write;
}
constexpr std::uint32_t open_reads(std::uint64_t w) noexcept {
    return static_cast<std::uint32_t>(w & most_open);
}
constexpr std::uint32_t open_writes(std::uint64_t w) noexcept {
    return static_cast<std::uint32_t>(w >> write_shift & most_open);
}

/// A count at half of what its bits could hold: no more accesses are opened without the lock.
inline constexpr std::uint64_t nearly_full =
    (one_read << (write_shift - 1)) * (one_read + one_write);
inline constexpr std::uint64_t stream_bits = ~std::uint64_t{0} << stream_shift;

/// Whether `s` alone uses the block, and accesses may be opened and closed by changing the word.
inline bool is_only(std::uint64_t w, const stream_state& s) noexcept {
    return ((w ^ s.ledger_key) & (stream_bits | several | split | nearly_full)) == 0;
}
/// The same, with nothing to be done when an access ends.
inline bool is_quietly_only(std::uint64_t w, const stream_state& s) noexcept {
    return ((w ^ s.ledger_key) &
            (stream_bits | several | split | nearly_full | records | orphaned)) == 0;
}
/// Whether nobody uses the block.
constexpr bool is_unused(std::uint64_t w) noexcept {
    return (w >> stream_shift) == 0 && (w & (several | split)) == 0;
}
/// Whether nothing is set that letting the block go has to look at.
constexpr bool is_plain(std::uint64_t w) noexcept {
    return (w & (open_bits | (flags & ~records))) == 0;
}

}  // namespace devmem::inline v0::detail::ledger_word
