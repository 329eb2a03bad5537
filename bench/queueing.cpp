// Queueing an empty task, in bursts; waking an idle worker, against a bare semaphore.
#include <devmem/devmem.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>

namespace {

using clock = std::chrono::steady_clock;

double seconds(clock::duration d) { return std::chrono::duration<double>(d).count(); }

// Long enough for the other thread to be asleep.
void let_it_sleep() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

// Time a task, of a burst of a thousand; running them is not counted.
void queue_a_task(benchmark::State& state) {
    constexpr int burst = 1'000;
    const devmem::stream s(devmem::device::cpu());
    for (auto _ : state) {
        const clock::time_point begin = clock::now();
        for (int i = 0; i < burst; ++i) devmem::host_task([] {}, s);
        state.SetIterationTime(seconds(clock::now() - begin) / burst);
        s.synchronize();
    }
}
BENCHMARK(queue_a_task)->Name("queue_a_task")->UseManualTime()->Iterations(500);

// From the call until the task runs.
void wake_devmem(benchmark::State& state) {
    const devmem::stream s(devmem::device::cpu());
    std::atomic<clock::time_point::rep> ran{0};
    for (auto _ : state) {
        let_it_sleep();
        const clock::time_point begin = clock::now();
        devmem::host_task([&] { ran = clock::now().time_since_epoch().count(); }, s);
        s.synchronize();
        state.SetIterationTime(seconds(clock::time_point(clock::duration(ran)) - begin));
    }
}
BENCHMARK(wake_devmem)->Name("wake/devmem")->UseManualTime()->Iterations(500);

void wake_raw(benchmark::State& state) {
    std::binary_semaphore go{0};
    std::binary_semaphore done{0};
    std::atomic<clock::time_point::rep> ran{0};
    std::jthread worker([&](const std::stop_token& stop) {
        for (;;) {
            go.acquire();
            if (stop.stop_requested()) return;
            ran = clock::now().time_since_epoch().count();
            done.release();
        }
    });
    for (auto _ : state) {
        let_it_sleep();
        const clock::time_point begin = clock::now();
        go.release();
        done.acquire();
        state.SetIterationTime(seconds(clock::time_point(clock::duration(ran)) - begin));
    }
    worker.request_stop();
    go.release();
}
BENCHMARK(wake_raw)->Name("wake/raw")->UseManualTime()->Iterations(500);

}  // namespace
