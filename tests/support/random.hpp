/// \file
/// Numbers without a pattern, the same in every run: for tests that try much.
#pragma once

#include <cstdint>

namespace devmem_test {

/// Splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
class random_numbers {
  public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9E37'79B9'7F4A'7C15u;
        z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
        z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
        return z ^ (z >> 31);
    }
    /// A number in [0, n); n is small, so that the remainder's bias does not matter.
    unsigned below(unsigned n) noexcept { return static_cast<unsigned>(next() % n); }
    bool one_in(unsigned n) noexcept { return below(n) == 0; }

  private:
    std::uint64_t state_;
};

}  // namespace devmem_test
