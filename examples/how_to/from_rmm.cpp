// What a program does with RMM, done with devmem.
#include <devmem/devmem.hpp>

#include <iostream>

int main() {
    //! [program]
    const devmem::device gpu = devmem::select_device("cuda");
    const devmem::stream producer(gpu);
    const devmem::stream consumer(gpu);

    // Memory from a cache, without a value, first used on a stream.
    devmem::device_vector<int> v(1'000, devmem::uninitialized, producer);
    devmem::fill(v, 7, producer);

    // Used on another stream: that waits for the fill by itself.
    devmem::device_vector<int> copy(v.size(), devmem::uninitialized, consumer);
    devmem::copy_async(v, copy, consumer);

    // Freed while both may still be using it: its memory serves others when they have passed.
    v.reset();
    std::cout << copy.get(999, consumer) << '\n';

    const devmem::memory_figures figures = devmem::memory_info(gpu);
    std::cout << figures.live << " bytes live, " << figures.peak << " at most\n";
    devmem::empty_cache(gpu);
    //! [program]
}
