// What algorithms do not take: a result that ends with the call, elements of another type, a
// function that cannot be called.
#include <devmem/device_vector.hpp>
#include <devmem/for_each.hpp>
#include <devmem/reduce.hpp>
#include <devmem/transform.hpp>

#include <cstddef>

using vector = devmem::device_vector<float>;

void use(const vector& in, vector& out, devmem::device_vector<double>& wide) {
    const auto twice = [](float x) { return 2 * x; };
    devmem::transform(in, out, twice);
    devmem::transform(in, out.first(3), twice);
    devmem::transform(in, wide, twice);
    devmem::reduce_async(in, out.first(1));
    devmem::for_each_index(3, [](std::size_t) {});
#if DEVMEM_FAIL == 1
    // expected: no matching function for call to .*transform
    devmem::transform(in, vector(3), twice);
#elif DEVMEM_FAIL == 2
    // expected: no matching function for call to .*reduce_async
    devmem::reduce_async(in, wide);
#elif DEVMEM_FAIL == 3
    // expected: no matching function for call to .*transform
    devmem::transform(in, out, [](const char*) { return 1.0f; });
#elif DEVMEM_FAIL == 4
    // expected: no matching function for call to .*for_each_index
    devmem::for_each_index(3, [] {});
#elif DEVMEM_FAIL == 5
    // expected: no matching function for call to .*reduce
    static_cast<void>(devmem::reduce(in, 0.0f, [](float) { return 1.0f; }));
#endif
}
