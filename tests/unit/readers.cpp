// Threads that read one constant vector, each on a stream of its own, beside others that come and
// go.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/fill.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using devmem::stream;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_vector;

TEST_CASE("one vector is read by four threads on four streams, a hundred thousand times") {
    const nothing_stays check;
    constexpr int readers = 4;
    // Where work runs as late as is legal, it piles up.
    const int reads = (devmem_test::scheduler_is("deferred") ? 8'000 : 100'000) / readers;
    const test_vector<int> shared(counted<int>(64), test_device(1));
    std::atomic<int> finished{0};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int reader = 0; reader < readers; ++reader) {
        threads.emplace_back([&] {
            const stream s(test_device(1));
            test_vector<int> own(64, s);
            for (int i = 0; i < reads; ++i) {
                devmem::copy_async(shared, own, s);
                if (i % 1000 == 999) wrong += contents(own) != counted<int>(64);
            }
            ++finished;
        });
    }
    threads.emplace_back([&] {
        for (int round = 0; finished < readers; ++round) {
            const stream s(test_device(1));
            test_vector<int> v(1000, round, s);
            test_vector<int> copy(64, s);
            devmem::copy_async(shared, copy, s);
            const test_vector<int> other(copy);
            if (round % 50 == 0) wrong += contents(other) != counted<int>(64);
        }
    });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(contents(shared) == counted<int>(64));
}

TEST_CASE("then it may be written again") {
    const nothing_stays check;
    test_vector<int> v(64, 1, test_device(1));
    for (int round = 0; round < 50; ++round) {
        std::vector<std::thread> threads;
        std::atomic<int> wrong{0};
        for (int reader = 0; reader < 4; ++reader) {
            threads.emplace_back([&] {
                const stream s(test_device(1));
                test_vector<int> own(64, s);
                for (int i = 0; i < 10; ++i) devmem::copy_async(std::as_const(v), own, s);
                wrong += own.get(63, s) != round + 1;
            });
        }
        for (std::thread& t : threads) t.join();
        CHECK(wrong == 0);
        devmem::fill(v, round + 2);
    }
}
