#include "sabotage.hpp"

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace simulated_cuda::inside {

namespace {

sabotage asked_for() {
    const char* asked = std::getenv("SIMULATED_CUDA_SABOTAGE");
    if (asked == nullptr) return sabotage::none;
    constexpr std::string_view words[] = {"none", "copy", "wait", "free", "set_device"};
    for (std::size_t i = 0; i < std::size(words); ++i) {
        if (asked == words[i]) return static_cast<sabotage>(i);
    }
    std::fprintf(
        stderr,
        "simulated CUDA: SIMULATED_CUDA_SABOTAGE is '%s'; it takes none, copy, wait, free or "
        "set_device\n",
        asked);
    std::abort();
}

}  // namespace

bool is_sabotaged(sabotage what) {
    static const sabotage asked = asked_for();
    return asked == what;
}

}  // namespace simulated_cuda::inside
