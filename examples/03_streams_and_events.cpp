// Tutorial 03: copies beside kernels on two streams, in the right order without a word about it.
#include <devmem/devmem.hpp>

#include <algorithm>
#include <array>
#include <iostream>

//! [functor]
struct scale {
    float by;
    DEVMEM_HD float operator()(float v) const { return v * by; }
};
//! [functor]

int main() {
    //! [streams]
    const devmem::device gpu = devmem::select_device();
    const devmem::stream copies(gpu);
    const devmem::stream compute(gpu);
    //! [streams]

    //! [slots]
    constexpr std::size_t n = 1 << 20;
    devmem::pinned_buffer<float> batch(n, gpu);
    std::array<devmem::device_vector<float>, 2> slots;
    for (devmem::device_vector<float>& x : slots) x = devmem::device_vector<float>(n, copies);
    devmem::device_vector<float> sums(4, compute);
    //! [slots]

    //! [pipeline]
    // Two slots in turn: batch i + 1 is copied while batch i is worked on. No event, no wait: each
    // block knows who used it last, and only streams that meet at a block wait for one another.
    for (std::size_t i = 0; i < sums.size(); ++i) {
        devmem::device_vector<float>& x = slots[i % 2];
        std::ranges::fill(batch.host_write(), static_cast<float>(i));  // once the copy has read it
        devmem::copy_async(batch, x, copies);                          // after the work on x
        devmem::transform(x, x, scale{2.0f}, compute);                 // after the copy of x
        devmem::reduce_async(x, sums.subspan(i, 1), compute);
    }
    //! [pipeline]

    //! [look]
    for (const float sum : sums.to_host()) std::cout << "sum of a batch: " << sum << '\n';
    //! [look]

    //! [split]
    // One vector, two streams at once: slices have an order of their own until they are gone.
    {
        const auto halves = slots[0].split(2);
        devmem::copy_async(batch.first(n / 2), halves[0], copies);
        devmem::transform(halves[1], halves[1], scale{0.5f}, compute);
    }
    //! [split]

    //! [events]
    // Events are for what devmem cannot see, and for the clock.
    const devmem::event copied(copies);
    compute.wait(copied);
    const devmem::timed_event begin(compute);
    devmem::transform(slots[1], slots[1], scale{3.0f}, compute);
    const devmem::timed_event end(compute);
    end.synchronize();
    std::cout << "one pass took " << (end - begin).count() << " ms\n";
    //! [events]

    //! [guard]
    // Name the stream once: inside the scope it is the default.
    const devmem::stream_guard on(compute);
    devmem::fill(slots[0], 1.0f);
    std::cout << "sum " << devmem::reduce(slots[0]) << '\n';
    //! [guard]
}
