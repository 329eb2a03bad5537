// The sum of squares with Thrust.
#include "../timing.hpp"

#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/transform_reduce.h>

#include <cstddef>

struct square {
    double operator()(float v) const { return double{v} * double{v}; }
};

int main() {
    constexpr std::size_t n = std::size_t{1} << 25;
    const thrust::device_vector<float> x(n, 0.5f);
    report("Thrust", [&] {
        return thrust::transform_reduce(x.begin(), x.end(), square(), 0.0, thrust::plus<double>());
    });
}
