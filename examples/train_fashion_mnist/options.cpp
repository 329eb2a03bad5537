#include "options.hpp"

#include "user_error.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <string_view>
#include <system_error>

#include <getopt.h>

namespace fashion_mnist {

namespace {

// What getopt_long returns for each long option; those of short options are characters.
enum option_code : int { epochs = 256, batch, learning_rate, device, seed, data, plot, in_place };

constexpr option long_options[] = {
    {"epochs", required_argument, nullptr, epochs},
    {"batch", required_argument, nullptr, batch},
    {"learning-rate", required_argument, nullptr, learning_rate},
    {"device", required_argument, nullptr, device},
    {"seed", required_argument, nullptr, seed},
    {"data", required_argument, nullptr, data},
    {"plot", required_argument, nullptr, plot},
    {"compare-in-place", no_argument, nullptr, in_place},
    {"help", no_argument, nullptr, 'h'},
    {nullptr, 0, nullptr, 0},
};

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view remedy) {
    std::string text;
    text.append(name).append(" '").append(value).append("': ").append(remedy);
    throw user_error(text);
}

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

std::size_t parse_count(std::string_view name, std::string_view text, std::size_t most) {
    std::size_t count = 0;
    if (!parse_whole(text, count) || count < 1 || count > most) {
        refuse(name, text, "give a whole number from 1 to " + std::to_string(most));
    }
    return count;
}

std::uint64_t parse_seed(std::string_view text) {
    std::uint64_t value = 0;
    if (!parse_whole(text, value)) {
        refuse("--seed", text,
               "give a whole number from 0 to " +
                   std::to_string(std::numeric_limits<std::uint64_t>::max()));
    }
    return value;
}

float parse_learning_rate(std::string_view text) {
    float value = 0.0f;
    // NaN fails both comparisons.
    if (!parse_whole(text, value) || !(value > 0.0f && value <= 10.0f)) {
        refuse("--learning-rate", text, "give a number above 0 and at most 10, such as 0.05");
    }
    return value;
}

devmem::device parse_device(const char* text) {
    try {
        return devmem::device::parse(text);
    } catch (const devmem::invalid_argument&) {
        refuse("--device", text, "give cpu, cuda, or one of several such as cpu:0 or cuda:1");
    }
}

void take_option(options& parsed, int code, const char* value) {
    switch (code) {
        case epochs:
            parsed.training.epochs = parse_count("--epochs", value, 1'000);
            break;
        case batch:
            parsed.training.batch = parse_count("--batch", value, 10'000);
            break;
        case learning_rate:
            parsed.training.learning_rate = parse_learning_rate(value);
            break;
        case device:
            parsed.device = parse_device(value);
            break;
        case seed:
            parsed.training.seed = parse_seed(value);
            break;
        case data:
            parsed.data = value;
            break;
        case plot:
            parsed.plot = value;
            break;
        case in_place:
            parsed.compare_in_place = true;
            break;
        case 'h':
            parsed.help = true;
            break;
        default:
            break;
    }
}

}  // namespace

options parse_options(int argc, char** argv) {
    options parsed;
    opterr = 0;  // the lines about errors are ours, so that they read like the others
    for (;;) {
        // The colon tells a missing value from an unknown option.
        const int code = getopt_long(argc, argv, ":h", long_options, nullptr);
        if (code == -1) break;
        if (code == ':') refuse("option", argv[optind - 1], "give it a value; see --help");
        if (code == '?') refuse("option", argv[optind - 1], "not known; --help lists the options");
        take_option(parsed, code, optarg);
    }
    if (optind < argc) refuse("argument", argv[optind], "not expected; --help lists the options");
    return parsed;
}

std::string help_text() {
    const options preset;
    std::ostringstream text;
    text << "Usage: train_fashion_mnist [OPTION]...\n"
            "Trains a multilayer perceptron 784-256-128-10 on Fashion-MNIST.\n\n"
            "  --epochs N         times each training image is seen (default "
         << preset.training.epochs
         << ")\n"
            "  --batch N          images a step (default "
         << preset.training.batch
         << ")\n"
            "  --learning-rate X  at the start; it falls to zero in a straight line (default "
         << preset.training.learning_rate
         << ")\n"
            "  --device NAME      such as cpu:0 or cuda:1 (default: DEVMEM_DEVICE, else the best "
            "there is)\n"
            "  --seed N           of first weights and order of images (default "
         << preset.training.seed
         << ")\n"
            "  --data FOLDER      of the four files (default "
         << preset.data.string()
         << ")\n"
            "  --plot FILE        draw loss, accuracy and memory as an SVG file, by gnuplot\n"
            "  --compare-in-place print the peak of memory with activations in place and not, and "
            "exit\n"
            "  -h, --help         show this and exit\n";
    return text.str();
}

}  // namespace fashion_mnist
