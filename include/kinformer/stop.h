// kinformer/stop.h
//
// StopSource: one "please end" for a whole program, as std::stop_token for whoever must notice.
// StopOnSignals makes one that SIGINT and SIGTERM trigger; nothing else in the library touches
// signals.

#ifndef KINFORMER_STOP_H_
#define KINFORMER_STOP_H_

#include <memory>
#include <stop_token>

namespace kinformer {

// Copyable handle on shared state. Thread-safe. Counterpart: context.WithCancel.
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

// The first SIGINT or SIGTERM requests stop; a second one ends the process at once with status 130
// or 143. Call it from main before other threads start. Calling it again returns the same source.
// In a process that was forked off it is as if it had not been called: signals end that process.
// Counterpart: signals.SetupSignalHandler.
StopSource StopOnSignals();

}  // namespace kinformer

#endif  // KINFORMER_STOP_H_
