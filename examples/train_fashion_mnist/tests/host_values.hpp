// Values on the host for tests of the device code.
#pragma once

#include "model/matrix.hpp"

#include <devmem/devmem.hpp>

#include <cstddef>
#include <random>
#include <vector>

namespace fashion_mnist_test {

/// Numbers of both signs, the same for the same seed.
inline std::vector<float> some_values(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> values(n);
    for (float& v : values) v = static_cast<float>(random() % 2'001) / 1'000.0f - 1.0f;
    return values;
}

inline fashion_mnist::matrix matrix_of(const std::vector<float>& values, std::size_t columns,
                                       devmem::stream_view s) {
    return {columns, devmem::device_vector<float>(values, s)};
}

inline std::vector<float> host_values(const fashion_mnist::matrix& m, devmem::stream_view s) {
    return m.values().to_host(s);
}

}  // namespace fashion_mnist_test
