/// \file
/// Random inputs of algorithms: sizes around the borders that matter, values of several types.
#pragma once

#include "random.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace devmem_test {

/// Of pieces, vectors and leaves of trees.
inline constexpr std::size_t border_sizes[] = {0,   1,    7,    31,   32,   33,   255,   256,
                                               257, 4095, 4096, 4097, 8192, 8193, 12'289};
inline constexpr std::size_t large_sizes[] = {(1 << 20) - 1, 1 << 20, (1 << 20) + 1};

/// Sixteen bytes.
struct complex_double {
    double re;
    double im;
    friend bool operator==(const complex_double&, const complex_double&) = default;
    friend complex_double operator+(const complex_double& a, const complex_double& b) {
        return {a.re + b.re, a.im + b.im};
    }
};

inline void draw(random_numbers& random, std::uint8_t& x) {
    x = static_cast<std::uint8_t>(random.next());
}
inline void draw(random_numbers& random, std::int16_t& x) {
    x = static_cast<std::int16_t>(random.below(2'001) - 1'000u);
}
inline void draw(random_numbers& random, int& x) {
    x = static_cast<int>(random.below(2'001)) - 1'000;
}
inline void draw(random_numbers& random, std::uint64_t& x) { x = random.next(); }
/// Of these sums and products are exact as long as there are not many.
inline void draw(random_numbers& random, float& x) {
    x = static_cast<float>(static_cast<int>(random.below(201)) - 100) / 4;
}
inline void draw(random_numbers& random, double& x) {
    x = (static_cast<int>(random.below(2'000'001)) - 1'000'000) / 8.0;
}
inline void draw(random_numbers& random, complex_double& x) {
    draw(random, x.re);
    draw(random, x.im);
}

template <class T>
std::vector<T> drawn(random_numbers& random, std::size_t n) {
    std::vector<T> values(n);
    for (T& x : values) draw(random, x);
    return values;
}

/// Calls `f(values)` with random inputs of T: many small ones, and each of the sizes at a border.
template <class T, class F>
void for_random_inputs(const F& f, int small = 200) {
    random_numbers random(sizeof(T));
    for (int i = 0; i < small; ++i) f(drawn<T>(random, random.below(300)));
    for (const std::size_t n : border_sizes) f(drawn<T>(random, n));
}

}  // namespace devmem_test
