// A loop over a pinned buffer through begin() and end(), against one over a raw pointer.
#include <devmem/devmem.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>

namespace {

constexpr std::size_t n = std::size_t{1} << 20;

devmem::pinned_buffer<float>& buffer() {
    static devmem::pinned_buffer<float> one(n, 1.0f, devmem::device::cpu());
    return one;
}

void iterate_devmem(benchmark::State& state) {
    devmem::pinned_buffer<float>& p = buffer();
    for (auto _ : state) {
        for (float& v : p) v = v * 0.5f + 1.0f;
        benchmark::ClobberMemory();
    }
}
BENCHMARK(iterate_devmem)->Name("pinned_loop/devmem");

void iterate_raw(benchmark::State& state) {
    float* const begin = buffer().data();
    float* const end = begin + n;
    for (auto _ : state) {
        for (float* v = begin; v != end; ++v) *v = *v * 0.5f + 1.0f;
        benchmark::ClobberMemory();
    }
}
BENCHMARK(iterate_raw)->Name("pinned_loop/raw");

}  // namespace
