#include "controller/delegating/writes_under_way.h"

#include <limits>

#include "controller/delegating/joined_stop.h"

namespace kinformer::internal::delegating {

std::shared_ptr<void> WritesUnderWay::Begin(const KindInfo& type, const ObjectName& name,
                                            What what) {
  std::uint64_t number = 0;
  {
    const base::MutexLock lock(mutex_);
    number = ++last_;
    writes_.emplace(number, Write{NameOf(type), name, what});
    count_.store(writes_.size(), std::memory_order_release);
  }
  // Points to this; the deleter ends the write.
  return std::shared_ptr<void>(this,
                               [self = shared_from_this(), number](void*) { self->End(number); });
}

void WritesUnderWay::End(std::uint64_t number) {
  std::list<std::shared_ptr<base::Signal>> waiting;
  {
    const base::MutexLock lock(mutex_);
    writes_.erase(number);
    count_.store(writes_.size(), std::memory_order_release);
    waiting = waiting_;
  }
  for (const std::shared_ptr<base::Signal>& signal : waiting) signal->Notify();
}

bool WritesUnderWay::Concerns(const Write& write, const ResourceName& resource,
                              const ObjectName& which) {
  if (write.resource != resource) return false;
  const bool other_namespace = !which.namespace_.empty() && !write.name.namespace_.empty() &&
                               write.name.namespace_ != which.namespace_;
  if (other_namespace) return false;
  return which.name.empty() || write.what == What::kMany || write.name.name == which.name;
}

std::optional<WritesUnderWay::Write> WritesUnderWay::Find(const ResourceName& resource,
                                                          const ObjectName& which,
                                                          std::uint64_t newest) const {
  const base::MutexLock lock(mutex_);
  for (const auto& [number, write] : writes_) {
    if (number > newest) break;
    if (Concerns(write, resource, which)) return write;
  }
  return std::nullopt;
}

bool WritesUnderWay::Concern(const KindInfo& type, const ObjectName& which) const {
  if (count_.load(std::memory_order_acquire) == 0) return false;
  return Find(NameOf(type), which, std::numeric_limits<std::uint64_t>::max()).has_value();
}

Task<Result<void>> WritesUnderWay::AnsweredTask(std::shared_ptr<WritesUnderWay> self,
                                                ResourceName resource, ObjectName which,
                                                ReadPatience patience) {
  const auto signal = std::make_shared<base::Signal>();
  std::uint64_t newest = 0;
  std::list<std::shared_ptr<base::Signal>>::iterator place;
  {
    const base::MutexLock lock(self->mutex_);
    newest = self->last_;
    place = self->waiting_.insert(self->waiting_.end(), signal);
  }
  const std::shared_ptr<void> leave(signal.get(), [self, place](void*) {
    const base::MutexLock lock(self->mutex_);
    self->waiting_.erase(place);
  });
  const JoinedStop stop(patience.stop, patience.other_stop);
  const auto check = [&]() -> std::optional<Result<void>> {
    const std::optional<Write> write = self->Find(resource, which, newest);
    if (!write) return Result<void>();
    const std::string what = "a write of " + resource.second + " \"" + write->name.ToString() +
                             "\" by another worker is not answered yet";
    if (patience.stop.stop_requested() || patience.other_stop.stop_requested()) {
      return Error(Reason::kCanceled, what + ": stopped");
    }
    if (self->env_.Now() >= patience.deadline) {
      return Error(Reason::kStale, what + "; try again later");
    }
    return std::nullopt;
  };
  std::optional<SteadyTime> deadline;
  if (patience.deadline != SteadyTime::max()) deadline = patience.deadline;
  co_return co_await base::AwaitUntil(self->env_, signal, stop.token(), deadline, check);
}

}  // namespace kinformer::internal::delegating
