// The sum of squares with devmem.
#include "../timing.hpp"

#include <devmem/devmem.hpp>

#include <cstddef>

int main() {
    constexpr std::size_t n = std::size_t{1} << 25;
    const devmem::device_vector<float> x(n, 0.5f, devmem::select_device());
    report("devmem", [&] { return devmem::inner_product(x, x, 0.0); });
}
