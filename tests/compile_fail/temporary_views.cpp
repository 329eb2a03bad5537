// Members that give views refuse temporaries: nothing would own what the view shows.
// expected: use of deleted function|call to deleted
// expected: use of deleted function|call to deleted
// expected: use of deleted function|call to deleted
// expected: use of deleted function|call to deleted
// expected: use of deleted function|call to deleted
// expected: use of deleted function|call to deleted
#include <devmem/device_vector.hpp>
#include <devmem/pinned_buffer.hpp>

#include <utility>

devmem::device_vector<float> made() { return devmem::device_vector<float>(10); }

int main() {
    devmem::device_vector<float> x = made();
    const devmem::device_vector<float> c = made();
    std::size_t n = x.view().size() + x.first(1).size() + x.last(1).size() + x.subspan(1, 1).size();
    n += c.view().first(1).size();
#if DEVMEM_FAIL == 1
    n += made().view().size();
#elif DEVMEM_FAIL == 2
    n += made().first(1).size();
#elif DEVMEM_FAIL == 3
    n += made().last(1).size();
#elif DEVMEM_FAIL == 4
    n += made().subspan(1, 1).size();
#elif DEVMEM_FAIL == 5
    n += std::move(c).view().size();
#elif DEVMEM_FAIL == 6
    n += devmem::pinned_buffer<int>(3).view().size();
#endif
    return static_cast<int>(n);
}
