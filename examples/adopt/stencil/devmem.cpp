// Heat in a plate: each point becomes the mean of its neighbours. Two halves on two devices: each
// has a row more on either side, which is copied from the other before a step.
#include "../timing.hpp"

#include <devmem/devmem.hpp>

#include <cstddef>
#include <utility>

constexpr std::size_t rows = 1'024;
constexpr std::size_t columns = 1'024;
constexpr std::size_t half_rows = rows / 2;
constexpr int steps = 50;

struct relax {
    std::size_t first;  // the first row that is computed

    DEVMEM_HD void operator()(std::size_t i, devmem::device_span<const float> now,
                              devmem::device_span<float> next) const {
        const std::size_t begin = (first + i) * columns;
        for (std::size_t p = begin + 1; p + 1 < begin + columns; ++p) {
            next[p] = 0.25f * (now[p - columns] + now[p + columns] + now[p - 1] + now[p + 1]);
        }
    }
};

// Row 0 and the last one are the other half's, or the edge of the plate.
struct half_plate {
    devmem::stream work;
    devmem::device_vector<float> now{(half_rows + 2) * columns, work};
    devmem::device_vector<float> next{(half_rows + 2) * columns, work};

    auto row(std::size_t r) { return now.subspan(r * columns, columns); }
    void step(std::size_t first, std::size_t count) {
        devmem::launch(work, devmem::index_range(count), relax{first}, read(now), write(next));
        now.swap(next);
    }
    double sum() {
        return devmem::transform_reduce(
            now.subspan(columns, half_rows * columns), 0.0, devmem::plus{},
            [] DEVMEM_HD(float v) { return v; }, work);
    }
};

int main() {
    devmem::configure({.cpu_devices = 2});
    const auto devices = devmem::devices();
    report("devmem", [&] {
        half_plate upper{devmem::stream(devices[0])};
        half_plate lower{devmem::stream(devices[1])};
        devmem::fill(upper.row(1), 1.0f, upper.work);  // one edge is hot
        devmem::copy_async(upper.now, upper.next, upper.work);
        for (int i = 0; i < steps; ++i) {
            devmem::copy_async(lower.row(1), upper.row(half_rows + 1), upper.work);
            devmem::copy_async(upper.row(half_rows), lower.row(0), lower.work);
            upper.step(2, half_rows - 1);
            lower.step(1, half_rows - 1);
        }
        return upper.sum() + lower.sum();
    });
}
