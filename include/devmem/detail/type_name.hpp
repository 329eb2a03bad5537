/// \file
/// `type_name`: a type as its user writes it, for messages.
#pragma once

#include <cstddef>

namespace devmem::inline v0::detail {

/// `__PRETTY_FUNCTION__` of this names `T`, after "T = " and up to ";" or the last "]".
template <class T>
constexpr const char* pretty_function() noexcept {
    return __PRETTY_FUNCTION__;
}

/// Part of a text.
struct text_part {
    const char* begin;
    std::size_t length;
};

/// The name of `T`: `float`, `particle`.
template <class T>
constexpr text_part type_name() noexcept {
    const char* begin = pretty_function<T>();
    while (*begin != '\0' && !(begin[0] == 'T' && begin[1] == ' ' && begin[2] == '=')) ++begin;
    if (*begin == '\0') return {"T", 1};
    begin += 4;
    std::size_t end = 0;
    std::size_t last_bracket = 0;
    for (; begin[end] != '\0' && begin[end] != ';'; ++end) {
        if (begin[end] == ']') last_bracket = end;
    }
    return {begin, begin[end] == ';' ? end : last_bracket};
}

}  // namespace devmem::inline v0::detail
