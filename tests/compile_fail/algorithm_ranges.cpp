// What algorithms do not take: a result that ends with the call, elements of another type, a
// function that cannot be called.
#include <devmem/all_finite.hpp>
#include <devmem/count_if.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/for_each.hpp>
#include <devmem/iota.hpp>
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
    devmem::iota(out, 0.0f);
    devmem::for_each(out, [](float& x) { x = 0; });
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
#elif DEVMEM_FAIL == 6
    // expected: no matching function for call to .*iota
    devmem::iota(in, 0.0f);
#elif DEVMEM_FAIL == 7
    // expected: no matching function for call to .*all_finite
    static_cast<void>(devmem::all_finite(devmem::device_vector<int>(3)));
#elif DEVMEM_FAIL == 8
    // expected: no matching function for call to .*count_if_async
    devmem::count_if_async(in, out.first(1), [](float x) { return x > 0; });
#elif DEVMEM_FAIL == 9
    // expected: no matching function for call to .*for_each
    devmem::for_each(in, [](float& x) { x = 0; });
#endif
}
