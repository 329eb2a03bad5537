// Built without CUDA; makes the parcel, sends it round all parts on every device, and looks at it.
#include "parcel.hpp"

#include <devmem/devmem.hpp>
#include <devmem/runtime_instances.hpp>

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <vector>

extern "C" {
void pass_plain(mixed::parcel&);
void pass_cuda(mixed::parcel&);
void pass_nvcc(mixed::parcel&);
void pass_hidden(mixed::parcel&);
void report_plain(mixed::report&);
void report_cuda(mixed::report&);
void report_nvcc(mixed::report&);
void report_hidden(mixed::report&);
}

namespace {

using pass = void (*)(mixed::parcel&);
using ask = void (*)(mixed::report&);

template <class Function>
Function from_plugin(const char* name) {
    static void* const plugin = dlopen(DEVMEM_MIXED_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(plugin != nullptr, dlerror());
    void* const found = dlsym(plugin, name);
    REQUIRE(found != nullptr);
    return reinterpret_cast<Function>(found);
}

std::array<pass, 5> all_parts() {
    return {&pass_plain, &pass_cuda, &pass_nvcc, &pass_hidden, from_plugin<pass>("pass_plugin")};
}

std::array<ask, 5> all_reports() {
    return {&report_plain, &report_cuda, &report_nvcc, &report_hidden,
            from_plugin<ask>("report_plugin")};
}

}  // namespace

TEST_CASE("a vector goes round all parts of a program, on every device") {
    for (const devmem::device d : devmem::devices()) {
        CAPTURE(devmem::to_string(d));
        mixed::parcel p{devmem::device_vector<float>(1, -1.0f, d)};
        for (int round = 0; round < 3; ++round) {
            for (const pass send : all_parts()) send(p);
        }
        CHECK(p.stops == 15);
        CHECK(p.values.device() == d);
        std::vector<float> expected{-1.0f};
        for (int i = 0; i < 15; ++i) expected.push_back(static_cast<float>(i));
        CHECK(p.values.to_host() == expected);
        p.values.reset();
        CHECK(devmem::memory_info(d).live == 0);
    }
}

TEST_CASE("all parts see the same devices, state and current device") {
    // One of either kind: a part with a current kind of its own would fall back to the GPU.
    for (const devmem::device d : {devmem::device::cuda(1), devmem::device::cpu(2)}) {
        REQUIRE(devmem::is_available(d));
        const devmem::scoped_device current(d);
        for (const ask question : all_reports()) {
            mixed::report r{};
            question(r);
            CAPTURE(r.part);
            CHECK(r.sees_cuda);
            CHECK(r.pool == &devmem::detail::pools);
            CHECK(r.current == d);
        }
    }
    CHECK(devmem::runtime_instances() == 1);
}
