#include "mlp.hpp"

#include "matrix_product.hpp"
#include "relu.hpp"

#include <utility>

namespace fashion_mnist {

mlp::mlp(std::span<const std::size_t> widths, std::size_t most_rows, std::mt19937_64& random,
         devmem::stream_view s, activation activations) {
    DEVMEM_ASSERT(widths.size() >= 2);
    prepare_matrix_products(s.device());
    values_.emplace_back(most_rows, widths.front(), s);
    for (std::size_t i = 1; i < widths.size(); ++i) {
        layers_.emplace_back(widths[i - 1], widths[i], random, s);
        values_.emplace_back(most_rows, widths[i], s);
        gradients_.emplace_back(most_rows, widths[i], s);
        const bool is_hidden = i + 1 < widths.size();
        if (is_hidden && activations == activation::out_of_place) {
            raw_.emplace_back(most_rows, widths[i], s);
        }
    }
}

mlp::mlp(std::vector<dense_layer> layers, std::vector<matrix> values, std::vector<matrix> raw,
         std::vector<matrix> gradients)
    : layers_(std::move(layers)),
      values_(std::move(values)),
      raw_(std::move(raw)),
      gradients_(std::move(gradients)) {}

void mlp::set_rows(std::size_t rows, devmem::stream_view s) {
    for (matrix& m : gradients_) m.set_rows(rows, s);
    set_rows_of_values(rows, s);
}

void mlp::set_rows_without_gradients(std::size_t rows, devmem::stream_view s) {
    for (matrix& m : gradients_) m.let_go();
    set_rows_of_values(rows, s);
}

void mlp::set_rows_of_values(std::size_t rows, devmem::stream_view s) {
    for (matrix& m : values_) m.set_rows(rows, s);
    for (matrix& m : raw_) m.set_rows(rows, s);
}

const matrix& mlp::forward(devmem::stream_view s) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const bool is_hidden = i + 1 < layers_.size();
        matrix& activated = values_[i + 1];
        matrix& output = is_hidden && !raw_.empty() ? raw_[i] : activated;
        layers_[i].forward(values_[i], output, s);
        if (is_hidden) relu::forward(output, activated, s);
    }
    return values_.back();
}

void mlp::backward(devmem::stream_view s) {
    for (std::size_t i = layers_.size(); i-- > 0;) {
        layers_[i].backward(values_[i], gradients_[i], s);
        if (i == 0) break;  // nobody learns from the gradient of the images
        layers_[i].backward_to_input(gradients_[i], gradients_[i - 1], s);
        relu::backward(values_[i], gradients_[i - 1], s);
    }
}

std::vector<parameter*> mlp::parameters() {
    std::vector<parameter*> all;
    for (dense_layer& layer : layers_) {
        for (parameter* p : layer.parameters()) all.push_back(p);
    }
    return all;
}

}  // namespace fashion_mnist
