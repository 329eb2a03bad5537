// A kernel of the program's own, in the same order as all other work; and the function that stands
// in for it where a simulated runtime runs the tests.
#include <devmem/copy.hpp>
#include <devmem/device_text.hpp>
#include <devmem/launch.cuh>
#include <devmem/reduce.hpp>

#include <cstddef>
#include <iostream>
#include <vector>

//! [kernel]
__global__ void scale(devmem::device_span<float> x, float by) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < x.size()) x[i] *= by;
}
//! [kernel]

//! [twin]
void scale_on_host(devmem::device_span<float> x, float by) {
    for (float& each : x) each *= by;
}
DEVMEM_TWIN(scale, scale_on_host);
//! [twin]

int main() {
    const devmem::device gpu = devmem::device::cuda(0);
    devmem::device_vector<float> x(std::vector<float>{1, 2, 3}, gpu);
    //! [launch]
    devmem::stream work(gpu);
    devmem::launch(work, {.grid = dim3(1), .block = dim3(256)}, scale, devmem::read_write(x), 2.0f);
    const float sum = devmem::reduce(x);  // on another stream, and yet after it
    //! [launch]
    std::cout << gpu << ": " << x.get(0) << ' ' << x.get(1) << ' ' << x.get(2) << '\n'
              << "its sum is " << sum << '\n';
}
