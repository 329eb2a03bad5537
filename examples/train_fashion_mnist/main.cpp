// Trains a multilayer perceptron on Fashion-MNIST with devmem.
// docs/tutorials/train_fashion_mnist.md explains how it is made.
#include "dataset.hpp"
#include "model/trainer.hpp"
#include "options.hpp"
#include "progress_bar.hpp"
#include "stop_request.hpp"
#include "training_plot.hpp"

#include <devmem/devmem.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace {

using fashion_mnist::epoch_result;
using fashion_mnist::labelled_images;
using fashion_mnist::options;
using fashion_mnist::stop_if_requested;
using fashion_mnist::stopped;
using fashion_mnist::training_plot;
using fashion_mnist::watch_for_stop_requests;

constexpr int exit_when_stopped = 130;  // as shells report a program that SIGINT has ended

void print_epoch(const std::string& title, const epoch_result& result) {
    std::printf("%s: loss %.4f, test accuracy %.4f, %.0f images/s, live %s, cached %s, peak %s\n",
                title.c_str(), result.loss, result.accuracy, result.images_per_second,
                devmem::format_bytes(result.memory.live).c_str(),
                devmem::format_bytes(result.memory.cached).c_str(),
                devmem::format_bytes(result.memory.peak).c_str());
    std::fflush(stdout);
}

void print_start(const options& chosen, devmem::device d, const labelled_images& training,
                 const labelled_images& test) {
    std::printf("%zu training and %zu test images, on %s, seed %llu\n", training.size(),
                test.size(), devmem::to_string(d).c_str(),
                static_cast<unsigned long long>(chosen.training.seed));
}

void train(const options& chosen, devmem::device d, const labelled_images& training,
           const labelled_images& test) {
    training_plot plot(chosen.plot);
    fashion_mnist::trainer trainer(training, test, chosen.training, d);
    print_start(chosen, d, training, test);
    fashion_mnist::progress_bar bar(stdout);
    const std::size_t epochs = chosen.training.epochs;
    double accuracy = 0.0;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
        const std::string title = "epoch " + std::to_string(epoch) + "/" + std::to_string(epochs);
        const epoch_result result = trainer.run_epoch([&](std::size_t done) {
            bar.show(title, done, training.size());
            plot.add_step(devmem::memory_info(d).live);
            stop_if_requested();
        });
        bar.clear();
        print_epoch(title, result);
        plot.add_epoch(result.loss, result.accuracy);
        accuracy = result.accuracy;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("test accuracy %.4f after %.1f s of training\n", accuracy, seconds.count());
    plot.write();
}

// One epoch of each on a new model. The peak only grows, so the smaller comes first.
void compare_in_place(const options& chosen, devmem::device d, const labelled_images& training,
                      const labelled_images& test) {
    using fashion_mnist::activation;
    for (const activation a : {activation::in_place, activation::out_of_place}) {
        devmem::empty_cache(d);
        fashion_mnist::training_settings settings = chosen.training;
        settings.activations = a;
        fashion_mnist::trainer trainer(training, test, settings, d);
        const epoch_result result = trainer.run_epoch([](std::size_t) { stop_if_requested(); });
        std::printf("activations %s: loss %.4f, peak %s\n",
                    a == activation::in_place ? "in place" : "out of place", result.loss,
                    devmem::format_bytes(result.memory.peak).c_str());
    }
}

int run(const options& chosen) {
    const devmem::device d =
        chosen.device ? devmem::select_device(*chosen.device) : devmem::select_device();
    const labelled_images training = fashion_mnist::load_images(chosen.data, "train");
    const labelled_images test = fashion_mnist::load_images(chosen.data, "t10k");
    watch_for_stop_requests();
    try {
        (chosen.compare_in_place ? compare_in_place : train)(chosen, d, training, test);
    } catch (const stopped&) {
        devmem::synchronize(d);  // what was queued is over, and its memory unused
        std::printf("stopped; live %s\n",
                    devmem::format_bytes(devmem::memory_info(d).live).c_str());
        return exit_when_stopped;
    }
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const options chosen = fashion_mnist::parse_options(argc, argv);
        if (chosen.help) {
            std::fputs(fashion_mnist::help_text().c_str(), stdout);
        } else {
            return run(chosen);
        }
        return EXIT_SUCCESS;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "train_fashion_mnist: %s\n", e.what());
        return EXIT_FAILURE;
    }
}
