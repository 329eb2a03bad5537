/// \file
/// What devmem says while a test looks: notes, and errors met in destructors.
#pragma once

#include <devmem/messages.hpp>

#include <mutex>
#include <string>
#include <vector>

namespace devmem_test {

/// Keeps what is sent to a sink while it lives, and restores the sink before.
template <devmem::message_sink (*Set)(devmem::message_sink) noexcept>
class captured_texts {
  public:
    captured_texts() {
        clear();
        before_ = Set(&keep);
    }
    ~captured_texts() { Set(before_); }
    captured_texts(const captured_texts&) = delete;
    captured_texts& operator=(const captured_texts&) = delete;

    std::vector<std::string> all() const {
        const std::lock_guard lock(mutex);
        return kept;
    }
    void clear() {
        const std::lock_guard lock(mutex);
        kept.clear();
    }

  private:
    static void keep(const char* text) noexcept {
        const std::lock_guard lock(mutex);
        kept.emplace_back(text);
    }

    inline static std::mutex mutex;
    inline static std::vector<std::string> kept;
    devmem::message_sink before_ = nullptr;
};

using captured_notes = captured_texts<&devmem::set_message_sink>;
using captured_destructor_errors = captured_texts<&devmem::set_destructor_error_sink>;

}  // namespace devmem_test
