// kinformer/internal/controller_core.h
//
// ControllerCore: TypedController (controller.h) without the type of its requests.

#ifndef KINFORMER_INTERNAL_CONTROLLER_CORE_H_
#define KINFORMER_INTERNAL_CONTROLLER_CORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/controller_options.h"
#include "kinformer/env.h"
#include "kinformer/reconciler.h"
#include "kinformer/result.h"
#include "kinformer/source.h"

namespace kinformer::internal {

struct ControllerInstruments;
namespace reconcile {
class SpinWatch;
}  // namespace reconcile

// kInvalidArgument: the name or the reconciler is missing, or a number makes no sense.
Result<void> CheckController(const ControllerOptions& options, bool has_reconciler);

// What becomes of a request after its reconcile.
struct Disposal {
  enum class Action : std::uint8_t {
    kForget,       // done, or failed for good
    kRateLimited,  // again, later and later
    kAfter,        // done, and again after `after`
  };
  Action action{};
  Duration after{0};
  int priority{0};
};

// Thread-safe.
class ControllerCore {
 public:
  // What the queue of requests does for it.
  struct Queue {
    // Takes one request, has it reconciled and disposes of it. False: the queue has been shut down.
    std::function<bool()> process_next;
    std::function<void()> shut_down;
  };

  ControllerCore(Env& env, ControllerOptions options);
  ~ControllerCore();
  ControllerCore(const ControllerCore&) = delete;
  ControllerCore& operator=(const ControllerCore&) = delete;

  void SetQueue(Queue queue) { queue_ = std::move(queue); }
  // Before the sources have been started: keeps it for then. Afterwards: starts it.
  Result<void> Watch(const std::shared_ptr<source::AnySource>& source,
                     const std::function<Result<void>(const std::stop_token&)>& start);
  Result<void> Unwatch(const std::shared_ptr<source::AnySource>& source);

  Result<void> Start(const std::stop_token& stop);
  Result<void> Warmup(const std::stop_token& stop);

  // Calls `reconcile` for a request whose text is `key`, unless the controller ends before it may:
  // then empty.
  std::optional<Disposal> Reconcile(
      const std::string& key, int priority,
      const std::function<Result<ReconcileResult>(const ReconcileContext&)>& reconcile);

  // Calls `work`, which calls the program's rate limiter and ToString of its requests. False: one
  // of them threw, which is logged and counted.
  bool Contain(const std::function<void()>& work);

  [[nodiscard]] const ControllerOptions& options() const { return options_; }
  [[nodiscard]] Env& env() const { return env_; }

 private:
  struct Watched {
    std::shared_ptr<source::AnySource> source;
    std::function<Result<void>(const std::stop_token&)> start;
    bool starting = false;  // by Watch, outside of the monitor
  };
  enum class Phase : std::uint8_t {
    kNew,
    kStarting,
    kStarted,   // and all have synced
    kCanceled,  // asked to stop before that: nothing may be reconciled
    kFailed,
    kEnded,
  };

  // Starts the sources, or waits for whoever does. True: they have synced. False: stop was
  // requested before, here or there.
  Result<bool> StartSources(const std::stop_token& stop);
  Result<bool> StartSourcesOnce(const std::stop_token& stop, std::vector<Watched> sources);
  void StopSources();
  void Work();
  // Why no reconcile may begin now; empty: it may. What the program's functions throw is a reason.
  [[nodiscard]] std::string WhyHeldBack();
  [[nodiscard]] std::string WhyNotNow();
  bool WaitUntilAllowed(const std::string& key);
  Result<ReconcileResult> CallContained(
      const ReconcileContext& context,
      const std::function<Result<ReconcileResult>(const ReconcileContext&)>& reconcile);
  Disposal DisposalOf(const ReconcileContext& context, const Result<ReconcileResult>& result);
  // Warns where the request of `key` comes again and again without end.
  void WarnIfItSpins(const ReconcileContext& context, const std::string& key,
                     const Result<ReconcileResult>& result);

  Env& env_;
  const ControllerOptions options_;
  const std::unique_ptr<ControllerInstruments> instruments_;
  const std::unique_ptr<reconcile::SpinWatch> spin_watch_;
  const std::unique_ptr<Monitor> monitor_;
  Queue queue_;
  // Guarded by monitor_.
  Phase phase_ = Phase::kNew;
  bool running_ = false;  // Start has been called
  std::optional<Error> failure_;
  std::vector<Watched> sources_;
  std::stop_source stop_;  // the workers, and with them the sources
  // What sources are started with: ends where they do not all start and sync, or at the end.
  std::stop_source sources_stop_;
  const std::stop_callback<std::function<void()>> sources_end_{
      stop_.get_token(), [this] { sources_stop_.request_stop(); }};
  std::atomic<bool> held_back_{false};
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CONTROLLER_CORE_H_
