#include "sgd.hpp"

namespace fashion_mnist {

namespace {

struct accelerate {
    float momentum;

    DEVMEM_HD float operator()(float velocity, float gradient) const {
        return momentum * velocity + gradient;
    }
};

struct descend {
    float learning_rate;

    DEVMEM_HD float operator()(float value, float velocity) const {
        return value - learning_rate * velocity;
    }
};

}  // namespace

sgd::sgd(const std::vector<parameter*>& parameters, float momentum, devmem::stream_view s)
    : momentum_(momentum) {
    for (parameter* p : parameters) {
        all_.push_back({p, devmem::device_vector<float>(p->value.values().size(), s)});
    }
}

void sgd::step(float learning_rate, devmem::stream_view s) {
    for (moving& m : all_) {
        devmem::device_vector<float>& value = m.moved->value.values();
        const devmem::device_vector<float>& gradient = m.moved->gradient.values();
        devmem::transform(m.velocity, gradient, m.velocity, accelerate{momentum_}, s);
        devmem::transform(value, m.velocity, value, descend{learning_rate}, s);
    }
}

}  // namespace fashion_mnist
