// Images and what they show, in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fashion_mnist {

inline constexpr std::size_t image_side = 28;
inline constexpr std::size_t image_size = image_side * image_side;
inline constexpr std::size_t classes = 10;

/// Grey images of `image_size` bytes one after another, and the class (0 to 9) of each.
struct labelled_images {
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint8_t> labels;

    std::size_t size() const noexcept { return labels.size(); }
};

}  // namespace fashion_mnist
