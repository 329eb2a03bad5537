// Random graphs of tasks over streams and events, against the same tasks one after the other.
#include "gate.hpp"
#include "random.hpp"
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/event.hpp>
#include <devmem/host_task.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

namespace {

using devmem::event;
using devmem::stream;
using devmem_test::random_numbers;
using devmem_test::test_device;

constexpr std::size_t most_cells = 5;
constexpr std::size_t most_streams = 4;
constexpr std::size_t most_tasks = 12;

using cells = std::array<std::uint64_t, most_cells>;

/// Changes one cell, by another. The result depends on the order of all changes before it.
struct task {
    std::size_t reads;
    std::size_t writes;
    std::uint64_t constant;
    unsigned dawdle;

    void operator()(cells& c) const {
        for (unsigned i = dawdle; i > 0; --i) devmem::detail::cpu_relax();
        if (dawdle == 1) std::this_thread::yield();
        c[writes] = c[writes] * 0x5851'F42D'4C95'7F2Du + c[reads] + constant;
    }
};

/// Who has used a cell since it was last written: tasks, by number.
struct uses {
    std::vector<std::size_t> writers;  // none or one
    std::vector<std::size_t> readers;
};

/// Runs one random graph; the streams and events are those of the graphs before it.
class graph {
  public:
    graph(random_numbers& random, std::vector<stream>& streams, std::vector<event>& events)
        : random_(random), streams_(streams), events_(events) {}

    bool runs_as_in_sequence() {
        const std::size_t used_streams = 1 + random_.below(most_streams);
        const std::size_t used_cells = 1 + random_.below(most_cells);
        const std::size_t tasks = 2 + random_.below(most_tasks - 1);
        for (std::size_t i = 0; i < tasks; ++i) {
            const task t{random_.below(static_cast<unsigned>(used_cells)),
                         random_.below(static_cast<unsigned>(used_cells)), random_.next(),
                         random_.one_in(4) ? 1 + random_.below(300) : 0};
            t(model_);
            queue(i, t, random_.below(static_cast<unsigned>(used_streams)));
        }
        wait_for_all(tasks, used_streams);
        return cells_ == model_;
    }

  private:
    void queue(std::size_t number, const task& t, std::size_t on) {
        // A stream may go while its work is in flight, and another take its place.
        if (random_.one_in(32)) streams_[on] = stream(test_device(static_cast<int>(on)));
        stream& s = streams_[on];
        uses& read = uses_[t.reads];
        uses& written = uses_[t.writes];
        for (const auto* before : {&read.writers, &written.writers, &written.readers}) {
            for (const std::size_t earlier : *before) s.wait(events_[earlier]);
        }
        devmem::host_task([t, c = &cells_] { t(*c); }, s);
        events_[number].record(s);
        read.readers.push_back(number);
        written.readers.clear();
        written.writers.assign(1, number);
    }

    void wait_for_all(std::size_t tasks, std::size_t used_streams) {
        switch (random_.below(3)) {
            case 0:
                for (std::size_t i = tasks; i > 0; --i) events_[i - 1].synchronize();
                break;
            case 1:
                for (std::size_t i = 0; i < used_streams; ++i) {
                    devmem::synchronize(test_device(static_cast<int>(i)));
                }
                break;
            default:
                // One stream that waits for all the others.
                for (std::size_t i = 0; i < tasks; ++i) streams_[0].wait(events_[i]);
                streams_[0].synchronize();
        }
    }

    random_numbers& random_;
    std::vector<stream>& streams_;
    std::vector<event>& events_;
    std::array<uses, most_cells> uses_{};
    cells cells_{};
    cells model_{};
};

void check_graphs(std::uint64_t seed, int graphs) {
    random_numbers random(seed);
    std::vector<stream> streams;
    for (std::size_t i = 0; i < most_streams; ++i) {
        streams.emplace_back(test_device(static_cast<int>(i)));
    }
    std::vector<event> events(most_tasks);
    int wrong = 0;
    int first_wrong = -1;
    for (int i = 0; i < graphs; ++i) {
        if (!graph(random, streams, events).runs_as_in_sequence()) {
            if (wrong++ == 0) first_wrong = i;
        }
#if defined(DEVMEM_CUDA)
        if (i % 100 == 0) simulated_cuda::clear_calls();
#endif
    }
    CAPTURE(seed);
    CAPTURE(first_wrong);
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("10,000 random graphs of tasks give what the tasks give one after the other") {
    // Under a race detector, which sees more in each and takes longer, and under each of many seeds
    // fewer.
    const bool is_slow = !devmem::detail::team_helps || devmem_test::scheduler_is("deferred");
    const int graphs = is_slow ? 200 : 1'000;
    for (std::uint64_t seed = 0; seed < 10; ++seed) check_graphs(seed, graphs);
}

TEST_CASE("two threads run random graphs at once") {
    std::thread other([] { check_graphs(100, 1'000); });
    check_graphs(200, 1'000);
    other.join();
}
