// transform and copy at the speed of memory, against the same loops by two threads.
#include "two_threads.hpp"

#include <devmem/devmem.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstring>

namespace {

constexpr std::size_t n = std::size_t{64} << 20;

struct square {
    float operator()(float v) const { return v * v; }
};

// Both sides work on the same memory, so that pages and their placement are the same.
struct arrays {
    devmem::device_vector<float> x{n, 3.0f, devmem::device::cpu()};
    devmem::device_vector<float> y{n, devmem::device::cpu()};
    devmem_bench::two_threads threads;

    static arrays& get() {
        static arrays all;
        return all;
    }
};

void report_bytes(benchmark::State& state) {
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                            static_cast<std::int64_t>(2 * n * sizeof(float)));
}

void transform_devmem(benchmark::State& state) {
    arrays& a = arrays::get();
    const devmem::stream_view s = devmem::current_stream(devmem::device::cpu());
    for (auto _ : state) {
        devmem::transform(a.x, a.y, square{}, s);
        s.synchronize();
    }
    report_bytes(state);
}
BENCHMARK(transform_devmem)->Name("transform/devmem")->UseRealTime();

void transform_raw(benchmark::State& state) {
    arrays& a = arrays::get();
    const float* const x = a.x.data();
    float* const y = a.y.data();
    devmem::synchronize(devmem::device::cpu());
    for (auto _ : state) {
        a.threads.run(n, [=](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) y[i] = x[i] * x[i];
        });
        benchmark::ClobberMemory();
    }
    report_bytes(state);
}
BENCHMARK(transform_raw)->Name("transform/raw")->UseRealTime();

void copy_devmem(benchmark::State& state) {
    arrays& a = arrays::get();
    for (auto _ : state) devmem::copy(a.x, a.y);
    report_bytes(state);
}
BENCHMARK(copy_devmem)->Name("copy/devmem")->UseRealTime();

void copy_raw(benchmark::State& state) {
    arrays& a = arrays::get();
    const float* const x = a.x.data();
    float* const y = a.y.data();
    devmem::synchronize(devmem::device::cpu());
    for (auto _ : state) {
        a.threads.run(n, [=](std::size_t begin, std::size_t end) {
            std::memcpy(y + begin, x + begin, (end - begin) * sizeof(float));
        });
        benchmark::ClobberMemory();
    }
    report_bytes(state);
}
BENCHMARK(copy_raw)->Name("copy/raw")->UseRealTime();

}  // namespace
