/// \file
/// Devices and memory spaces as text.
#pragma once

#include <devmem/backend/memory_space.hpp>
#include <devmem/device.hpp>

#include <ostream>
#include <string>
#include <string_view>

namespace devmem::inline v0 {

/// `cuda:1`.
inline std::string to_string(device d) {
    detail::text<32> text;
    return text.add("%s:%d", detail::kind_name(d.kind()), d.index()).c_str();
}

/// Prints `to_string(d)`.
inline std::ostream& operator<<(std::ostream& out, device d) { return out << to_string(d); }

/// Prints `device`, `pinned`, `mapped` or `managed`.
inline std::ostream& operator<<(std::ostream& out, memory_space space) {
    return out << to_word(space);
}

/// `device::parse` for a `string_view`.
inline device parse_device(std::string_view text) {
    // A zero byte would end the word early.
    const bool is_word = text.find('\0') == std::string_view::npos;
    return device::parse(is_word ? std::string(text).c_str() : "");
}

}  // namespace devmem::inline v0
