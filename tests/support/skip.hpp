/// \file
/// A test that cannot run here says so, with the reason, and is counted apart from those that
/// passed.
#pragma once

namespace devmem_test {

/// Notes that the running test case was skipped, and why.
void note_skip(const char* reason);

}  // namespace devmem_test

/// Leaves the test case, which then counts as skipped: DEVMEM_SKIP("one device only").
#define DEVMEM_SKIP(reason)               \
    do {                                  \
        ::devmem_test::note_skip(reason); \
        return;                           \
    } while (false)
