#include "program.hpp"

#if !DEVMEM_CUDA
#error devmem::cuda did not switch the CUDA path on
#endif

int main() { return there_and_back(); }
