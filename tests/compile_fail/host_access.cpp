// Device memory has no element access for the host, on any path.
// expected: host_may_touch
// expected: host_may_touch
// expected: host_may_touch
// expected: host_may_touch
#include <devmem/device_vector.hpp>
#include <devmem/pinned_buffer.hpp>

int main() {
    devmem::device_vector<float> x(10);
    devmem::pinned_buffer<float> p(10);
    float sum = p[0] + *p.begin() + p.host_read()[1] + *p.unsynchronized_data();
#if DEVMEM_FAIL == 1
    sum += x[0];
#elif DEVMEM_FAIL == 2
    sum += *x.begin();
#elif DEVMEM_FAIL == 3
    sum += x.host_read()[0];
#elif DEVMEM_FAIL == 4
    sum += *x.unsynchronized_data();
#endif
    return static_cast<int>(sum) + static_cast<int>(x.size());
}
