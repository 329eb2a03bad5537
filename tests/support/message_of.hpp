/// \file
/// What an exception says, for tests of messages.
#pragma once

#include <string>

namespace devmem_test {

/// The message of the exception of that class that `f` throws.
template <class Error, class F>
std::string message_of(const F& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "nothing of that class was thrown";
}

}  // namespace devmem_test
