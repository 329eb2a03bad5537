// Elements that are not moved by copying their bytes are refused, by name.
#include <devmem/device_vector.hpp>
#include <devmem/pinned_buffer.hpp>

#include <string>

struct plain {
    int a;
    float b;
};

int main() {
    [[maybe_unused]] devmem::device_vector<plain> v;
    [[maybe_unused]] devmem::pinned_buffer<plain> p;
    // expected: is_trivially_copyable|device_element
    // expected: is_trivially_copyable|device_element
    // expected: is_const|device_element
#if DEVMEM_FAIL == 1
    devmem::device_vector<std::string> bad;
#elif DEVMEM_FAIL == 2
    devmem::pinned_buffer<std::string> bad;
#elif DEVMEM_FAIL == 3
    devmem::device_vector<const int> bad;
#endif
}
