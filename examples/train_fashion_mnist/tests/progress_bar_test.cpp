// What the progress bar writes.
#include "progress_bar.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// A stream that keeps what is written to it.
class kept_stream {
  public:
    kept_stream() : file_(open_memstream(&text_, &size_)) { REQUIRE(file_ != nullptr); }
    ~kept_stream() {
        std::fclose(file_);
        std::free(text_);
    }
    kept_stream(const kept_stream&) = delete;
    kept_stream& operator=(const kept_stream&) = delete;

    std::FILE* file() const noexcept { return file_; }
    std::string text() const {
        std::fflush(file_);
        return {text_, size_};
    }

  private:
    char* text_ = nullptr;
    std::size_t size_ = 0;
    std::FILE* file_;
};

}  // namespace

TEST_SUITE("progress_bar") {
    TEST_CASE("on a terminal it is drawn over itself, when it changes, and removed") {
        const kept_stream out;
        fashion_mnist::progress_bar bar(out.file(), true);
        bar.show("epoch 1", 500, 1'000);
        const std::string half =
            "\repoch 1 [" + std::string(20, '#') + std::string(20, '.') + "]  50%";
        CHECK(out.text() == half);
        bar.show("epoch 1", 501, 1'000);
        CHECK(out.text() == half);
        bar.clear();
        CHECK(out.text() == half + "\r\033[K");
        bar.show("epoch 2", 501, 1'000);
        CHECK(out.text().ends_with("\repoch 2 [" + std::string(20, '#') + std::string(20, '.') +
                                   "]  50%"));
    }

    TEST_CASE("its ends") {
        const kept_stream out;
        fashion_mnist::progress_bar bar(out.file(), true);
        bar.show("", 0, 3);
        CHECK(out.text().ends_with("[" + std::string(40, '.') + "]   0%"));
        bar.show("", 3, 3);
        CHECK(out.text().ends_with("[" + std::string(40, '#') + "] 100%"));
    }

    TEST_CASE("elsewhere it writes nothing") {
        const kept_stream out;
        fashion_mnist::progress_bar bar(out.file(), false);
        bar.show("epoch 1", 1, 2);
        bar.clear();
        CHECK(out.text().empty());
    }
}
