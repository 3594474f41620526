// Waits until informers are synced.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/internal/cache_tasks.h"
#include "kinformer/internal/informer_core.h"

#include "base/core/deadline.h"
#include "base/core/would_deadlock.h"
#include "base/loop/signal.h"
#include "cache/check/refusal.h"
#include "cache/watch/failure_kind.h"

namespace kinformer::internal {
namespace {

std::string Unsynced(const std::vector<std::shared_ptr<InformerCore>>& informers) {
  std::vector<std::string> lines;
  for (const std::shared_ptr<InformerCore>& informer : informers) {
    if (informer->HasSynced()) continue;
    const NotSynced why = informer->WhyNotSynced();
    std::string line = why.informer;
    if (!why.started) {
      line += " (not started)";
    } else if (why.last_error) {
      const bool busy = cache::KindOf(*why.last_error) == cache::FailureKind::kAsksToWait;
      line += why.over_limit ? " (" : busy ? " (the server asks to wait: " : " (last error: ";
      line += why.last_error->ToString() + ")";
    } else {
      line += " (waiting for the server)";
    }
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) {
    if (!all.empty()) all += "; ";
    all += line;
  }
  return all;
}

// Returns whether waiting does not help. A person must look at an unknown token, too.
bool IsPermanent(const Error& error) {
  return error.reason() == Reason::kConfig || error.reason() == Reason::kInvalidArgument ||
         error.http_status() == 401 || cache::IsRefusedForGood(error);
}

Error NotStarted(const InformerCore& informer) {
  const std::string what = "the informer for " + informer.Describe() + " is not started";
  if (informer.WaitsForEndedFactory()) {
    return InformerCore::FactoryIsShutDown().WithContext(what);
  }
  return Error(Reason::kNotSynced, what + ": it would never sync; call Start");
}

bool AllSynced(const std::vector<std::shared_ptr<InformerCore>>& informers) {
  return std::all_of(informers.begin(), informers.end(),
                     [](const auto& informer) { return informer->HasSynced(); });
}

// Returns why a wait ends without a sync, apart from its limits; empty if it goes on.
std::optional<Error> EndOfWait(const std::vector<std::shared_ptr<InformerCore>>& informers,
                               bool fail_fast) {
  for (const std::shared_ptr<InformerCore>& informer : informers) {
    if (informer->HasSynced()) continue;
    if (informer->IsStopped()) {
      return Error(Reason::kStopped,
                   "an informer was stopped before it synced: " + informer->Describe());
    }
    if (!fail_fast) continue;
    const NotSynced why = informer->WhyNotSynced();
    if (why.last_error && (why.over_limit || IsPermanent(*why.last_error))) {
      return Error(*why.last_error).WithContext("cannot sync " + why.informer);
    }
  }
  return std::nullopt;
}

}  // namespace

Task<Result<void>> SyncTask(Env& env, std::vector<std::shared_ptr<InformerCore>> informers,
                            std::stop_token stop, SyncWaitOptions options) {
  if (AllSynced(informers)) co_return Result<void>();
  for (const std::shared_ptr<InformerCore>& informer : informers) {
    if (!informer->HasStarted()) co_return NotStarted(*informer);
  }
  const auto signal = std::make_shared<base::Signal>();
  std::vector<std::shared_ptr<void>> observations;
  for (const std::shared_ptr<InformerCore>& informer : informers) {
    observations.push_back(informer->Observe([signal] { signal->Notify(); }));
  }
  std::optional<SteadyTime> deadline;
  if (options.timeout) deadline = base::After(env.Now(), *options.timeout);
  const auto check = [&]() -> std::optional<Result<void>> {
    if (AllSynced(informers)) return Result<void>();
    if (std::optional<Error> end = EndOfWait(informers, options.fail_fast)) return *std::move(end);
    if (stop.stop_requested()) {
      return Error(Reason::kCanceled,
                   "stopped while caches were not synced: " + Unsynced(informers));
    }
    if (deadline && env.Now() >= *deadline) {
      return Error(Reason::kDeadlineExceeded,
                   "caches did not sync in time: " + Unsynced(informers));
    }
    return std::nullopt;
  };
  co_return co_await base::AwaitUntil(env, signal, stop, deadline, check);
}

Result<void> WaitForSync(Env& env, const std::vector<std::shared_ptr<InformerCore>>& informers,
                         const std::stop_token& stop, const SyncWaitOptions& options) {
  if (AllSynced(informers)) return {};
  if (env.OnLoopThread()) {
    return base::WouldDeadlock(
        env, "waiting for caches to sync on a loop's thread would wait for itself; not synced: " +
                 Unsynced(informers));
  }
  return BlockOn(env, SyncTask(env, informers, stop, options));
}

}  // namespace kinformer::internal
