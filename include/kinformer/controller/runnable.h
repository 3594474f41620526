// kinformer/controller/runnable.h
//
// Runnable: a part of a program that a manager (manager.h) starts and stops: a controller, a cache,
// a server, and so on.

#ifndef KINFORMER_CONTROLLER_RUNNABLE_H_
#define KINFORMER_CONTROLLER_RUNNABLE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/internal/callable.h"

namespace kinformer {

// Group of a Runnable, which determines when a manager starts and stops it. Start order: as listed.
// Stop order: kOthers, kLeaderElection, kCaches, kWebhooks, kHttpServers; warm-ups are told to stop
// with kOthers, and end before the caches.
enum class RunnableGroup : std::uint8_t {
  kHttpServers,     // health and metrics
  kWebhooks,        // before the caches, which may need conversions
  kCaches,          // ready when they are synced
  kOthers,          // run whether or not this process leads
  kWarmup,          // Warmup of Runnables that have one; no Runnable is in this group
  kLeaderElection,  // run only while this process leads
};

// A part that runs. Counterpart: manager.Runnable with LeaderElectionRunnable and warmup.
class Runnable {
 public:
  virtual ~Runnable() = default;
  // Runs on a thread of its own until `stop` is requested. May return OK earlier if it is done; an
  // error stops the manager.
  virtual Result<void> Start(const std::stop_token& stop) = 0;
  // Blocks until it counts as started, so that the next group can start. Returns OK at once by
  // default. An error stops the manager.
  virtual Result<void> WaitUntilReady(const std::stop_token& stop) {
    static_cast<void>(stop);
    return {};
  }
  // Prepares itself before this process leads: if HasWarmup, Warmup is called before Start, on a
  // thread of its own. Blocks until `stop` is requested.
  [[nodiscard]] virtual bool HasWarmup() const { return false; }
  virtual Result<void> Warmup(const std::stop_token& stop) {
    static_cast<void>(stop);
    return {};
  }
  [[nodiscard]] virtual RunnableGroup group() const { return RunnableGroup::kLeaderElection; }
  // Returns the name in messages, which need not be unique.
  [[nodiscard]] virtual std::string name() const { return "runnable"; }
};

namespace internal {
struct RunnableWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(
        kFits,
        "a RunnableFunc is called with the token that tells it to stop, and gives a Result<void>: "
        "[](const std::stop_token& stop) -> Result<void> { ...; return {}; }");
  }
};
}  // namespace internal

// Makes a Runnable of a function. Counterpart: manager.RunnableFunc.
class RunnableFunc final : public Runnable {
 public:
  using Function =
      internal::Callable<Result<void>(const std::stop_token& stop), internal::RunnableWords>;
  explicit RunnableFunc(Function function, std::string name = "function",
                        RunnableGroup group = RunnableGroup::kLeaderElection)
      : function_(std::move(function)), name_(std::move(name)), group_(group) {}
  Result<void> Start(const std::stop_token& stop) override { return function_(stop); }
  [[nodiscard]] RunnableGroup group() const override { return group_; }
  [[nodiscard]] std::string name() const override { return name_; }

 private:
  const Function function_;
  const std::string name_;
  const RunnableGroup group_;
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_RUNNABLE_H_
