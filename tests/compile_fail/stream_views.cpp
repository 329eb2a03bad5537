// A stream is named, not made from a zero, wherever one is taken.
// expected: use of deleted function|call to deleted|invokes a deleted
// expected: use of deleted function|call to deleted|invokes a deleted
// expected: use of deleted function|call to deleted|invokes a deleted
// expected: use of deleted function|call to deleted|invokes a deleted
// expected: use of deleted function|call to deleted|invokes a deleted
// expected: use of deleted function|call to deleted|invokes a deleted
#include <devmem/device_vector.hpp>
#include <devmem/stream.hpp>

int main() {
    const devmem::stream s;
    devmem::device_vector<float> x(3, s);
    x.resize(4, s);
    x.resize(4, 0);  // a value, not a stream
#if DEVMEM_FAIL == 1
    const devmem::stream_view v(nullptr);
#elif DEVMEM_FAIL == 2
    const devmem::stream_view v(0);
#elif DEVMEM_FAIL == 3
    const devmem::stream_view v = 0;
#else
    const devmem::stream_view v(s);
#endif
#if DEVMEM_FAIL == 4
    x.reserve(5, 0);
#elif DEVMEM_FAIL == 5
    x.reserve(5, nullptr);
#elif DEVMEM_FAIL == 6
    x.set(0, 1.0F, 0);
#endif
    return v.query() ? 0 : 1;
}
