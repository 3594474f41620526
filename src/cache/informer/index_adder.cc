#include "cache/informer/index_adder.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/core/would_deadlock.h"

namespace kinformer::internal::cache {

namespace {

// Time that filling indexes may take in one turn of the loop.
constexpr Duration kSlice = std::chrono::milliseconds(1);

}  // namespace

void IndexAdder::HandOverToLoop() {
  base::MutexLock lock(mutex_);
  loop_writes_ = true;
}

Result<void> IndexAdder::Check(NamedIndexFunctions& indexes, bool skip_existing) const {
  if (skip_existing) return store_->DropExisting(indexes);
  for (const auto& [name, function] : indexes) {
    if (!store_->HasIndex(name)) continue;
    return Error(Reason::kAlreadyExists,
                 "an index \"" + name + "\" exists already; none was added");
  }
  return {};
}

Result<void> IndexAdder::Begin(Request& request) {
  if (!request.removed.empty()) return store_->RemoveIndexes(request.removed);
  request.dropped = Check(request.indexes, request.skip_existing);
  if (!request.dropped && !request.skip_existing) return request.dropped;
  return store_->BeginIndexes(std::move(request.indexes));
}

Result<void> IndexAdder::Add(NamedIndexFunctions indexes, bool skip_existing,
                             std::string_view informer) {
  return Do({std::move(indexes), skip_existing}, "AddIndexers", informer);
}

Result<void> IndexAdder::Remove(std::vector<std::string> names, std::string_view informer) {
  if (names.empty()) return {};
  return Do({.removed = std::move(names)}, "RemoveIndexers", informer);
}

Result<void> IndexAdder::Do(Request request, std::string_view what, std::string_view informer) {
  {
    base::MutexLock lock(mutex_);
    if (!loop_writes_) {
      if (Result<void> begun = Begin(request); !begun) return begun;
      static_cast<void>(store_->FillIndexes(SteadyTime::max()));
      return request.dropped;
    }
  }
  if (env_.OnLoopThread()) {
    return base::WouldDeadlock(env_, std::string(what) + " on a running informer (" +
                                         std::string(informer) +
                                         ") waits for the loop thread, and was called on it");
  }
  const std::shared_ptr<Monitor> monitor = env_.NewMonitor();
  const auto outcome = std::make_shared<std::optional<Result<void>>>();
  request.done = [monitor, outcome](Result<void> result) {
    MonitorLock lock(*monitor);
    *outcome = std::move(result);
    monitor->NotifyAll();
  };
  env_.loop().Post(
      [self = shared_from_this(), shared = std::make_shared<Request>(std::move(request))] {
        self->requests_.push_back(std::move(*shared));
        if (self->requests_.size() == 1) self->Work();
      });
  MonitorLock lock(*monitor);
  while (!outcome->has_value()) lock.Wait();
  return **outcome;
}

void IndexAdder::Work() {
  Result<void> result;
  if (!filling_) {
    result = Begin(requests_.front());
    filling_ = static_cast<bool>(result);
  }
  if (filling_ && !store_->FillIndexes(env_.Now() + kSlice)) return WorkLater();
  filling_ = false;
  Request& request = requests_.front();
  request.done(result ? std::move(request.dropped) : std::move(result));
  requests_.pop_front();
  if (!requests_.empty()) WorkLater();
}

void IndexAdder::WorkLater() {
  env_.loop().Post([self = shared_from_this()] { self->Work(); });
}

}  // namespace kinformer::internal::cache
