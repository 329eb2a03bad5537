// c = a + b in plain C++, on as many threads as there are cores.
#include "../timing.hpp"

#include <cstddef>
#include <thread>
#include <vector>

int main() {
    constexpr std::size_t n = std::size_t{1} << 25;
    const std::vector<float> a(n, 1.0f);
    const std::vector<float> b(n, 2.0f);
    std::vector<float> c(n);
    report("plain", [&] {
        const std::size_t threads = std::thread::hardware_concurrency();
        std::vector<std::thread> team;
        for (std::size_t t = 0; t < threads; ++t) {
            team.emplace_back([&, t] {
                for (std::size_t i = n * t / threads; i < n * (t + 1) / threads; ++i) {
                    c[i] = a[i] + b[i];
                }
            });
        }
        for (std::thread& t : team) t.join();
        return double{c[n - 1]};
    });
}
