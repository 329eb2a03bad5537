// How to test code for streams and several devices on a machine without a GPU. Exits with 1 where
// something is wrong, as a test does.
#include <devmem/devmem.hpp>

#include <cstddef>
#include <iostream>
#include <vector>

//! [code]
// The code under test, which knows nothing of tests: moves a vector around all devices given, each
// adding one to every element, and brings it back.
std::vector<int> round_trip(const std::vector<int>& values,
                            const std::vector<devmem::device>& devices) {
    devmem::device_vector<int> travelling(values, devices.front());
    for (const devmem::device d : devices) {
        const devmem::stream s(d);
        devmem::device_vector<int> here(travelling.size(), devmem::uninitialized, s);
        devmem::copy_async(travelling, here, s);
        devmem::for_each(
            here, [] DEVMEM_HD(int& x) { ++x; }, s);
        travelling = std::move(here);
    }
    return travelling.to_host();
}
//! [code]

//! [capacity]
// How the code under test behaves when memory has run out is a case like any other.
bool gives_up_where_there_is_no_room() {
    const devmem::device d = devmem::device::cpu(0);
    try {
        const devmem::device_vector<int> too_many(std::size_t{1} << 20, d);
        return false;
    } catch (const devmem::out_of_memory& e) {
        std::cout << e.what() << '\n';
        return devmem::memory_info(d).live == 0;
    }
}
//! [capacity]

int main() {
    //! [configure]
    // Four devices of a mebibyte each. DEVMEM_CPU_DEVICES, DEVMEM_CPU_CAPACITY and
    // DEVMEM_SCHEDULER say the same from outside, and win.
    devmem::configure({.cpu_devices = 4, .cpu_capacity = std::size_t{1} << 20});
    //! [configure]

    const std::vector<int> found = round_trip({1, 2, 3}, devmem::devices(devmem::device_kind::cpu));
    const bool right = found == std::vector<int>{5, 6, 7} && gives_up_where_there_is_no_room();
    std::cout << (right ? "all is well\n" : "something is wrong\n");
    return right ? 0 : 1;
}
