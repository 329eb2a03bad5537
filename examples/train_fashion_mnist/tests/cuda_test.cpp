// Where there is a GPU: it is refused by name until there are products and kernels for it.
#include "run_program.hpp"
#include "synthetic_data.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace fashion_mnist_test;

namespace {

struct tiny_dataset {
    temporary_folder folder;

    tiny_dataset() { write_dataset(folder.path(), 20, 10); }
    outcome train(const std::string& device) const {
        return run_program("--epochs 1 --data '" + folder.path().string() + "' " + device);
    }
};

}  // namespace

TEST_SUITE("cuda") {
    TEST_CASE_FIXTURE(tiny_dataset, "a CUDA device is refused in one line") {
        check_refusal(train("--device cuda:1"), {"cuda:1: ", "later version", "--device cpu"});
    }

    TEST_CASE_FIXTURE(tiny_dataset, "so is one that was chosen because it is the best there is") {
        check_refusal(train(""), {"cuda:0: ", "later version", "--device cpu"});
    }

    TEST_CASE_FIXTURE(tiny_dataset, "the CPU trains beside it") {
        const outcome o = train("--device cpu");
        CHECK(o.status == 0);
        CHECK(o.out.size() == 3);
    }
}
