// Elements that cannot be moved by copying their bytes are refused, by name.
// expected: device_element
// expected: device_element
// expected: device_element
// expected: device_element
// expected: device_element
// expected: device_element
#include <devmem/device_vector.hpp>
#include <devmem/pinned_buffer.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>

struct plain {
    float x;
    int y;
};
struct copied_by_hand {
    copied_by_hand() = default;
    copied_by_hand(const copied_by_hand&) {}
};

int main() {
    const devmem::device_vector<plain> a;
    const devmem::device_vector<std::array<float, 3>> b;
    const devmem::pinned_buffer<plain> p;
#if DEVMEM_FAIL == 1
    const devmem::device_vector<std::string> c;
#elif DEVMEM_FAIL == 2
    const devmem::device_vector<std::unique_ptr<int>> c;
#elif DEVMEM_FAIL == 3
    const devmem::device_vector<copied_by_hand> c;
#elif DEVMEM_FAIL == 4
    const devmem::device_vector<std::pair<int, float>> c;
#elif DEVMEM_FAIL == 5
    const devmem::pinned_buffer<std::string> c;
#elif DEVMEM_FAIL == 6
    const devmem::device_vector<const int> c;
#else
    const devmem::device_vector<bool> c;
#endif
    return static_cast<int>(a.size() + b.size() + c.size() + p.size());
}
