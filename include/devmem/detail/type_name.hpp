/// \file
/// `add_type_name`: a type as its user writes it, for messages.
#pragma once

#include <devmem/detail/text.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// `__PRETTY_FUNCTION__` of this names `T`, after "T = " and up to ";" or the last "]".
template <class T>
constexpr const char* pretty_function() noexcept {
    return __PRETTY_FUNCTION__;
}

/// Adds the name of `T`: `float`, `particle`.
template <class T, std::size_t Capacity>
text<Capacity>& add_type_name(text<Capacity>& to) noexcept {
    const char* begin = pretty_function<T>();
    while (*begin != '\0' && !(begin[0] == 'T' && begin[1] == ' ' && begin[2] == '=')) ++begin;
    if (*begin == '\0') return to.add("T");
    begin += 4;
    int length = 0;
    while (begin[length] != '\0' && begin[length] != ';') ++length;
    while (length > 0 && (begin[length] == '\0' || begin[length] == ']')) --length;
    if (begin[length] != ';') ++length;
    return to.add("%.*s", length, begin);
}

}  // namespace devmem::inline v0::detail
