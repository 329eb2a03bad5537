/// \file
/// Kernels without a GPU: functions of the host that stand in for them.
#pragma once

#include <devmem/backend/host_function.hpp>

#include <map>
#include <mutex>

struct CUstream_st;

namespace simulated_cuda::inside {

/// Makes a host function of the arguments of a launch.
using twin_maker = devmem::host_function (*)(void** arguments);

/// Which kernels have twins. Only host threads touch it.
class twin_book {
  public:
    void put(const void* kernel, twin_maker make);
    /// Null where there is none.
    twin_maker find(const void* kernel) const;

  private:
    mutable std::mutex mutex_;
    std::map<const void*, twin_maker> twins_;
};

/// Queues work that may touch the memory of devices as a kernel does. Accepts it if and only if it
/// returns 0.
int queue_twin(CUstream_st& stream, const devmem::host_function& work);

}  // namespace simulated_cuda::inside
