// Runs on a GPU or, where there is none, on the CPU. Built by nvcc it is CUDA, whatever its name.
#include <devmem/devmem.hpp>

#if defined(WANTS_NVCC) != defined(__CUDACC__)
#error "not compiled as the project asked"
#endif

int main() {
    const devmem::device d = devmem::select_device("cuda");
    devmem::device_vector<int> x(1'000, 2, d);
    devmem::transform(x, x, [] DEVMEM_HD(int v) { return v + 1; });
    return devmem::reduce(x) == 3'000 ? 0 : 1;
}
