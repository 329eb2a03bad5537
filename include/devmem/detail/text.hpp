/// \file
/// `text`: a message built in a buffer of fixed size, so that errors need no memory and headers no
/// `<string>`.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>

namespace devmem::inline v0::detail {

template <std::size_t Capacity>
class text {
  public:
    /// Adds as `printf` would; what does not fit is cut off.
    [[gnu::format(printf, 2, 3)]] text& add(const char* format, ...) noexcept {
        std::va_list arguments;
        va_start(arguments, format);
        const int wanted = std::vsnprintf(data_ + size_, Capacity - size_, format, arguments);
        va_end(arguments);
        if (wanted > 0) {
            size_ += static_cast<std::size_t>(wanted);
            if (size_ >= Capacity) size_ = Capacity - 1;
        }
        return *this;
    }

    const char* c_str() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }

  private:
    std::size_t size_ = 0;
    char data_[Capacity] = {};
};

/// Adds a number of bytes as `format_bytes` prints it: `1.5 MiB`.
template <std::size_t Capacity>
text<Capacity>& add_bytes(text<Capacity>& to, std::size_t bytes) noexcept {
    constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return to.add("%zu B", bytes);
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        ++unit;
    }
    return to.add("%.1f %s", value, units[unit]);
}

}  // namespace devmem::inline v0::detail
