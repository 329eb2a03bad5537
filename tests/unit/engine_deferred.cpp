// The scheduler `deferred` of the CPU engine, without any backend. The seed is chosen anew in each
// case: in a program it is fixed before first use.
#include "random.hpp"

#include <devmem/backend/cpu/queue.hpp>

#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using devmem::error_code;
using devmem::status;
using devmem::detail::deferred;
using devmem::detail::gate_queue;
using devmem::detail::last_deadlock;
using devmem::detail::make_host_function;
using devmem::detail::mark_end;
using devmem::detail::push_wait;
using devmem::detail::queue;
using devmem::detail::queue_mark;
using devmem::detail::scheduler_kind;

constexpr std::uint64_t seeds = 16;

/// Queues are the scheduler's for ever once they have had work, so cases share them; each leaves
/// them empty.
std::vector<std::unique_ptr<queue>>& all_queues() {
    static auto* const all = new std::vector<std::unique_ptr<queue>>;
    return *all;
}

queue& nth(std::size_t i) {
    while (all_queues().size() <= i) {
        all_queues().push_back(std::make_unique<queue>(scheduler_kind::deferred));
    }
    return *all_queues()[i];
}

gate_queue& make_gate(bool opened_elsewhere = false) {
    static auto* const all = new std::vector<std::unique_ptr<gate_queue>>;
    all->push_back(std::make_unique<gate_queue>(opened_elsewhere));
    return *all->back();
}

/// What has run, in order. At its end all work that it was told of has run.
struct trace {
    explicit trace(std::uint64_t seed) { deferred.use_seed(seed); }
    ~trace() {
        for (const auto& q : all_queues()) CHECK(q->wait(q->last_ticket()).ok());
    }
    trace(const trace&) = delete;
    trace& operator=(const trace&) = delete;

    void push(queue& q, char name) {
        REQUIRE(q.push(make_host_function([this, name]() noexcept { ran += name; })).ok());
    }

    std::string ran;
};

void wait_between(queue& q, queue_mark mark) { REQUIRE(push_wait(q, mark).ok()); }

void must(status s) { CHECK(s.code == error_code::none); }

std::size_t switches(const std::string& ran) {
    std::size_t found = 0;
    for (std::size_t i = 1; i < ran.size(); ++i) found += ran[i] != ran[i - 1];
    return found;
}

/// Work on two queues, forty pieces each, of which only the first's are demanded.
std::string order_of_two(std::uint64_t seed) {
    trace t(seed);
    for (int i = 0; i < 40; ++i) {
        t.push(nth(0), 'a');
        t.push(nth(1), 'b');
    }
    must(nth(0).wait(nth(0).last_ticket()));
    return t.ran;
}

}  // namespace

TEST_CASE("deferred work does not run before the host waits") {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        trace t(seed);
        for (int i = 0; i < 200; ++i) t.push(nth(0), 'a');
        CHECK(t.ran.empty());
        CHECK(!nth(0).idle_relaxed());
        must(nth(0).wait(nth(0).last_ticket()));
        CHECK(t.ran == std::string(200, 'a'));
        CHECK(nth(0).idle_relaxed());
    }
}

TEST_CASE("work runs on the thread that waits, and knows that it is a queue's work") {
    deferred.use_seed(0);
    bool inside = false;
    pthread_t where{};
    queue& q = nth(0);
    REQUIRE(q.push(make_host_function([&]() noexcept {
                 inside = devmem::detail::in_queue_work;
                 where = pthread_self();
             })).ok());
    must(q.wait(q.last_ticket()));
    CHECK(inside);
    CHECK(pthread_equal(where, pthread_self()) != 0);
    CHECK(!devmem::detail::in_queue_work);
}

TEST_CASE("seed 0 runs only what is demanded, as late as is legal") {
    trace t(0);
    t.push(nth(0), 'a');
    t.push(nth(0), 'b');
    const queue_mark after_b = mark_end(nth(0));
    t.push(nth(0), 'c');
    t.push(nth(2), 'z');
    t.push(nth(1), 'p');
    wait_between(nth(1), after_b);
    t.push(nth(1), 'q');
    const queue_mark after_q = mark_end(nth(1));
    t.push(nth(1), 'r');
    must(after_q.wait());
    CHECK(t.ran == "pabq");
    must(after_b.wait());
    CHECK(t.ran == "pabq");
    must(nth(1).wait(nth(1).last_ticket()));
    CHECK(t.ran == "pabqr");
    must(nth(2).wait(nth(2).last_ticket()));
    CHECK(t.ran == "pabqrz");
    must(nth(0).wait(nth(0).last_ticket()));
    CHECK(t.ran == "pabqrzc");
}

TEST_CASE("a wait that is demanded itself, by its own ticket, is passed and no more") {
    trace t(0);
    t.push(nth(0), 'a');
    wait_between(nth(1), mark_end(nth(0)));
    const queue_mark of_wait = mark_end(nth(1));
    t.push(nth(1), 'b');
    wait_between(nth(2), of_wait);
    t.push(nth(2), 'c');
    must(nth(2).wait(nth(2).last_ticket()));
    CHECK(t.ran == "ac");
    CHECK(of_wait.reached());
}

TEST_CASE("with any other seed one queue is ahead of the other, demanded or not") {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 8U}) {
        CAPTURE(seed);
        const std::string ran = order_of_two(seed);
        const std::string ahead(40, 'b');
        CHECK((ran == std::string(40, 'a') || ran == ahead + std::string(40, 'a')));
    }
}

TEST_CASE("seeds 2k+1 and 2k+2 put either of two queues ahead") {
    for (const std::uint64_t k : {0U, 1U}) {
        CAPTURE(k);
        CHECK(order_of_two(2 * k + 1)[0] != order_of_two(2 * k + 2)[0]);
    }
}

TEST_CASE("three seeds in eight draw new priorities on the way") {
    for (std::uint64_t seed = 1; seed <= 32; ++seed) {
        CAPTURE(seed);
        const bool redraws = seed % 8 >= 5;
        const std::string ran = order_of_two(seed);
        if (redraws) {
            CHECK(switches(ran) > 1);
        } else {
            CHECK(switches(ran) <= 1);
        }
    }
}

TEST_CASE("a seed says the order: the same work runs in the same one") {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        CHECK(order_of_two(seed) == order_of_two(seed));
    }
}

TEST_CASE("no seed runs work before what it was made to wait for") {
    constexpr std::size_t queues = 6;
    constexpr int pieces = 300;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        CAPTURE(seed);
        deferred.use_seed(seed);
        devmem_test::random_numbers random(static_cast<unsigned>(seed));
        std::vector<std::uint64_t> finished(queues);  // the ticket that each queue has got to
        int wrong = 0;
        int ran = 0;
        for (int i = 0; i < pieces; ++i) {
            const std::size_t at = random.below(queues);
            queue& q = nth(at);
            queue& other = nth(random.below(queues));
            const queue_mark mark = mark_end(other);
            const bool waits = random.below(2) == 0 && &q != &other && mark.ticket > 0;
            if (waits) wait_between(q, mark);
            const std::uint64_t ticket = q.last_ticket() + 1;
            REQUIRE(q.push(make_host_function([&, at, ticket, mark, waits]() noexcept {
                         if (waits && !mark.of->reached(mark.ticket)) ++wrong;
                         if (finished[at] >= ticket) ++wrong;
                         finished[at] = ticket;
                         ++ran;
                     })).ok());
            if (random.below(20) == 0) must(mark_end(nth(random.below(queues))).wait());
        }
        for (std::size_t i = 0; i < queues; ++i) must(nth(i).wait(nth(i).last_ticket()));
        CHECK(ran == pieces);
        CHECK(wrong == 0);
    }
}

TEST_CASE("waits that are over, one after the other, change no order") {
    const auto order = [](std::uint64_t seed, bool with_waits) {
        trace t(seed);
        t.push(nth(0), 'a');
        must(nth(0).wait(nth(0).last_ticket()));
        t.ran.clear();
        queue_mark over = mark_end(nth(0));
        for (const std::size_t i : {1U, 2U, 3U, 4U, 5U}) {
            if (with_waits) wait_between(nth(i), over);
            over = mark_end(nth(i));  // of the wait
            t.push(nth(i), static_cast<char>('a' + i));
        }
        t.push(nth(0), 'z');
        must(nth(0).wait(nth(0).last_ticket()));
        return t.ran;
    };
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        CHECK(order(seed, true) == order(seed, false));
    }
}

TEST_CASE("each 64th failed query in a row runs one piece of work") {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        trace t(seed);
        t.push(nth(0), 'a');
        t.push(nth(0), 'b');
        const std::uint64_t ticket = nth(0).last_ticket();
        const std::uint64_t before = ticket - 2;
        CHECK(nth(0).query(before));  // which ends whatever row there was
        for (int i = 1; i <= 63; ++i) CHECK(!nth(0).query(ticket));
        CHECK(t.ran.empty());
        CHECK(!nth(0).query(ticket));
        CHECK(t.ran == "a");
        for (int i = 1; i <= 40; ++i) CHECK(!nth(0).query(ticket));
        CHECK(nth(0).query(before));
        for (int i = 1; i <= 63; ++i) CHECK(!nth(0).query(ticket));
        CHECK(t.ran == "a");
        CHECK(nth(0).query(ticket));
        CHECK(t.ran == "ab");
    }
}

TEST_CASE("with seed 0 queries run what they ask for, else whose turn it is") {
    const auto first_by_query = [](std::uint64_t seed) {
        trace t(seed);
        t.push(nth(0), 'a');
        t.push(nth(1), 'b');
        t.push(nth(2), 'c');
        wait_between(nth(2), mark_end(nth(1)));
        t.push(nth(2), 'd');
        must(nth(2).wait(nth(2).last_ticket() - 2));
        t.ran.clear();
        CHECK(nth(0).query(0));
        for (int i = 0; i < 64; ++i) CHECK(!nth(2).query(nth(2).last_ticket()));
        return t.ran;
    };
    CHECK(first_by_query(0) == "b");
}

TEST_CASE("a query that nothing can bring on stays a query") {
    for (const std::uint64_t seed : {0U, 1U}) {
        trace t(seed);
        gate_queue& gate = make_gate();
        wait_between(nth(0), gate.opened());
        t.push(nth(0), 'a');
        for (int i = 0; i < 200; ++i) CHECK(!nth(0).query(nth(0).last_ticket()));
        gate.open();
    }
}

TEST_CASE("where nothing can run, a wait tells the chain down to what holds it") {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        trace t(seed);
        nth(0).name_as({"cpu", 0, 5});
        nth(1).name_as({"cpu", 1, 7});
        gate_queue& gate = make_gate();
        wait_between(nth(0), gate.opened());
        t.push(nth(0), 'a');
        wait_between(nth(1), mark_end(nth(0)));
        t.push(nth(1), 'b');
        t.push(nth(2), 'c');

        const status s = nth(1).wait(nth(1).last_ticket());
        CHECK(s.code == error_code::deadlock);
        CHECK(std::string(last_deadlock.c_str()) ==
              "cpu:1 stream 7 waits for cpu:0 stream 5, which is held by a closed gate");
        CHECK(nth(0).wait(nth(0).last_ticket()).code == error_code::deadlock);
        CHECK(std::string(last_deadlock.c_str()) == "cpu:0 stream 5 is held by a closed gate");
        CHECK(t.ran == (seed == 0 ? "" : "c"));  // what could run has, by all seeds but 0

        gate.open();
        must(nth(1).wait(nth(1).last_ticket()));
        CHECK(t.ran == (seed == 0 ? "ab" : "cab"));
    }
}

TEST_CASE("of a long chain the middle is left out") {
    trace t(0);
    gate_queue& gate = make_gate();
    queue_mark mark = gate.opened();
    for (std::size_t i = 0; i < 12; ++i) {
        nth(i).name_as({"cpu", 0, 100 + i});
        wait_between(nth(i), mark);
        t.push(nth(i), 'x');
        mark = mark_end(nth(i));
        const std::string text = [&] {
            CHECK(mark.wait().code == error_code::deadlock);
            return std::string(last_deadlock.c_str());
        }();
        if (i == 2) {
            CHECK(text ==
                  "cpu:0 stream 102 waits for cpu:0 stream 101, which waits for cpu:0 stream 100, "
                  "which is held by a closed gate");
        }
        if (i == 11) {
            CHECK(text ==
                  "cpu:0 stream 111 waits for cpu:0 stream 110, and so on, down to cpu:0 stream "
                  "101, which waits for cpu:0 stream 100, which is held by a closed gate");
        }
    }
    gate.open();
}

TEST_CASE("a wait for work that was never queued is told, and so is a circle") {
    for (const std::uint64_t seed : {0U, 1U, 2U}) {
        CAPTURE(seed);
        deferred.use_seed(seed);
        // Queues of their own: these waits never end.
        static auto* const lost = new std::vector<std::unique_ptr<queue>>;
        const auto make = [](std::uint64_t id) -> queue& {
            lost->push_back(std::make_unique<queue>(scheduler_kind::deferred));
            lost->back()->name_as({"cpu", 0, id});
            return *lost->back();
        };
        queue& a = make(1);
        queue& b = make(2);
        wait_between(a, {&b, 1});
        CHECK(a.wait(1).code == error_code::deadlock);
        CHECK(std::string(last_deadlock.c_str()) ==
              "cpu:0 stream 1 waits for cpu:0 stream 2, which is held by nothing: no such work was "
              "queued");
        wait_between(b, {&a, 1});
        CHECK(a.wait(1).code == error_code::deadlock);
        CHECK(std::string(last_deadlock.c_str()).find("a circle of waits") != std::string::npos);
    }
}

TEST_CASE("a wait behind a gate that another thread is to open lasts until it does") {
    for (const std::uint64_t seed : {0U, 1U, 2U}) {
        CAPTURE(seed);
        trace t(seed);
        gate_queue& gate = make_gate(true);
        wait_between(nth(0), gate.opened());
        t.push(nth(0), 'a');
        wait_between(nth(1), mark_end(nth(0)));
        t.push(nth(1), 'b');
        std::atomic<bool> opened{false};
        std::thread opener([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            opened = true;
            gate.open();
        });
        must(nth(1).wait(nth(1).last_ticket()));
        CHECK(opened);
        CHECK(t.ran == "ab");
        opener.join();
    }
}

TEST_CASE("a gate holds up what was queued behind it, and nothing before") {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        trace t(seed);
        gate_queue& gate = make_gate();
        t.push(nth(0), 'a');
        const queue_mark before = mark_end(nth(0));
        wait_between(nth(0), gate.opened());
        t.push(nth(0), 'b');
        must(before.wait());
        CHECK(t.ran == "a");
        gate.open();
        must(nth(0).wait(nth(0).last_ticket()));
        CHECK(t.ran == "ab");
    }
}

TEST_CASE("several threads may wait at once; each finds its own work done") {
    constexpr int threads = 4;
    constexpr int rounds = 500;
    for (const std::uint64_t seed : {0U, 1U, 2U, 5U}) {
        CAPTURE(seed);
        deferred.use_seed(seed);
        for (std::size_t i = 0; i < threads; ++i) static_cast<void>(nth(i));
        int shared = 0;  // one piece of work at a time
        std::atomic<int> wrong{0};
        std::vector<std::thread> all;
        for (std::size_t i = 0; i < threads; ++i) {
            all.emplace_back([&, i] {
                queue& own = nth(i);
                queue& next = nth((i + 1) % threads);
                int mine = 0;
                for (int r = 1; r <= rounds; ++r) {
                    bool ok = own.push(make_host_function([&]() noexcept {
                                     ++mine;
                                     ++shared;
                                 }))
                                  .ok();
                    if (r % 3 == 0) ok = ok && push_wait(own, mark_end(next)).ok();
                    ok = ok && own.wait(own.last_ticket()).ok();
                    if (!ok || mine != r) ++wrong;
                }
            });
        }
        for (std::thread& t : all) t.join();
        CHECK(wrong == 0);
        CHECK(shared == threads * rounds);
    }
}

TEST_CASE("work may not wait, and is told so instead of standing still") {
    trace t(0);
    t.push(nth(1), 'b');
    status inside;
    REQUIRE(nth(0)
                .push(make_host_function(
                    [&]() noexcept { inside = nth(1).wait(nth(1).last_ticket()); }))
                .ok());
    must(nth(0).wait(nth(0).last_ticket()));
    CHECK(inside.code == error_code::not_permitted);
    CHECK(t.ran.empty());
}

TEST_CASE("a host wait is counted when it finds work not done, by every scheduler") {
    const auto& blocked = devmem::detail::host_waits.blocked;
    trace t(0);
    t.push(nth(0), 'a');
    const std::uint64_t before = blocked.load_relaxed();
    must(nth(0).wait(nth(0).last_ticket()));
    CHECK(blocked.load_relaxed() == before + 1);
    must(nth(0).wait(nth(0).last_ticket()));
    CHECK(blocked.load_relaxed() == before + 1);

    static auto* const with_thread = new queue(scheduler_kind::threads);
    gate_queue& gate = make_gate();
    wait_between(*with_thread, gate.opened());
    gate.open();
    must(with_thread->wait(1));
    CHECK(blocked.load_relaxed() <= before + 2);
    must(with_thread->wait(1));
    CHECK(blocked.load_relaxed() <= before + 2);
}
