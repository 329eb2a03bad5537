// What the programs side by side have in common: the clock.
#pragma once

#include <chrono>
#include <cstdio>

/// Prints a result, and the time that `f` took, by the fastest of five runs.
template <class F>
void report(const char* name, F f) {
    double result = 0;
    double best = 1e9;
    for (int run = 0; run < 5; ++run) {
        const auto start = std::chrono::steady_clock::now();
        result = f();
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        if (time.count() < best) best = time.count();
    }
    std::printf("%s: %g in %.1f ms\n", name, result, best);
}
