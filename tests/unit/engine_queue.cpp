// The queues of the CPU engine, and the few atomics they are made of, without any backend.
#include "random.hpp"

#include <devmem/backend/cpu/queue.hpp>
#include <devmem/backend/cpu/sync.hpp>

#include <doctest/doctest.h>
#include <signal.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using devmem::host_function;
using devmem::host_function_action;
using devmem::detail::in_queue_work;
using devmem::detail::make_host_function;
using devmem::detail::mark_end;
using devmem::detail::push_wait;
using devmem::detail::queue;
using devmem::detail::queue_mark;
using devmem::detail::scheduler_kind;
using devmem::detail::wait_counter;

/// Queues and counters live for ever once a thread may be in them; this list keeps them reachable.
template <class T, class... Arguments>
T& make_immortal(Arguments... arguments) {
    static auto* const all = new std::vector<std::unique_ptr<T>>;
    all->push_back(std::make_unique<T>(arguments...));
    return *all->back();
}

queue& make_queue(scheduler_kind scheduler = scheduler_kind::threads) {
    return make_immortal<queue>(scheduler);
}

template <class F>
void push(queue& q, F&& f) {
    REQUIRE(q.push(make_host_function(std::forward<F>(f))).ok());
}

/// No doctest assertion: threads call it.
void must(devmem::status s) {
    if (!s.ok()) std::abort();
}

/// Now and then a moment's rest, so that the other side is met both awake and asleep.
void rest_sometimes(devmem_test::random_numbers& random) {
    const unsigned draw = random.below(64);
    if (draw == 0) {
        const timespec pause{0, random.below(60'000)};
        nanosleep(&pause, nullptr);
    } else if (draw < 8) {
        for (unsigned i = random.below(400); i > 0; --i) devmem::detail::cpu_relax();
    }
}

}  // namespace

TEST_CASE("a counter counts what was added") {
    wait_counter counter;
    CHECK(counter.value_relaxed() == 0);
    counter.add(3);
    counter.add(4);
    CHECK(counter.value_relaxed() == 7);
    CHECK(counter.value_acquire() == 7);
    counter.wait_for(0);
    counter.wait_for(7);
    CHECK(counter.value_acquire() == 7);
}

TEST_CASE("a counter keeps all bits above the lower half") {
    wait_counter counter;
    const std::uint64_t many = (std::uint64_t{1} << 40) + 5;
    counter.add(many);
    counter.add(1);
    counter.wait_for(many + 1);
    CHECK(counter.value_acquire() == many + 1);
}

TEST_CASE("each waiter of a counter goes on at its own target, and not before") {
    auto& counter = make_immortal<wait_counter>();
    constexpr std::uint64_t waiters = 4;
    std::array<std::atomic<bool>, waiters + 1> through{};
    std::vector<std::thread> threads;
    for (std::uint64_t target = 1; target <= waiters; ++target) {
        threads.emplace_back([&, target] {
            counter.wait_for(target);
            CHECK(counter.value_relaxed() >= target);
            through[target] = true;
        });
    }
    for (std::uint64_t count = 1; count <= waiters; ++count) {
        // Long enough that all are asleep: those that are woken in vain must go back to sleep.
        const timespec pause{0, 2'000'000};
        nanosleep(&pause, nullptr);
        for (std::uint64_t later = count; later <= waiters; ++later) CHECK(!through[later]);
        counter.add(1);
        threads[count - 1].join();
        CHECK(through[count]);
    }
}

TEST_CASE("no wake-up is lost between two threads that wait for each other in turn") {
    constexpr std::uint64_t rounds = 20'000;
    auto& there = make_immortal<wait_counter>();
    auto& back = make_immortal<wait_counter>();
    std::uint64_t answered = 0;
    std::thread other([&] {
        devmem_test::random_numbers random(1);
        for (std::uint64_t i = 1; i <= rounds; ++i) {
            there.wait_for(i);
            rest_sometimes(random);
            answered = i;
            back.add(1);
        }
    });
    devmem_test::random_numbers random(2);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 1; i <= rounds; ++i) {
        rest_sometimes(random);
        there.add(1);
        back.wait_for(i);
        if (answered != i) ++wrong;
    }
    other.join();
    CHECK(answered == rounds);
    CHECK(wrong == 0);
}

TEST_CASE("no wake-up is lost when several add and several wait") {
    constexpr std::uint64_t each = 10'000;
    constexpr int adders = 2;
    auto& counter = make_immortal<wait_counter>();
    std::vector<std::thread> threads;
    std::atomic<std::uint64_t> early{0};
    for (unsigned w = 0; w < 2; ++w) {
        threads.emplace_back([&, w] {
            devmem_test::random_numbers random(10 + w);
            for (std::uint64_t target = 1; target <= each * adders; target += random.below(5)) {
                counter.wait_for(target);
                if (counter.value_relaxed() < target) ++early;
            }
            counter.wait_for(each * adders);
        });
    }
    for (unsigned a = 0; a < adders; ++a) {
        threads.emplace_back([&, a] {
            devmem_test::random_numbers random(20 + a);
            for (std::uint64_t i = 0; i < each; ++i) {
                counter.add(1);
                rest_sometimes(random);
            }
        });
    }
    for (std::thread& t : threads) t.join();
    CHECK(counter.value_acquire() == each * adders);
    CHECK(early == 0);
}

TEST_CASE("a mutex keeps others out and loses nobody") {
    constexpr int each = 20'000;
    devmem::detail::mutex mutex;
    long count = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 3; ++i) {
        threads.emplace_back([&, i] {
            devmem_test::random_numbers random(i);
            for (int k = 0; k < each; ++k) {
                const devmem::detail::lock_guard lock(mutex);
                ++count;
                rest_sometimes(random);
            }
        });
    }
    for (std::thread& t : threads) t.join();
    CHECK(count == 3 * each);
    CHECK(mutex.try_lock());
    CHECK(!mutex.try_lock());
    mutex.unlock();
    CHECK(mutex.try_lock());
    mutex.unlock();
}

TEST_CASE("a host function runs or drops its closure once, wherever it is kept") {
    struct counted {
        explicit counted(int* count) : alive(count) { ++*alive; }
        counted(const counted& other) : alive(other.alive) { ++*alive; }
        ~counted() { --*alive; }
        int* alive;
    };
    int alive = 0;
    int runs = 0;
    const auto closure = [&runs, held = counted(&alive)]() noexcept { ++runs; };
    static_assert(!devmem::detail::kept_in_place<std::remove_const_t<decltype(closure)>>);
    REQUIRE(alive == 1);

    host_function run = make_host_function(closure);
    CHECK(alive == 2);
    run.run();
    CHECK(runs == 1);
    CHECK(alive == 1);

    host_function dropped = make_host_function(closure);
    CHECK(alive == 2);
    dropped.drop();
    CHECK(runs == 1);
    CHECK(alive == 1);

    const std::array<char, 48> fits{7};
    const auto small = [fits, &runs]() noexcept { runs += fits[0]; };
    static_assert(sizeof small > host_function::capacity);
    const auto tiny = [&runs]() noexcept { runs += 10; };
    static_assert(devmem::detail::kept_in_place<std::remove_const_t<decltype(tiny)>>);
    make_host_function(small).run();
    CHECK(runs == 8);
    make_host_function(tiny).run();
    CHECK(runs == 18);
    make_host_function(tiny).drop();
    CHECK(runs == 18);
}

TEST_CASE("work runs in the order in which it was pushed") {
    queue& q = make_queue();
    std::vector<int> order;
    constexpr int tasks = 10'000;
    for (int i = 0; i < tasks; ++i) push(q, [&order, i]() noexcept { order.push_back(i); });
    CHECK(q.last_ticket() == tasks);
    must(q.wait(tasks));
    REQUIRE(order.size() == tasks);
    int wrong = 0;
    for (int i = 0; i < tasks; ++i) wrong += order[static_cast<std::size_t>(i)] != i;
    CHECK(wrong == 0);
}

TEST_CASE("nothing is lost, moved or run twice where a piece of the list of work ends") {
    // A piece holds 63: bursts that end just before, at and after a border, with the queue's thread
    // close behind, and with the whole list there before it starts.
    for (const bool held : {false, true}) {
        queue& q = make_queue();
        auto& opened = make_immortal<wait_counter>();
        if (held) push(q, [&opened]() noexcept { opened.wait_for(1); });
        const std::uint64_t first = q.last_ticket();
        std::vector<int> ran;
        int pushed = 0;
        for (const int burst : {1, 61, 62, 63, 64, 125, 126, 127, 189, 1, 1}) {
            for (int i = 0; i < burst; ++i) {
                push(q, [&ran, pushed]() noexcept { ran.push_back(pushed); });
                ++pushed;
            }
            CHECK(q.last_ticket() == first + static_cast<std::uint64_t>(pushed));
            if (!held) must(q.wait(q.last_ticket()));
        }
        if (held) {
            CHECK(!q.reached(1));
            opened.add(1);
        }
        must(q.wait(q.last_ticket()));
        REQUIRE(ran.size() == static_cast<std::size_t>(pushed));
        int wrong = 0;
        for (int i = 0; i < pushed; ++i) wrong += ran[static_cast<std::size_t>(i)] != i;
        CHECK(wrong == 0);
        CHECK(!q.reached(q.last_ticket() + 1));
    }
}

TEST_CASE("what several threads push runs once each, every thread's in its order") {
    constexpr int producers = 4;
    constexpr int each = 5'000;
    queue& q = make_queue();
    std::array<int, producers> next{};
    int wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < producers; ++p) {
        threads.emplace_back([&, p] {
            for (int i = 0; i < each; ++i) {
                const host_function work = make_host_function([&next, &wrong, p, i]() noexcept {
                    if (next[p]++ != i) ++wrong;
                });
                if (!q.push(work).ok()) std::abort();
            }
        });
    }
    for (std::thread& t : threads) t.join();
    CHECK(q.last_ticket() == producers * each);
    must(q.wait(q.last_ticket()));
    for (const int n : next) CHECK(n == each);
    CHECK(wrong == 0);
}

TEST_CASE("a ticket is reached when its work has run, and not before") {
    queue& q = make_queue();
    auto& opened = make_immortal<wait_counter>();
    CHECK(q.last_ticket() == 0);
    CHECK(q.reached(0));
    CHECK(q.idle_relaxed());
    for (std::uint64_t gate = 1; gate <= 3; ++gate) {
        push(q, [&opened, gate]() noexcept { opened.wait_for(gate); });
        CHECK(q.last_ticket() == gate);
    }
    for (std::uint64_t gate = 1; gate <= 3; ++gate) {
        CHECK(!q.reached(gate));
        CHECK(!q.idle_relaxed());
        opened.add(1);
        must(q.wait(gate));
        CHECK(q.reached(gate));
        CHECK(!q.reached(gate + 1));
    }
    CHECK(q.idle_relaxed());
    CHECK(q.last_ticket() == 3);
}

TEST_CASE("in line, work has run when push returns, on the thread that pushed") {
    queue& q = make_queue(scheduler_kind::in_line);
    pthread_t where{};
    bool inside = false;
    CHECK(!in_queue_work);
    push(q, [&where, &inside]() noexcept {
        where = pthread_self();
        inside = in_queue_work;
    });
    CHECK(pthread_equal(where, pthread_self()) != 0);
    CHECK(inside);
    CHECK(!in_queue_work);
    CHECK(q.last_ticket() == 1);
    CHECK(q.reached(1));
    CHECK(q.idle_relaxed());
}

TEST_CASE("a queue's thread knows that it runs work, and takes no signals but its own") {
    queue& q = make_queue();
    pthread_t where = pthread_self();
    bool inside = false;
    sigset_t blocked;
    sigemptyset(&blocked);
    push(q, [&]() noexcept {
        where = pthread_self();
        inside = in_queue_work;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    });
    must(q.wait(1));
    CHECK(pthread_equal(where, pthread_self()) == 0);
    CHECK(inside);
    CHECK(!in_queue_work);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM}) {
        CHECK(sigismember(&blocked, signal) == 1);
    }
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) {
        CHECK(sigismember(&blocked, signal) == 0);
    }
    sigset_t here;
    pthread_sigmask(SIG_SETMASK, nullptr, &here);
    CHECK(sigismember(&here, SIGUSR1) == 0);
}

TEST_CASE("a mark that marks nothing is passed, and waiting for it takes no work") {
    const queue_mark nothing;
    CHECK(nothing.reached());
    must(nothing.wait());
    queue& q = make_queue();
    CHECK(push_wait(q, nothing).ok());
    CHECK(q.last_ticket() == 0);
    // The end of a queue that was never given work.
    const queue_mark before_all = mark_end(make_queue());
    CHECK(before_all.reached());
    must(before_all.wait());
    CHECK(push_wait(q, before_all).ok());
    CHECK(q.last_ticket() == 0);
}

TEST_CASE("a queue that waits for its own mark takes no work for that") {
    queue& q = make_queue();
    push(q, []() noexcept {});
    CHECK(push_wait(q, mark_end(q)).ok());
    CHECK(q.last_ticket() == 1);
}

TEST_CASE("a queue that waits for another's mark goes on when that is passed") {
    queue& first = make_queue();
    queue& second = make_queue();
    auto& opened = make_immortal<wait_counter>();
    int value = 0;
    int seen = -1;
    push(first, [&]() noexcept {
        opened.wait_for(1);
        value = 42;
    });
    const queue_mark mark = mark_end(first);
    // Work behind the mark, which the second queue need not wait for.
    push(first, [&]() noexcept { opened.wait_for(2); });
    REQUIRE(push_wait(second, mark).ok());
    push(second, [&]() noexcept { seen = value; });
    CHECK(!mark.reached());
    CHECK(!second.reached(1));
    opened.add(1);
    must(second.wait(second.last_ticket()));
    CHECK(seen == 42);
    CHECK(mark.reached());
    CHECK(!first.reached(2));
    opened.add(1);
    must(first.wait(2));
}

TEST_CASE("no wake-up is lost between a queue and those who push and wait") {
    constexpr int rounds = 6'000;
    queue& q = make_queue();
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    std::array<int, 2> runs{};
    for (std::size_t t = 0; t < runs.size(); ++t) {
        threads.emplace_back([&, t] {
            devmem_test::random_numbers random(static_cast<unsigned>(30 + t));
            int pushed = 0;
            for (int i = 0; i < rounds; ++i) {
                for (unsigned burst = 1 + random.below(3); burst > 0; --burst) {
                    const host_function work =
                        make_host_function([&runs, t]() noexcept { ++runs[t]; });
                    if (!q.push(work).ok()) std::abort();
                    ++pushed;
                }
                rest_sometimes(random);
                must(q.wait(q.last_ticket()));
                if (runs[t] != pushed) ++wrong;
            }
        });
    }
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(q.idle_relaxed());
}

TEST_CASE("queues that wait for each other in turn never stand still") {
    constexpr int rounds = 5'000;
    std::array<queue*, 3> all{&make_queue(), &make_queue(), &make_queue()};
    // Written by whichever queue has its turn: only the waits keep these apart.
    int turns = 0;
    int wrong = 0;
    queue_mark last;
    for (int i = 0; i < rounds; ++i) {
        queue& q = *all[static_cast<std::size_t>(i * 7 % 3)];
        REQUIRE(push_wait(q, last).ok());
        push(q, [&turns, &wrong, i]() noexcept {
            if (turns++ != i) ++wrong;
        });
        last = mark_end(q);
    }
    must(last.wait());
    CHECK(turns == rounds);
    CHECK(wrong == 0);
}
