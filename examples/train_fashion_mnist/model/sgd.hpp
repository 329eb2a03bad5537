// Stochastic gradient descent.
#pragma once

#include "matrix.hpp"
#include "parameter.hpp"

#include <devmem/devmem.hpp>

#include <vector>

namespace fashion_mnist {

/// Gradient descent with momentum: velocity = momentum * velocity + gradient,
/// value = value - learning rate * velocity.
class sgd {
  public:
    /// @lifetime the parameters outlive it
    sgd(const std::vector<parameter*>& parameters, float momentum, devmem::stream_view s);

    void step(float learning_rate, devmem::stream_view s);

  private:
    struct moving {
        parameter* moved;
        devmem::device_vector<float> velocity;
    };

    std::vector<moving> all_;
    float momentum_;
};

}  // namespace fashion_mnist
