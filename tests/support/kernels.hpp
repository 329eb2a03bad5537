/// \file
/// Which paths run elementwise functions.
#pragma once

#include "skip.hpp"
#include "test_backend.hpp"

/// Leaves a test case of an algorithm on the CUDA path, for which g++ makes no kernels.
#define DEVMEM_NEEDS_KERNELS()                                              \
    do {                                                                    \
        if (::devmem_test::path_is_cuda) {                                  \
            DEVMEM_SKIP("no kernels without nvcc; cuda.kernels has those"); \
        }                                                                   \
    } while (false)
