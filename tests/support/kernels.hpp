/// \file
/// Which paths run elementwise functions.
#pragma once

#include "skip.hpp"
#include "test_backend.hpp"

/// Leaves a test case of an algorithm that this version has for CPU devices only.
#define DEVMEM_NEEDS_KERNELS()                                          \
    do {                                                                \
        if (::devmem_test::path_is_cuda) {                              \
            DEVMEM_SKIP("no kernels on the CUDA path in this version"); \
        }                                                               \
    } while (false)
