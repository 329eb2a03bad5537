// Reductions, scans and sorts, each beside the one of Thrust's OpenMP system, on as many threads.
#include <devmem/devmem.hpp>

#include <benchmark/benchmark.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>

#include <cstdint>
#include <vector>

namespace {

constexpr std::size_t reduced = std::size_t{1} << 26;
constexpr std::size_t scanned = std::size_t{1} << 25;
constexpr std::size_t sorted = std::size_t{1} << 22;

/// The same numbers without a pattern for both.
template <class T>
std::vector<T> unsorted() {
    std::vector<T> values(sorted);
    std::uint32_t x = 12345;
    for (T& value : values) {
        x = x * 1664525 + 1013904223;  // Numerical Recipes' generator
        value = static_cast<T>(x >> 1);
    }
    return values;
}

void devmem_reduce(benchmark::State& state) {
    const devmem::device_vector<float> v(reduced, 1.0f, devmem::device::cpu());
    for (auto _ : state) benchmark::DoNotOptimize(devmem::reduce(v));
}
BENCHMARK(devmem_reduce)->Name("reduce/devmem")->UseRealTime();

void thrust_reduce(benchmark::State& state) {
    const std::vector<float> v(reduced, 1.0f);
    for (auto _ : state) {
        benchmark::DoNotOptimize(thrust::reduce(thrust::omp::par, v.begin(), v.end()));
    }
}
BENCHMARK(thrust_reduce)->Name("reduce/raw")->UseRealTime();

void devmem_scan(benchmark::State& state) {
    const devmem::device cpu = devmem::device::cpu();
    const devmem::device_vector<float> in(scanned, 1.0f, cpu);
    devmem::device_vector<float> out(scanned, cpu);
    for (auto _ : state) {
        devmem::inclusive_scan(in, out);
        devmem::synchronize(cpu);
    }
}
BENCHMARK(devmem_scan)->Name("inclusive_scan/devmem")->UseRealTime();

void thrust_scan(benchmark::State& state) {
    const std::vector<float> in(scanned, 1.0f);
    std::vector<float> out(scanned);
    for (auto _ : state) {
        thrust::inclusive_scan(thrust::omp::par, in.begin(), in.end(), out.begin());
        benchmark::ClobberMemory();
    }
}
BENCHMARK(thrust_scan)->Name("inclusive_scan/raw")->UseRealTime();

// Each sorts a copy, whose cost is the same for both.
template <class T>
void devmem_sort(benchmark::State& state) {
    const devmem::device cpu = devmem::device::cpu();
    const devmem::device_vector<T> values(unsorted<T>(), cpu);
    devmem::device_vector<T> work(sorted, cpu);
    for (auto _ : state) {
        devmem::copy_async(values, work);
        devmem::sort(work);
        devmem::synchronize(cpu);
    }
}
BENCHMARK(devmem_sort<std::uint32_t>)->Name("sort_integers/devmem")->UseRealTime();
BENCHMARK(devmem_sort<float>)->Name("sort_floats/devmem")->UseRealTime();

template <class T>
void thrust_sort(benchmark::State& state) {
    const std::vector<T> values = unsorted<T>();
    std::vector<T> work(sorted);
    for (auto _ : state) {
        thrust::copy(thrust::omp::par, values.begin(), values.end(), work.begin());
        thrust::sort(thrust::omp::par, work.begin(), work.end());
        benchmark::ClobberMemory();
    }
}
BENCHMARK(thrust_sort<std::uint32_t>)->Name("sort_integers/raw")->UseRealTime();
BENCHMARK(thrust_sort<float>)->Name("sort_floats/raw")->UseRealTime();

}  // namespace
