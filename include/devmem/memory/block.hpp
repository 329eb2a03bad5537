/// \file
/// `block`: one piece of memory that a container owns, with all that is needed to use it and to
/// let it go.
#pragma once

#include <devmem/memory/ledger.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

class memory_pool;

/// A piece of memory with an owner. It goes back by its own function to the instance of the
/// library that made it, whichever module destroys the owner.
struct block {
    const backend_table* table = nullptr;
    memory_pool* pool = nullptr;  // that it is counted in
    device where{};
    memory_space space = memory_space::device;
    void* data = nullptr;
    std::size_t requested = 0;                   // bytes asked for
    std::size_t granted = 0;                     // bytes it has
    int size_class = -1;                         // of the pool; -1: of none
    void (*release)(block*) noexcept = nullptr;  // called by its owner
    void (*dispose)(block*) noexcept = nullptr;  // called once nobody holds it any more
    block* next = nullptr;                       // in the pool or the reclaim list
    mutable access_ledger ledger;                // reading a block changes its ledger
};

}  // namespace devmem::inline v0::detail
