#include "calls.hpp"

#include "state.hpp"

#include <utility>

namespace simulated_cuda::inside {

void call_book::note(const call& c) {
    const std::lock_guard lock(mutex_);
    ++counts_[c.function];
    if (c.waited) ++host_waits_;
    if (log_.size() < most_logged) log_.push_back(c);
}

void call_book::count_only(const char* function) {
    const std::lock_guard lock(mutex_);
    ++counts_[function];
}

std::vector<call> call_book::all() const {
    const std::lock_guard lock(mutex_);
    return log_;
}

std::size_t call_book::count(std::string_view function) const {
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(function);
    return found == counts_.end() ? 0 : found->second;
}

std::size_t call_book::host_waits() const {
    const std::lock_guard lock(mutex_);
    return host_waits_;
}

void call_book::clear_calls() {
    const std::lock_guard lock(mutex_);
    log_.clear();
    counts_.clear();
    host_waits_ = 0;
}

void call_book::fail(std::string_view function, int nth, int error, failure_kind kind) {
    const std::lock_guard lock(mutex_);
    failures_.push_back({std::string(function), nth, error, kind});
}

void call_book::fail_no_more() {
    const std::lock_guard lock(mutex_);
    failures_.clear();
}

due_failure call_book::failure_of(std::string_view function, bool needs_context) {
    const std::lock_guard lock(mutex_);
    due_failure found;
    for (auto f = failures_.begin(); f != failures_.end();) {
        const bool meant = f->function.empty() || f->function == function;
        const bool ever = f->kind == failure_kind::ever;
        const bool can_be_told = f->kind != failure_kind::fault || needs_context;
        const bool due = meant && (ever || --f->countdown <= 0) && can_be_told;
        if (due && found.error == 0) found = {f->error, f->kind};
        f = due && !ever ? failures_.erase(f) : f + 1;
    }
    return found;
}

void call_book::misuse(std::string what) {
    const std::lock_guard lock(mutex_);
    misuses_.push_back(std::move(what));
}

std::vector<std::string> call_book::misuses() const {
    const std::lock_guard lock(mutex_);
    return misuses_;
}

void call_book::clear_misuses() {
    const std::lock_guard lock(mutex_);
    misuses_.clear();
}

void misuse(const call& c, const std::string& what) {
    the_simulation().calls.misuse(std::string(c.function) + ": " + what);
}

namespace {

/// The runtime makes the current device's primary context and binds it to the thread when it is
/// first needed; the driver never does, and says that there is none.
int enter_context(bool of_runtime) {
    thread_state& t = this_thread();
    if (t.contexts.top() == nullptr) {
        if (!of_runtime) return CUDA_ERROR_INVALID_CONTEXT;
        t.contexts.replace_top(&the_simulation().devices[t.device].context);
    }
    CUctx_st* current = t.contexts.top();
    if (of_runtime) current->active = true;
    if (!current->active) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return the_simulation().devices[current->device].fault;
}

}  // namespace

int admit(call& c, needs what, bool of_runtime) {
    simulation& s = the_simulation();
    const thread_state& t = this_thread();
    c.current_device = t.current_device();
    c.device = c.current_device;
    if (t.in_host_function) {
        misuse(c, "called in a host function");
        return cudaErrorNotPermitted;
    }
    if (s.unloaded) return cudaErrorCudartUnloading;
    if (const due_failure due = s.calls.failure_of(c.function, what == needs::context);
        due.error != 0) {
        if (due.kind == failure_kind::unloaded) s.unloaded = true;
        if (due.kind == failure_kind::fault) s.devices[c.current_device].fault = due.error;
        return due.error;
    }
    if (what == needs::nothing) return cudaSuccess;
    if (s.device_count == 0) return cudaErrorNoDevice;
    return what == needs::context ? enter_context(of_runtime) : cudaSuccess;
}

int finish(call& c, int result, bool of_runtime) {
    c.result = result;
    the_simulation().calls.note(c);
    // With the driver gone there is nobody to keep it.
    const bool is_kept = of_runtime && result != cudaSuccess && !the_simulation().unloaded;
    if (is_kept) this_thread().last_error = result;
    return result;
}

}  // namespace simulated_cuda::inside
