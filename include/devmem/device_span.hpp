/// \file
/// `device_span`: pointer and size, for kernels.
#pragma once

#include <devmem/config.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

/// What a kernel sees of a block: a pointer and a number of elements. It has no record of who uses
/// the memory, so library calls do not take it.
/// @lifetime the memory's; keep it inside the kernel
template <class T>
class device_span {
  public:
    using element_type = T;                  ///< perhaps const
    using value_type = std::remove_cv_t<T>;  ///< without const

    /// Of nothing.
    DEVMEM_HD constexpr device_span() noexcept : data_(nullptr), size_(0) {}
    /// Of `size` elements from `data` on.
    DEVMEM_HD constexpr device_span(T* data, std::size_t size) noexcept
        : data_(data), size_(size) {}
    /// A span of constants, of a span of what may change.
    template <class U>
    requires(std::is_const_v<T>&& std::is_same_v<U, value_type>) DEVMEM_HD constexpr device_span(
        const device_span<U>& other) noexcept  // NOLINT(*-explicit-*)
        : device_span(other.data(), other.size()) {}

    DEVMEM_HD constexpr T* data() const noexcept { return data_; }           ///< the first element
    DEVMEM_HD constexpr std::size_t size() const noexcept { return size_; }  ///< elements
    DEVMEM_HD constexpr bool empty() const noexcept { return size_ == 0; }   ///< has none
    /// An element. @pre i < size()
    DEVMEM_HD constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }
    DEVMEM_HD constexpr T* begin() const noexcept { return data_; }        ///< the first element
    DEVMEM_HD constexpr T* end() const noexcept { return data_ + size_; }  ///< after the last

    /// @pre n <= size()
    DEVMEM_HD constexpr device_span first(std::size_t n) const noexcept { return {data_, n}; }
    /// @pre n <= size()
    DEVMEM_HD constexpr device_span last(std::size_t n) const noexcept {
        return {data_ + (size_ - n), n};
    }
    /// @pre offset <= size() and n <= size() - offset
    DEVMEM_HD constexpr device_span subspan(std::size_t offset, std::size_t n) const noexcept {
        return {data_ + offset, n};
    }

  private:
    T* data_;
    std::size_t size_;
};

}  // namespace devmem::inline v0
