// What a PyTorch program does with devices and memory, done with devmem: a function for each thing.
#include <devmem/devmem.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace {

//! [detect]
void detect_devices() {
    for (const devmem::device d : devmem::devices()) std::cout << d << '\n';
    std::cout << "selected " << devmem::select_device("mps") << '\n';  // falls back, with a note
}
//! [detect]

//! [layer]
// y = w * x + b, element by element: small, but a model all the same.
struct layer {
    devmem::device_vector<float> weight;
    devmem::device_vector<float> bias;

    // All members, in order: how `to` takes the class apart and makes it again.
    friend auto members(const layer& l) { return std::tie(l.weight, l.bias); }

    devmem::device_vector<float> operator()(const devmem::device_vector<float>& x) const {
        devmem::device_vector<float> y(x.size(), devmem::uninitialized, x.device());
        devmem::transform(weight, x, bias, y,
                          [] DEVMEM_HD(float w, float v, float b) { return w * v + b; });
        return y;
    }
};
//! [layer]

//! [to]
// Any object: containers of containers, maps, shared pointers, classes with `members`.
using model = std::map<std::string, std::vector<layer>>;

model move_to_the_best_device(const model& m) {
    const devmem::device best = devmem::select_device();
    model moved = devmem::to(best, m);  // queued; using a part waits for it where it must
    std::cout << "moved " << devmem::format_bytes(devmem::bytes_of(moved)) << '\n';
    return moved;
}
//! [to]

//! [memory]
void manage_memory(devmem::device gpu) {
    devmem::device_vector<float> tensor(std::size_t{1} << 20, gpu);
    std::cout << devmem::format_bytes(devmem::memory_info(gpu).live) << " live\n";
    tensor.reset();            // or the end of its scope
    devmem::empty_cache(gpu);  // what is cached goes back to the driver
    std::cout << devmem::format_bytes(devmem::memory_info(gpu).cached) << " cached\n";
}
//! [memory]

//! [batch]
void bring_a_batch(const std::vector<float>& samples, devmem::pinned_buffer<float>& staging,
                   devmem::device_vector<float>& batch, devmem::stream_view copies) {
    devmem::copy(samples, staging);
    devmem::copy_async(staging, batch, copies);  // `batch` may be used on any stream from now on
}
//! [batch]

//! [switch]
void switch_devices(devmem::device gpu) {
    const devmem::scoped_device current(gpu);
    const devmem::device_vector<float> there =
        devmem::on_device(devmem::device::cpu(), [] { return devmem::device_vector<float>(100); });
    std::cout << devmem::current_device() << ", and for one call " << there.device() << '\n';
}
//! [switch]

//! [train]
struct descend {
    float rate;
    DEVMEM_HD float operator()(float w, float gradient) const { return w - rate * gradient; }
};

float train_step(layer& l, const devmem::device_vector<float>& x,
                 const devmem::device_vector<float>& wanted) {
    devmem::device_vector<float> error = l(x);
    devmem::transform(error, wanted, error, [] DEVMEM_HD(float a, float b) { return a - b; });
    const float loss = devmem::inner_product(error, error, 0.0f);
    devmem::for_each(error, [] DEVMEM_HD(float& e) { e *= 2; });  // d loss / d bias
    devmem::transform(l.bias, error, l.bias, descend{0.1f});
    devmem::transform(error, x, error, [] DEVMEM_HD(float e, float v) { return e * v; });
    devmem::transform(l.weight, error, l.weight, descend{0.1f});
    return loss;
}
//! [train]

}  // namespace

int main() {
    const devmem::device gpu = devmem::select_device();
    detect_devices();

    const std::vector<float> ones(1'000, 1.0f);
    const layer start{devmem::device_vector<float>(ones.size(), gpu),
                      devmem::device_vector<float>(ones.size(), gpu)};
    model trained = move_to_the_best_device({{"layers", {start}}});
    manage_memory(gpu);

    devmem::pinned_buffer<float> staging(ones.size(), gpu);
    devmem::device_vector<float> x(ones.size(), gpu);
    const devmem::stream copies(gpu);
    bring_a_batch(ones, staging, x, copies);
    switch_devices(gpu);

    layer& only = trained["layers"].front();
    for (int step = 0; step < 3; ++step) {
        std::cout << "loss " << train_step(only, x, x) << '\n';
    }
}
