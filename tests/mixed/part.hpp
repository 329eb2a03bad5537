// The body of a part: included by one file for g++ and one for nvcc, and compiled with as many
// flags as there are parts.
#pragma once

#include "parcel.hpp"

#include <devmem/copy.hpp>
#include <devmem/device.hpp>

#define DEVMEM_MIXED_JOIN(a, b) a##b
#define DEVMEM_MIXED_NAME(prefix, name) DEVMEM_MIXED_JOIN(prefix, name)
#define DEVMEM_MIXED_TEXT(name) DEVMEM_MIXED_QUOTE(name)
#define DEVMEM_MIXED_QUOTE(name) #name

/// Adds an element and gives the vector memory that this part has obtained, so that every part
/// frees what another has made. Returns the device that the memory is on.
extern "C" __attribute__((visibility("default"))) void DEVMEM_MIXED_NAME(pass_, DEVMEM_MIXED_PART)(
    mixed::parcel& p) {
    p.values.resize(p.values.size() + 1, static_cast<float>(p.stops));
    devmem::device_vector<float> mine(p.values, p.values.device());
    p.values = static_cast<devmem::device_vector<float>&&>(mine);
    ++p.stops;
}

extern "C" __attribute__((visibility("default"))) void DEVMEM_MIXED_NAME(
    report_, DEVMEM_MIXED_PART)(mixed::report& r) {
    r.part = DEVMEM_MIXED_TEXT(DEVMEM_MIXED_PART);
    r.sees_cuda = devmem::is_available(devmem::device::cuda(0));
    r.pool = &devmem::detail::pools;
    r.current = devmem::current_device();
}
