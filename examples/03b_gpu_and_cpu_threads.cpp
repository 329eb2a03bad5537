// Tutorial 03b: one thread computes on a device, another on the host, until they are told to stop.
#include <devmem/devmem.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <iostream>
#include <stop_token>
#include <thread>

//! [functor]
struct halve {
    DEVMEM_HD float operator()(float v) const { return v / 2; }
};
//! [functor]

//! [work]
// The same function serves both: a device is a value, and the host is a device too.
void work(std::stop_token stop, devmem::device where, std::atomic<long>& steps) {
    const devmem::stream s(where);
    const devmem::stream_guard on(s);  // device and stream are current for this thread alone
    devmem::device_vector<float> x(1 << 16, 1.0f);
    do {
        devmem::transform(x, x, halve{});
        s.synchronize();
        ++steps;
    } while (!stop.stop_requested());
}  // x is freed when its last kernel is over; nobody waits for that here
//! [work]

int main() {
    //! [threads]
    const devmem::device gpu = devmem::select_device("cuda");
    const devmem::device cpu = devmem::device::cpu();
    std::atomic<long> on_gpu{0};
    std::atomic<long> on_cpu{0};
    {
        const std::jthread first(work, gpu, std::ref(on_gpu));
        const std::jthread second(work, cpu, std::ref(on_cpu));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }  // a jthread asks its function to stop, then joins it
    //! [threads]

    //! [figures]
    std::cout << gpu << ": " << on_gpu << " steps, " << cpu << ": " << on_cpu << " steps\n";
    std::cout << "live afterwards: " << devmem::format_bytes(devmem::memory_info(gpu).live) << '\n';
    //! [figures]
}
