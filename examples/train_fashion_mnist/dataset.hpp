// Reads the files of Fashion-MNIST.
#pragma once

#include "model/labelled_images.hpp"

#include <filesystem>

namespace fashion_mnist {

/// The images of `folder`/`name`-images-idx3-ubyte.gz with their labels of
/// `folder`/`name`-labels-idx1-ubyte.gz.
/// @throws user_error when a file is missing, truncated, damaged, or not what its name says
labelled_images load_images(const std::filesystem::path& folder, const char* name);

}  // namespace fashion_mnist
