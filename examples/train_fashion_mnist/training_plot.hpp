// The course of a training as a picture.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace fashion_mnist {

/// Loss and accuracy by epoch, live memory by step: what is drawn.
class training_plot {
  public:
    /// Of the file that `write` makes; none where the name is empty.
    /// @throws user_error when it cannot be written, before anything has been computed
    explicit training_plot(std::filesystem::path file);

    void add_epoch(double loss, double accuracy) { epochs_.push_back({loss, accuracy}); }
    void add_step(std::size_t live_bytes) { live_bytes_.push_back(live_bytes); }

    /// Writes an SVG file, by gnuplot. Nothing is drawn before the first epoch is over.
    /// @throws user_error when gnuplot fails
    void write() const;

  private:
    struct epoch {
        double loss;
        double accuracy;
    };

    std::filesystem::path file_;
    std::vector<epoch> epochs_;
    std::vector<std::size_t> live_bytes_;
};

}  // namespace fashion_mnist
