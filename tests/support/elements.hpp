/// \file
/// Elements of many types for tests of algorithms, without a pattern, and what is compared of them.
#pragma once

#include "random.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace devmem_test {

/// Of pieces, vectors and leaves of trees.
inline constexpr std::size_t border_sizes[] = {0,   1,    7,    31,   32,   33,   255,   256,
                                               257, 4095, 4096, 4097, 8192, 8193, 12'289};
inline constexpr std::size_t large_sizes[] = {(1 << 20) - 1, 1 << 20, (1 << 20) + 1};

/// Sixteen bytes.
struct wide_element {
    std::int64_t number;
    double place;
    friend bool operator==(const wide_element&, const wide_element&) = default;
};

/// Twelve bytes, and no value unless one is given: `x -> factor * x + term`, how often applied.
class affine_map {
  public:
    affine_map(std::uint32_t by, std::uint32_t plus, std::uint32_t maps = 1)
        : factor(by), term(plus), count(maps) {}

    std::uint32_t factor;
    std::uint32_t term;
    std::uint32_t count;
};

/// First `a`, then `b`: associative, not commutative.
struct compose {
    affine_map operator()(const affine_map& a, const affine_map& b) const {
        return {a.factor * b.factor, a.term * b.factor + b.term, a.count + b.count};
    }
};

/// The x-th of `variety` values, in their order; of floating-point types also fractions and
/// negative ones. `other` is for what else an element holds.
template <class T>
T nth_value(unsigned x, unsigned variety, unsigned other = 0) {
    if constexpr (std::is_same_v<T, wide_element>) {
        return {static_cast<int>(x) - 3, 0.5 * static_cast<double>(other)};
    } else if constexpr (std::is_same_v<T, affine_map>) {
        return {2 * x + 1, other};
    } else if constexpr (std::is_floating_point_v<T>) {
        return (static_cast<T>(x) - static_cast<T>(variety / 2)) / 7;
    } else {
        return static_cast<T>(static_cast<std::uint64_t>(x) - variety / 2);
    }
}

template <class T>
T drawn_value(random_numbers& random, unsigned variety) {
    const unsigned x = random.below(variety);
    return nth_value<T>(x, variety, random.below(variety));
}

template <class T>
std::vector<T> drawn_values(random_numbers& random, std::size_t n, unsigned variety = 1'000) {
    std::vector<T> values;
    values.reserve(n);
    for (std::size_t i = 0; i < n; ++i) values.push_back(drawn_value<T>(random, variety));
    return values;
}

/// Values of which sums and products are exact as long as there are not many: sevenths are not.
template <class T>
std::vector<T> drawn_exact_values(random_numbers& random, std::size_t n) {
    if constexpr (std::is_floating_point_v<T>) {
        std::vector<T> values(n);
        for (T& x : values) x = static_cast<T>(static_cast<int>(random.below(201)) - 100) / 4;
        return values;
    } else {
        return drawn_values<T>(random, n);
    }
}

/// Calls `f(values)` with exact values of T: many times a few, and each of the sizes at a border.
template <class T, class F>
void for_random_inputs(const F& f, int small = 200) {
    random_numbers random(sizeof(T));
    for (int i = 0; i < small; ++i) f(drawn_exact_values<T>(random, random.below(300)));
    for (const std::size_t n : border_sizes) f(drawn_exact_values<T>(random, n));
}

/// The elements of a container or view, whatever their type.
template <class R>
auto elements_of(const R& range) {
    random_numbers any(1);
    using T = devmem::detail::element_of_t<R>;
    std::vector<T> values(range.size(), drawn_value<T>(any, 2));
    devmem::copy(range, values);
    return values;
}

/// Elements compared by their bits; none of the types here has padding.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Elements in the middle of a container, with others around them that nothing may change.
template <class T>
class in_the_middle {
  public:
    in_the_middle(const std::vector<T>& values, devmem::stream_view s)
        : size_(values.size()), all_(surrounded(values), s) {}

    auto view() { return all_.subspan(margin, size_); }
    auto read_back() {
        const std::vector<T> found = elements_of(all_);
        const auto begin = found.begin() + margin;
        const auto end = begin + static_cast<std::ptrdiff_t>(size_);
        edges_are_kept_ = same_bits(std::vector<T>(found.begin(), begin), margin_values()) &&
                          same_bits(std::vector<T>(end, found.end()), margin_values());
        return std::vector<T>(begin, end);
    }
    /// As `read_back` found it.
    bool edges_are_kept() const { return edges_are_kept_; }

  private:
    static constexpr std::ptrdiff_t margin = 3;
    static std::vector<T> margin_values() {
        random_numbers random(2);
        return drawn_values<T>(random, margin, 100);
    }
    static std::vector<T> surrounded(const std::vector<T>& values) {
        std::vector<T> all = margin_values();
        all.insert(all.end(), values.begin(), values.end());
        const std::vector<T> last = margin_values();
        all.insert(all.end(), last.begin(), last.end());
        return all;
    }

    std::size_t size_;
    test_vector<T> all_;
    bool edges_are_kept_ = false;
};

}  // namespace devmem_test
