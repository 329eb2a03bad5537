#pragma once

#include <devmem/devmem.hpp>

#include <cstdio>
#include <vector>

// Runs on a GPU or, where there is none, on the CPU; needs no kernel.
inline int there_and_back() {
    const devmem::device where = devmem::select_device();
    const devmem::device_vector<float> x(1'000, 2.5f, where);
    const std::vector<float> back = x.to_host();
    std::printf("%g from a device of kind %d\n", static_cast<double>(back.back()),
                static_cast<int>(where.kind()));
    return back == std::vector<float>(1'000, 2.5f) ? 0 : 1;
}
