// Tutorial 05: order streams by hand, forget a wait, and have it found on a machine without a GPU.
#include <devmem/devmem.hpp>

#include <iostream>

constexpr std::size_t number_of_ones = 1'000;

//! [race]
// Copies ones on a stream and adds them up on another: as many as there are, if the second stream
// waits for the first.
float sum_of_ones(bool wait_for_the_copy) {
    const devmem::device cpu = devmem::device::cpu();
    const devmem::stream copies(cpu);
    const devmem::stream compute(cpu);

    const devmem::pinned_buffer<float> ones(number_of_ones, 1.0f, cpu);
    devmem::device_vector<float> x(number_of_ones, copies);
    copies.synchronize();                      // its zeros are there now
    x.set_ordering(devmem::ordering::manual);  // from here on, the order is ours to keep

    devmem::copy_async(ones, x, copies);
    if (wait_for_the_copy) {
        compute.wait(devmem::event(copies));
    }
    return devmem::reduce(x, 0.0f, compute);
}
//! [race]

int main() {
    //! [configure]
    // Before first use: queued work runs as late as is legal (seed 0), and
    // a hazard is an exception. DEVMEM_SCHEDULER and DEVMEM_CHECK_ORDER say the same from outside.
    devmem::configure({.scheduler = devmem::cpu_scheduler::deferred(0),
                       .check_order = devmem::order_check::raise});
    //! [configure]

    //! [report]
    // The report names the hazard, both places, both streams, and the wait that would mend it.
    try {
        std::cout << "without the wait: " << sum_of_ones(false) << '\n';
    } catch (const devmem::access_conflict& e) {
        std::cout << e.what() << '\n';
    }
    //! [report]

    //! [unchecked]
    // Unchecked, the same code is merely wrong: nothing has asked for the copy yet, the sum is 0.
    devmem::set_order_check(devmem::order_check::off);
    std::cout << "unchecked: " << sum_of_ones(false) << " in place of " << number_of_ones << '\n';
    //! [unchecked]

    //! [mended]
    // Mended: silent, and right under every seed.
    devmem::set_order_check(devmem::order_check::raise);
    std::cout << "with the wait: " << sum_of_ones(true) << '\n';
    //! [mended]
}
