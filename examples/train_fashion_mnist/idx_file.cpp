#include "idx_file.hpp"

#include "user_error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace fashion_mnist {

namespace {

constexpr std::uint32_t magic_of_bytes = 0x0800;

// More than any file of this format that the program is for; a damaged header does not get to ask
// for more memory.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

std::string hexadecimal(std::uint32_t number) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%08x", number);
    return text.data();
}

}  // namespace

idx_file::idx_file(std::filesystem::path path, std::size_t dimensions)
    : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb")) {
    if (file_ == nullptr) refuse(std::string("cannot be opened: ") + std::strerror(errno));
    const std::uint32_t wanted = magic_of_bytes + static_cast<std::uint32_t>(dimensions);
    const std::uint32_t magic = read_number();
    if (magic != wanted) {
        refuse("starts with " + hexadecimal(magic) + " in place of " + hexadecimal(wanted) +
               ", so it is another kind of file");
    }
    for (std::size_t i = 0; i < dimensions; ++i) extents_.push_back(read_number());
}

std::vector<std::uint8_t> idx_file::read_values() {
    std::size_t bytes = 1;
    for (const std::size_t extent : extents_) {
        if (extent != 0 && bytes > most_bytes / extent) {
            refuse("its header announces more than 1 GiB, so it is damaged");
        }
        bytes *= extent;
    }
    std::vector<std::uint8_t> values(bytes);
    read_all(values);
    // Reading on at the end is also what makes zlib compare the checksum.
    std::array<std::uint8_t, 1> beyond{};
    if (read(beyond) != 0) refuse("is longer than its header says");
    return values;
}

void idx_file::refuse(const std::string& wrong) const {
    throw user_error(path_.string() + ": " + wrong +
                     "; install the Debian package dataset-fashion-mnist, or name the folder of "
                     "its files with --data");
}

// Returns how many bytes there were, fewer at the end of the file.
std::size_t idx_file::read(std::span<std::uint8_t> bytes) {
    constexpr std::size_t most_at_once = std::size_t{1} << 20;
    std::size_t done = 0;
    while (done < bytes.size()) {
        const std::size_t wanted = std::min(bytes.size() - done, most_at_once);
        const int got = gzread(file_.get(), &bytes[done], static_cast<unsigned>(wanted));
        int failure = Z_OK;
        const char* const text = gzerror(file_.get(), &failure);
        if (failure == Z_BUF_ERROR) refuse("is truncated");
        if (failure == Z_ERRNO) refuse(std::string("cannot be read: ") + std::strerror(errno));
        if (got < 0) refuse(std::string("is damaged: ") + text);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

void idx_file::read_all(std::span<std::uint8_t> bytes) {
    if (read(bytes) != bytes.size()) refuse("is truncated");
}

std::uint32_t idx_file::read_number() {
    std::array<std::uint8_t, 4> bytes{};
    read_all(bytes);
    std::uint32_t number = 0;
    for (const std::uint8_t byte : bytes) number = number << 8 | byte;
    return number;
}

}  // namespace fashion_mnist
