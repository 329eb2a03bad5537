// A stream is named, not made from a zero.
// expected: use of deleted function|call to deleted|invokes a deleted
// expected: use of deleted function|call to deleted|invokes a deleted
// expected: use of deleted function|call to deleted|invokes a deleted
#include <devmem/device_vector.hpp>
#include <devmem/stream.hpp>

int main() {
    const devmem::stream s;
#if DEVMEM_FAIL == 1
    const devmem::stream_view v(nullptr);
#elif DEVMEM_FAIL == 2
    const devmem::stream_view v(0);
#elif DEVMEM_FAIL == 3
    const devmem::stream_view v = 0;
#else
    const devmem::stream_view v(s);
#endif
    return v.query() ? 0 : 1;
}
