// Memory that the host cannot touch has nothing by which the host would, on any path.
#include <devmem/backend.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/managed_vector.hpp>
#include <devmem/mapped_buffer.hpp>
#include <devmem/pinned_buffer.hpp>

template <class Buffer>
void touch() {
    Buffer b;
    const Buffer& c = b;
    static_cast<void>(b.begin() == b.end());
    static_cast<void>(c.cbegin() == c.cend());
    static_cast<void>(b.host_read().size() + b.host_write().size());
    static_cast<void>(b.unsynchronized_data());
    static_cast<void>(sizeof(b[0]) + sizeof(c[0]));
}

int main() {
    touch<devmem::pinned_buffer<int>>();
    touch<devmem::mapped_buffer<int>>();
    touch<devmem::managed_vector<int>>();
    devmem::device_vector<int> v;
    static_cast<void>(v.data());
    [[maybe_unused]] devmem::device_vector<int, devmem::cpu_backend> on_cpu;
    // expected: host_may_touch|no match for .operator\[\]|does not provide a subscript
    // expected: host_may_touch|no match for .operator\[\]|does not provide a subscript
    // expected: host_may_touch|begin
    // expected: host_may_touch|host_read
    // expected: host_may_touch|host_write
    // expected: host_may_touch|unsynchronized_data
    // expected: host_may_touch|begin
#if DEVMEM_FAIL == 1
    v[0] = 1;
#elif DEVMEM_FAIL == 2
    on_cpu[0] = 1;
#elif DEVMEM_FAIL == 3
    static_cast<void>(v.begin());
#elif DEVMEM_FAIL == 4
    static_cast<void>(v.host_read());
#elif DEVMEM_FAIL == 5
    static_cast<void>(v.host_write());
#elif DEVMEM_FAIL == 6
    static_cast<void>(v.unsynchronized_data());
#elif DEVMEM_FAIL == 7
    for (int x : on_cpu) static_cast<void>(x);
#endif
}
