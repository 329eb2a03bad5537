/// \file
/// Fault sweeps: each backend call that an operation makes fails in each way that it may, one at a
/// time, and after each failure nothing may have leaked, changed or stayed broken.
///
/// What calls there are is learnt from a run in which nothing fails. What they may give is, over
/// the simulated runtime, what CUDA's documentation says.
#pragma once

#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/error.hpp>
#include <devmem/messages.hpp>
#include <devmem/pool.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "cuda_faults.hpp"
#else
#include "cpu_faults.hpp"
#endif

namespace devmem_test {

/// While it lives, errors in destructors are counted, not printed.
class counted_destructor_errors {
  public:
    counted_destructor_errors() : before_(devmem::set_destructor_error_sink(&count)) {}
    ~counted_destructor_errors() { devmem::set_destructor_error_sink(before_); }
    counted_destructor_errors(const counted_destructor_errors&) = delete;
    counted_destructor_errors& operator=(const counted_destructor_errors&) = delete;

    static int so_far() { return counted; }

  private:
    static void count(const char*) noexcept { ++counted; }

    inline static std::atomic<int> counted{0};
    devmem::message_sink before_;
};

/// How an operation ended.
enum class ending { returned, threw_devmem_error, threw_bad_alloc, threw_something_else };

template <class F>
ending end_of(const F& f, std::string* message) {
    try {
        f();
    } catch (const devmem::error_info& e) {
        *message = e.message();
        return ending::threw_devmem_error;
    } catch (const std::bad_alloc& e) {
        *message = e.what();
        return ending::threw_bad_alloc;
    } catch (const std::exception& e) {
        *message = e.what();
        return ending::threw_something_else;
    } catch (...) {
        *message = "no std::exception";
        return ending::threw_something_else;
    }
    return ending::returned;
}

/// An operation to be swept. All but `act` run while nothing fails.
template <class State>
struct swept_operation {
    std::string name;
    std::function<State()> make;      ///< what it works on
    std::function<void(State&)> act;  ///< the operation, which is made to fail
    // These two are not asked after the loss of a device, whose memory tells nothing.
    std::function<void(State&)> when_it_returned;  ///< checks that all is done
    std::function<void(State&)> when_it_threw;     ///< checks that nothing has changed
    /// What it throws tells of memory that could not be given back, and that nobody has any more.
    bool gives_memory_back = false;
};

/// Makes each backend call of an operation fail in turn.
template <class State>
class fault_sweep {
  public:
    explicit fault_sweep(swept_operation<State> operation) : operation_(std::move(operation)) {}

    /// Runs the sweep; tells how many failures came out of the operation as an exception.
    int run() {
        INFO("operation: " << operation_.name);
        run_without_failure();  // caches what is looked up once
        const std::vector<fault> planned = faults::plan(record());
        CHECK_FALSE(planned.empty());
        std::string last;
        for (const fault& f : planned) {
            // Later use works.
            if (f.function != last) run_without_failure();
            last = f.function;
            run_with(f);
            if (has_leaked_) break;  // the rest would only say so again
        }
        run_without_failure();
        CHECK(reached_ > 0);
        return thrown_;
    }

  private:
    void run_without_failure() {
        INFO("nothing fails");
        State state = operation_.make();
        settle();
        operation_.act(state);
        settle();
        operation_.when_it_returned(state);
    }

    std::vector<std::string> record() {
        faults::settle_caches();
        State state = operation_.make();
        settle();
        faults::start_recording();
        operation_.act(state);
        return faults::recorded();
    }

    /// Runs the operation while `f` is in force, checks how it ended, and tells whether it has
    /// said of what it could not give back.
    bool attempt(const fault& f) {
        State state = operation_.make();
        settle();
        const thread_place before = thread_place::now();
        const int told = counted_destructor_errors::so_far();
        std::string message;
        faults::arm(f);
        const ending end = end_of([&] { operation_.act(state); }, &message);
        const bool was_reached = faults::disarm(f);
        INFO("ended with: " << message);
        CHECK(end != ending::threw_something_else);
        CHECK(thread_place::now() == before);
        CHECK(faults::last_error_is_clear());
        settle();
        if (!f.takes_all()) {
            (end == ending::returned ? operation_.when_it_returned
                                     : operation_.when_it_threw)(state);
        }
        if (was_reached) ++reached_;
        if (end != ending::returned) ++thrown_;
        return counted_destructor_errors::so_far() != told ||
               ((f.of_release || operation_.gives_memory_back) && end != ending::returned);
    }

    void run_with(const fault& f) {
        INFO(f.text());
        faults::settle_caches();
        const amounts before = amounts::now();
        const bool was_told = attempt(f);
        faults::settle_caches();
        faults::check_no_misuse();
        const amounts after = amounts::now();
        CHECK(after.live <= before.live);
        // On a device that is lost nothing can be given back, and what could not be given back once
        // and was said so is nobody's any more.
        if (f.takes_all() || was_told || !after.has_grown_since(before)) return;
        // Something may be kept for later use. What leaks, leaks each time.
        constexpr std::size_t repeats = 24;
        for (std::size_t i = 0; i < repeats; ++i) attempt(f);
        faults::settle_caches();
        const amounts last = amounts::now();
        INFO("each time there is more: before " << after.text() << "; after " << repeats
                                                << " times " << last.text());
        has_leaked_ = last.has_grown_since(after, repeats);
        CHECK_FALSE(has_leaked_);
    }

    swept_operation<State> operation_;
    bool has_leaked_ = false;
    int reached_ = 0;
    int thrown_ = 0;
};

/// For operations that need nothing made before, and check their results themselves.
inline void sweep_faults(const std::string& name, const std::function<void()>& act,
                         bool gives_memory_back = false) {
    struct nothing {};
    const auto none = [](nothing&) {};
    const int thrown =
        fault_sweep<nothing>({name, [] { return nothing(); }, [&act](nothing&) { act(); }, none,
                              none, gives_memory_back})
            .run();
    INFO("operation: " << name);
    CHECK(thrown > 0);
}

}  // namespace devmem_test
