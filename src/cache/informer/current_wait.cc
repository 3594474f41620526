// Waits until caches have all that the server had.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/task.h"
#include "kinformer/internal/informer_core.h"

#include "base/core/deadline.h"
#include "base/core/would_deadlock.h"
#include "base/loop/signal.h"
#include "cache/informer/current_answers.h"
#include "cache/informer/informer_impl.h"

namespace kinformer::internal {
namespace {

using Informers = std::vector<std::shared_ptr<InformerCore>>;

// An informer, and what its parts have answered.
struct Asked {
  std::shared_ptr<InformerCore> informer;
  std::shared_ptr<cache::CurrentAnswers> answers;
};

std::string Describe(const std::vector<Asked>& asked) {
  std::vector<std::string> names;
  for (const Asked& each : asked) {
    if (each.answers->complete()) continue;
    std::string name = each.informer->Describe();
    if (const std::optional<Error> error = each.answers->error()) {
      name += " (last error: " + error->ToString() + ")";
    }
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
  return text;
}

Error ErrorOf(Reason reason, std::string_view why, const std::string& informers) {
  return Error(reason, "waiting until the caches have all that the server had: " +
                           std::string(why) + ": " + informers);
}

// Returns the error of the first informer that the server refuses to answer.
Result<void> Refusal(const std::vector<Asked>& asked) {
  for (const Asked& each : asked) {
    if (std::optional<Error> refusal = each.answers->refusal()) {
      return (*std::move(refusal))
          .WithContext("the server does not say whether the cache of " + each.informer->Describe() +
                       " has all");
    }
  }
  return {};
}

std::optional<Error> NotRunning(const InformerCore& informer) {
  if (informer.IsStopped()) {
    return ErrorOf(Reason::kStopped, "an informer has stopped", informer.Describe());
  }
  if (!informer.HasStarted()) {
    return ErrorOf(Reason::kNotSynced, "an informer is not started; call Start",
                   informer.Describe());
  }
  return std::nullopt;
}

}  // namespace

std::shared_ptr<cache::CurrentAnswers> InformerCore::AskWhetherCurrent(
    std::function<void()> notify) const {
  auto answers = std::make_shared<cache::CurrentAnswers>(std::move(notify));
  env().loop().Post([impl = impl_, answers] {
    if (impl->parts != nullptr) impl->parts->AskWhetherCurrent(answers);
    answers->Answered();
  });
  return answers;
}

bool InformerCore::WasCurrentAt(SteadyTime when) const {
  return impl_->current_at.load(std::memory_order_acquire) >= when;
}

void InformerCore::NoteCurrentAt(SteadyTime when) const {
  SteadyTime before = impl_->current_at.load(std::memory_order_acquire);
  while (before < when && !impl_->current_at.compare_exchange_weak(before, when)) {
  }
}

Task<Result<void>> CurrentTask(Env& env, Informers informers, std::stop_token stop,
                               std::optional<Duration> timeout, std::optional<SteadyTime> since) {
  const SteadyTime begin = env.Now();
  const auto signal = std::make_shared<base::Signal>();
  std::optional<SteadyTime> deadline;
  if (timeout) deadline = base::After(begin, *timeout);
  std::vector<Asked> asked;
  std::vector<std::shared_ptr<void>> observations;
  for (const std::shared_ptr<InformerCore>& informer : informers) {
    if (std::optional<Error> error = NotRunning(*informer)) co_return *std::move(error);
    if (since && informer->WasCurrentAt(*since)) continue;
    observations.push_back(informer->Observe([signal] { signal->Notify(); }));
    asked.push_back({informer, informer->AskWhetherCurrent([signal] { signal->Notify(); })});
  }
  const auto check = [&]() -> std::optional<Result<void>> {
    for (const Asked& each : asked) {
      if (std::optional<Error> error = NotRunning(*each.informer)) return *std::move(error);
    }
    bool all = true;
    for (const Asked& each : asked) {
      if (each.answers->complete()) {
        each.informer->NoteCurrentAt(begin);
      } else {
        all = false;
      }
    }
    if (all) return Refusal(asked);
    if (stop.stop_requested()) return ErrorOf(Reason::kCanceled, "stopped", Describe(asked));
    if (deadline && env.Now() >= *deadline) {
      return ErrorOf(Reason::kDeadlineExceeded, "time is up", Describe(asked));
    }
    return std::nullopt;
  };
  co_return co_await base::AwaitUntil(env, signal, stop, deadline, check);
}

Result<void> WaitUntilCurrent(Env& env, const Informers& informers, const std::stop_token& stop,
                              std::optional<Duration> timeout, std::optional<SteadyTime> since) {
  if (env.OnLoopThread()) {
    return base::WouldDeadlock(
        env, "waiting until caches are current on a loop's thread would wait for itself");
  }
  return BlockOn(env, CurrentTask(env, informers, stop, timeout, since));
}

}  // namespace kinformer::internal
