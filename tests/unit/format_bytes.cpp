// Numbers of bytes, and figures, for reading.
#include <devmem/memory_info.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <sstream>

using devmem::format_bytes;

TEST_CASE("below 1 KiB bytes are counted") {
    CHECK(format_bytes(0) == "0 B");
    CHECK(format_bytes(1) == "1 B");
    CHECK(format_bytes(1023) == "1023 B");
}

TEST_CASE("above, the unit is the largest that leaves a number from 1") {
    CHECK(format_bytes(1024) == "1.0 KiB");
    CHECK(format_bytes(1536) == "1.5 KiB");
    CHECK(format_bytes(std::size_t{1} << 20) == "1.0 MiB");
    CHECK(format_bytes(3 * (std::size_t{1} << 19)) == "1.5 MiB");
    CHECK(format_bytes(std::size_t{1} << 30) == "1.0 GiB");
    CHECK(format_bytes(std::size_t{1} << 40) == "1.0 TiB");
    CHECK(format_bytes(std::size_t{1} << 50) == "1.0 PiB");
    CHECK(format_bytes(std::size_t{1} << 60) == "1.0 EiB");
    CHECK(format_bytes(~std::size_t{0}) == "16.0 EiB");
}

TEST_CASE("rounding never gives 1024.0 of a unit") {
    CHECK(format_bytes((std::size_t{1} << 20) - 1) == "1.0 MiB");
    CHECK(format_bytes((std::size_t{1} << 20) - 51) == "1.0 MiB");
    CHECK(format_bytes((std::size_t{1} << 20) - 52) == "1023.9 KiB");
    CHECK(format_bytes((std::size_t{1} << 30) - 1) == "1.0 GiB");
    CHECK(format_bytes((std::size_t{1} << 60) - 1) == "1.0 EiB");
}

TEST_CASE("memory figures print on one line") {
    std::ostringstream out;
    out << devmem::memory_figures{.total = std::size_t{8} << 30,
                                  .free = std::size_t{3} << 30,
                                  .live = 1536,
                                  .cached = 512,
                                  .peak = std::size_t{5} << 20};
    CHECK(out.str() == "3.0 GiB free of 8.0 GiB, live 1.5 KiB, cached 512 B, peak 5.0 MiB");
}
