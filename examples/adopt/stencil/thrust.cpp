// Heat in a plate: each point becomes the mean of its neighbours. Two halves, as for two devices:
// each has a row more on either side, which is copied from the other before a step.
#include "../timing.hpp"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>

#include <cstddef>

constexpr std::size_t rows = 1'024;
constexpr std::size_t columns = 1'024;
constexpr std::size_t half_rows = rows / 2;
constexpr int steps = 50;

struct relax {
    const float* now;
    float* next;
    std::size_t first;  // rows that are computed: from this one,
    std::size_t last;   // up to this one, exclusive

    void operator()(std::size_t row) const {
        if (row < first || row >= last) return;
        for (std::size_t c = 1; c + 1 < columns; ++c) {
            const std::size_t i = row * columns + c;
            next[i] = 0.25f * (now[i - columns] + now[i + columns] + now[i - 1] + now[i + 1]);
        }
    }
};

using plate = thrust::device_vector<float>;

// Row 0 and the last one are the other half's, or the edge of the plate.
void step(const plate& now, plate& next, std::size_t first, std::size_t last) {
    const relax f{thrust::raw_pointer_cast(now.data()), thrust::raw_pointer_cast(next.data()),
                  first, last};
    const thrust::counting_iterator<std::size_t> index(0);
    thrust::for_each(thrust::device, index, index + half_rows + 2, f);
}

int main() {
    report("Thrust", [] {
        plate upper((half_rows + 2) * columns);
        plate lower((half_rows + 2) * columns);
        const auto row = [](plate& p, std::size_t r) {
            return p.begin() + static_cast<std::ptrdiff_t>(r * columns);
        };
        thrust::fill(row(upper, 1), row(upper, 2), 1.0f);  // one edge is hot
        plate next_upper = upper;
        plate next_lower = lower;
        for (int i = 0; i < steps; ++i) {
            thrust::copy(row(lower, 1), row(lower, 2), row(upper, half_rows + 1));
            thrust::copy(row(upper, half_rows), row(upper, half_rows + 1), row(lower, 0));
            step(upper, next_upper, 2, half_rows + 1);
            step(lower, next_lower, 1, half_rows);
            upper.swap(next_upper);
            lower.swap(next_lower);
        }
        return thrust::reduce(row(upper, 1), row(upper, half_rows + 1), 0.0) +
               thrust::reduce(row(lower, 1), row(lower, half_rows + 1), 0.0);
    });
}
