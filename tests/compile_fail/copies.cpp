// What a copy cannot do is found out before it runs.
#include <devmem/copy.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/fill.hpp>
#include <devmem/pinned_buffer.hpp>

#include <span>
#include <utility>
#include <vector>

int main() {
    using vector = devmem::device_vector<float>;
    vector v(3);
    vector w(3);
    const vector constant(3);
    devmem::device_vector<int> integers(3);
    std::vector<float> host(3);
    const std::vector<float> constant_host(3);
    devmem::pinned_buffer<float> pinned(3);
    devmem::copy(vector(3), w);
    devmem::copy(std::vector<float>(3), w);
    devmem::copy(v, host);
    devmem::copy(constant, w);
    devmem::copy_async(constant_host, w);
    devmem::copy_async(v.view(), pinned);
    devmem::copy_async(std::span<float>(host), w.view());
    devmem::fill(v.view(), 1);
    // A temporary owner is gone before the copy.
    // expected: is_temporary_owner|copyable_async_to
    // expected: is_temporary_owner|copyable_async_to
    // expected: is_temporary_owner|copyable_async_to
    // expected: is_temporary_owner|copyable_async_to
    // Host memory cannot tell when it is written.
    // expected: device_range|copyable_async_to
    // expected: device_range|copyable_async_to
    // Elements are not converted.
    // expected: same_elements|is_same
    // expected: same_elements|is_same
    // expected: same_elements|is_same
    // Constants stay as they are.
    // expected: is_writable|copyable_to
    // expected: is_writable|copyable_to
    // expected: is_writable|copyable_to
    // expected: is_writable|output_range
    // expected: is_temporary_owner|output_range
#if DEVMEM_FAIL == 1
    devmem::copy_async(vector(3), w);
#elif DEVMEM_FAIL == 2
    devmem::copy_async(std::vector<float>(3), w);
#elif DEVMEM_FAIL == 3
    devmem::copy_async(std::move(v), w);
#elif DEVMEM_FAIL == 4
    devmem::copy_async(v, vector(3));
#elif DEVMEM_FAIL == 5
    devmem::copy_async(v, host);
#elif DEVMEM_FAIL == 6
    devmem::copy_async(v, std::span<float>(host));
#elif DEVMEM_FAIL == 7
    devmem::copy(integers, v);
#elif DEVMEM_FAIL == 8
    devmem::copy_async(v, integers);
#elif DEVMEM_FAIL == 9
    devmem::copy(integers, host);
#elif DEVMEM_FAIL == 10
    devmem::copy(v, constant);
#elif DEVMEM_FAIL == 11
    devmem::copy(v, constant.view());
#elif DEVMEM_FAIL == 12
    devmem::copy(v, constant_host);
#elif DEVMEM_FAIL == 13
    devmem::fill(constant, 1.0F);
#elif DEVMEM_FAIL == 14
    devmem::fill(vector(3), 1.0F);
#endif
}
