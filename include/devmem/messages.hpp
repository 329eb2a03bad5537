/// \file
/// Where notes, caller's bugs and errors in destructors go: three replaceable handlers.
#pragma once

#include <cstdio>
#include <cstdlib>

/// Marks what must be one object (or one type with an identity) in a program of several modules,
/// also where these are compiled with hidden visibility.
#define DEVMEM_STATE __attribute__((visibility("default")))

namespace devmem::inline v0 {

/// Takes a note, one line without a line break.
using message_sink = void (*)(const char* text) noexcept;

/// Takes the text of a condition that a caller has broken, and its place. Must not return to the
/// broken call: it ends the program or throws.
using assert_handler = void (*)(const char* condition, const char* file, int line);

namespace detail {

inline void print_note(const char* text) noexcept { std::fprintf(stderr, "devmem: %s\n", text); }

inline void print_and_abort(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "devmem: %s:%d: a caller broke the condition: %s\n", file, line,
                 condition);
    std::abort();
}

struct DEVMEM_STATE message_handlers {
    message_sink note = print_note;
    assert_handler assertion = print_and_abort;
    message_sink destructor_error = print_note;
};

inline DEVMEM_STATE message_handlers handlers{};

/// Handlers may be replaced while other threads report, hence the atomic accesses.
template <class Handler>
Handler exchange_handler(Handler& slot, Handler handler, Handler preset) noexcept {
    return __atomic_exchange_n(&slot, handler != nullptr ? handler : preset, __ATOMIC_ACQ_REL);
}

inline void note(const char* text) noexcept {
    __atomic_load_n(&handlers.note, __ATOMIC_ACQUIRE)(text);
}

inline void report_destructor_error(const char* text) noexcept {
    __atomic_load_n(&handlers.destructor_error, __ATOMIC_ACQUIRE)(text);
}

inline void assertion_failed(const char* condition, const char* file, int line) {
    __atomic_load_n(&handlers.assertion, __ATOMIC_ACQUIRE)(condition, file, line);
    std::abort();
}

}  // namespace detail

/// Sends notes (a device that was not there and what was taken in its place, say) to `sink`;
/// null restores the default, standard error. Returns the sink before.
/// @thread safe
inline message_sink set_message_sink(message_sink sink) noexcept {
    return detail::exchange_handler(detail::handlers.note, sink, &detail::print_note);
}

/// Calls `handler` for a condition that a caller has broken (`DEVMEM_ASSERT`); null restores the
/// default, which prints and aborts. Returns the handler before.
/// @thread safe
inline assert_handler set_assert_handler(assert_handler handler) noexcept {
    return detail::exchange_handler(detail::handlers.assertion, handler, &detail::print_and_abort);
}

/// Sends errors met inside destructors to `sink`; null restores the default, standard error.
/// Returns the sink before.
/// @thread safe
inline message_sink set_destructor_error_sink(message_sink sink) noexcept {
    return detail::exchange_handler(detail::handlers.destructor_error, sink, &detail::print_note);
}

}  // namespace devmem::inline v0
