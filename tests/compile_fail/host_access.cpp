// Memory that the host cannot touch has nothing by which the host would, on any path.
// expected: host_may_touch
// expected: host_may_touch
// expected: host_may_touch
// expected: host_may_touch
// expected: host_may_touch
// expected: host_may_touch
// expected: host_may_touch
#include <devmem/device_vector.hpp>
#include <devmem/managed_vector.hpp>
#include <devmem/mapped_buffer.hpp>
#include <devmem/pinned_buffer.hpp>

template <class Buffer>
int touch(Buffer b) {
    const Buffer& c = b;
    int sum = b[0] + c[0] + *b.begin() + *c.begin() + *c.cbegin();
    sum += b.host_read()[0] + b.host_write()[0];
    return sum + *b.unsynchronized_data() + *c.unsynchronized_data();
}

int main() {
    int sum = touch(devmem::pinned_buffer<int>(3)) + touch(devmem::mapped_buffer<int>(3)) +
              touch(devmem::managed_vector<int>(3));
    devmem::device_vector<int> x(10);
    devmem::device_vector<int, devmem::cpu_backend> on_cpu(10);
#if DEVMEM_FAIL == 1
    sum += x[0];
#elif DEVMEM_FAIL == 2
    sum += on_cpu[0];
#elif DEVMEM_FAIL == 3
    sum += *x.begin();
#elif DEVMEM_FAIL == 4
    sum += x.host_read()[0];
#elif DEVMEM_FAIL == 5
    x.host_write()[0] = 1;
#elif DEVMEM_FAIL == 6
    sum += *x.unsynchronized_data();
#elif DEVMEM_FAIL == 7
    for (int value : on_cpu) sum += value;
#endif
    return sum + static_cast<int>(x.size() + on_cpu.size());
}
