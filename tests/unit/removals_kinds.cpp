// Copies between kinds of device, where nothing but the host's own waits keeps the order.
#include "contents.hpp"

#include <devmem/copy.hpp>
#include <devmem/host_task.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <atomic>

TEST_CASE("a copy between kinds comes after the stream that it is given, and is over on return") {
    const devmem_test::nothing_stays check;
    const devmem::device cpu = devmem::device::cpu(1);
    const devmem::device gpu = devmem_test::test_device(1);
    const devmem::stream of_cpu(cpu);
    const devmem::stream of_gpu(gpu);
    const devmem::device_vector<int> source(10, 5, cpu);
    devmem::device_vector<int> there(10, 6, gpu);
    devmem_test::settle();
    devmem::synchronize(cpu);
    for (const devmem::stream* s : {&of_cpu, &of_gpu}) {
        std::atomic<bool> ran{false};
        devmem::host_task(
            [&ran] {
                usleep(20'000);
                ran = true;
            },
            *s);
        devmem::copy_async(source, there, *s);
        CHECK(ran);
        s->synchronize();
    }
    CHECK(devmem_test::contents(there) == std::vector<int>(10, 5));
}
