#include "kinformer/internal/queue_core.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kinformer/metrics.h"

#include "base/deadline.h"
#include "base/forked.h"

namespace kinformer::internal {
namespace {

constexpr Duration kTickPeriod = std::chrono::milliseconds(500);

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

struct QueueCore::Instruments {
  Instruments(MetricsSink& sink, std::string_view name)
      : depth(sink.NewGauge("workqueue_depth", "Current depth of workqueue.", {{"name", name}})),
        adds(sink.NewCounter("workqueue_adds_total", "Total number of adds handled by workqueue.",
                             {{"name", name}})),
        latency(sink.NewHistogram(
            "workqueue_queue_duration_seconds",
            "How long in seconds an item stays in workqueue before being requested.",
            {{"name", name}})),
        work_duration(sink.NewHistogram(
            "workqueue_work_duration_seconds",
            "How long in seconds processing an item from workqueue takes.", {{"name", name}})),
        unfinished(sink.NewGauge("workqueue_unfinished_work_seconds",
                                 "Sum of the ages of the items in process.", {{"name", name}})),
        longest_running(sink.NewGauge("workqueue_longest_running_processor_seconds",
                                      "Age of the oldest item in process.", {{"name", name}})),
        retries(sink.NewCounter("workqueue_retries_total",
                                "Total number of retries handled by workqueue.",
                                {{"name", name}})) {}

  const std::shared_ptr<Gauge> depth;
  const std::shared_ptr<Counter> adds;
  const std::shared_ptr<Histogram> latency;
  const std::shared_ptr<Histogram> work_duration;
  const std::shared_ptr<Gauge> unfinished;
  const std::shared_ptr<Gauge> longest_running;
  const std::shared_ptr<Counter> retries;
};

QueueCore::QueueCore(Env& env, const std::string& name)
    : env_(env),
      monitor_(env.NewMonitor()),
      instruments_(name.empty() || !env.metrics().enabled()
                       ? nullptr
                       : std::make_unique<Instruments>(env.metrics(), name)) {}

QueueCore::~QueueCore() = default;

void QueueCore::AddLocked(QueueNode& node) {
  if (node.dirty) return;
  node.dirty = true;
  if (instruments_ != nullptr) {
    instruments_->adds->Add();
    instruments_->depth->Add(1);
    node.added = env_.Now();
  }
  // While a worker has it, it only becomes dirty: Done puts it in line.
  if (!node.processing) PushLocked(node);
}

void QueueCore::PushLocked(QueueNode& node) {
  node.in_line = true;
  node.previous = back_;
  node.next = nullptr;
  (back_ == nullptr ? front_ : back_->next) = &node;
  back_ = &node;
  ++length_;
  WakeOneLocked();
}

// Workers and drainers wait at the same condition; one wake-up must not go to the wrong kind.
void QueueCore::WakeOneLocked() {
  if (drainers_ > 0 || closing_) {
    monitor_->NotifyAll();
  } else if (getters_ > 0) {
    monitor_->NotifyOne();
  }
}

QueueNode* QueueCore::GetLocked() {
  if (front_ == nullptr && !shutting_down_) {
    if (env_.OnLoopThread()) {
      env_.log().Log(LogLevel::kError,
                     "Get called on an event loop with nothing to give; not waiting", {});
      return nullptr;
    }
    ++getters_;
    while (front_ == nullptr && !shutting_down_) monitor_->Wait();
    --getters_;
    if (closing_) monitor_->NotifyAll();
  }
  QueueNode* const node = front_;
  if (node == nullptr) return nullptr;
  front_ = node->next;
  (front_ == nullptr ? back_ : front_->previous) = nullptr;
  --length_;
  node->next = nullptr;
  node->in_line = false;
  node->dirty = false;
  node->processing = true;
  processing_.push_back(node);
  if (instruments_ != nullptr) {
    node->started = env_.Now();
    instruments_->depth->Add(-1);
    instruments_->latency->Observe(Seconds(node->started - node->added));
    ArmTickLocked();
  }
  return node;
}

void QueueCore::DoneLocked(QueueNode& node) {
  node.processing = false;
  std::erase(processing_, &node);
  if (instruments_ != nullptr) {
    instruments_->work_duration->Observe(Seconds(env_.Now() - node.started));
  }
  if (node.dirty) {
    PushLocked(node);
  } else if (drainers_ > 0) {
    monitor_->NotifyAll();
  }
}

void QueueCore::ReportBadDone() const {
  env_.log().Log(LogLevel::kError, "Done called for an item that no worker has; ignored", {});
}

// ---- delays

void QueueCore::CountRetry() {
  if (instruments_ != nullptr) instruments_->retries->Add();
}

void QueueCore::AddAfterLocked(QueueNode& node, Duration delay) {
  const SteadyTime ready_at = base::After(env_.Now(), delay);
  if (node.delayed) {
    // The earlier time wins.
    if (ready_at >= node.ready_at) return;
    delayed_.erase(&node);
  } else {
    node.delayed = true;
    node.sequence = next_sequence_++;
  }
  node.ready_at = ready_at;
  delayed_.insert(&node);
  ArmLocked();
}

void QueueCore::ArmLocked() {
  if (delayed_.empty()) return;
  const SteadyTime first = (*delayed_.begin())->ready_at;
  if (timer_armed_ && timer_at_ <= first) return;
  timer_armed_ = true;
  timer_at_ = first;
  timer_ = env_.loop().RunAt(first, [weak = weak_from_this()] {
    if (const std::shared_ptr<QueueCore> self = weak.lock()) self->OnDue();
  });
}

void QueueCore::OnDue() {
  const MonitorLock lock(*monitor_);
  timer_armed_ = false;
  const SteadyTime now = env_.Now();
  while (!delayed_.empty() && (*delayed_.begin())->ready_at <= now) {
    QueueNode* const node = *delayed_.begin();
    delayed_.erase(delayed_.begin());
    node->delayed = false;
    AddLocked(*node);
  }
  ArmLocked();
}

void QueueCore::DropDelayedLocked() {
  for (QueueNode* node : delayed_) node->delayed = false;
  delayed_.clear();
  timer_armed_ = false;
  timer_.Cancel();
}

// ---- gauges that change with time. Only while a worker has something: an idle queue wakes nobody.

void QueueCore::ArmTickLocked() {
  if (tick_armed_ || shutting_down_) return;
  tick_armed_ = true;
  tick_ = env_.loop().RunAt(env_.Now() + kTickPeriod, [weak = weak_from_this()] {
    if (const std::shared_ptr<QueueCore> self = weak.lock()) self->OnTick();
  });
}

void QueueCore::OnTick() {
  const MonitorLock lock(*monitor_);
  tick_armed_ = false;
  if (shutting_down_) return;
  const SteadyTime now = env_.Now();
  double sum = 0;
  double longest = 0;
  for (const QueueNode* node : processing_) {
    const double age = Seconds(now - node->started);
    sum += age;
    longest = std::max(longest, age);
  }
  instruments_->unfinished->Set(sum);
  instruments_->longest_running->Set(longest);
  if (!processing_.empty()) ArmTickLocked();
}

// ---- the end

void QueueCore::ShutLocked() {
  shutting_down_ = true;
  DropDelayedLocked();
  tick_armed_ = false;
  tick_.Cancel();
  monitor_->NotifyAll();
}

void QueueCore::ShutDownLocked() {
  draining_ = false;
  ShutLocked();
}

bool QueueCore::ShutDownWithDrainLocked(Duration timeout) {
  draining_ = true;
  ShutLocked();
  if (env_.OnLoopThread()) {
    if (!DrainedLocked()) {
      env_.log().Log(LogLevel::kError, "ShutDownWithDrain called on an event loop; not waiting",
                     {});
    }
    return DrainedLocked();
  }
  const SteadyTime deadline = base::After(env_.Now(), timeout);
  ++drainers_;
  while (draining_ && !DrainedLocked()) {
    if (deadline == SteadyTime::max()) {
      monitor_->Wait();
    } else if (env_.Now() >= deadline) {
      break;
    } else {
      monitor_->WaitUntil(deadline);
    }
  }
  --drainers_;
  if (closing_) monitor_->NotifyAll();
  return DrainedLocked();
}

void QueueCore::WaitForCallersLocked() {
  closing_ = true;
  // After a fork they are the parent's.
  while ((getters_ > 0 || drainers_ > 0) && !base::IsForkedOff(env_)) monitor_->Wait();
}

}  // namespace kinformer::internal
