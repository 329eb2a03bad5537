// Options: an axis is named once, the space only by the container's name, and nothing else.
// expected: axis 'backend' is named twice
// expected: axis 'allocation' is named twice
// expected: axis 'space' is fixed by this container's name
// expected: axis 'space' is fixed by this container's name
// expected: belongs to no axis
#include <devmem/device_vector.hpp>
#include <devmem/pinned_buffer.hpp>

#include <type_traits>

int main() {
    using plain = devmem::device_vector<float>;
    using spelled_out = devmem::device_vector<float, devmem::pooled, devmem::dynamic_backend>;
    static_assert(std::is_same_v<plain, spelled_out>);
    const devmem::pinned_buffer<float, devmem::direct, devmem::cpu_backend> p;
#if DEVMEM_FAIL == 1
    const devmem::device_vector<float, devmem::cpu_backend, devmem::dynamic_backend> x;
#elif DEVMEM_FAIL == 2
    const devmem::device_vector<float, devmem::pooled, devmem::direct> x;
#elif DEVMEM_FAIL == 3
    const devmem::pinned_buffer<float, devmem::pinned_space> x;
#elif DEVMEM_FAIL == 4
    const devmem::device_vector<float, devmem::managed_space> x;
#elif DEVMEM_FAIL == 5
    const devmem::device_vector<float, int> x;
#else
    const plain x;
#endif
    return static_cast<int>(p.size() + x.size());
}
