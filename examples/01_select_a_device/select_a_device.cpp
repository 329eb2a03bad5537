// Tutorial 01: see the devices of this machine, choose one, make it current for a while.
#include <devmem/devmem.hpp>

#include <iostream>

int main() {
    //! [list]
    // Every device this process can use. There is always a CPU; to have no GPU is normal.
    for (const devmem::device d : devmem::devices()) {
        std::cout << d << "  " << devmem::properties(d).name << "  " << devmem::memory_info(d)
                  << '\n';
    }
    //! [list]

    //! [select]
    // The preferred device or, where it is absent, the best there is (which is noted once).
    const devmem::device gpu = devmem::select_device("cuda");
    std::cout << "selected: " << gpu << '\n';
    //! [select]

    //! [rule]
    // A rule in place of a name.
    const devmem::device roomy = devmem::select_device(devmem::most_free_memory);
    std::cout << "most free memory: " << roomy << '\n';
    //! [rule]

    //! [parse]
    // A name is parsed strictly: another word throws, and the message lists the good ones.
    try {
        std::cout << devmem::device::parse("gpu") << '\n';
    } catch (const devmem::invalid_argument& e) {
        std::cout << e.what() << '\n';
    }
    //! [parse]

    //! [available]
    // A name may be right and the device not here: that is a question, not an error.
    const devmem::device apple = devmem::device::parse("mps");
    std::cout << apple << " available: " << std::boolalpha << devmem::is_available(apple) << '\n';
    //! [available]

    //! [scope]
    // A scope makes a device current for this thread, and restores the last one however it ends.
    {
        const devmem::scoped_device current(roomy);
        const devmem::device_vector<float> here(1'000);
        std::cout << "in the scope, a new vector is on " << here.device() << '\n';
    }
    //! [scope]

    //! [call]
    // The same for one call; what the function returns comes back.
    const std::size_t available = devmem::on_device(gpu, [] { return devmem::memory_info().free; });
    std::cout << devmem::format_bytes(available) << " free on " << gpu << '\n';
    //! [call]
}
