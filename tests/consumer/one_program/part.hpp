#pragma once

#include "every_header.hpp"

struct message {
    devmem::device_vector<float> values;
    int tag;
};

// What each part of the program can do.
struct part {
    void (*make)(message& m, int tag);         // fills it with the tag, on a device
    bool (*holds)(const message& m, int tag);  // it is what another part has made
    void (*take)(message& m);                  // frees its memory
    devmem::message_sink (*exchange_sink)();   // sets its own, returns the one before
    devmem::message_sink own_sink;
    unsigned (*instances)();
};

part checked_part();
part release_part();
part cuda_part();
__attribute__((visibility("default"))) part library_part();
