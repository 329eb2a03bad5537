/// \file
/// Functions that only pretend: a suite that tests anything must fail over them.
#pragma once

namespace simulated_cuda::inside {

/// What does nothing and says that it was done, as `SIMULATED_CUDA_SABOTAGE` names it.
enum class sabotage {
    none,
    copy,        ///< copies
    wait,        ///< waits of the host and between streams
    free,        ///< every way to free memory
    set_device,  ///< making a context current
};

/// Whether that is so; read at first use.
bool is_sabotaged(sabotage what);

}  // namespace simulated_cuda::inside
