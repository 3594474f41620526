// kinformer/internal/queue_core.h
//
// QueueCore: the state machine of the work queues, without the items' type. The templates map items
// to nodes; what happens to nodes is compiled once, in here.

#ifndef KINFORMER_INTERNAL_QUEUE_CORE_H_
#define KINFORMER_INTERNAL_QUEUE_CORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kinformer/env.h"

namespace kinformer::internal {

// What a queue knows about one item. Lives in the queue's map as long as any of the three states
// holds.
struct QueueNode {
  bool dirty = false;       // needs work: waits in line, or for the end of its current processing
  bool processing = false;  // a worker has it
  bool in_line = false;
  bool delayed = false;
  QueueNode* previous = nullptr;
  QueueNode* next = nullptr;
  SteadyTime added{};          // the first Add since it was last handed out
  SteadyTime started{};        // when it was handed out
  SteadyTime ready_at{};       // when the delay ends
  std::uint64_t sequence = 0;  // orders equal ready_at

  [[nodiscard]] bool idle() const { return !dirty && !processing && !delayed; }
};

// Thread-safe where said so. Methods called ...Locked need the monitor held. Shared ownership,
// since a timer on the loop may be about to run when the queue goes.
class QueueCore : public std::enable_shared_from_this<QueueCore> {
 public:
  QueueCore(Env& env, const std::string& name);
  virtual ~QueueCore();
  QueueCore(const QueueCore&) = delete;
  QueueCore& operator=(const QueueCore&) = delete;

  [[nodiscard]] Monitor& monitor() const { return *monitor_; }
  [[nodiscard]] Env& env() const { return env_; }

  [[nodiscard]] bool AcceptsLocked() const { return !shutting_down_; }
  void AddLocked(QueueNode& node);
  void AddAfterLocked(QueueNode& node, Duration delay);
  // Counts a retry; also for delays that have passed already.
  void CountRetry();
  // Waits for a node; null once the queue is shut down and empty, and on the loop thread, which
  // must not wait.
  QueueNode* GetLocked();
  // The worker has finished with `node`.
  void DoneLocked(QueueNode& node);
  void ReportBadDone() const;

  [[nodiscard]] std::size_t LenLocked() const { return length_; }
  [[nodiscard]] std::size_t DelayedLocked() const { return delayed_.size(); }
  [[nodiscard]] const QueueNode* FrontLocked() const { return front_; }
  [[nodiscard]] bool ShuttingDownLocked() const { return shutting_down_; }

  // Items still delayed are dropped: their nodes may be idle afterwards.
  void ShutDownLocked();
  bool ShutDownWithDrainLocked(Duration timeout);
  // Waits until no call is inside GetLocked or ShutDownWithDrainLocked.
  void WaitForCallersLocked();

 private:
  struct Instruments;

  void ShutLocked();
  void WakeOneLocked();
  void PushLocked(QueueNode& node);
  void DropDelayedLocked();
  void ArmLocked();
  void OnDue();
  void ArmTickLocked();
  void OnTick();
  [[nodiscard]] bool DrainedLocked() const { return length_ == 0 && processing_.empty(); }

  // By the time at which they are ready, equal times in the order of adding.
  struct ReadyBefore {
    bool operator()(const QueueNode* a, const QueueNode* b) const {
      return a->ready_at != b->ready_at ? a->ready_at < b->ready_at : a->sequence < b->sequence;
    }
  };

  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  const std::unique_ptr<Instruments> instruments_;  // null without a name

  QueueNode* front_ = nullptr;
  QueueNode* back_ = nullptr;
  std::size_t length_ = 0;
  // Few: one for each worker.
  std::vector<QueueNode*> processing_;
  std::set<QueueNode*, ReadyBefore> delayed_;
  std::uint64_t next_sequence_ = 0;
  Timer timer_;
  bool timer_armed_ = false;
  SteadyTime timer_at_{};
  Timer tick_;
  bool tick_armed_ = false;
  bool shutting_down_ = false;
  bool draining_ = false;
  std::size_t getters_ = 0;
  std::size_t drainers_ = 0;
  bool closing_ = false;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_QUEUE_CORE_H_
