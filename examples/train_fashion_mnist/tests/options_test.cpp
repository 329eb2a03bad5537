// The command line: what is refused, and how it is said.
#include "run_program.hpp"

#include <doctest/doctest.h>

using fashion_mnist_test::check_refusal;
using fashion_mnist_test::outcome;
using fashion_mnist_test::run_program;

TEST_SUITE("options") {
    TEST_CASE("--help lists every option") {
        for (const char* asked : {"--help", "-h"}) {
            const outcome o = run_program(asked);
            CHECK(o.status == 0);
            CHECK(o.err.empty());
            std::string text;
            for (const std::string& line : o.out) text += line + "\n";
            for (const char* option :
                 {"--epochs", "--batch", "--learning-rate", "--device", "--seed", "--data",
                  "--plot", "--compare-in-place", "--help"}) {
                INFO(option);
                CHECK(text.find(option) != std::string::npos);
            }
        }
    }

    TEST_CASE("a bad value is refused in one line: option, value, remedy") {
        const std::vector<std::vector<std::string>> cases = {
            {"--epochs many", "--epochs 'many'", "whole number from 1"},
            {"--epochs 0", "--epochs '0'", "whole number from 1"},
            {"--epochs -3", "--epochs '-3'", "whole number from 1"},
            {"--epochs 3.5", "--epochs '3.5'", "whole number from 1"},
            {"--epochs ''", "--epochs ''", "whole number from 1"},
            {"--batch 0", "--batch '0'", "whole number from 1"},
            {"--batch 99999999999999999999", "--batch '99999999999999999999'", "whole number"},
            {"--learning-rate 0", "--learning-rate '0'", "number above 0"},
            {"--learning-rate nan", "--learning-rate 'nan'", "number above 0"},
            {"--learning-rate inf", "--learning-rate 'inf'", "number above 0"},
            {"--learning-rate 0,1", "--learning-rate '0,1'", "number above 0"},
            {"--seed -1", "--seed '-1'", "whole number from 0"},
            {"--device gpu", "--device 'gpu'", "cpu"},
            {"--device cpu:x", "--device 'cpu:x'", "cpu"},
        };
        for (const std::vector<std::string>& c : cases) {
            CAPTURE(c.front());
            check_refusal(run_program(c[0]), {c[1], c[2]});
        }
    }

    TEST_CASE("what is no option is refused") {
        check_refusal(run_program("--epoch-count 3"), {"'--epoch-count'", "--help"});
        check_refusal(run_program("-x"), {"'-x'", "--help"});
        check_refusal(run_program("--epochs"), {"'--epochs'", "value"});
        check_refusal(run_program("--help=yes"), {"'--help=yes'", "--help"});
        check_refusal(run_program("somewhere"), {"'somewhere'", "--help"});
    }
}
