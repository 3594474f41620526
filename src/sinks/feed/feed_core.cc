#include "sinks/feed/feed_core.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/core/user_call.h"
#include "base/core/would_deadlock.h"
#include "sinks/feed/list_difference.h"

namespace kinformer::internal::sinks {
namespace {

bool PassesByItself(const Error& error) {
  switch (error.reason()) {
    case Reason::kTimeout:
    case Reason::kServiceUnavailable:
    case Reason::kTransport:
    case Reason::kConnectionRefused:
    case Reason::kOverLimit:
      return true;
    default:
      return false;
  }
}

Error Stopped() { return {Reason::kCanceled, "the export was stopped"}; }

}  // namespace

FeedCore::FeedCore(Env& env, std::shared_ptr<SnapshotSink> sink, SnapshotFeedOptions options)
    : env_(env),
      sink_(std::move(sink)),
      options_(std::move(options)),
      monitor_(env.NewMonitor()),
      backoff_(env) {}

void FeedCore::Add(ExportedResource resource, std::unique_ptr<ListerWatcher> lister_watcher) {
  Fed& fed = fed_.emplace_back();
  fed.lister_watcher = std::move(lister_watcher);
  fed.part = std::make_shared<FeedPart>(env_, *monitor_, std::move(resource), *fed.lister_watcher,
                                        options_);
}

Result<void> FeedCore::Run(const std::stop_token& stop) {
  if (env_.OnLoopThread()) {
    return base::WouldDeadlock(env_, "a feed on the loop thread would wait for what happens on it");
  }
  for (Fed& fed : fed_) {
    fed.listed = false;
    Result<std::string> held =
        Persist("Open", fed, stop, [&] { return sink_->Open(fed.part->resource()); });
    if (!held) return std::move(held).error();
    fed.held = *std::move(held);
  }
  OnLoop([this] {
    for (const Fed& fed : fed_) fed.part->Start(fed.held, options_.once);
  });
  Result<void> result = Feed(stop);
  OnLoop([this] {
    for (const Fed& fed : fed_) fed.part->Stop();
  });
  return result;
}

void FeedCore::OnLoop(const std::function<void()>& on_loop) {
  bool done = false;
  env_.loop().Post([&] {
    on_loop();
    const MonitorLock lock(*monitor_);
    done = true;
    monitor_->NotifyAll();
  });
  MonitorLock lock(*monitor_);
  while (!done) lock.Wait();
}

Result<void> FeedCore::Feed(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    const MonitorLock lock(*monitor_);
    monitor_->NotifyAll();
  });
  const auto all_listed = [this] {
    return std::all_of(fed_.begin(), fed_.end(), [](const Fed& fed) { return fed.listed; });
  };
  while (!options_.once || !all_listed()) {
    Fed* const fed = Next(stop);
    if (fed == nullptr) return options_.once ? Result<void>(Stopped()) : Result<void>();
    std::optional<FeedStep> step;
    {
      const MonitorLock lock(*monitor_);
      if (!fed->part->DueLocked()) continue;  // a list has replaced what waited
      step = fed->part->TakeLocked();
    }
    const std::size_t events = step->is_list ? 0 : step->changes.size();
    const std::size_t bytes = step->bytes;
    if (Result<void> committed = Commit(*fed, *std::move(step), stop); !committed) {
      const bool stopped = stop.stop_requested() && !options_.once;
      return stopped ? Result<void>() : committed;
    }
    const MonitorLock lock(*monitor_);
    fed->part->CommittedLocked(events, bytes);
  }
  return {};
}

FeedCore::Fed* FeedCore::Next(const std::stop_token& stop) {
  MonitorLock lock(*monitor_);
  while (!stop.stop_requested()) {
    std::optional<SteadyTime> first;
    for (std::size_t i = 0; i < fed_.size(); ++i) {
      const std::size_t at = (next_ + i) % fed_.size();
      const std::optional<SteadyTime> due = fed_[at].part->DueLocked();
      if (!due) continue;
      if (*due <= env_.Now()) {
        next_ = at + 1;
        return &fed_[at];
      }
      if (!first || *due < *first) first = due;
    }
    if (first) {
      lock.WaitUntil(*first);
    } else {
      lock.Wait();
    }
  }
  return nullptr;
}

Result<SinkBatch> FeedCore::BatchOf(const Fed& fed, FeedStep step, const std::stop_token& stop) {
  SinkBatch batch{.resource = fed.part->resource(),
                  .from = fed.held,
                  .to = std::move(step.version),
                  .complete = step.is_list,
                  .changes = std::move(step.changes)};
  if (!step.is_list || fed.held.empty()) return batch;
  auto held = Persist("Objects", fed, stop, [&] { return sink_->Objects(batch.resource); });
  if (!held) return std::move(held).error();
  if (!held->has_value()) return batch;
  batch.complete = false;
  batch.changes = ListDifference(**std::move(held), std::move(batch.changes), step.unreadable);
  return batch;
}

Result<void> FeedCore::Commit(Fed& fed, FeedStep step, const std::stop_token& stop) {
  const bool is_list = step.is_list;
  const Result<SinkBatch> batch = BatchOf(fed, std::move(step), stop);
  if (!batch) return batch.error();
  const bool nothing = !batch->complete && batch->changes.empty() && batch->from == batch->to;
  if (!nothing) {
    Result<void> committed = Persist("Commit", fed, stop, [&] { return sink_->Commit(*batch); });
    if (!committed) return committed;
  }
  fed.held = batch->to;
  fed.listed = fed.listed || is_list;
  if (!options_.on_commit) return {};
  return base::CallUser(
      env_, "on_commit", [&] { options_.on_commit(*batch); }, [&] { return batch->resource.name; });
}

template <class Call>
auto FeedCore::Persist(std::string_view function, const Fed& fed, const std::stop_token& stop,
                       const Call& call) -> decltype(call()) {
  const std::string& resource = fed.part->resource().name;
  while (true) {
    auto result = base::CallUserForResult(env_, "SnapshotSink::" + std::string(function), call,
                                          [&] { return resource; });
    if (result) {
      backoff_.Reset();
      return result;
    }
    if (!PassesByItself(result.error())) return result;
    env_.log().Log(LogLevel::kWarning, "the sink failed; trying again",
                   {{"resource", resource},
                    {"function", std::string(function)},
                    {"err", result.error().ToString()}});
    if (!Pause(backoff_.Next(), stop)) return Stopped();
  }
}

bool FeedCore::Pause(Duration duration, const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    const MonitorLock lock(*monitor_);
    monitor_->NotifyAll();
  });
  const SteadyTime until = env_.Now() + duration;
  MonitorLock lock(*monitor_);
  while (!stop.stop_requested() && lock.WaitUntil(until)) {
  }
  return !stop.stop_requested();
}

}  // namespace kinformer::internal::sinks
