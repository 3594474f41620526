#include "kinformer/internal/queue_core.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "kinformer/base/metrics.h"

#include "base/core/deadline.h"
#include "base/core/forked.h"
#include "base/core/spin.h"
#include "base/core/user_call.h"
#include "workqueue/fair_line.h"
#include "workqueue/priority_line.h"
#include "workqueue/queue_getter.h"

namespace kinformer::internal {
namespace {

constexpr Duration kTickPeriod = std::chrono::milliseconds(500);

// An item that comes this soon after a worker found the queue empty counts as quick.
constexpr Duration kQuick = std::chrono::microseconds(10);

// controller-runtime distinguishes this many priorities, and uses this label for the others.
constexpr std::size_t kMostPriorityLabels = 25;
constexpr const char* kOtherPriorities = "exceeded_cardinality_limit";

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// Calls `make` with the labels of a queue, and returns the result.
template <class Make>
auto Labelled(const QueueRules& rules, const Make& make) {
  if (rules.controller.empty()) return make({{"name", rules.name}});
  return make({{"name", rules.name}, {"controller", rules.controller}});
}

// The name is only stored for metrics.
std::string Called(const std::string& name) { return name.empty() ? "" : " \"" + name + '"'; }

std::string Items(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " item was" : " items were");
}

}  // namespace

struct QueueCore::Instruments {
  Instruments(MetricsSink& to, const QueueRules& of_queue)
      : sink(to),
        rules(of_queue),
        adds(NewCounter("workqueue_adds_total", "Total number of adds handled by workqueue.")),
        latency(
            NewHistogram("workqueue_queue_duration_seconds",
                         "How long in seconds an item stays in workqueue before being requested.")),
        work_duration(NewHistogram("workqueue_work_duration_seconds",
                                   "How long in seconds processing an item from workqueue takes.")),
        unfinished(NewGauge("workqueue_unfinished_work_seconds",
                            "Sum of the ages of the items in process.")),
        longest_running(NewGauge("workqueue_longest_running_processor_seconds",
                                 "Age of the oldest item in process.")),
        retries(NewCounter("workqueue_retries_total",
                           "Total number of retries handled by workqueue.")) {
    if (!rules.by_priority) AddDepth(0, 0);
  }

  void AddDepth(int priority, double amount) {
    if (depth_ == nullptr || depth_priority_ != priority) {
      depth_ = DepthOf(priority);
      depth_priority_ = priority;
    }
    depth_->Add(amount);
  }

  // Updates the depths after the priority of the waiting `node` has risen from `before`.
  void Raised(const QueueNode& node, int before) {
    AddDepth(before, -1);
    AddDepth(node.priority, 1);
    added_.try_emplace(&node, node.since);
  }
  // Returns the time at which `node` was added. Called when it is given to a worker.
  SteadyTime TakeAdded(const QueueNode& node) {
    const auto risen = added_.empty() ? added_.end() : added_.find(&node);
    if (risen == added_.end()) return node.since;
    const SteadyTime added = risen->second;
    added_.erase(risen);
    return added;
  }

  MetricsSink& sink;
  const QueueRules rules;
  const std::shared_ptr<Counter> adds;
  const std::shared_ptr<Histogram> latency;
  const std::shared_ptr<Histogram> work_duration;
  const std::shared_ptr<Gauge> unfinished;
  const std::shared_ptr<Gauge> longest_running;
  const std::shared_ptr<Counter> retries;

 private:
  std::shared_ptr<Counter> NewCounter(std::string_view metric, std::string_view help) const {
    return Labelled(rules,
                    [&](MetricLabels labels) { return sink.NewCounter(metric, help, labels); });
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view metric, std::string_view help) const {
    return Labelled(rules,
                    [&](MetricLabels labels) { return sink.NewGauge(metric, help, labels); });
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view metric, std::string_view help) const {
    return Labelled(rules,
                    [&](MetricLabels labels) { return sink.NewHistogram(metric, help, labels); });
  }

  std::shared_ptr<Gauge> DepthOf(int priority) {
    constexpr std::string_view kDepth = "workqueue_depth";
    constexpr std::string_view kHelp = "Current depth of workqueue.";
    if (!rules.by_priority) return NewGauge(kDepth, kHelp);
    const auto known = depths_.find(priority);
    if (known != depths_.end()) return known->second;
    const bool labelled = depths_.size() < kMostPriorityLabels;
    const std::string label = labelled ? std::to_string(priority) : kOtherPriorities;
    const auto depth_with = [&](MetricLabels labels) {
      return sink.NewGauge(kDepth, kHelp, labels);
    };
    auto gauge =
        rules.controller.empty()
            ? depth_with({{"name", rules.name}, {"priority", label}})
            : depth_with(
                  {{"name", rules.name}, {"controller", rules.controller}, {"priority", label}});
    if (labelled) depths_.emplace(priority, gauge);
    return gauge;
  }

  std::unordered_map<int, std::shared_ptr<Gauge>> depths_;
  std::shared_ptr<Gauge> depth_;  // the one used last
  int depth_priority_ = 0;
  // Times of adding for nodes whose priority has risen: node.since may have changed since.
  std::unordered_map<const QueueNode*, SteadyTime> added_;
};

QueueCore::QueueCore(Env& env, const QueueRules& rules)
    : env_(env),
      monitor_(env.NewMonitor()),
      by_priority_(rules.by_priority),
      ordered_(rules.ordered),
      instruments_(rules.name.empty() || !env.metrics().enabled()
                       ? nullptr
                       : std::make_unique<Instruments>(env.metrics(), rules)),
      line_(NewLine(*this, rules)) {}

QueueCore::~QueueCore() = default;

Duration QueueCore::OldestWaitLocked() const {
  const std::optional<SteadyTime> since = line_->OldestSince();
  return since ? env_.Now() - *since : Duration(0);
}

std::unique_ptr<QueueLine> QueueCore::NewLine(QueueCore& core, const QueueRules& rules) {
  if (!rules.fair) return std::make_unique<PriorityLine>(rules.ageing);
  return std::make_unique<FairLine>(
      rules.ageing,
      FairLine::Rules{
          .flow_of = [&core](const QueueNode& node) { return core.FlowOfLocked(node); },
          .weight_of = [&core](const std::string& flow) { return core.WeightOfLocked(flow); }});
}

void QueueCore::AddLocked(QueueNode& node, int priority) {
  if (node.dirty) {
    if (ordered_ && !node.processing) TouchedLocked(node);
    RaiseLocked(node, priority);
    return;
  }
  if (by_priority_ && node.delayed) {
    delays_.Remove(node);
    priority = std::max(priority, node.priority);
  }
  node.priority = priority;
  node.dirty = true;
  if (instruments_ != nullptr || line_->ages()) node.since = env_.Now();
  if (instruments_ != nullptr) {
    instruments_->adds->Add();
    instruments_->AddDepth(priority, 1);
  }
  // In a plain queue, an item that is in process only becomes dirty, and Done queues it again.
  if (by_priority_ || !node.processing) JoinLocked(node);
}

void QueueCore::JoinLocked(QueueNode& node) {
  line_->Join(node);
  if (ordered_) PushedLocked(node);
  if (!node.processing) WakeOneLocked();
}

// Does nothing in a plain queue, which has a single priority.
void QueueCore::RaiseLocked(QueueNode& node, int priority) {
  if (priority <= node.priority) return;
  const int before = std::exchange(node.priority, priority);
  if (!node.dirty) {
    delays_.Raised(node);
    return;
  }
  if (instruments_ != nullptr) instruments_->Raised(node, before);
  line_->Raise(node, line_->ages() ? env_.Now() : SteadyTime());
}

// Wakes one worker at a time: each woken worker wakes the next one if an item is left, so a single
// worker that keeps up with short work lets the others sleep. Drainers wait for the same condition
// but never take a notification from a worker: they wait only during a shutdown, when no worker
// waits.
void QueueCore::WakeOneLocked() {
  if (!waking_ && getters_ > 0 && line_->available() > 0) {
    waking_ = true;
    quick_ = env_.Now() - idle_since_ < kQuick;
    // A spinning worker needs no notification.
    if (!spin_.exchange(false, std::memory_order_relaxed)) to_notify_ = true;
    return;
  }
  // A worker that is awake takes the item, or wakes the next one.
  if (getters_ == 0 && !async_getters_.empty() && line_->available() > 0) {
    SignalLaterLocked(std::move(async_getters_.front()));
    async_getters_.pop_front();
  }
}

void QueueCore::Unlock() {
  const bool to_notify = std::exchange(to_notify_, false);
  const std::vector<std::shared_ptr<QueueGetter>> to_signal = std::exchange(to_signal_, {});
  monitor_->Unlock();
  if (to_notify) monitor_->NotifyOne();
  for (const std::shared_ptr<QueueGetter>& getter : to_signal) getter->signal->Notify();
}

// A worker takes longer to fall asleep and wake up than the time between two quick items. So while
// items come quickly, one worker spins for a few microseconds before it sleeps.
void QueueCore::SpinForItemLocked() {
  if (has_spinner_ || !quick_) return;
  has_spinner_ = true;
  spin_.store(true, std::memory_order_relaxed);
  Unlock();
  base::SpinWhile(spin_);
  Lock();
  has_spinner_ = false;
  if (!spin_.exchange(false, std::memory_order_relaxed)) waking_ = false;
}

void QueueCore::WaitForItemLocked() {
  const auto nothing = [this] { return line_->First() == nullptr && !shutting_down_; };
  ++getters_;
  idle_since_ = env_.Now();
  SpinForItemLocked();
  while (nothing()) {
    monitor_->Wait();
    waking_ = false;
  }
  --getters_;
  if (closing_) monitor_->NotifyAll();
}

bool QueueCore::MayGiveLocked() const {
  return line_->First() != nullptr && (!shutting_down_ || draining_ || !by_priority_);
}

QueueNode* QueueCore::GetLocked() {
  if (line_->First() == nullptr && !shutting_down_) {
    if (env_.OnLoopThread()) {
      env_.log().Log(LogLevel::kError,
                     "Get called on an event loop with nothing to give; not waiting", {});
      return nullptr;
    }
    WaitForItemLocked();
  }
  return MayGiveLocked() ? TakeLocked() : nullptr;
}

QueueNode* QueueCore::TryGetLocked(bool& ended) {
  if (MayGiveLocked()) return TakeLocked();
  ended = shutting_down_;
  return nullptr;
}

void QueueCore::AddGetterLocked(const std::shared_ptr<QueueGetter>& getter) {
  getter->waits = true;
  async_getters_.push_back(getter);
}

void QueueCore::RemoveGetterLocked(QueueGetter& getter) {
  getter.waits = false;
  std::erase_if(async_getters_, [&](const auto& one) { return one.get() == &getter; });
}

void QueueCore::SignalLaterLocked(std::shared_ptr<QueueGetter> getter) {
  getter->waits = false;
  to_signal_.push_back(std::move(getter));
}

QueueNode* QueueCore::TakeLocked() {
  QueueNode* node = ordered_ ? ChosenLocked() : nullptr;
  if (node == nullptr) node = line_->First();
  line_->Take(*node);
  WakeOneLocked();
  node->dirty = false;
  processing_.push_back({node, {}});
  if (instruments_ != nullptr) {
    const SteadyTime now = env_.Now();
    processing_.back().started = now;
    instruments_->AddDepth(node->priority, -1);
    instruments_->latency->Observe(Seconds(now - instruments_->TakeAdded(*node)));
    ArmTickLocked();
  }
  return node;
}

void QueueCore::DoneLocked(QueueNode& node) {
  node.processing = false;
  const auto held = std::ranges::find(processing_, &node, &Held::node);
  if (instruments_ != nullptr) {
    instruments_->work_duration->Observe(Seconds(env_.Now() - held->started));
  }
  *held = processing_.back();
  processing_.pop_back();
  if (!node.dirty) {
    if (drainers_ > 0 && DrainedLocked()) monitor_->NotifyAll();
  } else if (by_priority_) {
    line_->Release(node);
    WakeOneLocked();
  } else {
    JoinLocked(node);
  }
}

// ---- the program's functions

std::string QueueCore::FlowOfLocked(const QueueNode& /*node*/) { return {}; }

double QueueCore::WeightOfLocked(const std::string& /*flow*/) { return 1; }

void QueueCore::ReportThrew(std::string_view function) { (void)base::ReportThrown(env_, function); }

void QueueCore::ReportBadDone() const {
  env_.log().Log(LogLevel::kError, "Done called for an item that no worker has; ignored", {});
}

// ---- delays

void QueueCore::AddAfterLocked(QueueNode& node, Duration delay, int priority) {
  const bool now = delay <= Duration::zero();
  // client-go counts every call, controller-runtime only calls with a delay.
  if (instruments_ != nullptr && !(by_priority_ && now)) instruments_->retries->Add();
  if (now) {
    AddLocked(node, priority);
    return;
  }
  if (by_priority_) {
    if (node.dirty || node.delayed) RaiseLocked(node, priority);
    if (node.dirty) return;  // a waiting item keeps its place
  }
  if (by_priority_ && !node.delayed) node.priority = priority;
  delays_.Add(node, base::After(env_.Now(), delay));
  ArmLocked();
}

void QueueCore::ArmLocked() {
  if (delays_.empty()) return;
  const SteadyTime first = delays_.first_ready_at();
  if (timer_armed_ && timer_at_ <= first) return;
  timer_armed_ = true;
  timer_at_ = first;
  timer_ = env_.loop().RunAt(first, [weak = weak_from_this()] {
    if (const std::shared_ptr<QueueCore> self = weak.lock()) self->OnDue();
  });
}

void QueueCore::OnDue() {
  const QueueLock lock(*this);
  timer_armed_ = false;
  const SteadyTime now = env_.Now();
  while (!delays_.empty() && delays_.first_ready_at() <= now) {
    QueueNode& node = delays_.first();
    delays_.Remove(node);
    AddLocked(node, node.priority);
  }
  ArmLocked();
}

// ---- Gauges that change with time, updated only while an item is in process.

void QueueCore::ArmTickLocked() {
  if (tick_armed_ || shutting_down_) return;
  tick_armed_ = true;
  tick_ = env_.loop().RunAt(env_.Now() + kTickPeriod, [weak = weak_from_this()] {
    if (const std::shared_ptr<QueueCore> self = weak.lock()) self->OnTick();
  });
}

void QueueCore::OnTick() {
  const QueueLock lock(*this);
  tick_armed_ = false;
  const SteadyTime now = env_.Now();
  double sum = 0;
  double longest = 0;
  for (const Held& held : processing_) {
    const double age = Seconds(now - held.started);
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
  delays_.Clear();
  timer_.Cancel();
  tick_.Cancel();
  monitor_->NotifyAll();
  for (std::shared_ptr<QueueGetter>& getter : std::exchange(async_getters_, {})) {
    SignalLaterLocked(std::move(getter));
  }
  // The caller may wait for them.
  if (!to_signal_.empty()) {
    Unlock();
    Lock();
  }
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
  const bool drained = DrainedLocked();
  // Not if a ShutDown has ended the wait: workers may still be busy then.
  if (draining_ && !drained && !processing_.empty()) {
    const std::string name = Called(instruments_ == nullptr ? "" : instruments_->rules.name);
    const std::string message = "the queue" + name +
                                " has not drained in time: " + Items(processing_.size()) +
                                " taken with Get and not given back with Done";
    const std::string waiting = std::to_string(line_->size());
    // Logs without the lock, since the sink may use the queue, which is kept alive by this drainer.
    Unlock();
    env_.log().Log(LogLevel::kWarning, message, {{"waiting", waiting}});
    Lock();
  }
  --drainers_;
  if (closing_) monitor_->NotifyAll();
  return drained;
}

void QueueCore::WaitForCallersLocked() {
  closing_ = true;
  while (getters_ > 0 || drainers_ > 0) monitor_->Wait();
  if (processing_.empty()) return;
  // The queue is being destroyed, so these items can no longer be given back.
  const std::string name = Called(instruments_ == nullptr ? "" : instruments_->rules.name);
  const std::string message = "the queue" + name + " ends, of which " + Items(processing_.size()) +
                              " taken with Get and never given back with Done";
  Unlock();
  env_.log().Log(LogLevel::kWarning, message, {});
  Lock();
}

bool QueueCore::LeaveIfForkedOff() {
  auto self = shared_from_this();
  return base::LeaveIfForkedOff(env_, self);
}

}  // namespace kinformer::internal
