// How many copies of devmem's state a process has.
#include <devmem/runtime_instances.hpp>

#include <doctest/doctest.h>

#include <thread>

TEST_CASE("a program has one instance, whoever asks and how often") {
    static_assert(noexcept(devmem::runtime_instances()));
    CHECK(devmem::runtime_instances() == 1);
    CHECK(devmem::runtime_instances() == 1);
    std::size_t on_a_thread = 0;
    std::thread([&on_a_thread] { on_a_thread = devmem::runtime_instances(); }).join();
    CHECK(on_a_thread == 1);
}
