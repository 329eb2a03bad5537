// What is looked at for its code: a transform of floats.
#include <devmem/transform.hpp>

struct doubled {
    DEVMEM_HD float operator()(float x) const { return 2 * x; }
};

void double_all(devmem::device_view<const float> in, devmem::device_view<float> out) {
    devmem::transform(in, out, doubled{});
}
