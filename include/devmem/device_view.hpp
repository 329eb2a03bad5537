/// \file
/// `device_view`: part of a container's memory, owned by the container. Copies and algorithms
/// take it.
#pragma once

#include <devmem/container/element.hpp>
#include <devmem/memory/block.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

namespace detail {

/// @throws invalid_argument unless [offset, offset + n) is within `size` elements
inline void check_part(std::size_t offset, std::size_t n, std::size_t size,
                       const call_site& operation) {
    if (offset <= size && n <= size - offset) [[likely]] {
        return;
    }
    text<160> message;
    message.add("elements %zu to %zu + %zu of %zu are not there", offset, offset, n, size);
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

}  // namespace detail

/// Consecutive elements of a block of memory, of any space: pointer, size and block. Owns nothing.
/// @lifetime valid until the container is destroyed, moved from, or gets other memory
template <class T>
requires device_element<std::remove_const_t<T>>
class device_view {
  public:
    using element_type = T;                     ///< perhaps const
    using value_type = std::remove_const_t<T>;  ///< without const

    /// Nothing, on `cpu:0`.
    device_view() noexcept = default;
    /// A view of constants, of a view of what may change.
    template <class U>
    requires(std::is_const_v<T>&& std::is_same_v<U, value_type>)
        device_view(const device_view<U>& other)
    noexcept  // NOLINT(google-explicit-constructor)
        : device_view(other.address(), other.size(), other.block(), other.device(), other.space()) {
    }

    std::size_t size() const noexcept { return size_; }                    ///< elements
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }  ///< bytes
    bool empty() const noexcept { return size_ == 0; }                     ///< has no elements
    devmem::device device() const noexcept { return device_; }             ///< where the memory is
    memory_space space() const noexcept { return space_; }                 ///< what kind it is
    device_view view() const noexcept { return *this; }  ///< as containers have it

    /// @throws invalid_argument when there are fewer than `n` elements
    device_view first(std::size_t n) const { return part(0, n, "device_view::first"); }
    /// @throws invalid_argument when there are fewer than `n` elements
    device_view last(std::size_t n) const {
        detail::check_part(0, n, size_, "device_view::last");
        return part(size_ - n, n, "device_view::last");
    }
    /// @throws invalid_argument when the part is not within the view
    device_view subspan(std::size_t offset, std::size_t n) const {
        return part(offset, n, "device_view::subspan");
    }

    /// For devmem's own use: views come from containers.
    device_view(T* data, std::size_t size, const detail::block* of, devmem::device where,
                memory_space space) noexcept
        : data_(data), size_(size), block_(of), device_(where), space_(space) {}
    /// For devmem's own use: an undeclared access.
    T* address() const noexcept { return data_; }
    /// For devmem's own use.
    const detail::block* block() const noexcept { return block_; }

  private:
    device_view part(std::size_t offset, std::size_t n, const detail::call_site& operation) const {
        detail::check_part(offset, n, size_, operation);
        return {n == 0 ? data_ : data_ + offset, n, block_, device_, space_};
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    const detail::block* block_ = nullptr;
    devmem::device device_{};
    memory_space space_ = memory_space::device;
};

}  // namespace devmem::inline v0
