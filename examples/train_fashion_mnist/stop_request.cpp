#include "stop_request.hpp"

#include <csignal>

namespace fashion_mnist {

namespace {

volatile std::sig_atomic_t requested = 0;

void note_request(int) { requested = 1; }

}  // namespace

void watch_for_stop_requests() {
    struct sigaction action {};
    action.sa_handler = note_request;
    action.sa_flags =
        static_cast<int>(SA_RESETHAND | SA_RESTART);  // the second signal meets no handler
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

void stop_if_requested() {
    if (requested != 0) throw stopped();
}

}  // namespace fashion_mnist
