// c = a + b with devmem.
#include "../timing.hpp"

#include <devmem/devmem.hpp>

#include <cstddef>

int main() {
    constexpr std::size_t n = std::size_t{1} << 25;
    const devmem::device gpu = devmem::select_device();
    const devmem::device_vector<float> a(n, 1.0f, gpu);
    const devmem::device_vector<float> b(n, 2.0f, gpu);
    devmem::device_vector<float> c(n, gpu);
    report("devmem", [&] {
        devmem::transform(a, b, c, devmem::plus{});
        return double{c.get(n - 1)};
    });
}
