// kinformer/internal/controller_core.h
//
// ControllerCore: untyped half of TypedController (controller.h).

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

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/controller/source.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/controller_figures.h"
#include "kinformer/internal/failing_requests.h"
#include "kinformer/internal/held_requests.h"
#include "kinformer/internal/own_write.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/internal/waiting_request.h"

namespace kinformer::internal {

struct ControllerInstruments;
class FightBook;
class ReconcileHistory;
namespace reconcile {
class ReconcileSpans;
class SpinWatch;
}  // namespace reconcile

// Checks options. kInvalidArgument: name or reconciler is missing, or a number is out of range.
Result<void> CheckController(const ControllerOptions& options, bool has_reconciler);

// Returns the counter of own events that wake nobody; null if the options do not ask for that.
std::shared_ptr<Counter> OwnEventsCounter(Env& env, const ControllerOptions& options);

// Next step for a request after its reconcile.
struct Disposal {
  enum class Action : std::uint8_t {
    kForget,       // done, or failed for good
    kRateLimited,  // retried, with growing delays
    kAfter,        // done, and again after `after`
    kParked,       // not done, and again when what `await` waits for is there
  };
  Action action{};
  Duration after{0};
  int priority{0};
  std::optional<Error> error{};  // of a reconcile that is retried
  // For kParked: begins to wait, and calls the function on some thread at the end.
  std::function<void(std::function<void()> done)> await{};
  // Writes of a reconcile that was successful, whose events need not wake it.
  std::vector<OwnWrite> own_writes{};
  // Holds that fights ask for, whatever the action; null: there are none.
  std::unique_ptr<std::vector<RequestHold>> holds{};
};

// Thread-safe.
class ControllerCore {
 public:
  // Functions of the typed request queue.
  struct Queue {
    // Takes one request, reconciles it and applies its Disposal. False: the queue is shut down.
    std::function<bool()> process_next;
    std::function<void()> shut_down;
    std::function<std::vector<WaitingRequest>(const WaitingQuestion&)> waiting;
  };

  ControllerCore(Env& env, ControllerOptions options);
  ~ControllerCore();
  ControllerCore(const ControllerCore&) = delete;
  ControllerCore& operator=(const ControllerCore&) = delete;

  void SetQueue(Queue queue);
  // Adds a source: keeps it until the sources start, or starts it if they have started.
  Result<void> Watch(const std::shared_ptr<source::AnySource>& source,
                     const std::function<Result<void>(const std::stop_token&)>& start);
  Result<void> Unwatch(const std::shared_ptr<source::AnySource>& source);

  Result<void> Start(const std::stop_token& stop);
  Result<void> Warmup(const std::stop_token& stop);

  // Calls `reconcile` for a request with the text `key`, which has failed before as `failed` says,
  // and which `causes` have woken, which it takes. Empty: the controller ended before the reconcile
  // was allowed to begin.
  std::optional<Disposal> Reconcile(
      std::string key, int priority, const FailedAttempts& failed, CauseNote& causes,
      const std::function<Result<ReconcileResult>(const ReconcileContext&)>& reconcile);

  // Returns what is known without the queue.
  [[nodiscard]] ControllerFigures Figures() const;

  // Calls `work`, which calls the program's rate limiter and ToString of its requests. False: one
  // of them threw, which is logged and counted.
  bool Contain(const std::function<void()>& work);

  [[nodiscard]] Duration EventRetryInterval() const {
    return options_.event_retry_interval.value_or(std::chrono::seconds(10));
  }

  [[nodiscard]] const CauseBook& causes() const { return causes_; }
  [[nodiscard]] const std::shared_ptr<ReconcileHistory>& history() const { return history_; }
  // Returns null if nobody looks for fights.
  [[nodiscard]] const std::shared_ptr<FightBook>& fights() const { return fights_; }
  // Requests name objects of this kind.
  void SetKind(const KindInfo& kind);
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
    kStarted,   // and all sources have synced
    kCanceled,  // stopped before that: no reconcile may run
    kFailed,
    kEnded,
  };

  // Starts the sources, or waits for another call that starts them. True: they have synced. False:
  // stop was requested before, here or in the other call.
  Result<bool> StartSources(const std::stop_token& stop);
  Result<bool> StartSourcesOnce(const std::stop_token& stop, std::vector<Watched> sources);
  void StopSources();
  // Calls ControllerOptions::catch_up. Returns false if `stop` was requested.
  Result<bool> CatchUp(const std::stop_token& stop);
  void Work();
  // Returns why no reconcile may begin now; empty: it may. A function that throws is a reason.
  [[nodiscard]] std::string WhyHeldBack();
  [[nodiscard]] std::string WhyNotNow();
  void SayHeldBack(const std::string& why);
  [[nodiscard]] WaitingAnswer Waiting(const WaitingQuestion& question) const;
  bool WaitUntilAllowed(const std::string& key);
  Result<ReconcileResult> CallContained(
      const ReconcileContext& context,
      const std::function<Result<ReconcileResult>(const ReconcileContext&)>& reconcile);
  Disposal DisposalOf(const ReconcileContext& context, const Result<ReconcileResult>& result);
  // Logs the beginning, if such lines are wanted.
  void LogBegin(const ReconcileContext& context) const;
  // Counts a reconcile that is put aside until all of `waits` have ended.
  Disposal ParkedUntil(std::vector<std::function<Task<Result<void>>()>> waits, int priority);
  // Warns if the request returns again and again without end.
  void WarnIfItSpins(const ReconcileContext& context, const Result<ReconcileResult>& result);

  Env& env_;
  const ControllerOptions options_;
  const Pimpl<ControllerInstruments> instruments_;
  const Pimpl<reconcile::SpinWatch> spin_watch_;
  const CauseBook causes_{};
  const std::shared_ptr<ReconcileHistory> history_;
  const std::shared_ptr<FightBook> fights_;
  const Pimpl<reconcile::ReconcileSpans> spans_;
  const Pimpl<Monitor> monitor_;
  Queue queue_;
  // Guarded by monitor_.
  Phase phase_ = Phase::kNew;
  bool running_ = false;  // Start has been called
  bool working_ = false;  // and its workers begin
  std::optional<Error> failure_;
  std::vector<Watched> sources_;
  std::stop_source stop_;  // stops the workers, and with them the sources
  // Stops the sources: if not all of them start and sync, and at the end of the controller.
  std::stop_source sources_stop_;
  const std::stop_callback<std::function<void()>> sources_end_{
      stop_.get_token(), [this] { sources_stop_.request_stop(); }};
  std::atomic<bool> held_back_{false};
  std::string why_held_back_{};  // guarded by monitor_
  // Counts since the start; those that were put aside are no reconciles.
  std::atomic<std::uint64_t> reconciles_{0};
  std::atomic<std::uint64_t> errors_{0};
  std::atomic<std::uint64_t> parked_{0};
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CONTROLLER_CORE_H_
