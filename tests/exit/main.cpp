// Uses objects of static storage, leaves work queued, and ends; on the CUDA path the driver is
// unloaded before the objects are destroyed.
#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

bool use_first();
bool use_second();

int main() {
    const bool good = use_first() && use_second();
#if defined(DEVMEM_CUDA)
    simulated_cuda::unloading(true);
#endif
    return good ? 0 : 1;
}
