// Runs the program as a user would.
#pragma once

#include <string>
#include <vector>

namespace fashion_mnist_test {

struct outcome {
    int status;
    std::vector<std::string> out;  // lines of standard output
    std::vector<std::string> err;  // lines of standard error
};

/// Runs it with arguments and, in front, settings of the environment, both as a shell reads them.
outcome run_program(const std::string& arguments, const std::string& environment = "");

/// Checks that it ended with status 1, nothing on standard output, and one line on standard error
/// that has each of `parts`.
void check_refusal(const outcome& o, const std::vector<std::string>& parts);

/// Whether the whole line matches an extended regular expression.
bool matches(const std::string& line, const std::string& expression);

/// The number that follows `words` in the line.
double number_after(const std::string& line, const std::string& words);

}  // namespace fashion_mnist_test
