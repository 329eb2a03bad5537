#include "program.hpp"

int part_of_a_program() { return there_and_back(); }
