#include "trainer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

namespace fashion_mnist {

namespace {

constexpr std::array<std::size_t, 4> widths = {image_size, 256, 128, classes};
constexpr float momentum = 0.9f;

struct to_unit_range {
    DEVMEM_HD float operator()(std::uint8_t pixel) const {
        return static_cast<float>(pixel) * (1.0f / 255.0f);
    }
};

std::vector<std::uint32_t> in_order(std::size_t n) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

double ratio(double part, std::size_t whole) { return part / static_cast<double>(whole); }

}  // namespace

trainer::trainer(const labelled_images& training, const labelled_images& test,
                 const training_settings& settings, devmem::device d)
    : training_(training),
      test_(test),
      random_(settings.seed),
      training_order_(in_order(training.size())),
      test_order_(in_order(test.size())),
      start_rate_(settings.learning_rate),
      steps_(settings.epochs * ((training.size() + settings.batch - 1) / settings.batch)),
      copies_(d),
      compute_(d),
      model_(widths, settings.batch, random_, compute_, settings.activations),
      loss_(settings.batch, compute_),
      optimizer_(model_.parameters(), momentum, compute_),
      feeder_(settings.batch, copies_) {}

epoch_result trainer::run_epoch(const progress& report) {
    const auto start = std::chrono::steady_clock::now();
    const loss_totals trained = train(report);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const loss_totals tested = test();
    return {ratio(trained.loss, training_.size()), ratio(tested.correct, test_.size()),
            static_cast<double>(training_.size()) / seconds.count(),
            devmem::memory_info(compute_.device())};
}

loss_totals trainer::train(const progress& report) {
    std::shuffle(training_order_.begin(), training_order_.end(), random_);
    std::size_t queued = 0;
    feeder_.for_each_batch(training_, training_order_, compute_, [&](const device_batch& batch) {
        model_.set_rows(batch.rows, compute_);
        take_input(batch);
        loss_.evaluate(model_.forward(compute_), batch.labels, model_.output_gradient(), compute_);
        model_.backward(compute_);
        optimizer_.step(next_learning_rate(), compute_);
        report(queued += batch.rows);
    });
    return loss_.take_totals(compute_);
}

loss_totals trainer::test() {
    feeder_.for_each_batch(test_, test_order_, compute_, [&](const device_batch& batch) {
        model_.set_rows_without_gradients(batch.rows, compute_);
        take_input(batch);
        loss_.evaluate(model_.forward(compute_), batch.labels, compute_);
    });
    return loss_.take_totals(compute_);
}

void trainer::take_input(const device_batch& batch) {
    devmem::transform(batch.pixels.first(batch.rows * image_size), model_.input().values(),
                      to_unit_range{}, compute_);
}

float trainer::next_learning_rate() {
    const double left = 1.0 - ratio(static_cast<double>(step_++), steps_);
    return start_rate_ * static_cast<float>(left);
}

}  // namespace fashion_mnist
