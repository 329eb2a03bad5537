// Which device is taken, and what is said about it.
#include "captured_texts.hpp"
#include "run_case.hpp"
#include "test_backend.hpp"

#include <devmem/device_vector.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/select_device.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

using devmem::device;
using devmem::device_kind;
using devmem::select_device;
using devmem_test::captured_notes;
using devmem_test::path_is_cuda;
using devmem_test::run_case;
using devmem_test::say;
using devmem_test::test_device;

namespace {

const device best = path_is_cuda ? device::cuda(0) : device::cpu(0);

/// What a process with those settings selects, and what it notes.
std::string selected_with(std::vector<std::string> settings) {
    settings.emplace_back("DEVMEM_CPU_DEVICES=4");
    const auto result = run_case("own process: select", settings);
    INFO(result.output);
    CHECK(result.exit_status == 0);
    return result.said;
}

}  // namespace

TEST_CASE("own process: select" * doctest::skip()) {
    const captured_notes notes;
    CHECK(notes.all().empty());
    try {
        say("%s", to_string(select_device()).c_str());
        // The variable is read once: the second call neither looks nor notes again.
        CHECK(setenv("DEVMEM_DEVICE", "cpu:3", 1) == 0);
        say("%s", to_string(select_device()).c_str());
        // What the code names wins over the variable.
        say("%s", to_string(select_device("cpu:2")).c_str());
    } catch (const devmem::invalid_argument& e) {
        say("%s", e.what());
    }
    for (const std::string& note : notes.all()) say("note: %s", note.c_str());
}

TEST_CASE("a device that is there is taken, without a word") {
    const captured_notes notes;
    for (const device d : devmem::devices()) {
        CHECK(select_device(d) == d);
        CHECK(select_device(to_string(d)) == d);
    }
    CHECK(select_device("cpu") == device::cpu(0));
    CHECK(select_device(std::string_view("cpu:1,cpu:2").substr(0, 5)) == device::cpu(1));
    CHECK(notes.all().empty());
}

TEST_CASE("for a device that is not there the best is taken, which is noted once") {
    const captured_notes notes;
    const std::string taken = to_string(best);
    for (int i = 0; i < 3; ++i) {
        CHECK(select_device(device::cuda(11)) == best);
        CHECK(select_device("cuda:11") == best);
    }
    CHECK(notes.all() == std::vector{"cuda:11 is not here; using " + taken});
    CHECK(select_device("cuda:12") == best);
    CHECK(select_device("cpu:11") == best);
    CHECK(select_device("mps") == best);
    CHECK(select_device("mps:0") == best);
    CHECK(notes.all() ==
          std::vector{"cuda:11 is not here; using " + taken, "cuda:12 is not here; using " + taken,
                      "cpu:11 is not here; using " + taken, "mps:0 is not here; using " + taken});
}

TEST_CASE("numbers that no device can have fall back too") {
    const captured_notes notes;
    for (const int index : {-1, -2'147'483'647, 20, 63, 64, 2'147'483'647}) {
        CHECK(select_device(device::cuda(index)) == best);
        CHECK(select_device(device::cpu(index)) == best);
        CHECK(select_device(device(device_kind::mps, index)) == best);
    }
    // Once a kind: they are not told apart.
    CHECK(notes.all().size() == 3);
    CHECK(notes.all().front() == "cuda:-1 is not here; using " + to_string(best));
}

TEST_CASE("an unknown word throws, and is no reason to fall back") {
    const captured_notes notes;
    for (const char* word : {"gpu", "", "cuda:x", "cpu:-1", "best"}) {
        CAPTURE(word);
        CHECK_THROWS_AS(static_cast<void>(select_device(word)), devmem::invalid_argument);
        CHECK_THROWS_AS(static_cast<void>(select_device(std::string_view(word))),
                        devmem::invalid_argument);
    }
    CHECK(notes.all().empty());
}

TEST_CASE("the best there is: the current GPU, at last cpu:0") {
    const captured_notes notes;
    {
        const devmem::scoped_device other(test_device(2));
        CHECK(select_device(device::cuda(13)) == (path_is_cuda ? device::cuda(2) : device::cpu(0)));
    }
    const devmem::scoped_device cpu(device::cpu(3));
    CHECK(select_device(device::cuda(14)) == best);
    CHECK(notes.all().size() == 2);
}

TEST_CASE("without an argument the environment is asked, else the best is taken") {
    const std::string b = to_string(best);
    CHECK(selected_with({}) == b + "\n" + b + "\ncpu:2");
    CHECK(selected_with({"DEVMEM_DEVICE=cpu:1"}) == "cpu:1\ncpu:1\ncpu:2");
    CHECK(selected_with({"DEVMEM_DEVICE=cpu"}) == "cpu:0\ncpu:0\ncpu:2");
    CHECK(selected_with({"DEVMEM_DEVICE=cuda:1"}) ==
          (path_is_cuda ? "cuda:1\ncuda:1\ncpu:2"
                        : "cpu:0\ncpu:0\ncpu:2\nnote: cuda:1 is not here; using cpu:0"));
    CHECK(selected_with({"DEVMEM_DEVICE=mps"}) ==
          b + "\n" + b + "\ncpu:2\nnote: mps:0 is not here; using " + b);
}

TEST_CASE("a bad word in the environment throws, names the variable and lists the good words") {
    for (const char* word : {"gpu", "", "cuda:", "cpu:1x", "CUDA:0"}) {
        CAPTURE(word);
        CHECK(selected_with({std::string("DEVMEM_DEVICE=") + word}) ==
              "DEVMEM_DEVICE: '" + std::string(word) +
                  "' names no device; write cpu, cuda or mps, or one of them with an index, as in "
                  "cpu:0 or cuda:1");
    }
}

TEST_CASE("own process: most free memory" * doctest::skip()) {
    using vector = devmem_test::test_vector<unsigned char, devmem::direct>;
    CHECK(select_device(devmem::most_free_memory) == test_device(0));
    const vector on_0(3000, test_device(0));
    CHECK(select_device(devmem::most_free_memory) == test_device(1));
    const vector on_1(2000, test_device(1));
    const vector on_2(1000, test_device(2));
    const vector on_3(1500, test_device(3));
    CHECK(select_device(devmem::most_free_memory) == test_device(2));
}

TEST_CASE("own process: memory that is kept" * doctest::skip()) {
    const std::size_t n = 64 << 20;
    {
        const devmem_test::test_vector<unsigned char> kept(n, test_device(0));
        CHECK(select_device(devmem::most_free_memory) == test_device(1));
    }
    CHECK(devmem::memory_info(test_device(0)).cached >= n);
    CHECK(select_device(devmem::most_free_memory) == test_device(0));
}

namespace {

/// Runs a case with 1 GiB for each CPU device: physical memory is the same for all, and changes.
void run_with_capacity(const char* name) {
    const auto result = run_case(name, {"DEVMEM_CPU_DEVICES=4", "DEVMEM_CPU_CAPACITY=1073741824"});
    INFO(result.output);
    CHECK(result.exit_status == 0);
}

}  // namespace

TEST_CASE("the device with the most free memory is the one that devmem uses least") {
    run_with_capacity("own process: most free memory");
}

TEST_CASE("memory that devmem only keeps counts as free") {
    run_with_capacity("own process: memory that is kept");
}

#if defined(DEVMEM_CUDA)

TEST_CASE("selecting makes no context") {
    simulated_cuda::reset(4);
    const captured_notes notes;
    CHECK(select_device() == device::cuda(0));
    CHECK(select_device("cuda:2") == device::cuda(2));
    CHECK(select_device("cuda:9") == device::cuda(0));
    CHECK(select_device(devmem::most_free_memory) == device::cuda(0));
    CHECK(simulated_cuda::devices_with_context().empty());
    CHECK(simulated_cuda::misuses().empty());
}

#endif
