extern "C" int own_runtime_was_linked() { return 0; }
