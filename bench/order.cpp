// What order costs: copies beside work that does not conflict with them, and automatic order
// against order by hand on one stream.
#include <devmem/devmem.hpp>

#include <benchmark/benchmark.h>

#include <cmath>

namespace {

constexpr std::size_t slot_floats = std::size_t{1} << 20;
constexpr int batches = 16;

/// Work that one core is busy with: much arithmetic on few elements.
struct slow_root {
    float operator()(float v) const {
        for (int i = 0; i < 60'000; ++i) v = std::sqrt(v + static_cast<float>(i));
        return v;
    }
};

/// Two slots in turn, as a program that feeds batches does.
struct pipeline {
    devmem::device cpu = devmem::device::cpu();
    devmem::stream copies{cpu};
    devmem::stream compute{cpu};
    devmem::pinned_buffer<float> batch{slot_floats, 1.0f, cpu};
    devmem::device_vector<float> slots[2] = {{slot_floats, 0.0f, copies},
                                             {slot_floats, 0.0f, copies}};
    devmem::device_vector<float> results{4, 0.0f, compute};

    void copy(int i) { devmem::copy_async(batch, slots[i % 2], copies); }
    void work(int i) { devmem::transform(slots[i % 2].first(4), results, slow_root{}, compute); }
    void finish() {
        copies.synchronize();
        compute.synchronize();
    }
};

void copy_beside_compute(benchmark::State& state) {
    pipeline p;
    p.finish();
    for (auto _ : state) {
        for (int i = 0; i < batches; ++i) {
            p.copy(i);
            p.work(i);
        }
        p.finish();
    }
}
BENCHMARK(copy_beside_compute)->Name("overlap/devmem")->UseRealTime();

// The longer of the two, alone.
void compute_alone(benchmark::State& state) {
    pipeline p;
    p.finish();
    for (auto _ : state) {
        for (int i = 0; i < batches; ++i) p.work(i);
        p.finish();
    }
}
BENCHMARK(compute_alone)->Name("overlap/raw")->UseRealTime();

void copy_alone(benchmark::State& state) {
    pipeline p;
    p.finish();
    for (auto _ : state) {
        for (int i = 0; i < batches; ++i) p.copy(i);
        p.finish();
    }
}
BENCHMARK(copy_alone)->Name("overlap/copy_alone")->UseRealTime();

/// The same memory for both orders: copies differ by a tenth with where it happens to lie.
struct mebibytes {
    static constexpr std::size_t n = (std::size_t{1} << 20) / sizeof(float);
    devmem::stream s{devmem::device::cpu()};
    devmem::device_vector<float> from{n, s};
    devmem::device_vector<float> to{n, s};
};

void copies_of_a_mebibyte(benchmark::State& state, devmem::ordering order) {
    static mebibytes all;
    all.from.set_ordering(order);
    all.to.set_ordering(order);
    all.s.synchronize();
    for (auto _ : state) {
        for (int i = 0; i < 100; ++i) devmem::copy_async(all.from, all.to, all.s);
        all.s.synchronize();
    }
}
void automatic(benchmark::State& state) {
    copies_of_a_mebibyte(state, devmem::ordering::automatic);
}
void manual(benchmark::State& state) { copies_of_a_mebibyte(state, devmem::ordering::manual); }
BENCHMARK(automatic)->Name("order_of_1MiB/devmem")->UseRealTime();
BENCHMARK(manual)->Name("order_of_1MiB/raw")->UseRealTime();

}  // namespace
