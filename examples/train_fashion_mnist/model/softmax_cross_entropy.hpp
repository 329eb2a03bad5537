// The loss: softmax, then cross-entropy with the right class.
#pragma once

#include "matrix.hpp"

#include <devmem/devmem.hpp>

#include <cstddef>
#include <cstdint>

namespace fashion_mnist {

/// Loss and right answers of the images seen.
struct loss_totals {
    float loss = 0.0f;  // the sum over the images
    std::uint32_t correct = 0;
};

/// -log softmax(logits)[label] for each row of a batch. The sums over batches stay on the device
/// until they are asked for, so that no batch waits for the host.
class softmax_cross_entropy {
  public:
    /// For batches of at most `most_rows`.
    softmax_cross_entropy(std::size_t most_rows, devmem::stream_view s);

    /// Adds the loss and the right answers of a batch to the totals.
    void evaluate(const matrix& logits, const devmem::device_vector<std::uint8_t>& labels,
                  devmem::stream_view s);
    /// Also computes the gradient of the batch's mean loss with respect to the logits.
    void evaluate(const matrix& logits, const devmem::device_vector<std::uint8_t>& labels,
                  matrix& gradient, devmem::stream_view s);

    /// The totals since they were last taken. @sync stream
    loss_totals take_totals(devmem::stream_view s);

  private:
    void queue(const matrix& logits, const devmem::device_vector<std::uint8_t>& labels,
               float* gradient, devmem::stream_view s);

    // By row of the batch: rows are independent, so nothing is added up in an order that depends
    // on threads.
    devmem::device_vector<float> loss_;
    devmem::device_vector<std::uint32_t> correct_;
};

}  // namespace fashion_mnist
