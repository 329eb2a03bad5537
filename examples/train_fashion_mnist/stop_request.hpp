// Ctrl-C asks the program to stop; it is not killed.
#pragma once

namespace fashion_mnist {

/// The user has asked for an end. Thrown between two batches, so that everything is destroyed in
/// order; what is queued still runs.
struct stopped {};

/// From now on the first SIGINT or SIGTERM is a request; the second ends the program as ever.
void watch_for_stop_requests();

/// @throws stopped once a request has come
void stop_if_requested();

}  // namespace fashion_mnist
