// A progress bar for terminals.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace fashion_mnist {

/// Draws how far a task is over the terminal's last line, and nothing where `out` is no terminal.
class progress_bar {
  public:
    explicit progress_bar(std::FILE* out);
    progress_bar(std::FILE* out, bool is_terminal) noexcept : out_(out), draws_(is_terminal) {}
    ~progress_bar() { clear(); }
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;

    /// Shows `done` of `total`; draws only when the picture changes. @pre total > 0
    void show(const std::string& title, std::size_t done, std::size_t total);
    /// Removes it, so that a line can be printed.
    void clear() noexcept;

  private:
    std::FILE* out_;
    bool draws_;
    std::size_t percent_ = 0;
    bool is_drawn_ = false;
};

}  // namespace fashion_mnist
