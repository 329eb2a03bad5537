// What the parts of the mixed program hand to one another.
#pragma once

#include <devmem/device_vector.hpp>

namespace mixed {

/// A device vector and how many parts have had it, as a user's struct would hold them.
struct parcel {
    devmem::device_vector<float> values;
    int stops = 0;
};

/// What a part reports of itself.
struct report {
    const char* part;
    bool sees_cuda;          // it can make objects on a GPU
    const void* pool;        // the address of state that must be one per program
    devmem::device current;  // for this thread, as this part sees it
};

}  // namespace mixed
