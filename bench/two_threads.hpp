// The raw thing that the CPU path is measured against: a second thread that takes half of a range,
// kept between calls and woken by a semaphore, with nothing else around it.
#pragma once

#include <cstddef>
#include <functional>
#include <semaphore>
#include <thread>

namespace devmem_bench {

class two_threads {
  public:
    two_threads() : helper_([this](const std::stop_token& stop) { help(stop); }) {}
    ~two_threads() {
        helper_.request_stop();
        work_ = nullptr;
        go_.release();
    }
    two_threads(const two_threads&) = delete;
    two_threads& operator=(const two_threads&) = delete;

    /// Calls `f(begin, end)` for the two halves of [0, n), at once.
    void run(std::size_t n, const std::function<void(std::size_t, std::size_t)>& f) {
        work_ = [&f, n] { f(n / 2, n); };
        go_.release();
        f(0, n / 2);
        done_.acquire();
    }

  private:
    void help(const std::stop_token& stop) {
        for (;;) {
            go_.acquire();
            if (stop.stop_requested()) return;
            work_();
            done_.release();
        }
    }

    std::function<void()> work_;
    std::binary_semaphore go_{0};
    std::binary_semaphore done_{0};
    std::jthread helper_;
};

}  // namespace devmem_bench
