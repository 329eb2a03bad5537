// The team that shares parallel ranges, apart from any queue.
#include "random.hpp"

#include <devmem/backend/cpu/team.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using devmem::detail::team;

/// A team with helpers also under a race detector: here it is the team that is tested. Its threads
/// never end, so neither does it; this list keeps it reachable.
team& team_of(int threads) {
    static auto* const all = new std::vector<std::unique_ptr<team>>(8);
    auto& found = (*all)[static_cast<std::size_t>(threads)];
    if (found == nullptr) found = std::make_unique<team>(threads, true);
    return *found;
}

/// How often each index was visited, and what was wrong with the pieces.
struct visits {
    explicit visits(std::size_t n) : counts(n) {}

    void note(std::size_t begin, std::size_t end, std::size_t grain) {
        ++pieces;
        if (begin >= end || end > counts.size()) ++wrong;
        if (begin % grain != 0 || (end % grain != 0 && end != counts.size())) ++wrong;
        for (std::size_t i = begin; i < end; ++i) ++counts[i];
    }
    /// Each piece writes its own part, so this is exact once `run` has returned.
    std::size_t not_once() const {
        std::size_t n = 0;
        for (const int c : counts) n += c != 1;
        return n;
    }

    std::vector<int> counts;
    std::atomic<int> pieces{0};
    std::atomic<int> wrong{0};
};

}  // namespace

TEST_CASE("a team has as many threads as it was asked for, the caller included") {
    for (const int threads : {1, 2, 3, 5}) CHECK(team_of(threads).threads() == threads);
    CHECK(team(0, true).threads() == 1);
    CHECK(team(7, false).threads() == 1);
}

TEST_CASE("a range is covered once by pieces that are multiples of the grain") {
    for (const int threads : {1, 2, 3, 5}) {
        for (const std::size_t count : {1u, 2u, 7u, 63u, 64u, 65u, 1000u, 4096u, 10'007u}) {
            for (const std::size_t grain : {1u, 3u, 64u, 4096u, 20'000u}) {
                CAPTURE(threads);
                CAPTURE(count);
                CAPTURE(grain);
                visits seen(count);
                team_of(threads).run(count, grain, [&](std::size_t begin, std::size_t end) {
                    seen.note(begin, end, grain);
                });
                CHECK(seen.not_once() == 0);
                CHECK(seen.wrong == 0);
                CHECK(seen.pieces >= 1);
                // Four pieces a thread: what is queued must not depend on the number of elements.
                CHECK(seen.pieces <= 4 * threads);
            }
        }
    }
}

TEST_CASE("of nothing, nothing is called; of one grain, once, and by the caller") {
    int calls = 0;
    team_of(3).run(0, 16, [&](std::size_t, std::size_t) { ++calls; });
    CHECK(calls == 0);
    std::thread::id by;
    team_of(3).run(16, 16, [&](std::size_t begin, std::size_t end) {
        CHECK(begin == 0);
        CHECK(end == 16);
        by = std::this_thread::get_id();
        ++calls;
    });
    CHECK(calls == 1);
    CHECK(by == std::this_thread::get_id());
}

TEST_CASE("helpers do help, and run what they are given as a queue's work") {
    // The caller waits inside its piece until a helper has come: without one this never ends.
    std::atomic<bool> came{false};
    std::atomic<bool> as_work{true};
    const std::thread::id caller = std::this_thread::get_id();
    team_of(2).run(2, 1, [&](std::size_t, std::size_t) {
        if (std::this_thread::get_id() == caller) {
            while (!came) std::this_thread::yield();
        } else {
            if (!devmem::detail::in_queue_work) as_work = false;
            came = true;
        }
    });
    CHECK(came);
    CHECK(as_work);
}

TEST_CASE("an exception of one piece is thrown when all pieces are done, and once") {
    for (const int threads : {2, 3}) {
        for (std::size_t bad = 0; bad < 8; ++bad) {
            visits seen(8);
            std::string text;
            try {
                team_of(threads).run(8, 1, [&](std::size_t begin, std::size_t end) {
                    seen.note(begin, end, 1);
                    if (begin <= bad && bad < end) throw std::runtime_error("piece");
                });
            } catch (const std::runtime_error& e) {
                text = e.what();
            }
            CHECK(text == "piece");
            CHECK(seen.not_once() == 0);
            visits after(8);
            team_of(threads).run(
                8, 1, [&](std::size_t begin, std::size_t end) { after.note(begin, end, 1); });
            CHECK(after.not_once() == 0);
        }
    }
}

TEST_CASE("when all pieces throw, one exception is thrown") {
    for (int round = 0; round < 200; ++round) {
        int thrown = -1;
        try {
            team_of(3).run(12, 1,
                           [](std::size_t begin, std::size_t) { throw static_cast<int>(begin); });
        } catch (const int piece) {
            thrown = piece;
        }
        CHECK(thrown >= 0);
        CHECK(thrown < 12);
    }
}

TEST_CASE("an exception of a range that is not shared reaches the caller") {
    CHECK_THROWS_AS(team_of(1).run(100, 1, [](std::size_t, std::size_t) { throw 5; }), int);
    CHECK_THROWS_AS(team_of(3).run(4, 4, [](std::size_t, std::size_t) { throw 5; }), int);
}

TEST_CASE("a range within a range is done by its caller") {
    std::atomic<int> inner{0};
    team_of(3).run(6, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            team_of(3).run(10, 1,
                           [&](std::size_t b, std::size_t e) { inner += static_cast<int>(e - b); });
        }
    });
    CHECK(inner == 60);
}

TEST_CASE("many short ranges end, each with all it wrote seen by its caller") {
    // Helpers come late, twice, or to the next range: none may touch one that has ended.
    constexpr int rounds = 20'000;
    devmem_test::random_numbers random(1);
    int wrong = 0;
    for (int i = 0; i < rounds; ++i) {
        std::size_t values[8] = {};
        const std::size_t n = 2 + random.below(7);
        team_of(i % 2 == 0 ? 2 : 3).run(n, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) values[k] += k + 1;
        });
        for (std::size_t k = 0; k < 8; ++k) wrong += values[k] != (k < n ? k + 1 : 0);
        for (unsigned pause = random.below(200); pause > 0; --pause) devmem::detail::cpu_relax();
    }
    CHECK(wrong == 0);
}

TEST_CASE("several callers at once each get their own range done") {
    constexpr int rounds = 2'000;
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (unsigned c = 0; c < 3; ++c) {
        callers.emplace_back([&wrong, c] {
            devmem_test::random_numbers random(c);
            for (int i = 0; i < rounds; ++i) {
                const std::size_t n = 1 + random.below(40);
                std::vector<unsigned> values(n, 0);
                const bool fails = random.one_in(16);
                bool failed = false;
                try {
                    team_of(3).run(n, 2, [&](std::size_t begin, std::size_t end) {
                        for (std::size_t k = begin; k < end; ++k) values[k] += c + 1;
                        if (fails && begin == 0) throw 1;
                    });
                } catch (const int) {
                    failed = true;
                }
                if (failed != fails) ++wrong;
                for (const unsigned v : values) {
                    if (v != c + 1) ++wrong;
                }
            }
        });
    }
    for (std::thread& t : callers) t.join();
    CHECK(wrong == 0);
}
