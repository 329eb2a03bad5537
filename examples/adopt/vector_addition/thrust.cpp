// c = a + b with Thrust.
#include "../timing.hpp"

#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

#include <cstddef>

int main() {
    constexpr std::size_t n = std::size_t{1} << 25;
    const thrust::device_vector<float> a(n, 1.0f);
    const thrust::device_vector<float> b(n, 2.0f);
    thrust::device_vector<float> c(n);
    report("Thrust", [&] {
        thrust::transform(a.begin(), a.end(), b.begin(), c.begin(), thrust::plus<float>());
        return double{c[n - 1]};
    });
}
