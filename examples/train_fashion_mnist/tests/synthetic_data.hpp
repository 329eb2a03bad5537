// Small data sets in a folder of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fashion_mnist_test {

/// A new, empty folder, removed with what is in it at the end.
class temporary_folder {
  public:
    temporary_folder();
    ~temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }

  private:
    std::filesystem::path path_;
};

/// What goes into an IDX file, right or wrong.
struct idx_content {
    std::uint32_t magic;
    std::vector<std::uint32_t> extents;
    std::vector<std::uint8_t> values;
};

/// `n` images that are easy to tell apart, with classes 0 to 9 in turn.
idx_content easy_images(std::uint32_t n, unsigned seed);
idx_content labels_in_turn(std::uint32_t n);

/// Writes a gzip file.
void write_idx(const std::filesystem::path& file, const idx_content& content);

/// Writes the four files of a data set of easy images.
void write_dataset(const std::filesystem::path& folder, std::uint32_t training, std::uint32_t test);

inline constexpr const char* training_images = "train-images-idx3-ubyte.gz";
inline constexpr const char* training_labels = "train-labels-idx1-ubyte.gz";
inline constexpr const char* test_images = "t10k-images-idx3-ubyte.gz";
inline constexpr const char* test_labels = "t10k-labels-idx1-ubyte.gz";

}  // namespace fashion_mnist_test
