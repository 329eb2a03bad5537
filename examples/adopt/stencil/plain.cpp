// Heat in a plate: each point becomes the mean of its neighbours. Two halves, a thread each; the
// halves are one array, so that nothing has to be exchanged.
#include "../timing.hpp"

#include <barrier>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

constexpr std::size_t rows = 1'024;
constexpr std::size_t columns = 1'024;
constexpr int steps = 50;

void relax(const float* now, float* next, std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
        for (std::size_t c = 1; c + 1 < columns; ++c) {
            const std::size_t i = r * columns + c;
            next[i] = 0.25f * (now[i - columns] + now[i + columns] + now[i - 1] + now[i + 1]);
        }
    }
}

int main() {
    report("plain", [] {
        std::vector<float> a(rows * columns, 0.0f);
        for (std::size_t c = 0; c < columns; ++c) a[c] = 1.0f;  // one edge is hot
        std::vector<float> b = a;
        std::barrier both(2);
        const auto half = [&](std::size_t first, std::size_t last) {
            float* now = a.data();
            float* next = b.data();
            for (int step = 0; step < steps; ++step) {
                relax(now, next, first, last);
                std::swap(now, next);
                both.arrive_and_wait();
            }
        };
        std::thread lower(half, rows / 2, rows - 1);
        half(1, rows / 2);
        lower.join();
        double sum = 0;
        for (const float v : a) sum += double{v};
        return sum;
    });
}
