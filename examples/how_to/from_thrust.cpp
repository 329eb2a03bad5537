// A program as one would write it with Thrust, written with devmem.
#include <devmem/devmem.hpp>

#include <iostream>
#include <vector>

int main() {
    //! [program]
    const devmem::device gpu = devmem::select_device("cuda");  // or the CPU, in the same binary
    const std::vector<float> host = {1, 2, 3, 4};

    devmem::device_vector<float> x(host, gpu);
    devmem::device_vector<float> y(x.size(), devmem::uninitialized, gpu);
    devmem::transform(x, y, [] DEVMEM_HD(float v) { return 2 * v; });  // queued, not waited for
    const float sum = devmem::reduce(y);                               // waits: it has a result
    y.set(0, 10.0f);
    const std::vector<float> back = y.to_host();
    //! [program]
    std::cout << sum << ' ' << back[0] << ' ' << back[3] << '\n';

    //! [streams]
    // Two streams at once. Where they meet at x, the second waits for the first by itself.
    const devmem::stream a(gpu);
    const devmem::stream b(gpu);
    devmem::for_each(
        x, [] DEVMEM_HD(float& v) { v += 1; }, a);
    devmem::transform(
        x, y, [] DEVMEM_HD(float v) { return v * v; }, b);
    std::cout << devmem::reduce(y, b) << '\n';
    //! [streams]
}
