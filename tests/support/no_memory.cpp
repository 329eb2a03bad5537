// The operators that `no_memory` makes fail. Memory comes from where it always does.
#include "no_memory.hpp"

#include <cstddef>
#include <new>

namespace {

thread_local int refusing = 0;
thread_local std::ptrdiff_t arrays = 0;

}  // namespace

devmem_test::no_memory::no_memory() noexcept { ++refusing; }
devmem_test::no_memory::~no_memory() { --refusing; }

std::ptrdiff_t devmem_test::arrays_alive() noexcept { return arrays; }

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    if (refusing > 0) return nullptr;
    try {
        return ::operator new(bytes);
    } catch (...) {
        return nullptr;
    }
}

void* operator new[](std::size_t bytes) {
    if (refusing > 0) throw std::bad_alloc();
    void* const made = ::operator new(bytes);
    ++arrays;
    return made;
}

void operator delete[](void* data) noexcept {
    if (data != nullptr) --arrays;
    ::operator delete(data);
}

void operator delete[](void* data, std::size_t) noexcept { ::operator delete[](data); }
