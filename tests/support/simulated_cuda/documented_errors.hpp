/// \file
/// Which errors the documentation of CUDA lets each function give, for tests that make each call
/// fail in every way that it may.
#pragma once

#include "simulated_cuda.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace simulated_cuda {

/// The errors that a function of the runtime or driver may give, as the log names it, each once:
/// its own, those of earlier work that it may tell, and those of starting CUDA that it may meet.
/// Empty for a name that is not in the table.
///
/// Left out: that it was called in a host function, or during a stream capture.
SIMULATED_CUDA_API std::vector<int> documented_errors(std::string_view function);

/// The names in the table: every function that can be made to fail.
SIMULATED_CUDA_API std::vector<std::string> documented_functions();

}  // namespace simulated_cuda
