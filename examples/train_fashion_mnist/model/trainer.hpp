// Trains the perceptron on Fashion-MNIST, an epoch at a time.
#pragma once

#include "batch_feeder.hpp"
#include "labelled_images.hpp"
#include "mlp.hpp"
#include "sgd.hpp"
#include "softmax_cross_entropy.hpp"

#include <devmem/devmem.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace fashion_mnist {

struct training_settings {
    std::size_t epochs = 12;
    std::size_t batch = 128;
    float learning_rate = 0.05f;
    std::uint64_t seed = 1;
    activation activations = activation::in_place;
};

struct epoch_result {
    double loss;               // mean over the training images
    double accuracy;           // on the test images
    double images_per_second;  // training images
    devmem::memory_figures memory;
};

/// Perceptron, optimizer and streams of one training. The learning rate falls in a straight line
/// from the one given to zero at the last batch.
class trainer {
  public:
    /// Told the number of training images queued so far in this epoch. What it throws ends the
    /// epoch.
    using progress = std::function<void(std::size_t)>;

    /// @lifetime the images outlive it
    /// @throws unsupported_device
    trainer(const labelled_images& training, const labelled_images& test,
            const training_settings& settings, devmem::device d);

    /// Trains on every training image once, in a new random order, then tests.
    /// @pre called at most `epochs` times
    epoch_result run_epoch(const progress& report);

  private:
    loss_totals train(const progress& report);
    loss_totals test();
    void take_input(const device_batch& batch);
    float next_learning_rate();

    const labelled_images& training_;
    const labelled_images& test_;
    std::mt19937_64 random_;
    std::vector<std::uint32_t> training_order_;
    std::vector<std::uint32_t> test_order_;
    float start_rate_;
    std::size_t steps_;
    std::size_t step_ = 0;

    devmem::stream copies_;
    devmem::stream compute_;
    mlp model_;
    softmax_cross_entropy loss_;
    sgd optimizer_;
    batch_feeder feeder_;
};

}  // namespace fashion_mnist
