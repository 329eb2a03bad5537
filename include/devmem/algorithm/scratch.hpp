/// \file
/// `scratch`: memory that an algorithm needs while it runs on a worker.
#pragma once

#include <devmem/backend/cpu/work.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace devmem::inline v0::detail {

/// Memory for `n` values, with nothing in it; freed when the scope ends. @pre n > 0
template <class T>
class scratch {
  public:
    /// @throws std::bad_alloc
    explicit scratch(std::size_t n) : data_(static_cast<T*>(host_allocate(n * sizeof(T)))) {
        if (data_ == nullptr) throw std::bad_alloc();
    }
    ~scratch() { std::free(data_); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    T* data() const noexcept { return data_; }

  private:
    T* data_;
};

}  // namespace devmem::inline v0::detail
