// kinformer/base/stop.h
//
// StopSource: one stop request for a whole program, passed on as std::stop_token.
// StopOnSignals returns one that SIGINT and SIGTERM trigger; no other part of the library
// handles signals.

#ifndef KINFORMER_BASE_STOP_H_
#define KINFORMER_BASE_STOP_H_

#include <memory>
#include <stop_token>

#include "kinformer/internal/standard_library.h"

namespace kinformer {

// A copyable handle on shared state. Thread-safe. Counterpart: context.WithCancel.
class StopSource {
 public:
  StopSource();
  [[nodiscard]] std::stop_token token() const;
  void RequestStop();
  [[nodiscard]] bool stop_requested() const;
  // Blocks the calling thread until stop is requested. Not for the loop or for simulated time.
  void Wait() const;

 private:
  friend StopSource StopOnSignals();
  struct State;
  std::shared_ptr<State> state_;
};

// Returns a source that the first SIGINT or SIGTERM triggers; a second one ends the process at once
// with status 130 or 143. Call it from main before other threads start. Later calls return the same
// source. In a forked process it has no effect: signals end that process. Counterpart:
// signals.SetupSignalHandler.
StopSource StopOnSignals();

}  // namespace kinformer

#endif  // KINFORMER_BASE_STOP_H_
