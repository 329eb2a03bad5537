#include "part.hpp"

#include <cstdio>
#include <vector>

int main() {
    std::vector<part> parts{checked_part(), release_part(), library_part()};
#ifdef WITH_CUDA_PART
    parts.push_back(cuda_part());
#endif
    int failures = 0;
    const auto check = [&failures](bool good, const char* what) {
        if (!good) std::printf("wrong: %s\n", what);
        failures += good ? 0 : 1;
    };

    // What one part makes, another reads and a third frees.
    int tag = 0;
    for (const part& maker : parts) {
        for (const part& reader : parts) {
            for (const part& taker : parts) {
                message m;
                maker.make(m, ++tag);
                check(reader.holds(m, tag), "a vector read by another part");
                taker.take(m);
                check(m.values.size() == 0, "a vector taken by another part");
            }
        }
    }
    check(devmem::memory_info(devmem::device::cpu()).live == 0, "memory still live at the end");

    // The sink is state of the process: each part sees what the one before has set.
    devmem::set_message_sink(parts.back().own_sink);
    devmem::message_sink before = parts.back().own_sink;
    for (const part& p : parts) {
        check(p.exchange_sink() == before, "a message sink of its own in one part");
        before = p.own_sink;
        check(p.instances() == 1, "more than one runtime");
    }
    std::printf("%d messages, %d failures\n", tag, failures);
    return failures == 0 ? 0 : 1;
}
