// IDX files compressed by gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <zlib.h>

namespace fashion_mnist {

/// An IDX file of bytes: a big-endian magic number (0x0800 + the number of extents), the extents,
/// the values. Every member throws `user_error` about the file.
class idx_file {
  public:
    /// Opens the file and reads its header, which must have `dimensions` extents.
    idx_file(std::filesystem::path path, std::size_t dimensions);

    /// The extents; the first is the number of items.
    std::span<const std::uint32_t> extents() const noexcept { return extents_; }
    /// The rest of the file, which must be exactly as long as the extents say.
    std::vector<std::uint8_t> read_values();
    /// Throws a `user_error` that names the file, says `wrong`, and what helps.
    [[noreturn]] void refuse(const std::string& wrong) const;

  private:
    struct close {
        void operator()(gzFile file) const noexcept { gzclose(file); }
    };

    std::size_t read(std::span<std::uint8_t> bytes);
    void read_all(std::span<std::uint8_t> bytes);
    std::uint32_t read_number();

    std::filesystem::path path_;
    std::unique_ptr<gzFile_s, close> file_;
    std::vector<std::uint32_t> extents_;
};

}  // namespace fashion_mnist
