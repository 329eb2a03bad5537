#include "run_program.hpp"

#include "synthetic_data.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include <regex.h>  // std::regex is a cause of false warnings under sanitizers
#include <sys/wait.h>

namespace fashion_mnist_test {

namespace {

std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

}  // namespace

outcome run_program(const std::string& arguments, const std::string& environment) {
    const temporary_folder streams;
    const std::filesystem::path out = streams.path() / "out";
    const std::filesystem::path err = streams.path() / "err";
    const std::string command = environment + " '" TRAIN_FASHION_MNIST "' " + arguments + " >'" +
                                out.string() + "' 2>'" + err.string() + "'";
    const int status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    return {WEXITSTATUS(status), lines_of(out), lines_of(err)};
}

void check_refusal(const outcome& o, const std::vector<std::string>& parts) {
    CHECK(o.status == 1);
    CHECK(o.out.empty());
    REQUIRE(o.err.size() == 1);
    INFO("standard error: ", o.err.front());
    CHECK(o.err.front().starts_with("train_fashion_mnist: "));
    for (const std::string& part : parts) {
        INFO("wanted in it: ", part);
        CHECK(o.err.front().find(part) != std::string::npos);
    }
}

bool matches(const std::string& line, const std::string& expression) {
    regex_t compiled;
    REQUIRE(regcomp(&compiled, ("^(" + expression + ")$").c_str(), REG_EXTENDED | REG_NOSUB) == 0);
    const bool found = regexec(&compiled, line.c_str(), 0, nullptr, 0) == 0;
    regfree(&compiled);
    return found;
}

double number_after(const std::string& line, const std::string& words) {
    const std::size_t at = line.find(words);
    REQUIRE(at != std::string::npos);
    return std::stod(line.substr(at + words.size()));
}

}  // namespace fashion_mnist_test
