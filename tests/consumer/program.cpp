// What a user's first program does: values on a device, work on them there, the answer back.
#include <devmem/devmem.hpp>

#include <cstdio>

int main() {
    devmem::device_vector<float> x(1'000, devmem::device::cpu());
    devmem::fill(x, 1.0f);
    devmem::transform(x, x, [] DEVMEM_HD(float v) { return v + 1.0f; });
    const float sum = devmem::reduce(x, 0.0f);
    std::printf("sum %g\n", static_cast<double>(sum));
    return sum == 2'000.0f ? 0 : 1;
}
