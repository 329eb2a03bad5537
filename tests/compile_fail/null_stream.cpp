// Neither 0 nor nullptr is a stream, wherever a stream is taken.
#include <devmem/device_vector.hpp>
#include <devmem/stream.hpp>

int main() {
    const devmem::stream s;
    const devmem::stream_view view = s;
    devmem::device_vector<float> v(3, view);
    v.resize(4, s);
    v.resize(4, 0);  // to zeros: a value, not a stream
    static_cast<void>(devmem::stream_view());
    // expected: deleted
    // expected: deleted
    // expected: deleted
    // expected: deleted
    // expected: deleted
    // expected: no matching function|no match
#if DEVMEM_FAIL == 1
    const devmem::stream_view bad(nullptr);
#elif DEVMEM_FAIL == 2
    const devmem::stream_view bad(0);
#elif DEVMEM_FAIL == 3
    v.reserve(5, 0);
#elif DEVMEM_FAIL == 4
    v.reserve(5, nullptr);
#elif DEVMEM_FAIL == 5
    v.set(0, 1.0F, 0);
#elif DEVMEM_FAIL == 6
    const devmem::stream bad(nullptr);
#endif
}
