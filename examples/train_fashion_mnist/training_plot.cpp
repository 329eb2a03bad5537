#include "training_plot.hpp"

#include "user_error.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

namespace fashion_mnist {

namespace {

struct close_pipe {
    void operator()(std::FILE* pipe) const noexcept { pclose(pipe); }
};

// Data go in the same stream as the commands: as blocks that have names.
constexpr const char* commands =
    "set terminal svg size 900,700 dynamic background rgb 'white'\n"
    "set output\n"
    "set multiplot layout 2,1\n"
    "set grid\n"
    "set key outside top center horizontal\n"
    "set xlabel 'epoch'\n"
    "set xtics 1\n"
    "set ylabel 'loss'\n"
    "set yrange [0:*]\n"
    "set y2label 'accuracy'\n"
    "set y2range [*:1]\n"
    "set y2tics\n"
    "plot $epochs using 1:2 with linespoints title 'loss (training)', "
    "$epochs using 1:3 axes x1y2 with linespoints title 'accuracy (test)'\n"
    "unset y2label\n"
    "unset y2tics\n"
    "set xtics autofreq\n"
    "set xrange [*:*]\n"
    "set xlabel 'step'\n"
    "set ylabel 'live memory [MiB]'\n"
    "set yrange [0:*]\n"
    "plot $memory using 1:2 with lines title 'memory in use'\n"
    "unset multiplot\n";

// gnuplot writes to its standard output, so that the name is quoted for the shell alone.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else {
            result += c;
        }
    }
    return result + "'";
}

}  // namespace

training_plot::training_plot(std::filesystem::path file) : file_(std::move(file)) {
    if (file_.empty()) return;
    const std::ofstream out(file_);
    if (!out) {
        throw user_error("--plot '" + file_.string() +
                         "': cannot be written; name a file in a folder that is there");
    }
}

void training_plot::write() const {
    if (file_.empty() || epochs_.empty()) return;
    const std::string command = "gnuplot >" + quoted(file_.string());
    std::unique_ptr<std::FILE, close_pipe> pipe(popen(command.c_str(), "w"));
    if (pipe == nullptr) throw user_error("--plot: no process for gnuplot");
    std::fputs("$epochs << end\n", pipe.get());
    for (std::size_t i = 0; i < epochs_.size(); ++i) {
        std::fprintf(pipe.get(), "%zu %g %g\n", i + 1, epochs_[i].loss, epochs_[i].accuracy);
    }
    std::fputs("end\n$memory << end\n", pipe.get());
    for (std::size_t i = 0; i < live_bytes_.size(); ++i) {
        std::fprintf(pipe.get(), "%zu %g\n", i + 1,
                     static_cast<double>(live_bytes_[i]) / (1 << 20));
    }
    std::fputs("end\n", pipe.get());
    // Half an epoch on either side, so that one alone has room too.
    std::fprintf(pipe.get(), "set xrange [0.5:%zu.5]\n", epochs_.size());
    std::fputs(commands, pipe.get());
    if (pclose(pipe.release()) != 0) {
        throw user_error("--plot '" + file_.string() +
                         "': gnuplot failed; is it there (Debian: gnuplot-nox)?");
    }
}

}  // namespace fashion_mnist
