/// \file
/// `rows`: what is sorted, keys alone or keys with values that move with them.
#pragma once

#include <devmem/algorithm/scratch.hpp>

#include <cstddef>
#include <cstring>

namespace devmem::inline v0::detail {

/// Keys and values in arrays of their own.
template <class K, class V>
struct rows {
    using key_type = K;
    struct row {
        K key;
        V value;
    };

    K* keys;
    V* values;

    rows from(std::size_t at) const noexcept { return {keys + at, values + at}; }
    row get(std::size_t at) const { return {keys[at], values[at]}; }
    void put(std::size_t at, const row& r) const {
        keys[at] = r.key;
        values[at] = r.value;
    }
    void put(std::size_t at, const rows& of, std::size_t i) const {
        keys[at] = of.keys[i];
        values[at] = of.values[i];
    }
    void copy(std::size_t at, const rows& of, std::size_t i, std::size_t n) const noexcept {
        std::memcpy(keys + at, of.keys + i, n * sizeof(K));
        std::memcpy(values + at, of.values + i, n * sizeof(V));
    }
    /// By the team.
    void copy_all(const rows& of, std::size_t n) const noexcept {
        copy_bytes(keys, of.keys, n * sizeof(K));
        copy_bytes(values, of.values, n * sizeof(V));
    }
};

/// Keys alone.
template <class K>
struct rows<K, void> {
    using key_type = K;
    struct row {
        K key;
    };

    K* keys;

    rows from(std::size_t at) const noexcept { return {keys + at}; }
    row get(std::size_t at) const { return {keys[at]}; }
    void put(std::size_t at, const row& r) const { keys[at] = r.key; }
    void put(std::size_t at, const rows& of, std::size_t i) const { keys[at] = of.keys[i]; }
    void copy(std::size_t at, const rows& of, std::size_t i, std::size_t n) const noexcept {
        std::memcpy(keys + at, of.keys + i, n * sizeof(K));
    }
    /// By the team.
    void copy_all(const rows& of, std::size_t n) const noexcept {
        copy_bytes(keys, of.keys, n * sizeof(K));
    }
};

/// Memory for `n` rows. @pre n > 0
template <class Rows>
class row_scratch;

template <class K, class V>
class row_scratch<rows<K, V>> {
  public:
    /// @throws std::bad_alloc
    explicit row_scratch(std::size_t n) : keys_(n), values_(n) {}
    rows<K, V> all() const noexcept { return {keys_.data(), values_.data()}; }

  private:
    scratch<K> keys_;
    scratch<V> values_;
};

template <class K>
class row_scratch<rows<K, void>> {
  public:
    /// @throws std::bad_alloc
    explicit row_scratch(std::size_t n) : keys_(n) {}
    rows<K, void> all() const noexcept { return {keys_.data()}; }

  private:
    scratch<K> keys_;
};

}  // namespace devmem::inline v0::detail
