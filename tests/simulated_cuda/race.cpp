// A program that forgets a wait, or does not, for a race detector to tell which: `race KIND` and
// `race KIND waiting`. The simulated streams are as unordered as real ones, so each that forgets is
// found, and none that waits is accused.
#include <devmem/backend/cuda.hpp>
#include <simulated_cuda.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using backend = devmem::cuda_backend;
using devmem::memory_space;

const devmem::device d = devmem::device::cuda(1);
constexpr std::size_t bytes = 4096;
constexpr int pattern = 3;

void must(devmem::status s) {
    if (s.ok()) return;
    std::fprintf(stderr, "a call failed with %d\n", s.native);
    std::abort();
}

void* memory_of(memory_space space) {
    void* made = nullptr;
    must(backend::allocate(d, space, bytes, &made));
    return made;
}

void* make_stream() {
    void* made = nullptr;
    must(backend::stream_create(d, &made));
    return made;
}

void fill(void* stream, void* at) {
    must(backend::fill_async(d, stream, at, &pattern, sizeof pattern, bytes / sizeof pattern));
}

void order(void* earlier, void* later) {
    void* event = nullptr;
    must(backend::event_create(d, false, &event));
    must(backend::event_record(d, event, earlier));
    must(backend::stream_wait_event(d, later, event));
}

void between_streams(bool waiting, void (*use)(void* stream, void* memory)) {
    void* first = make_stream();
    void* second = make_stream();
    void* memory = memory_of(memory_space::device);
    fill(first, memory);
    if (waiting) order(first, second);
    use(second, memory);
    must(backend::stream_synchronize(d, second));
}

void with_host(bool waiting, void (*use)(void* stream, void* device, int* pinned)) {
    void* stream = make_stream();
    void* device = memory_of(memory_space::device);
    auto* pinned = static_cast<int*>(memory_of(memory_space::pinned));
    use(stream, device, pinned);
    if (waiting) must(backend::stream_synchronize(d, stream));
    usleep(1000);
    ++*pinned;
}

bool run(std::string_view kind, bool waiting) {
    if (kind == "read") {
        between_streams(waiting, [](void* stream, void* memory) {
            must(backend::copy_async(d, stream, memory_of(memory_space::device), memory, bytes));
        });
    } else if (kind == "write") {
        between_streams(waiting, fill);
    } else if (kind == "upload") {
        between_streams(waiting, [](void* stream, void* memory) {
            const std::vector<char> source(bytes, 1);
            must(backend::upload_async(d, stream, memory, source.data(), bytes));
        });
    } else if (kind == "host_reads") {
        with_host(waiting, [](void* stream, void* device, int* pinned) {
            fill(stream, device);
            must(backend::copy_async(d, stream, pinned, device, bytes));
        });
    } else if (kind == "host_writes") {
        with_host(waiting, [](void* stream, void* device, int* pinned) {
            must(backend::copy_async(d, stream, device, pinned, bytes));
        });
    } else {
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const bool known = argc >= 2 && run(argv[1], argc == 3);
    must(backend::synchronize_device(d));
    std::puts(known ? "done" : "race KIND [waiting]");
    return known ? 0 : 2;
}
