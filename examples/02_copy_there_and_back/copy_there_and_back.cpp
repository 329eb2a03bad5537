// Tutorial 02: bring values to a device and back, whole or in part, waiting or not.
#include <devmem/devmem.hpp>

#include <iostream>
#include <numeric>
#include <span>
#include <vector>

int main() {
    const devmem::device gpu = devmem::select_device();
    std::vector<float> host(1'000);
    std::iota(host.begin(), host.end(), 0.0f);

    //! [there]
    // A vector made on the device from a host range; to_host() brings its values back.
    devmem::device_vector<float> x(host, gpu);
    std::cout << std::boolalpha << "there and back: " << (x.to_host() == host) << '\n';
    //! [there]

    //! [copy]
    // Source first, as in std::copy. Direction and devices follow from the arguments.
    devmem::device_vector<float> y(x.size(), devmem::uninitialized, gpu);
    devmem::copy(host, y);
    devmem::copy(y, host);
    //! [copy]

    //! [parts]
    // Parts are views: they own nothing, and may be source or destination.
    devmem::copy(x.first(10), y.last(10));
    devmem::copy(x.subspan(500, 10), y.first(10));
    //! [parts]

    //! [element]
    // One element at a time works, and waits each time: for looking, not for loops.
    y.set(0, 42.0f);
    std::cout << "first " << y.get(0) << ", last " << y.get(y.size() - 1) << '\n';
    //! [element]

    //! [pinned]
    // Without waiting: the host side is pinned, and stays safe until the copy is over.
    devmem::pinned_buffer<float> staging(host, gpu);
    devmem::copy_async(staging, x);
    devmem::copy_async(y, staging);
    //! [pinned]

    //! [look]
    // Looking at pinned memory waits for the copies that conflict, and for nothing else.
    const std::span<const float> values = staging.host_read();
    std::cout << "sum on the host: " << std::accumulate(values.begin(), values.end(), 0.0f) << '\n';
    //! [look]

    //! [grow]
    // Growth keeps the values; new elements are zero.
    x.resize(1'500);
    x.append(host);
    std::cout << "size " << x.size() << ", element 1,400 is " << x.get(1'400) << '\n';
    //! [grow]

    //! [sizes]
    // copy() never resizes: sizes that differ are an error that names both.
    try {
        devmem::copy(host, x.first(10));
    } catch (const devmem::invalid_argument& e) {
        std::cout << e.what() << '\n';
    }
    //! [sizes]
}
