/// \file
/// `pointee_map`: what pointers within an object point to, each once, and what has become of it.
#pragma once

#include <devmem/config.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace devmem::inline v0::detail {

/// Owns a value of a type that only its user knows.
class any_value {
  public:
    any_value() noexcept = default;
    template <class V>
    explicit any_value(V* owned) noexcept
        : value_(owned), destroy_([](void* v) noexcept { delete static_cast<V*>(v); }) {}
    ~any_value() {
        if (value_ != nullptr) destroy_(value_);
    }
    any_value(any_value&& other) noexcept
        : value_(std::exchange(other.value_, nullptr)), destroy_(other.destroy_) {}
    any_value& operator=(any_value&& other) noexcept {
        std::swap(value_, other.value_);
        std::swap(destroy_, other.destroy_);
        return *this;
    }

    bool has_value() const noexcept { return value_ != nullptr; }
    /// @pre that is its type
    template <class V>
    V& as() const noexcept {
        return *static_cast<V*>(value_);
    }

  private:
    void* value_ = nullptr;
    void (*destroy_)(void*) noexcept = nullptr;
};

/// Tells types apart: an object and its first member have one address.
template <class T>
inline constexpr char type_mark = 0;

/// Something pointed to: where it is, and as what.
struct pointee {
    const void* at = nullptr;
    const void* type = nullptr;

    template <class T>
    static pointee of(const T& object) noexcept {
        return {&object, &type_mark<T>};
    }
    friend bool operator==(const pointee&, const pointee&) = default;
    bool is_before(const pointee& other) const noexcept {
        return at != other.at ? less(at, other.at) : less(type, other.type);
    }

  private:
    static bool less(const void* a, const void* b) noexcept {
        return reinterpret_cast<std::size_t>(a) < reinterpret_cast<std::size_t>(b);
    }
};

/// A value for each pointee, sorted by address.
class pointee_map {
  public:
    struct entry {
        pointee key;
        any_value value;
    };

    /// Null where there is none.
    entry* find(const pointee& key) noexcept {
        const std::size_t i = place_of(key);
        return i < entries_.size() && entries_[i].key == key ? &entries_[i] : nullptr;
    }
    /// False where it is there already.
    bool insert(const pointee& key) {
        const std::size_t i = place_of(key);
        if (i < entries_.size() && entries_[i].key == key) return false;
        entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(i), entry{key, {}});
        return true;
    }

  private:
    std::size_t place_of(const pointee& key) const noexcept {
        std::size_t from = 0;
        std::size_t to = entries_.size();
        while (from < to) {
            const std::size_t middle = from + (to - from) / 2;
            if (entries_[middle].key.is_before(key)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    std::vector<entry> entries_;
};

}  // namespace devmem::inline v0::detail
