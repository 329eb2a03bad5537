// Elements that algorithms do not take: of another type than the result's, not numbers, not
// integers, not comparable, constant, or in a container that ends with the call.
#include <devmem/all_finite.hpp>
#include <devmem/count_if.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/equal.hpp>
#include <devmem/fill.hpp>
#include <devmem/functional.hpp>
#include <devmem/inner_product.hpp>
#include <devmem/iota.hpp>
#include <devmem/min_max_element.hpp>
#include <devmem/permute.hpp>
#include <devmem/reduce.hpp>
#include <devmem/scan.hpp>
#include <devmem/select.hpp>
#include <devmem/sort.hpp>
#include <devmem/transform_reduce.hpp>

#include <cstddef>
#include <string>

using floats = devmem::device_vector<float>;
using ints = devmem::device_vector<int>;

struct point {
    float x;
    float y;
};
using points = devmem::device_vector<point>;

void use(const floats& in, floats& out, ints& counts, points& all) {
    const auto positive = [](float x) { return x > 0; };
    const auto width = [](const point& p) { return p.x; };
    const auto left = [](const point& a, const point& b) { return a.x < b.x; };
    devmem::device_vector<bool> answer(1);
    devmem::device_vector<devmem::min_max_positions> places(1);

    devmem::fill(out.first(2), 1.0f);
    devmem::iota(counts, 3);
    devmem::inclusive_scan(in, out.view());
    devmem::exclusive_scan(in, out, 1.0f);
    devmem::gather_elements(in, counts, out);
    devmem::scatter_elements(in, counts, out);
    devmem::copy_if_async(in, out, counts.first(1), positive);
    devmem::unique_async(out, counts.first(1));
    devmem::count_if_async(in, counts.first(1), positive);
    devmem::equal_async(in, counts, answer);
    devmem::all_finite_async(in, answer);
    devmem::min_max_element_async(in, places);
    devmem::inner_product_async(in, counts, out.first(1), 0.0f);
    devmem::transform_reduce_async(all, out.first(1), 0.0f, devmem::plus{}, width);
    devmem::sort(all, left);
    devmem::sort_by_key(out, all);
#if DEVMEM_FAIL == 1
    // expected: no matching function for call to .*fill
    devmem::fill(in, 1.0f);
#elif DEVMEM_FAIL == 2
    // expected: no matching function for call to .*fill
    devmem::fill(floats(3), 1.0f);
#elif DEVMEM_FAIL == 3
    // expected: no matching function for call to .*iota
    devmem::iota(all, point{1, 2});
#elif DEVMEM_FAIL == 4
    // expected: no matching function for call to .*inclusive_scan
    devmem::inclusive_scan(in, counts);
#elif DEVMEM_FAIL == 5
    // expected: no matching function for call to .*exclusive_scan
    devmem::exclusive_scan(in, floats(3), 1.0f);
#elif DEVMEM_FAIL == 6
    // expected: no matching function for call to .*gather_elements
    devmem::gather_elements(in, in, out);
#elif DEVMEM_FAIL == 7
    // expected: no matching function for call to .*gather_elements
    devmem::gather_elements(in, counts, counts);
#elif DEVMEM_FAIL == 8
    // expected: no matching function for call to .*scatter_elements
    devmem::scatter_elements(in, answer, out);
#elif DEVMEM_FAIL == 9
    // expected: no matching function for call to .*scatter_elements
    devmem::scatter_elements(out, counts, in);
#elif DEVMEM_FAIL == 10
    // expected: no matching function for call to .*copy_if_async
    devmem::copy_if_async(in, out, out.first(1), positive);
#elif DEVMEM_FAIL == 11
    // expected: no matching function for call to .*copy_if
    static_cast<void>(devmem::copy_if(in, counts, positive));
#elif DEVMEM_FAIL == 12
    // expected: no matching function for call to .*unique_async
    devmem::unique_async(in, counts.first(1));
#elif DEVMEM_FAIL == 13
    // expected: no matching function for call to .*unique
    static_cast<void>(devmem::unique(all));
#elif DEVMEM_FAIL == 14
    // expected: no matching function for call to .*sort
    devmem::sort(all);
#elif DEVMEM_FAIL == 15
    // expected: no matching function for call to .*sort
    devmem::sort(in);
#elif DEVMEM_FAIL == 16
    // expected: no matching function for call to .*sort_by_key
    devmem::sort_by_key(out, ints(3));
#elif DEVMEM_FAIL == 17
    // expected: no matching function for call to .*equal
    static_cast<void>(devmem::equal(in, all));
#elif DEVMEM_FAIL == 18
    // expected: no matching function for call to .*equal_async
    devmem::equal_async(in, in, counts.first(1));
#elif DEVMEM_FAIL == 19
    // expected: no matching function for call to .*all_finite_async
    devmem::all_finite_async(in, counts.first(1));
#elif DEVMEM_FAIL == 20
    // expected: no matching function for call to .*min_max_element
    static_cast<void>(devmem::min_max_element(all));
#elif DEVMEM_FAIL == 21
    // expected: no matching function for call to .*min_max_element_async
    devmem::min_max_element_async(in, counts.first(2));
#elif DEVMEM_FAIL == 22
    // expected: no matching function for call to .*inner_product
    static_cast<void>(devmem::inner_product(in, in, std::string()));
#elif DEVMEM_FAIL == 23
    // expected: no matching function for call to .*transform_reduce
    static_cast<void>(devmem::transform_reduce(in, std::string(), devmem::plus{}, positive));
#elif DEVMEM_FAIL == 24
    // expected: no matching function for call to .*transform_reduce_async
    devmem::transform_reduce_async(all, in, 0.0f, devmem::plus{}, width);
#elif DEVMEM_FAIL == 25
    // expected: no match for .operator\+|invalid operands to binary expression
    static_cast<void>(devmem::reduce(all, point{}));
#elif DEVMEM_FAIL == 26
    // expected: device_element
    devmem::sort(devmem::device_vector<std::string>());
#elif DEVMEM_FAIL == 27
    // expected: invalid .static_cast. from type .const point|cannot convert .const point
    static_cast<void>(devmem::inner_product(in, all, 0.0f));
#endif
}
