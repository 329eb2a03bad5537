extern "C" int own_runtime_was_linked();

int main() { return own_runtime_was_linked(); }
