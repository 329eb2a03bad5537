/// \file
/// What devmem throws. Every error is an `error_info`; `catch (const devmem::error_info&)` catches
/// all of them, `std::bad_alloc` catches memory that has run out, `std::exception` either.
#pragma once

#include <devmem/backend/deadlock.hpp>
#include <devmem/backend/device_value.hpp>
#include <devmem/backend/fork.hpp>
#include <devmem/backend/status.hpp>
#include <devmem/backend/table.hpp>
#include <devmem/detail/text.hpp>
#include <devmem/messages.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

namespace devmem::inline v0 {

/// A place in the code.
struct place {
    const char* file = "";      ///< as the compiler was given it
    const char* function = "";  ///< its name
    int line = 0;               ///< from 1; 0: not known

    /// Where it is called; as a default argument, where the function that has it is called.
    static constexpr place here(const char* file = __builtin_FILE(),
                                const char* function = __builtin_FUNCTION(),
                                int line = __builtin_LINE()) noexcept {
        return {file, function, line};
    }
};

namespace detail {

/// What a caller asked for, and where.
struct call_site {
    const char* name = "";  // lives as long as the process
    place at{};

    // NOLINTNEXTLINE(google-explicit-constructor): a name alone is an operation of devmem's own
    constexpr call_site(const char* what, place here = place::here()) noexcept
        : name(what), at(here) {}
};

/// What an error is made of.
struct failure {
    error_code code = error_code::backend_failure;
    call_site operation = "";
    device where{};
    std::size_t bytes = 0;
    std::int32_t native = 0;
    const char* native_name = "";  // a literal
};

}  // namespace detail

/// The facts of an error.
class DEVMEM_STATE error_info {
  public:
    /// For devmem's own use: `text` is what happened and what helps, after the operation.
    error_info(const detail::failure& what, const char* text) noexcept : what_(what) {
        message_.add("%s: %s", what.operation.name, text);
        if (what.native != 0) message_.add(" (%s, code %d)", what.native_name, what.native);
    }

    /// What kind of error it is.
    error_code code() const noexcept { return what_.code; }
    /// What was being done, as a user would call it.
    const char* operation() const noexcept { return what_.operation.name; }
    /// The backend's own code (`cudaError_t`, `errno`); 0 where devmem itself refused.
    std::int32_t native_code() const noexcept { return what_.native; }
    /// The name of that code, or an empty text.
    const char* native_name() const noexcept { return what_.native_name; }
    /// The device that it happened on, or was asked for.
    devmem::device device() const noexcept { return what_.where; }
    /// The bytes asked for, or 0.
    std::size_t bytes() const noexcept { return what_.bytes; }
    /// The line that asked for it.
    devmem::place place() const noexcept { return what_.operation.at; }
    /// The whole as a sentence; `what()` of the exception is the same text.
    const char* message() const noexcept { return message_.c_str(); }

  protected:
    ~error_info() = default;
    /// Copied only as part of an exception.
    error_info(const error_info&) = default;
    /// The same.
    error_info& operator=(const error_info&) = default;

  private:
    detail::failure what_;
    detail::text<640> message_;
};

/// What a correct program can meet, other than the end of memory.
class DEVMEM_STATE error : public std::exception, public error_info {
  public:
    using error_info::error_info;
    /// As `message`.
    const char* what() const noexcept override { return message(); }
};

/// Memory has run out. Not an `error`: a `std::bad_alloc`.
class DEVMEM_STATE out_of_memory : public std::bad_alloc, public error_info {
  public:
    using error_info::error_info;
    /// As `message`.
    const char* what() const noexcept override { return message(); }
};

/// An object or a stream of one device was given where another's is wanted.
class DEVMEM_STATE wrong_device : public error {
    using error::error;
};
/// The device that was named is not there.
class DEVMEM_STATE no_such_device : public error {
    using error::error;
};
/// Two uses of one block of memory conflict.
class DEVMEM_STATE access_conflict : public error {
    using error::error;
};
/// The operation cannot be captured into a graph.
class DEVMEM_STATE capture_error : public error {
    using error::error;
};
/// The device has failed; nothing on it can be used any more.
class DEVMEM_STATE device_lost : public error {
    using error::error;
};
/// Not allowed here: from a host callback, after first use, or on this path.
class DEVMEM_STATE not_permitted : public error {
    using error::error;
};
/// A value that cannot be right: sizes that do not fit, a word nobody knows.
class DEVMEM_STATE invalid_argument : public error {
    using error::error;
};
/// More elements than can be counted in bytes.
class DEVMEM_STATE length_error : public error {
    using error::error;
};
/// A forked child used what belongs to its parent.
class DEVMEM_STATE forked : public error {
    using error::error;
};
/// A wait that nothing can end.
class DEVMEM_STATE deadlock : public error {
    using error::error;
};
/// A kernel was launched over a simulated CUDA runtime, which knows no host function for it.
class DEVMEM_STATE no_host_twin : public error {
    using error::error;
};

namespace detail {

/// Throws the class that belongs to the code.
[[noreturn]] inline void throw_failure(const failure& what, const char* text) {
    switch (what.code) {
        case error_code::out_of_memory:
            throw out_of_memory(what, text);
        case error_code::no_such_device:
            throw no_such_device(what, text);
        case error_code::wrong_device:
            throw wrong_device(what, text);
        case error_code::access_conflict:
            throw access_conflict(what, text);
        case error_code::capture_error:
            throw capture_error(what, text);
        case error_code::device_lost:
            throw device_lost(what, text);
        case error_code::not_permitted:
            throw not_permitted(what, text);
        case error_code::invalid_argument:
            throw invalid_argument(what, text);
        case error_code::length_error:
            throw length_error(what, text);
        case error_code::forked:
            throw forked(what, text);
        case error_code::deadlock:
            throw deadlock(what, text);
        case error_code::no_host_twin:
            throw no_host_twin(what, text);
        case error_code::none:
        case error_code::backend_failure:
            break;
    }
    throw error(what, text);
}

/// The text for a status of a backend, which has none of its own.
constexpr const char* describe(error_code code) noexcept {
    switch (code) {
        case error_code::none:
            return "no error";
        case error_code::out_of_memory:
            return "out of memory";
        case error_code::no_such_device:
            return "no such device; devices() lists those there are";
        case error_code::wrong_device:
            return "belongs to another device";
        case error_code::access_conflict:
            return "conflicts with another access";
        case error_code::capture_error:
            return "not possible while a stream is captured";
        case error_code::device_lost:
            return "the device is lost; only destructors work on it now";
        case error_code::not_permitted:
            return "not permitted here; a host callback or CPU kernel must not call devmem";
        case error_code::invalid_argument:
            return "invalid argument";
        case error_code::length_error:
            return "too many elements";
        case error_code::forked:
            return "belongs to the parent process";
        case error_code::deadlock:
            return "would wait for ever";
        case error_code::no_host_twin:
            return "no host twin of the kernel for a simulated runtime; DEVMEM_TWIN names one";
        case error_code::backend_failure:
            return "the backend failed";
    }
    return "unknown error";
}

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_status(status s,
                                                                const call_site& operation,
                                                                const backend_table& table,
                                                                device where, std::size_t bytes) {
    const failure what{s.code, operation, where, bytes, s.native, table.native_name(s.native)};
    text<512> description;
    description.add("%s:%d: %s", kind_name(where.kind()), where.index(), describe(s.code));
    if (s.code == error_code::deadlock) description.add(": %s", last_deadlock.c_str());
    throw_failure(what, description.c_str());
}

/// Turns a status that is not ok into an exception; names the operation and the device.
inline void check(status s, const call_site& operation, const backend_table& table, device where,
                  std::size_t bytes = 0) {
    if (!s.ok()) [[unlikely]] {
        throw_status(s, operation, table, where, bytes);
    }
}

/// Before a lock is taken that another thread of the parent may have held at the fork.
/// @throws forked in a forked child
inline void refuse_forked_child(const call_site& operation) {
    if (process_is_forked()) [[unlikely]] {
        throw_failure({.code = error_code::forked, .operation = operation},
                      describe(error_code::forked));
    }
}

/// As `check`, for destructors: goes to the sink, and says nothing of devices already lost, nor in
/// a forked child.
inline void check_in_destructor(status s, const char* operation, const backend_table& table,
                                device where) noexcept {
    if (s.ok() || s.code == error_code::device_lost || s.code == error_code::forked) return;
    text<256> message;
    message.add("%s: %s:%d: %s (%s, code %d)", operation, kind_name(where.kind()), where.index(),
                describe(s.code), table.native_name(s.native), s.native);
    report_destructor_error(message.c_str());
}

}  // namespace detail

}  // namespace devmem::inline v0
