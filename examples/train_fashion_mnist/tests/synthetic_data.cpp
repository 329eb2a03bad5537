#include "synthetic_data.hpp"

#include <random>
#include <stdexcept>
#include <system_error>

#include <stdlib.h>  // mkdtemp
#include <zlib.h>

namespace fashion_mnist_test {

namespace {

constexpr std::uint32_t magic_of_images = 0x0803;
constexpr std::uint32_t magic_of_labels = 0x0801;
constexpr std::uint32_t side = 28;
constexpr std::uint32_t classes = 10;

void append_number(std::vector<std::uint8_t>& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes.push_back(static_cast<std::uint8_t>(number >> shift));
    }
}

}  // namespace

temporary_folder::temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fashion_mnist_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + name);
    path_ = name;
}

temporary_folder::~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

idx_content easy_images(std::uint32_t n, unsigned seed) {
    std::mt19937 random(seed);
    idx_content content{magic_of_images, {n, side, side}, {}};
    for (std::uint32_t i = 0; i < n; ++i) {
        // Two bright rows whose height is the class, on dark noise.
        const std::uint32_t bright = i % classes * 2 + 4;
        for (std::uint32_t row = 0; row < side; ++row) {
            const bool is_bright = row == bright || row == bright + 1;
            for (std::uint32_t column = 0; column < side; ++column) {
                content.values.push_back(
                    static_cast<std::uint8_t>(random() % 64 + (is_bright ? 128 : 0)));
            }
        }
    }
    return content;
}

idx_content labels_in_turn(std::uint32_t n) {
    idx_content content{magic_of_labels, {n}, {}};
    for (std::uint32_t i = 0; i < n; ++i) {
        content.values.push_back(static_cast<std::uint8_t>(i % classes));
    }
    return content;
}

void write_idx(const std::filesystem::path& file, const idx_content& content) {
    std::vector<std::uint8_t> bytes;
    append_number(bytes, content.magic);
    for (const std::uint32_t extent : content.extents) append_number(bytes, extent);
    bytes.insert(bytes.end(), content.values.begin(), content.values.end());

    const gzFile out = gzopen(file.c_str(), "wb");
    if (out == nullptr) throw std::runtime_error("cannot write " + file.string());
    const auto size = static_cast<unsigned>(bytes.size());
    const bool written = gzwrite(out, bytes.data(), size) == static_cast<int>(size);
    if (gzclose(out) != Z_OK || !written) throw std::runtime_error("cannot write " + file.string());
}

void write_dataset(const std::filesystem::path& folder, std::uint32_t training,
                   std::uint32_t test) {
    write_idx(folder / training_images, easy_images(training, 1));
    write_idx(folder / training_labels, labels_in_turn(training));
    write_idx(folder / test_images, easy_images(test, 2));
    write_idx(folder / test_labels, labels_in_turn(test));
}

}  // namespace fashion_mnist_test
