// Two streams share an array. `missing_wait right CASE` orders them; `missing_wait missing CASE`
// forgets to, which a race detector must see although the result is nearly always right.
#include <devmem/copy.hpp>
#include <devmem/device.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/event.hpp>
#include <devmem/for_each.hpp>
#include <devmem/host_task.hpp>
#include <devmem/pinned_buffer.hpp>
#include <devmem/reduce.hpp>
#include <devmem/stream.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

using devmem::device;
using devmem::event;
using devmem::host_task;
using devmem::stream;

std::vector<int> values(1'000, 1);
long total = 0;

void write_values() {
    for (int& v : values) v = 2;
}
void add_values() {
    for (const int v : values) total += v;
}

/// A task writes, a task of another stream reads.
void tasks(bool right, device writes_on, device reads_on) {
    const stream writer(writes_on);
    const stream reader(reads_on);
    host_task(write_values, writer);
    if (right) reader.wait(event(writer));
    host_task(add_values, reader);
    reader.synchronize();
    writer.synchronize();
}

/// A task reads, an algorithm of another stream writes.
void algorithm(bool right) {
    const stream reader(device::cpu(0));
    const stream writer(device::cpu(0));
    host_task(add_values, reader);
    if (right) writer.wait(event(reader));
    devmem::for_each_index(
        values.size(), [data = values.data()](std::size_t i) { data[i] = 3; }, writer);
    writer.synchronize();
    reader.synchronize();
}

/// The event was recorded too early: there is a wait, for the wrong work. It must be seen while the
/// right work is still to come: a wait orders what is behind it after all that its stream has done
/// by then, and so hides what had been done in time by luck.
void early_event(bool right) {
    const stream writer(device::cpu(0));
    const stream reader(device::cpu(0));
    event mark(writer);
    host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }, writer);
    host_task(write_values, writer);
    if (right) mark.record(writer);
    reader.wait(mark);
    host_task(add_values, reader);
    reader.synchronize();
    writer.synchronize();
}

/// The host looks without having waited.
void host_reads(bool right) {
    const stream writer(device::cpu(0));
    host_task(write_values, writer);
    const event mark(writer);
    // Queueing more work is no wait: the host acquires nothing thereby.
    host_task([] {}, writer);
    if (right) mark.synchronize();
    add_values();
    writer.synchronize();
}

/// A container whose order is the program's.
void manual(bool right) {
    const device cpu = device::cpu(0);
    const stream copies(cpu);
    const stream compute(cpu);
    const devmem::pinned_buffer<int> source(1'000, 1, cpu);
    devmem::device_vector<int> x(1'000, copies);
    devmem::synchronize(cpu);
    x.set_ordering(devmem::ordering::manual);
    devmem::copy_async(source, x, copies);
    if (right) compute.wait(event(copies));
    total = devmem::reduce(x, 0, compute);
    copies.synchronize();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const bool right = argv[1] == std::string("right");
    const std::string which = argv[2];
    if (which == "tasks") {
        tasks(right, device::cpu(0), device::cpu(0));
    } else if (which == "devices") {
        tasks(right, device::cpu(0), device::cpu(1));
    } else if (which == "algorithm") {
        algorithm(right);
    } else if (which == "early_event") {
        early_event(right);
    } else if (which == "host_reads") {
        host_reads(right);
    } else if (which == "manual") {
        manual(right);
    } else {
        return 2;
    }
    std::printf("%ld\n", total);
    return 0;
}
