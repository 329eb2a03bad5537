#include "relu.hpp"

namespace fashion_mnist {

namespace {

struct rectify {
    DEVMEM_HD float operator()(float x) const { return x > 0.0f ? x : 0.0f; }
};

struct pass_where_positive {
    DEVMEM_HD float operator()(float output, float gradient) const {
        return output > 0.0f ? gradient : 0.0f;
    }
};

}  // namespace

//! [elements]
void relu::forward(const matrix& input, matrix& output, devmem::stream_view s) {
    devmem::transform(input.values(), output.values(), rectify{}, s);
}
//! [elements]

void relu::backward(const matrix& output, matrix& gradient, devmem::stream_view s) {
    devmem::transform(output.values(), gradient.values(), gradient.values(), pass_where_positive{},
                      s);
}

}  // namespace fashion_mnist
