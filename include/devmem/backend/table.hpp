/// \file
/// THE SEAM: the functions of a backend, as a table of pointers and as a concept.
///
/// All take the device first; a handle is the backend's own (a `cudaStream_t`, a queue). None
/// throws, and none changes the calling thread's current device but push and pop. Every block,
/// stream and event carries its backend's table, and by it any file of a program can use them,
/// however that file was compiled.
#pragma once

#include <devmem/backend/device_value.hpp>
#include <devmem/backend/host_function.hpp>
#include <devmem/backend/memory_space.hpp>
#include <devmem/backend/row_copy.hpp>
#include <devmem/backend/status.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace devmem::inline v0 {

/// What a backend says of a device without making a context on it.
struct device_facts {
    char name[256] = {};
    std::size_t total_memory = 0;  ///< bytes
    bool active = false;           ///< a context exists, so asking for free memory makes none
    /// The host may touch managed memory while the device works.
    bool concurrent_managed_access = true;
};

/// Bytes that a device has, and has left.
struct memory_counts {
    std::size_t total = 0;
    std::size_t free = 0;
};

namespace detail {

// name, parameters: one list makes the table, the concept and the table of each backend.
//
// Devices.  push makes a device current for the calling thread until the matching pop, which is
//           given the device that push found current.
// Memory.   allocate gives memory aligned to block_alignment; deallocate may wait, and wants no
//           use of the memory in flight. The async pair is in the order of a stream.
// Streams.  default_stream gives the legacy default stream, or queue 0 on the CPU; it is never
//           destroyed. stream_identity tells the process-wide id and the device of a handle.
//           Destroying a stream does not wait; its work goes on.
// Events.   stream_wait_event takes the event as it is recorded at the call.
// Work.     copy_async: addresses of any space; host memory must be pinned, or stay until the
//           stream has passed. upload_async: reads pageable memory before it returns, by staging
//           it without a wait where it is small enough. The 2d forms do the same with rows, of
//           which there are some, no longer than a pitch, and not to be overwritten before they
//           are read. fill_async writes `count` copies of the
//           `width` bytes at `pattern`, which is read before it returns. host_call: accepts the
//           function if and only if it returns ok.
#define DEVMEM_BACKEND_FUNCTIONS(X)                                                           \
    X(device_count, (int* count))                                                             \
    X(facts, (device d, device_facts * out))                                                  \
    X(current_device, (device * out))                                                         \
    X(push_device, (device d, device * before))                                               \
    X(pop_device, (device before))                                                            \
    X(memory_info, (device d, memory_counts * out))                                           \
    X(synchronize_device, (device d))                                                         \
    X(allocate, (device d, memory_space space, std::size_t bytes, void** out))                \
    X(deallocate, (device d, memory_space space, void* data, std::size_t bytes))              \
    X(allocate_async, (device d, void* stream, std::size_t bytes, void** out))                \
    X(deallocate_async, (device d, void* stream, void* data, std::size_t bytes))              \
    X(default_stream, (device d, void** out))                                                 \
    X(stream_create, (device d, void** out))                                                  \
    X(stream_destroy, (device d, void* stream))                                               \
    X(stream_identity, (device d, void* stream, std::uint64_t* id, device* of))               \
    X(stream_query, (device d, void* stream, bool* done))                                     \
    X(stream_synchronize, (device d, void* stream))                                           \
    X(stream_wait_event, (device d, void* stream, void* event))                               \
    X(event_create, (device d, bool timed, void** out))                                       \
    X(event_destroy, (device d, void* event))                                                 \
    X(event_record, (device d, void* event, void* stream))                                    \
    X(event_query, (device d, void* event, bool* done))                                       \
    X(event_synchronize, (device d, void* event))                                             \
    X(event_elapsed, (device d, void* begin, void* end, float* milliseconds))                 \
    X(copy_async, (device d, void* stream, void* dst, const void* src, std::size_t bytes))    \
    X(upload_async, (device d, void* stream, void* dst, const void* src, std::size_t bytes))  \
    X(copy_2d_async, (device d, void* stream, const row_copy& rows))                          \
    X(upload_2d_async, (device d, void* stream, const row_copy& rows))                        \
    X(fill_async, (device d, void* stream, void* dst, const void* pattern, std::size_t width, \
                   std::size_t count))                                                        \
    X(host_call, (device d, void* stream, const host_function& f))

}  // namespace detail

/// The functions of one backend.
struct backend_table {
    device_kind kind;
    std::int32_t version;                                      ///< of this table's layout
    const char* (*native_name)(std::int32_t native) noexcept;  ///< the name of a native code
    bool (*in_callback)() noexcept;  ///< the calling thread runs a host function or CPU kernel
// NOLINTNEXTLINE(bugprone-macro-parentheses): these are declarators
#define DEVMEM_ENTRY(name, parameters) status(*name) parameters noexcept;
    DEVMEM_BACKEND_FUNCTIONS(DEVMEM_ENTRY)
#undef DEVMEM_ENTRY
};

namespace detail {

inline constexpr std::int32_t table_version = 2;

/// Tables are compared by what they are, never by address: each module may have its own.
constexpr bool same_backend(const backend_table& a, const backend_table& b) noexcept {
    return a.kind == b.kind && a.version == b.version;
}

}  // namespace detail

/// A code path: static functions as listed in the table, each `noexcept` and returning a `status`.
template <class B>
concept backend = requires {
    { B::kind } -> std::convertible_to<device_kind>;
    static_cast<const char* (*)(std::int32_t) noexcept>(&B::native_name);
    static_cast<bool (*)() noexcept>(&B::in_callback);
#define DEVMEM_REQUIREMENT(name, parameters) static_cast<decltype(backend_table::name)>(&B::name);
    DEVMEM_BACKEND_FUNCTIONS(DEVMEM_REQUIREMENT)
#undef DEVMEM_REQUIREMENT
};

namespace detail {

/// The table of a backend.
template <backend B>
constexpr backend_table make_table() noexcept {
    return {B::kind, table_version, &B::native_name, &B::in_callback,
#define DEVMEM_ADDRESS(name, parameters) &B::name,
            DEVMEM_BACKEND_FUNCTIONS(DEVMEM_ADDRESS)
#undef DEVMEM_ADDRESS
    };
}

}  // namespace detail

#undef DEVMEM_BACKEND_FUNCTIONS

}  // namespace devmem::inline v0
