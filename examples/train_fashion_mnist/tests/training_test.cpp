// A whole training on a small data set: what is printed, and that it repeats.
#include "run_program.hpp"
#include "synthetic_data.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace fashion_mnist_test;

namespace {

struct small_dataset {
    temporary_folder folder;

    small_dataset() { write_dataset(folder.path(), 600, 200); }
    outcome train(const std::string& arguments, const std::string& environment = "") const {
        return run_program(
            "--epochs 3 --batch 64 --data '" + folder.path().string() + "' " + arguments,
            environment);
    }
};

// Hides the number in front of `unit`.
std::string without(std::string line, const char* unit) {
    const std::size_t end = line.find(unit);
    if (end == std::string::npos) return line;
    const std::size_t begin = line.rfind(' ', end - 1) + 1;
    return line.replace(begin, end - begin, "*");
}

// The lines without what depends on the clock.
std::vector<std::string> figures_of(const outcome& o) {
    REQUIRE(o.status == 0);
    std::vector<std::string> lines;
    for (const std::string& line : o.out) {
        lines.push_back(without(without(line, " images/s"), " s of training"));
    }
    return lines;
}

}  // namespace

TEST_SUITE("training") {
    TEST_CASE_FIXTURE(small_dataset, "a line for each epoch, plain where there is no terminal") {
        const outcome o = train("--seed 3");
        CHECK(o.status == 0);
        CHECK(o.err.empty());
        REQUIRE(o.out.size() == 5);
        CHECK(o.out.front() == "600 training and 200 test images, on cpu:0, seed 3");
        const std::string bytes = "[0-9.]+ (B|KiB|MiB)";
        const std::string epoch =
            "epoch [123]/3: loss [0-9]\\.[0-9]{4}, test accuracy [01]\\.[0-9]{4}, [0-9]+ images/s, "
            "live " +
            bytes + ", cached " + bytes + ", peak " + bytes;
        for (std::size_t i = 1; i <= 3; ++i) {
            CAPTURE(o.out[i]);
            CHECK(matches(o.out[i], epoch));
        }
        CHECK(matches(o.out.back(), "test accuracy [01]\\.[0-9]{4} after [0-9.]+ s of training"));
    }

    TEST_CASE_FIXTURE(small_dataset, "it learns what is easy") {
        const outcome o = train("");
        REQUIRE(o.status == 0);
        CHECK(number_after(o.out.back(), "accuracy ") >= 0.95);
    }

    TEST_CASE_FIXTURE(small_dataset, "the same seed gives the same figures, another seed others") {
        const std::vector<std::string> first = figures_of(train("--seed 1"));
        CHECK(figures_of(train("--seed 1")) == first);
        CHECK(figures_of(train("--seed 2")) != first);
    }

    TEST_CASE_FIXTURE(small_dataset, "how work is scheduled changes no figure") {
        const std::vector<std::string> first = figures_of(train(""));
        CHECK(figures_of(train("", "DEVMEM_SCHEDULER=inline")) == first);
        CHECK(figures_of(train("", "DEVMEM_CPU_THREADS=1")) == first);
        CHECK(figures_of(train("", "DEVMEM_CPU_THREADS=5")) == first);
    }

    TEST_CASE_FIXTURE(small_dataset, "a batch larger than the data is the whole data") {
        const outcome o =
            run_program("--epochs 1 --batch 1000 --data '" + folder.path().string() + "'");
        CHECK(o.status == 0);
        CHECK(o.out.size() == 3);
    }

    TEST_CASE_FIXTURE(small_dataset, "a device is chosen by name") {
        const outcome o = train("--device cpu:1", "DEVMEM_CPU_DEVICES=2");
        REQUIRE(o.status == 0);
        CHECK(o.out.front().find("on cpu:1,") != std::string::npos);
    }

    TEST_CASE_FIXTURE(small_dataset, "too little memory is one line") {
        const outcome o = train("", "DEVMEM_CPU_CAPACITY=1000000");
        CHECK(o.status == 1);
        REQUIRE(o.err.size() == 1);
        CHECK(o.err.front().find("memory") != std::string::npos);
    }
}
