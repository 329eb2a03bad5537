/// \file
/// Runs a test case of this program in a process of its own: for what happens once a process, and
/// for what ends it.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace devmem_test {

struct case_result {
    int exit_status = -1;  ///< of the process; 128 + its number for a signal
    std::string said;      ///< the lines that the test case gave to `say`
    std::string output;    ///< all of the process's output
};

/// A line for the process that runs this test case.
[[gnu::format(printf, 1, 2)]] inline void say(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::fputs("\nsays: ", stdout);
    std::vprintf(format, arguments);
    std::fputs("\n", stdout);
    std::fflush(stdout);
    va_end(arguments);
}

namespace inside {

inline std::string lines_said(const std::string& output) {
    constexpr const char* mark = "\nsays: ";
    std::string lines;
    for (auto at = output.find(mark); at != std::string::npos; at = output.find(mark, at)) {
        at += std::string(mark).size();
        if (!lines.empty()) lines += '\n';
        lines += output.substr(at, output.find('\n', at) - at);
    }
    return lines;
}

[[noreturn]] inline void cannot(const char* what) {
    std::perror(what);
    std::abort();
}

}  // namespace inside

/// Runs the test case of that name (one that is marked `doctest::skip()`, without a comma in its
/// name), with none of devmem's settings in the environment but those given, as `NAME=value`.
inline case_result run_case(const std::string& name, const std::vector<std::string>& settings) {
    std::vector<std::string> environment;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        if (text.rfind("DEVMEM_", 0) != 0 && text.rfind("TSAN_OPTIONS=", 0) != 0) {
            environment.push_back(text);
        }
    }
    // A race detector's last second of waiting, for threads that never end, would add up; and the
    // test framework does more in a signal than it should.
    const char* detector = std::getenv("TSAN_OPTIONS");
    environment.push_back("TSAN_OPTIONS=" + std::string(detector != nullptr ? detector : "") +
                          " atexit_sleep_ms=0 report_signal_unsafe=0");
    environment.insert(environment.end(), settings.begin(), settings.end());
    std::vector<std::string> arguments{"test", "--no-skip", "--test-case=" + name};
    const auto pointers = [](std::vector<std::string>& texts) {
        std::vector<char*> all;
        for (std::string& text : texts) all.push_back(text.data());
        all.push_back(nullptr);
        return all;
    };

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) inside::cannot("pipe2");
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
    pid_t child = 0;
    const int failed = posix_spawn(&child, "/proc/self/exe", &files, nullptr,
                                   pointers(arguments).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    if (failed != 0) inside::cannot("posix_spawn");

    case_result result;
    char part[4096];
    for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;) {
        result.output.append(part, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    if (waitpid(child, &status, 0) != child) inside::cannot("waitpid");
    result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.said = inside::lines_said(result.output);
    return result;
}

}  // namespace devmem_test
