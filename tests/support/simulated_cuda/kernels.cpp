#include "kernels.hpp"

#include "state.hpp"

#include <devmem/backend/host_twins.hpp>

#include <memory>
#include <utility>

namespace simulated_cuda::inside {

namespace {

/// Work that was accepted and is never run, as on a device that has broken, is dropped.
class accepted_work {
  public:
    explicit accepted_work(const devmem::host_function& work) : work_(work) {}
    accepted_work(accepted_work&& other) noexcept
        : work_(other.work_), is_mine_(std::exchange(other.is_mine_, false)) {}
    accepted_work(const accepted_work&) = delete;
    accepted_work& operator=(const accepted_work&) = delete;
    ~accepted_work() {
        if (is_mine_) work_.drop();
    }

    void run() noexcept {
        is_mine_ = false;
        the_simulation().memory.open();
        work_.run();
        the_simulation().memory.close();
    }

  private:
    devmem::host_function work_;
    bool is_mine_ = true;
};

void announce(const void* kernel, twin_maker make) noexcept {
    the_simulation().twins.put(kernel, make);
}

int run(void* stream, const devmem::host_function& work) noexcept {
    return runtime_call("host twin", needs::context, [&](call& c) -> int {
        CUstream_st* const s = use_stream(c, static_cast<cudaStream_t>(stream), false);
        return s == nullptr ? cudaErrorInvalidResourceHandle : queue_twin(*s, work);
    });
}

}  // namespace

void twin_book::put(const void* kernel, twin_maker make) {
    const std::lock_guard lock(mutex_);
    twins_[kernel] = make;
}

twin_maker twin_book::find(const void* kernel) const {
    const std::lock_guard lock(mutex_);
    const auto found = twins_.find(kernel);
    return found == twins_.end() ? nullptr : found->second;
}

int queue_twin(CUstream_st& stream, const devmem::host_function& work) {
    if (const int refusal = refusal_of(stream); refusal != 0) return refusal;
    enqueue_call(stream, [accepted = accepted_work(work)]() mutable noexcept { accepted.run(); });
    return cudaSuccess;
}

}  // namespace simulated_cuda::inside

SIMULATED const devmem::host_twins* devmem_v0_host_twins() noexcept {
    static constexpr devmem::host_twins twins{&simulated_cuda::inside::announce,
                                              &simulated_cuda::inside::run};
    return &twins;
}
