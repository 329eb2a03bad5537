// Tutorial 06: move a model from device to device in one line, whatever it is made of.
#include <devmem/devmem.hpp>

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

//! [linear]
struct linear {
    std::size_t inputs;
    std::size_t outputs;
    devmem::device_vector<float> weight;
    devmem::device_vector<float> bias;

    // The one function that lets devmem see inside: every member, in the order of initialisation.
    friend auto members(const linear& l) { return std::tie(l.inputs, l.outputs, l.weight, l.bias); }
};
//! [linear]

//! [model]
struct model {
    std::vector<linear> layers;
    std::map<std::string, devmem::device_vector<float>> momentum;
    std::shared_ptr<linear> encoder;
    std::shared_ptr<linear> decoder;  // the same weights as the encoder
    std::vector<float> losses;        // not devmem's: stays on the host

    friend auto members(const model& m) {
        return std::tie(m.layers, m.momentum, m.encoder, m.decoder, m.losses);
    }
};
//! [model]

linear make_linear(std::size_t inputs, std::size_t outputs, devmem::device d) {
    return {inputs, outputs, devmem::device_vector<float>(inputs * outputs, 0.01f, d),
            devmem::device_vector<float>(outputs, d)};
}

int main() {
    //! [devices]
    devmem::configure({.cpu_devices = 2});  // so that there is somewhere to go without a GPU
    const devmem::device here = devmem::devices().front();
    const devmem::device there = devmem::devices().back();
    //! [devices]

    //! [make]
    model m;
    m.layers.push_back(make_linear(784, 256, here));
    m.layers.push_back(make_linear(256, 10, here));
    m.momentum.emplace("0.weight", devmem::device_vector<float>(784 * 256, here));
    m.encoder = std::make_shared<linear>(make_linear(256, 256, here));
    m.decoder = m.encoder;
    m.losses = {0.7f, 0.4f};
    std::cout << devmem::format_bytes(devmem::bytes_of(m)) << " on " << here << '\n';
    //! [make]

    //! [copy]
    // A copy on another device: all parts in flight at once, the original untouched.
    const model copy = devmem::to(there, m);
    std::cout << "the copy is on " << copy.layers[0].weight.device() << '\n'
              << "shared stays shared: " << (copy.encoder == copy.decoder) << '\n';
    //! [copy]

    //! [move]
    // Or move it: the memory on the old device is given back once it has been copied.
    m = devmem::to(there, std::move(m));
    std::cout << "live on " << here << ": " << devmem::format_bytes(devmem::memory_info(here).live)
              << '\n'
              << "first weight: " << m.layers[0].weight.get(0) << ", last loss: " << m.losses.back()
              << '\n';
    //! [move]

    //! [timed]
    // How long it takes, on the stream that the copies run on; printed on standard error.
    const devmem::scoped_timer timer("there and back", devmem::current_stream(there));
    m = devmem::to(there, devmem::to(here, std::move(m)));
    //! [timed]
}
