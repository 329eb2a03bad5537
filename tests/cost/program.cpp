// `program WHAT TIMES`: does one thing so often, for a tool that counts instructions within
// `measured`. The names that begin with raw_ do what the backend is asked for, without devmem.
#include <devmem/copy.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/stream.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using vector = devmem::device_vector<float>;

constexpr std::size_t n = 1000;

struct subject {
    devmem::stream s{devmem::device::cpu(0)};
    vector from{n, s};
    vector to{n, s};
    devmem::detail::stream_state& state = devmem::stream_view(s).state();
};

bool queue_raw_copy(const subject& t) {
    const auto& table = *t.state.table;
    return table
        .copy_async(t.state.where, t.state.handle, const_cast<float*>(t.to.view().address()),
                    t.from.view().address(), 100 * sizeof(float))
        .ok();
}

bool queue_raw_fill(const subject& t) {
    static constexpr unsigned char zero = 0;
    return t.state.table
        ->fill_async(t.state.where, t.state.handle, const_cast<float*>(t.to.view().address()),
                     &zero, 1, n * sizeof(float))
        .ok();
}

void copy(subject& t) { devmem::copy_async(t.from.subspan(0, 100), t.to.subspan(0, 100), t.s); }
void raw_copy(subject& t) {
    if (!queue_raw_copy(t)) std::abort();
}
void make_vector(subject& t) { const vector v(n, devmem::uninitialized, t.s); }
void make_zeroed_vector(subject& t) { const vector v(n, t.s); }
void raw_fill(subject& t) {
    if (!queue_raw_fill(t)) std::abort();
}
void nothing(subject&) {}

struct named {
    const char* name;
    void (*once)(subject&);
};
constexpr named all[] = {{"copy", copy},          {"raw_copy", raw_copy},
                         {"vector", make_vector}, {"zeroed_vector", make_zeroed_vector},
                         {"raw_fill", raw_fill},  {"nothing", nothing}};

}  // namespace

extern "C" [[gnu::noinline]] void measured(void (*once)(subject&), int times, subject* on) {
    for (int i = 0; i < times; ++i) once(*on);
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    for (const named& work : all) {
        if (argv[1] != std::string(work.name)) continue;
        subject t;
        work.once(t);  // memory has been obtained
        measured(work.once, std::atoi(argv[2]), &t);
        t.s.synchronize();
        return 0;
    }
    std::fprintf(stderr, "cannot do '%s'\n", argv[1]);
    return 2;
}
