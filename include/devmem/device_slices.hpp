/// \file
/// `device_slices`: the parts of a container that has been split, each with an order of its own.
#pragma once

#include <devmem/basic_vector.hpp>
#include <devmem/memory/slices.hpp>

#include <cstddef>
#include <utility>

namespace devmem::inline v0 {

/// Consecutive parts of a container, from `v.split(k)` or `v.split(offsets)`. Work on one part does
/// not wait for work on another. While they live the container itself refuses accesses with
/// `access_conflict`; when they are gone, its next access waits for the work on those parts that
/// conflicts with it.
/// @lifetime views of parts are valid while this is
template <class T>
class [[nodiscard]] device_slices {
  public:
    /// Takes the parts over; the other has none then.
    device_slices(device_slices&& other) noexcept
        : parts_(std::move(other.parts_)),
          views_(std::exchange(other.views_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    /// Lets its own parts go first.
    device_slices& operator=(device_slices&& other) noexcept {
        device_slices taken(std::move(other));
        std::swap(parts_, taken.parts_);
        std::swap(views_, taken.views_);
        std::swap(size_, taken.size_);
        return *this;
    }
    ~device_slices() { delete[] views_; }

    std::size_t size() const noexcept { return size_; }  ///< how many parts
    /// A part. @pre i < size()
    device_view<T> operator[](std::size_t i) const {
        DEVMEM_ASSERT(i < size_);
        return views_[i];
    }
    const device_view<T>* begin() const noexcept { return views_; }        ///< the first part
    const device_view<T>* end() const noexcept { return views_ + size_; }  ///< after the last

    /// For devmem's own use: slices come from containers.
    device_slices(device_view<T> whole, std::size_t k, const detail::call_site& by)
        : device_slices(by, whole, require_parts(k, by), [n = whole.size(), k](std::size_t i) {
              return i * (n / k) + (i < n % k ? i : n % k);
          }) {}
    /// The same.
    template <host_range Offsets>
    device_slices(device_view<T> whole, const Offsets& offsets, const detail::call_site& by)
        : device_slices(by, whole, require_offsets(whole, offsets, by), [&](std::size_t i) {
              return i < detail::host_size(offsets) ? detail::host_data(offsets)[i] : whole.size();
          }) {}

  private:
    /// The i-th of `count` parts begins at `offset_of(i)`; the last ends at `offset_of(count)`.
    template <class OffsetOf>
    device_slices(const detail::call_site& by, device_view<T> whole, std::size_t count,
                  const OffsetOf& offset_of)
        : parts_(whole.block(), count, by), views_(new device_view<T>[count]), size_(count) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t from = offset_of(i);
            const std::size_t n = offset_of(i + 1) - from;
            views_[i] = device_view<T>(n == 0 ? whole.address() : whole.address() + from, n,
                                       parts_.slice(i), whole.device(), whole.space());
        }
    }

    static std::size_t require_parts(std::size_t k, const detail::call_site& by) {
        if (k == 0) {
            detail::throw_failure({.code = error_code::invalid_argument, .operation = by},
                                  "split into 0 parts; at least one is needed");
        }
        return k;
    }
    template <class Offsets>
    static std::size_t require_offsets(device_view<T> whole, const Offsets& offsets,
                                       const detail::call_site& by) {
        const std::size_t k = detail::host_size(offsets);
        const std::size_t* const first = detail::host_data(offsets);
        bool is_good = k > 0 && first[0] == 0 && first[k - 1] <= whole.size();
        for (std::size_t i = 1; i < k && is_good; ++i) is_good = first[i - 1] <= first[i];
        if (is_good) return k;
        detail::text<160> message;
        message.add(
            "the offsets of parts of %zu elements must begin with 0, not fall, and not exceed that",
            whole.size());
        detail::throw_failure({.code = error_code::invalid_argument, .operation = by},
                              message.c_str());
    }

    detail::slice_group parts_;
    device_view<T>* views_;
    std::size_t size_;
};

}  // namespace devmem::inline v0
