// One message names the axis that is named twice, or that a name leaves no choice in.
#include <devmem/backend.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/managed_vector.hpp>
#include <devmem/mapped_buffer.hpp>
#include <devmem/pinned_buffer.hpp>

struct unknown_option {};

int main() {
    [[maybe_unused]] devmem::device_vector<int, devmem::direct, devmem::cpu_backend> v;
    [[maybe_unused]] devmem::pinned_buffer<int, devmem::cpu_backend> p;
    // expected: the axis 'backend' is named twice
    // expected: the axis 'backend' is named twice
    // expected: the axis 'allocation' is named twice
    // expected: the axis 'space' is fixed by this container's name
    // expected: the axis 'space' is fixed by this container's name
    // expected: the axis 'space' is fixed by this container's name
    // expected: belongs to no axis
    // expected: belongs to no axis
#if DEVMEM_FAIL == 1
    devmem::device_vector<int, devmem::cpu_backend, devmem::cuda_backend> bad;
#elif DEVMEM_FAIL == 2
    devmem::device_vector<int, devmem::cpu_backend, devmem::direct, devmem::cpu_backend> bad;
#elif DEVMEM_FAIL == 3
    devmem::managed_vector<int, devmem::pooled, devmem::direct> bad;
#elif DEVMEM_FAIL == 4
    devmem::pinned_buffer<int, devmem::pinned_space> bad;
#elif DEVMEM_FAIL == 5
    devmem::device_vector<int, devmem::managed_space> bad;
#elif DEVMEM_FAIL == 6
    devmem::mapped_buffer<int, devmem::direct, devmem::device_space> bad;
#elif DEVMEM_FAIL == 7
    devmem::device_vector<int, unknown_option> bad;
#elif DEVMEM_FAIL == 8
    devmem::device_vector<int, devmem::direct, int> bad;
#endif
}
