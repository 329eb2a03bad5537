/// \file
/// Which stream an operation runs on: the one given, or the current one of the object's device.
#pragma once

#include <devmem/stream.hpp>

namespace devmem::inline v0::detail {

/// The stream for an operation on an object of `d`.
/// @throws wrong_device when `given` is another device's
inline stream_state& resolve_stream(stream_view given, device d, const call_site& operation) {
    if (!given.names_a_stream()) return current_stream_state(d, operation);
    stream_state& s = given.state();
    if (s.where == d) return s;
    text<160> message;
    message.add("the stream is %s:%d's, the object %s:%d's", kind_name(s.where.kind()),
                s.where.index(), kind_name(d.kind()), d.index());
    throw_failure({.code = error_code::wrong_device, .operation = operation, .where = s.where},
                  message.c_str());
}

}  // namespace devmem::inline v0::detail
