// What a copy refuses: a temporary that owns its memory as the source of an asynchronous one, host
// memory as its destination, other element types, constant destinations.
// expected: copyable_async_to
// expected: copyable_async_to
// expected: copyable_async_to
// expected: copyable_to
// expected: copyable_to
// expected: copyable_async_to
#include <devmem/copy.hpp>
#include <devmem/device_vector.hpp>

#include <span>
#include <vector>

devmem::device_vector<float> made() { return devmem::device_vector<float>(10); }

int main() {
    devmem::device_vector<float> x(10);
    const devmem::device_vector<float> constant(10);
    std::vector<float> host(10);
    const std::vector<double> doubles(10);
    devmem::copy(made(), x);
    devmem::copy_async(constant, x);
    devmem::copy_async(std::span<const float>(host), x.first(10));
#if DEVMEM_FAIL == 1
    devmem::copy_async(made(), x);
#elif DEVMEM_FAIL == 2
    devmem::copy_async(std::vector<float>(10), x);
#elif DEVMEM_FAIL == 3
    devmem::copy_async(x, host);
#elif DEVMEM_FAIL == 4
    devmem::copy(doubles, x);
#elif DEVMEM_FAIL == 5
    devmem::copy(x, constant);
#elif DEVMEM_FAIL == 6
    devmem::copy_async(x, made());
#endif
    return static_cast<int>(x.size() + doubles.size());
}
