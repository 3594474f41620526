// kinformer/internal/queue_core.h
//
// QueueCore: state machine of the work queues, without the items' type. The templates map items to
// nodes; operations on nodes are compiled once, here.

#ifndef KINFORMER_INTERNAL_QUEUE_CORE_H_
#define KINFORMER_INTERNAL_QUEUE_CORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/internal/queue_delays.h"
#include "kinformer/internal/queue_line.h"

namespace kinformer::internal {

struct QueueGetter;  // workqueue/queue_getter.h

// Settings that distinguish the kinds of queues.
struct QueueRules {
  std::string name{};        // empty: no metrics
  std::string controller{};  // a label of the metrics; empty: none
  // False: first in, first out; an item that is added while a worker has it joins the line when
  // that worker is done, and its delay is independent of whether it waits. True: by priority; such
  // an item joins at once and keeps its place, and an item either waits or is delayed. After a
  // shutdown, pending items are returned only in the first case, or while it drains.
  bool by_priority = false;
  Duration ageing{0};
  bool ordered = false;  // a plain queue with an order of the program: see ChosenLocked
  bool fair = false;     // flows of items share the workers: see FlowOfLocked
  QueueNotes notes{};
};

// Thread-safe as documented: methods called ...Locked need the monitor held. Shared ownership,
// because a timer on the loop may be about to run when the queue is released.
class QueueCore : public std::enable_shared_from_this<QueueCore> {
 public:
  QueueCore(Env& env, const QueueRules& rules);
  virtual ~QueueCore();
  QueueCore(const QueueCore&) = delete;
  QueueCore& operator=(const QueueCore&) = delete;

  void Lock() { monitor_->Lock(); }
  // Releases the lock, and then wakes the worker that has work now, which needs the lock.
  void Unlock();
  [[nodiscard]] Env& env() const { return env_; }

  [[nodiscard]] bool AcceptsLocked() const { return !shutting_down_; }
  void AddLocked(QueueNode& node, int priority = 0);
  // Adds a node after `delay`, at once if that is not above zero.
  void AddAfterLocked(QueueNode& node, Duration delay, int priority = 0);
  // Waits for a node. Null if the queue is shut down and empty, or on the loop thread, which must
  // not wait.
  QueueNode* GetLocked();
  // Takes a node without waiting. Null: there is none, for good if `ended` is set.
  QueueNode* TryGetLocked(bool& ended);
  // Reports that the worker of `node` has finished.
  void DoneLocked(QueueNode& node);
  void ReportBadDone() const;

  [[nodiscard]] std::size_t LenLocked() const { return line_->size(); }
  [[nodiscard]] std::size_t DelayedLocked() const { return delays_.size(); }
  // Returns the end of its delay; zero if it is not delayed.
  [[nodiscard]] SteadyTime ReadyAtLocked(const QueueNode& node) const {
    return node.delayed ? delays_.ReadyAt(node) : SteadyTime();
  }
  // Returns how long the first waiting item has waited at its priority; zero: none waits.
  [[nodiscard]] Duration OldestWaitLocked() const;
  // Returns the nodes that LenLocked counts, in the order of Get if workers finish at once.
  [[nodiscard]] std::vector<const QueueNode*> WaitingLocked() const { return line_->InOrder(); }
  [[nodiscard]] bool ShuttingDownLocked() const { return shutting_down_; }

  // Drops items that are still delayed; their nodes may be idle afterwards.
  void ShutDownLocked();
  bool ShutDownWithDrainLocked(Duration timeout);
  // Adds a task that waits for an item. It is notified once, when there may be one for it, or the
  // queue is shut down. REQUIRES: it does not wait.
  void AddGetterLocked(const std::shared_ptr<QueueGetter>& getter);
  // Removes a task that waits no longer.
  void RemoveGetterLocked(QueueGetter& getter);
  // Passes on a notification of which the task that got it will make no use.
  void PassOnLocked() { WakeOneLocked(); }
  // Waits until no call is inside GetLocked or ShutDownWithDrainLocked.
  void WaitForCallersLocked();
  // Returns true if the queue belongs to the process from which this one was forked. Then it is
  // leaked and must not be accessed.
  [[nodiscard]] bool LeaveIfForkedOff();

 protected:
  // ---- The order of the program, called if QueueRules::ordered. They do not throw.

  virtual void PushedLocked(const QueueNode& node) { static_cast<void>(node); }
  virtual void TouchedLocked(const QueueNode& node) { static_cast<void>(node); }
  // Returns a waiting node; null: the first in line.
  virtual QueueNode* ChosenLocked() { return nullptr; }

  // ---- The flows of the program, called if QueueRules::fair. They do not throw.

  [[nodiscard]] virtual std::string FlowOfLocked(const QueueNode& node);
  [[nodiscard]] virtual double WeightOfLocked(const std::string& flow);

  // Logs and counts the exception that is being handled, which `function` threw.
  void ReportThrew(std::string_view function);

 private:
  struct Instruments;

  static std::unique_ptr<QueueLine> NewLine(QueueCore& core, const QueueRules& rules);
  void ShutLocked();
  void WakeOneLocked();
  QueueNode* TakeLocked();
  void SignalLaterLocked(std::shared_ptr<QueueGetter> getter);
  void SpinForItemLocked();
  void WaitForItemLocked();
  void JoinLocked(QueueNode& node);
  void RaiseLocked(QueueNode& node, int priority);
  [[nodiscard]] bool MayGiveLocked() const;
  void ArmLocked();
  void OnDue();
  void ArmTickLocked();
  void OnTick();
  [[nodiscard]] bool DrainedLocked() const { return line_->size() == 0 && processing_.empty(); }

  Env& env_;
  const Pimpl<Monitor> monitor_;
  const bool by_priority_;
  const bool ordered_;
  const Pimpl<Instruments> instruments_;  // null without a name

  const Pimpl<QueueLine> line_;
  struct Held {
    QueueNode* node;
    SteadyTime started;  // time of Get, if it is measured
  };
  // Short: one entry for each worker.
  std::vector<Held> processing_;
  QueueDelays delays_;
  Timer timer_;
  bool timer_armed_ = false;
  SteadyTime timer_at_{};
  Timer tick_;
  bool tick_armed_ = false;
  bool shutting_down_ = false;
  bool draining_ = false;
  std::size_t getters_ = 0;  // workers that wait for an item
  bool waking_ = false;      // one of them was woken, but does not run yet
  bool to_notify_ = false;   // by Unlock
  // Tasks that wait for an item, oldest first; and those that Unlock notifies.
  std::deque<std::shared_ptr<QueueGetter>> async_getters_;
  std::vector<std::shared_ptr<QueueGetter>> to_signal_;
  bool has_spinner_ = false;       // one of them spins, the others sleep
  std::atomic<bool> spin_{false};  // true until the spinner is woken
  SteadyTime idle_since_{};        // when a worker found no item
  bool quick_ = false;             // an item arrived soon after that
  std::size_t drainers_ = 0;
  bool closing_ = false;
};

// Holds a queue's lock for its scope.
class QueueLock {
 public:
  explicit QueueLock(QueueCore& core) : core_(core) { core_.Lock(); }
  ~QueueLock() { core_.Unlock(); }
  QueueLock(const QueueLock&) = delete;
  QueueLock& operator=(const QueueLock&) = delete;

 private:
  QueueCore& core_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_QUEUE_CORE_H_
