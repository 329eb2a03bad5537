// The program's command line.
#pragma once

#include "model/trainer.hpp"

#include <devmem/devmem.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace fashion_mnist {

struct options {
    training_settings training;
    std::optional<devmem::device> device;  // else the best there is
    std::filesystem::path data = "/usr/share/datasets/fashion-mnist";
    std::filesystem::path plot;  // empty: none
    bool compare_in_place = false;
    bool help = false;
};

/// @throws user_error for an option that is unknown or has a bad value
options parse_options(int argc, char** argv);

/// The text of --help.
std::string help_text();

}  // namespace fashion_mnist
