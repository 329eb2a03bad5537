#include "softmax_cross_entropy.hpp"

#include "device_pointer.hpp"

#include <cmath>

namespace fashion_mnist {

namespace {

// What one row needs. The largest logit is subtracted before exp, which changes nothing in the
// quotient and keeps exp from overflowing.
struct row_softmax {
    const float* logits;
    std::size_t columns;
    std::size_t largest;
    float sum;

    DEVMEM_HD row_softmax(const float* row, std::size_t n)
        : logits(row), columns(n), largest(0), sum(0.0f) {
        for (std::size_t i = 1; i < n; ++i) {
            if (row[i] > row[largest]) largest = i;
        }
        for (std::size_t i = 0; i < n; ++i) sum += exponential(i);
    }
    DEVMEM_HD float exponential(std::size_t i) const {
        return std::exp(logits[i] - logits[largest]);
    }
    DEVMEM_HD float loss(std::size_t label) const {
        return std::log(sum) + logits[largest] - logits[label];
    }
};

struct evaluate_row {
    const float* logits;
    std::size_t rows;
    std::size_t columns;
    const std::uint8_t* labels;
    float* loss;
    std::uint32_t* correct;
    float* gradient;  // null where none is wanted

    DEVMEM_HD void operator()(std::size_t row) const {
        const std::size_t label = labels[row];
        const row_softmax softmax(logits + row * columns, columns);
        loss[row] += softmax.loss(label);
        correct[row] += softmax.largest == label ? 1u : 0u;
        if (gradient != nullptr) write_gradient(softmax, label, gradient + row * columns);
    }
    // (softmax - 1 at the label) / rows: of the mean loss, so that the learning rate does not
    // depend on the batch.
    DEVMEM_HD void write_gradient(const row_softmax& softmax, std::size_t label, float* out) const {
        const float scale = 1.0f / static_cast<float>(rows);
        for (std::size_t i = 0; i < columns; ++i) {
            const float wanted = i == label ? 1.0f : 0.0f;
            out[i] = scale * (softmax.exponential(i) / softmax.sum - wanted);
        }
    }
};

}  // namespace

softmax_cross_entropy::softmax_cross_entropy(std::size_t most_rows, devmem::stream_view s)
    : loss_(most_rows, s), correct_(most_rows, s) {}

void softmax_cross_entropy::evaluate(const matrix& logits,
                                     const devmem::device_vector<std::uint8_t>& labels,
                                     devmem::stream_view s) {
    queue(logits, labels, nullptr, s);
}

void softmax_cross_entropy::evaluate(const matrix& logits,
                                     const devmem::device_vector<std::uint8_t>& labels,
                                     matrix& gradient, devmem::stream_view s) {
    DEVMEM_ASSERT(gradient.values().size() == logits.values().size());
    queue(logits, labels, pointer_on(s, gradient.values()), s);
}

void softmax_cross_entropy::queue(const matrix& logits,
                                  const devmem::device_vector<std::uint8_t>& labels,
                                  float* gradient, devmem::stream_view s) {
    DEVMEM_ASSERT(logits.rows() <= loss_.size() && logits.rows() <= labels.size());
    const evaluate_row evaluate{pointer_on(s, logits.values()),
                                logits.rows(),
                                logits.columns(),
                                pointer_on(s, labels),
                                pointer_on(s, loss_),
                                pointer_on(s, correct_),
                                gradient};
    devmem::for_each_index(logits.rows(), evaluate, s);
}

loss_totals softmax_cross_entropy::take_totals(devmem::stream_view s) {
    const loss_totals totals{devmem::reduce(loss_, s), devmem::reduce(correct_, s)};
    devmem::fill(loss_, 0.0f, s);
    devmem::fill(correct_, std::uint32_t{0}, s);
    return totals;
}

}  // namespace fashion_mnist
