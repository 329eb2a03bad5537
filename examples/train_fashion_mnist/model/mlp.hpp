// A multilayer perceptron.
#pragma once

#include "dense_layer.hpp"
#include "matrix.hpp"
#include "parameter.hpp"

#include <devmem/devmem.hpp>

#include <cstddef>
#include <random>
#include <span>
#include <tuple>
#include <vector>

namespace fashion_mnist {

/// Where a ReLU puts what it computes: over its input, or into memory of its own.
enum class activation { in_place, out_of_place };

/// Dense layers with a ReLU between each two. All memory, for the largest batch, is allocated once;
/// that of gradients may be let go for a while, and then comes from the cache.
class mlp {
  public:
    /// Layers of widths[0] to widths[1] to … numbers, for batches of at most `most_rows`, in the
    /// memory of the stream's device. @pre at least two widths
    /// @throws unsupported_device
    mlp(std::span<const std::size_t> widths, std::size_t most_rows, std::mt19937_64& random,
        devmem::stream_view s, activation activations = activation::in_place);

    /// A perceptron of parts that are there already: how `devmem::to` makes it again.
    mlp(std::vector<dense_layer> layers, std::vector<matrix> values, std::vector<matrix> raw,
        std::vector<matrix> gradients);
    friend auto members(const mlp& m) {
        return std::tie(m.layers_, m.values_, m.raw_, m.gradients_);
    }

    /// Sets the number of rows of the batch to come, which will be trained on.
    /// @pre rows <= most_rows
    void set_rows(std::size_t rows, devmem::stream_view s);
    /// The same for a batch that is only looked at: without memory for gradients.
    void set_rows_without_gradients(std::size_t rows, devmem::stream_view s);
    /// Where a batch is put before `forward`.
    matrix& input() noexcept { return values_.front(); }
    /// Computes the output, the logits, from the input.
    const matrix& forward(devmem::stream_view s);
    /// Where the gradient of the loss is put before `backward`.
    matrix& output_gradient() noexcept { return gradients_.back(); }
    /// Computes the gradients of all parameters.
    void backward(devmem::stream_view s);

    /// @lifetime valid until the model is destroyed
    std::vector<parameter*> parameters();

  private:
    void set_rows_of_values(std::size_t rows, devmem::stream_view s);

    std::vector<dense_layer> layers_;
    std::vector<matrix> values_;     // what enters layer i; the last is the output
    std::vector<matrix> raw_;        // what leaves layer i, where activations are not in place
    std::vector<matrix> gradients_;  // of what leaves layer i
};

}  // namespace fashion_mnist
