// cli/first_sync.h
//
// FirstSync: waits for an informer's first list like a person would: gives up at once if retries
// are pointless, and otherwise prints the reason of the wait.

#ifndef KINFORMER_CLI_FIRST_SYNC_H_
#define KINFORMER_CLI_FIRST_SYNC_H_

#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "kinformer/cache/shared_informer.h"

#include "cli/printable.h"
#include "cli/progress.h"

namespace kinformer::cli {

// Whether a retry of the same request would fail in the same way.
inline bool IsHopeless(const Error& error) {
  switch (error.reason()) {
    case Reason::kBadRequest:
    case Reason::kUnauthorized:
    case Reason::kForbidden:
    case Reason::kNotFound:
    case Reason::kMethodNotAllowed:
    case Reason::kNotAcceptable:
    case Reason::kInvalid:
    case Reason::kInvalidArgument:
    case Reason::kConfig:
      return true;
    default:
      return false;
  }
}

// One object per informer. Copies share their state, which the informer keeps as long as it may
// report errors.
class FirstSync {
 public:
  template <class T>
  void Attach(SharedInformer<T>& informer) {
    static_cast<void>(informer.SetWatchErrorHandler(
        [state = state_](const Error& error) { state->Note(error); }));
  }

  // Starts the informer. kCanceled if `stop` was requested before it has synced.
  template <class T>
  Result<void> StartAndWait(SharedInformer<T>& informer, const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { state_->give_up.request_stop(); });
    informer.Start();
    Result<void> synced =
        informer.WaitForCacheSync(state_->give_up.get_token(), {.fail_fast = true});
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if (synced) state_->synced = true;
    if (!synced && state_->hopeless && !stop.stop_requested()) return *state_->hopeless;
    return synced;
  }

 private:
  struct State {
    void Note(const Error& error) {
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (give_up.stop_requested()) return;
        if (synced || !IsHopeless(error)) {
          std::cerr << LineStart() << "warning: " << Printable(error.message())
                    << "; trying again\n";
          return;
        }
        hopeless = error;
      }
      give_up.request_stop();
    }

    std::stop_source give_up;
    std::mutex mutex;
    std::optional<Error> hopeless;
    bool synced = false;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_FIRST_SYNC_H_
