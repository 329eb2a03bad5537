#include "progress_bar.hpp"

#include <unistd.h>

namespace fashion_mnist {

namespace {

constexpr std::size_t width = 40;

std::string picture(std::size_t percent) {
    const std::size_t filled = percent * width / 100;
    return std::string(filled, '#') + std::string(width - filled, '.');
}

}  // namespace

progress_bar::progress_bar(std::FILE* out) : progress_bar(out, isatty(fileno(out)) == 1) {}

void progress_bar::show(const std::string& title, std::size_t done, std::size_t total) {
    const std::size_t percent = done * 100 / total;
    if (!draws_ || (is_drawn_ && percent == percent_)) return;
    std::fprintf(out_, "\r%s [%s] %3zu%%", title.c_str(), picture(percent).c_str(), percent);
    std::fflush(out_);
    percent_ = percent;
    is_drawn_ = true;
}

void progress_bar::clear() noexcept {
    if (!is_drawn_) return;
    std::fputs("\r\033[K", out_);  // to the start of the line, and erase to its end
    std::fflush(out_);
    is_drawn_ = false;
}

}  // namespace fashion_mnist
