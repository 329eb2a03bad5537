#include "dataset.hpp"

#include "idx_file.hpp"

#include <algorithm>
#include <string>

namespace fashion_mnist {

namespace {

void require_image_size(const idx_file& file) {
    const std::uint32_t rows = file.extents()[1];
    const std::uint32_t columns = file.extents()[2];
    if (rows == image_side && columns == image_side) return;
    file.refuse("holds images of " + std::to_string(rows) + " x " + std::to_string(columns) +
                " pixels in place of 28 x 28");
}

void require_classes(const idx_file& file, const std::vector<std::uint8_t>& labels) {
    const auto foreign =
        std::ranges::find_if(labels, [](std::uint8_t label) { return label >= classes; });
    if (foreign == labels.end()) return;
    file.refuse("label " + std::to_string(foreign - labels.begin()) + " is " +
                std::to_string(*foreign) + ", and classes are 0 to 9");
}

}  // namespace

labelled_images load_images(const std::filesystem::path& folder, const char* name) {
    idx_file images(folder / (std::string(name) + "-images-idx3-ubyte.gz"), 3);
    idx_file labels(folder / (std::string(name) + "-labels-idx1-ubyte.gz"), 1);
    require_image_size(images);
    if (images.extents()[0] == 0) images.refuse("holds no images");
    if (labels.extents()[0] != images.extents()[0]) {
        labels.refuse("holds " + std::to_string(labels.extents()[0]) + " labels for " +
                      std::to_string(images.extents()[0]) + " images");
    }
    labelled_images loaded{images.read_values(), labels.read_values()};
    require_classes(labels, loaded.labels);
    return loaded;
}

}  // namespace fashion_mnist
