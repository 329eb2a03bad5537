// The real data with default options.
#include "run_program.hpp"

#include <doctest/doctest.h>
#include <skip.hpp>

#include <filesystem>

TEST_SUITE("accuracy") {
    TEST_CASE("default options reach the accuracy listed for such a perceptron") {
        if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
            DEVMEM_SKIP("the Debian package dataset-fashion-mnist is not installed");
        }
        const fashion_mnist_test::outcome o = fashion_mnist_test::run_program("");
        REQUIRE(o.status == 0);
        CHECK(fashion_mnist_test::number_after(o.out.back(), "accuracy ") >= 0.883);
    }
}
