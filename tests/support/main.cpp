// The main of every test program: doctest's, with a count of what was skipped and a refusal to call
// a run good in which nothing was checked.
#define DOCTEST_CONFIG_IMPLEMENT
#include "skip.hpp"

#include <doctest/doctest.h>

#include <cstdio>

namespace {

constexpr int exit_skipped = 77;  // CTest's SKIP_RETURN_CODE

struct tally {
    const char* test_case = "";
    bool case_skipped = false;
    unsigned ran = 0;
    unsigned skipped = 0;
    int checks = 0;
};

tally count;

struct counting_listener : doctest::IReporter {
    explicit counting_listener(const doctest::ContextOptions&) {}

    void test_case_start(const doctest::TestCaseData& data) override {
        count.test_case = data.m_name;
        count.case_skipped = false;
    }
    void test_case_end(const doctest::CurrentTestCaseStats&) override {
        ++(count.case_skipped ? count.skipped : count.ran);
    }
    void test_case_skipped(const doctest::TestCaseData&) override {}
    void test_run_end(const doctest::TestRunStats& stats) override {
        count.checks = stats.numAsserts;
    }

    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
};

REGISTER_LISTENER("counting", 1, counting_listener);

}  // namespace

void devmem_test::note_skip(const char* reason) {
    count.case_skipped = true;
    std::printf("SKIPPED: %s: %s\n", count.test_case, reason);
}

// Asking for more memory than there is must fail as it does in a program without a sanitizer.
extern "C" const char* __asan_default_options();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const int result = context.run();
    if (context.shouldExit()) return result;

    std::printf("test cases: %u ran, %u skipped\n", count.ran, count.skipped);
    if (result != 0) return result;
    if (count.ran == 0 && count.skipped > 0) return exit_skipped;
    if (count.ran == 0 || count.checks == 0) {
        std::fprintf(stderr, "no test case checked anything; does the filter match a file?\n");
        return 1;
    }
    return 0;
}
