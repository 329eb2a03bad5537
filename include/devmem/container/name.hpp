/// \file
/// Containers as their users write them, for messages.
#pragma once

#include <devmem/backend/memory_space.hpp>
#include <devmem/detail/type_name.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// A name put together when the program is compiled; what does not fit is cut off.
struct written_name {
    char text[128] = {};
    std::size_t size = 0;

    constexpr void add(text_part part) noexcept {
        for (std::size_t i = 0; i < part.length && size + 1 < sizeof text; ++i) {
            text[size++] = part.begin[i];
        }
    }
};

template <class T, memory_space Space>
constexpr written_name write_container_name() noexcept {
    constexpr text_part classes[] = {{"device_vector<", 14},
                                     {"pinned_buffer<", 14},
                                     {"mapped_buffer<", 14},
                                     {"managed_vector<", 15}};
    written_name made;
    made.add(classes[static_cast<int>(Space)]);
    made.add(type_name<T>());
    made.add({">", 1});
    return made;
}

/// `device_vector<float>`
template <class T, memory_space Space>
inline constexpr written_name container_name = write_container_name<T, Space>();

}  // namespace devmem::inline v0::detail
