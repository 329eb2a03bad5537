/// \file
/// No memory for `new (std::nothrow)` and for arrays, and how many arrays there are. The operators
/// are in no_memory.cpp, which makes a test program one that replaces them.
#pragma once

#include <cstddef>

namespace devmem_test {

/// While one lives, `new (std::nothrow)` gives null on this thread and `new T[n]` throws.
class [[nodiscard]] no_memory {
  public:
    no_memory() noexcept;
    ~no_memory();
    no_memory(const no_memory&) = delete;
    no_memory& operator=(const no_memory&) = delete;
};

/// Arrays that this thread has made, less those that it has deleted.
std::ptrdiff_t arrays_alive() noexcept;

}  // namespace devmem_test
