// kinformer/runnable.h
//
// Runnable: what a manager (manager.h) starts and ends: controllers, caches, servers, and whatever
// else a program needs.

#ifndef KINFORMER_RUNNABLE_H_
#define KINFORMER_RUNNABLE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/internal/callable.h"
#include "kinformer/result.h"

namespace kinformer {

// When a manager starts and ends it. They start in this order. They end in this one: kOthers,
// kLeaderElection, kCaches, kWebhooks, kHttpServers; warm-ups are told to end with kOthers, and are
// waited for before the caches.
enum class RunnableGroup : std::uint8_t {
  kHttpServers,     // health and metrics
  kWebhooks,        // before the caches, which may need conversions
  kCaches,          // ready when they are synced
  kOthers,          // what runs whoever leads
  kWarmup,          // Warmup of those that have one; none can be in this group
  kLeaderElection,  // what only the leader does
};

// Counterpart: manager.Runnable with LeaderElectionRunnable and warmup.
class Runnable {
 public:
  virtual ~Runnable() = default;
  // Runs on a thread of its own until stop is requested. To return OK earlier is to have nothing
  // more to do; an error ends the manager.
  virtual Result<void> Start(const std::stop_token& stop) = 0;
  // Blocks until the group may count it as started. OK by default at once. An error ends the
  // manager.
  virtual Result<void> WaitUntilReady(const std::stop_token& stop) {
    static_cast<void>(stop);
    return {};
  }
  // For those that prepare themselves before this process leads: called before Start, on a thread
  // of its own. Blocks until stop is requested.
  [[nodiscard]] virtual bool HasWarmup() const { return false; }
  virtual Result<void> Warmup(const std::stop_token& stop) {
    static_cast<void>(stop);
    return {};
  }
  [[nodiscard]] virtual RunnableGroup group() const { return RunnableGroup::kLeaderElection; }
  // For messages; it need not be unique.
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

// A function as a Runnable. Counterpart: manager.RunnableFunc.
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

#endif  // KINFORMER_RUNNABLE_H_
