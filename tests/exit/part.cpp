// Objects of static storage, in each of two files: made before main, destroyed after it, by then
// without a driver.
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/event.hpp>
#include <devmem/fill.hpp>
#include <devmem/stream.hpp>

#include <vector>

namespace {

devmem::stream own_stream(devmem_test::test_device(1));
devmem_test::test_vector<int> pooled(1000, 5, own_stream);
devmem_test::test_vector<int, devmem::direct> direct(1000, 5, own_stream);
devmem_test::test_vector<int, devmem::stream_ordered> ordered(1000, 5, own_stream);
devmem_test::test_pinned<int> pinned(1000, 5, devmem_test::test_device());
devmem_test::test_managed<int> managed(1000, 5, devmem_test::test_device());
std::vector<devmem::event> events;

}  // namespace

// Named by the build: the file is compiled twice.
bool DEVMEM_PART_USE() {
    devmem::copy_async(pinned, pooled, own_stream);
    devmem::copy_async(pooled, direct, own_stream);
    devmem::copy_async(direct, ordered, own_stream);
    devmem::fill(managed, 6);
    const devmem::stream other(devmem_test::test_device(1));
    devmem::fill(pooled, 7, other);  // leaves marks of a stream that is gone
    events.emplace_back(own_stream);
    return ordered.get(999, own_stream) == 5 && managed[999] == 6;
}
