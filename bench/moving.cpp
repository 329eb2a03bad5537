// `to` of an object in many parts, beside the copies alone.
#include <devmem/devmem.hpp>

#include <benchmark/benchmark.h>

#include <map>
#include <vector>

namespace {

constexpr int parts = 1'000;
constexpr std::size_t part_floats = 64;

std::map<int, devmem::device_vector<float>> many_parts() {
    std::map<int, devmem::device_vector<float>> all;
    for (int i = 0; i < parts; ++i) all.emplace(i, devmem::device_vector<float>(part_floats));
    return all;
}

void move_all(benchmark::State& state) {
    const devmem::device there = devmem::devices(devmem::device_kind::cpu).back();
    const auto all = many_parts();
    for (auto _ : state) {
        benchmark::DoNotOptimize(devmem::to(there, all));
        devmem::synchronize(there);
    }
}
BENCHMARK(move_all)->Name("to_a_map/devmem")->UseRealTime();

void copy_each(benchmark::State& state) {
    const devmem::device there = devmem::devices(devmem::device_kind::cpu).back();
    const auto all = many_parts();
    for (auto _ : state) {
        std::map<int, devmem::device_vector<float>> copies;
        for (const auto& [key, part] : all) {
            copies.emplace_hint(copies.end(), key, devmem::device_vector<float>(part, there));
        }
        benchmark::DoNotOptimize(copies);
        devmem::synchronize(there);
    }
}
BENCHMARK(copy_each)->Name("to_a_map/raw")->UseRealTime();

}  // namespace
