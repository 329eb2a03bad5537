// Functions that do not fit the elements, or what is to become of them.
#include <devmem/count_if.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/for_each.hpp>
#include <devmem/functional.hpp>
#include <devmem/min_max_element.hpp>
#include <devmem/reduce.hpp>
#include <devmem/scan.hpp>
#include <devmem/select.hpp>
#include <devmem/sort.hpp>
#include <devmem/transform.hpp>
#include <devmem/transform_reduce.hpp>

#include <cstddef>

using vector = devmem::device_vector<float>;

struct opaque {
    int value;
};

void use(const vector& in, vector& out, devmem::device_vector<int>& counts) {
    const auto larger = [](float a, float b) { return a > b; };
    const auto sum = [](float a, float b) { return a + b; };
    const auto positive = [](float x) { return x > 0; };
    const auto hidden = [](float) { return opaque(); };
    int calls = 0;
    auto counting = [calls](float x) mutable { return x + static_cast<float>(++calls); };
    static_cast<void>(counting);
    static_cast<void>(hidden);

    devmem::transform(in, in, out, sum);
    devmem::for_each(out, [](float& x) { x = 0; });
    devmem::for_each_index(3, [](std::size_t) {});
    static_cast<void>(devmem::reduce(in, 0.0f, sum));
    static_cast<void>(devmem::transform_reduce(in, 0.0, devmem::plus{}, positive));
    static_cast<void>(devmem::min_max_element(in, larger));
    static_cast<void>(devmem::count_if(in, positive));
    static_cast<void>(devmem::copy_if(in, out, positive));
    static_cast<void>(devmem::unique(out, larger));
    devmem::inclusive_scan(in, out, sum);
    devmem::exclusive_scan(in, out, 0.0f, sum);
    devmem::sort(out, larger);
    devmem::sort_by_key(out, counts, larger);
#if DEVMEM_FAIL == 1
    // expected: no matching function for call to .*transform
    devmem::transform(in, out, sum);
#elif DEVMEM_FAIL == 2
    // expected: no matching function for call to .*transform
    devmem::transform(in, in, in, out, sum);
#elif DEVMEM_FAIL == 3
    // expected: no matching function for call to .*transform
    devmem::transform(in, out, counting);
#elif DEVMEM_FAIL == 4
    // expected: no matching function for call to .*for_each
    devmem::for_each(out, sum);
#elif DEVMEM_FAIL == 5
    // expected: no matching function for call to .*for_each
    devmem::for_each(out, [](int& x) { x = 0; });
#elif DEVMEM_FAIL == 6
    // expected: no matching function for call to .*for_each_index
    devmem::for_each_index(3, [](const char*) {});
#elif DEVMEM_FAIL == 7
    // expected: no matching function for call to .*reduce
    static_cast<void>(devmem::reduce(in, 0.0f, [](float, float) { return opaque(); }));
#elif DEVMEM_FAIL == 8
    // expected: no matching function for call to .*reduce_async
    devmem::reduce_async(in, out, 0.0f, positive);
#elif DEVMEM_FAIL == 9
    // expected: no matching function for call to .*transform_reduce
    static_cast<void>(devmem::transform_reduce(in, 0.0, devmem::plus{}, sum));
#elif DEVMEM_FAIL == 10
    // expected: no matching function for call to .*transform_reduce
    static_cast<void>(devmem::transform_reduce(in, 0.0, devmem::plus{}, hidden));
#elif DEVMEM_FAIL == 11
    // expected: no matching function for call to .*min_max_element
    static_cast<void>(devmem::min_max_element(in, positive));
#elif DEVMEM_FAIL == 12
    // expected: no matching function for call to .*count_if
    static_cast<void>(devmem::count_if(in, larger));
#elif DEVMEM_FAIL == 13
    // expected: no matching function for call to .*count_if
    static_cast<void>(devmem::count_if(in, hidden));
#elif DEVMEM_FAIL == 14
    // expected: no matching function for call to .*copy_if
    static_cast<void>(devmem::copy_if(in, out, [](float&) { return true; }));
#elif DEVMEM_FAIL == 15
    // expected: no matching function for call to .*copy_if_async
    devmem::copy_if_async(in, out, counts.first(1), larger);
#elif DEVMEM_FAIL == 16
    // expected: no matching function for call to .*unique
    static_cast<void>(devmem::unique(out, positive));
#elif DEVMEM_FAIL == 17
    // expected: no matching function for call to .*unique_async
    devmem::unique_async(out, counts.first(1), positive);
#elif DEVMEM_FAIL == 18
    // expected: no matching function for call to .*inclusive_scan
    devmem::inclusive_scan(in, out, positive);
#elif DEVMEM_FAIL == 19
    // expected: no matching function for call to .*exclusive_scan
    devmem::exclusive_scan(in, out, 0.0f, [](float, float) { return opaque(); });
#elif DEVMEM_FAIL == 20
    // expected: no matching function for call to .*sort
    devmem::sort(out, [calls](float a, float b) mutable { return ++calls > 0 && a < b; });
#elif DEVMEM_FAIL == 21
    // expected: no matching function for call to .*sort_by_key
    devmem::sort_by_key(out, counts, [](float&, float&) { return true; });
#elif DEVMEM_FAIL == 22
    // expected: invalid .static_cast. from type .opaque|cannot convert .opaque
    devmem::transform(in, out, hidden);
#elif DEVMEM_FAIL == 23
    // expected: no match for call to|no matching function for call to
    static_cast<void>(devmem::transform_reduce(in, 0.0, positive, positive));
#endif
}
