// A view of a temporary would dangle at once.
#include <devmem/device_vector.hpp>
#include <devmem/pinned_buffer.hpp>

#include <utility>

devmem::device_vector<int> made() { return devmem::device_vector<int>(3); }

int main() {
    devmem::device_vector<int> v = made();
    const devmem::device_vector<int> c = made();
    static_cast<void>(v.view());
    static_cast<void>(c.view());
    static_cast<void>(v.first(1).first(1));
    static_cast<void>(c.last(1));
    static_cast<void>(v.subspan(1, 1));
    static_cast<void>(made().size());
    // expected: deleted
    // expected: deleted
    // expected: deleted
    // expected: deleted
    // expected: deleted
    // expected: deleted
#if DEVMEM_FAIL == 1
    static_cast<void>(made().view());
#elif DEVMEM_FAIL == 2
    static_cast<void>(made().first(1));
#elif DEVMEM_FAIL == 3
    static_cast<void>(made().last(1));
#elif DEVMEM_FAIL == 4
    static_cast<void>(made().subspan(0, 1));
#elif DEVMEM_FAIL == 5
    static_cast<void>(std::move(c).view());
#elif DEVMEM_FAIL == 6
    devmem::device_view<int> dangling = devmem::pinned_buffer<int>(3).view();
#endif
}
