// A whole training on a small data set: what is printed, and that it repeats.
#include "run_program.hpp"
#include "synthetic_data.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
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
        CHECK(figures_of(train("", "DEVMEM_SCHEDULER=deferred:0")) == first);
        CHECK(figures_of(train("", "DEVMEM_SCHEDULER=deferred:1")) == first);
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

    TEST_CASE_FIXTURE(small_dataset, "a device that is not there is replaced, with a note") {
        const outcome o = train("--device cuda:7", "DEVMEM_CPU_DEVICES=1");
        REQUIRE(o.status == 0);
        REQUIRE(o.err.size() == 1);
        CHECK(o.err.front().find("cuda:7 is not here; using") != std::string::npos);
    }

    TEST_CASE_FIXTURE(small_dataset, "validation gives back the memory of gradients") {
        const outcome o = train("");
        REQUIRE(o.status == 0);
        const std::string& epoch = o.out[1];
        CHECK(number_after(epoch, "live ") < number_after(epoch, "peak "));
        CHECK(number_after(epoch, "cached ") > 0);
    }

    TEST_CASE_FIXTURE(small_dataset, "in place and out of place: the same loss, less memory") {
        const outcome o = train("--compare-in-place");
        REQUIRE(o.status == 0);
        REQUIRE(o.out.size() == 2);
        CHECK(matches(o.out[0], "activations in place: loss [0-9.]+, peak [0-9.]+ MiB"));
        CHECK(matches(o.out[1], "activations out of place: loss [0-9.]+, peak [0-9.]+ MiB"));
        CHECK(number_after(o.out[0], "loss ") == number_after(o.out[1], "loss "));
        CHECK(number_after(o.out[0], "peak ") <= number_after(o.out[1], "peak "));
    }

    TEST_CASE_FIXTURE(small_dataset, "Ctrl-C ends it after the batch, with nothing left") {
        // Without --foreground the signal would come twice, which is not so clean.
        const outcome o =
            run_program("--epochs 1000 --batch 64 --data '" + folder.path().string() + "'",
                        "timeout --foreground --preserve-status -s INT 2");
        CHECK(o.status == 130);
        CHECK(o.err.empty());
        REQUIRE(!o.out.empty());
        CHECK(o.out.back() == "stopped; live 0 B");
    }

    TEST_CASE_FIXTURE(small_dataset, "the course is drawn, as SVG") {
        const std::string file = (folder.path() / "it's.svg").string();
        if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
            const outcome o = train("--plot \"" + file + "\"");
            CHECK(o.status == 1);
            REQUIRE(!o.err.empty());
            CHECK(o.err.back().find("gnuplot-nox") != std::string::npos);
            return;
        }
        REQUIRE(train("--plot \"" + file + "\"").status == 0);
        std::ifstream in(file);
        const std::string svg(std::istreambuf_iterator<char>(in), {});
        CHECK(svg.starts_with("<?xml"));
        CHECK(svg.find("</svg>") != std::string::npos);
        for (const char* title : {"loss (training)", "accuracy (test)", "memory in use"}) {
            INFO(title);
            CHECK(svg.find(title) != std::string::npos);
        }
    }

    TEST_CASE_FIXTURE(small_dataset, "a plot that cannot be written is refused before training") {
        const outcome o = train("--plot /no/such/folder/x.svg");
        CHECK(o.status == 1);
        CHECK(o.out.empty());
        REQUIRE(o.err.size() == 1);
        CHECK(o.err.front().find("'/no/such/folder/x.svg'") != std::string::npos);
    }

    TEST_CASE_FIXTURE(small_dataset, "too little memory is one line") {
        const outcome o = train("", "DEVMEM_CPU_CAPACITY=1000000");
        CHECK(o.status == 1);
        REQUIRE(o.err.size() == 1);
        CHECK(o.err.front().find("memory") != std::string::npos);
    }
}
