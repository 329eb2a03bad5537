// The sum of squares in plain C++, on as many threads as there are cores.
#include "../timing.hpp"

#include <cstddef>
#include <thread>
#include <vector>

int main() {
    constexpr std::size_t n = std::size_t{1} << 25;
    const std::vector<float> x(n, 0.5f);
    report("plain", [&] {
        const std::size_t threads = std::thread::hardware_concurrency();
        std::vector<double> sums(threads);
        std::vector<std::thread> team;
        for (std::size_t t = 0; t < threads; ++t) {
            team.emplace_back([&, t] {
                double sum = 0;
                for (std::size_t i = n * t / threads; i < n * (t + 1) / threads; ++i) {
                    sum += double{x[i]} * double{x[i]};
                }
                sums[t] = sum;
            });
        }
        for (std::thread& t : team) t.join();
        double total = 0;
        for (const double sum : sums) total += sum;
        return total;
    });
}
