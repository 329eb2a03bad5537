// Tutorial 04: choose the code path, the kind of memory and how it is obtained, a word for each.
#include <devmem/devmem.hpp>

#include <algorithm>
#include <iostream>
#include <type_traits>

//! [same_type]
// Options come in any order, and defaults may be spelled out: it is one type.
using plain = devmem::device_vector<float>;
using spelled_out = devmem::device_vector<float, devmem::pooled, devmem::dynamic_backend>;
static_assert(std::is_same_v<plain, spelled_out>);
//! [same_type]

//! [any_container]
// Any container of devmem, whatever its options.
template <devmem::device_container Container>
void describe(const char* what, const Container& v) {
    std::cout << what << ": " << v.size() << " elements in " << v.space() << " memory of "
              << v.device() << '\n';
}
//! [any_container]

//! [element_and_policy]
// The same with element and policy at hand.
template <class T, class Policy>
T sum(const devmem::basic_vector<T, Policy>& v) {
    return devmem::reduce(v, T{});
}
//! [element_and_policy]

int main() {
    const devmem::device gpu = devmem::select_device();
    constexpr std::size_t n = 1'000;

    //! [allocation]
    // How it is obtained: the caching pool (default), straight from the driver, the driver's pool.
    const devmem::device_vector<float> pooled(n, 1.0f, gpu);
    const devmem::device_vector<float, devmem::direct> direct(n, 1.0f, gpu);
    const devmem::device_vector<float, devmem::stream_ordered> ordered(n, 1.0f, gpu);
    describe("pooled", pooled);
    describe("direct", direct);
    describe("stream-ordered", ordered);
    //! [allocation]

    //! [backend]
    // Which code path: dynamic_backend decides at run time; this one is CPU code and nothing else.
    const devmem::device_vector<float, devmem::cpu_backend> host_only(n, 1.0f);
    describe("CPU path", host_only);
    //! [backend]

    //! [mapped]
    // Where it lives: zero-copy memory, which a kernel reads across the bus ...
    devmem::mapped_buffer<float> mapped(n, gpu);
    std::ranges::fill(mapped.host_write(), 2.0f);
    describe("mapped", mapped);
    //! [mapped]

    //! [managed]
    // ... and managed memory, which moves to whoever touches it.
    devmem::managed_vector<float> managed(n, gpu);
    devmem::transform(mapped, managed, [] DEVMEM_HD(float v) { return v + 1; });
    std::cout << "managed[0] read by the host: " << managed.host_read()[0] << '\n';
    //! [managed]

    //! [sums]
    std::cout << "sums: " << sum(pooled) << ' ' << sum(direct) << ' ' << sum(ordered) << ' '
              << sum(host_only) << ' ' << sum(mapped) << ' ' << sum(managed) << '\n';
    //! [sums]
}
