#include <utility>

#include "kinformer/internal/watcher_core.h"

#include "client/patience.h"

namespace kinformer::internal {
namespace {

// Stops a watch at the end of the scope, even if a condition throws.
class StopAtEnd {
 public:
  explicit StopAtEnd(WatcherCore& watcher) : watcher_(watcher) {}
  ~StopAtEnd() { watcher_.Stop(); }
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;

 private:
  WatcherCore& watcher_;
};

}  // namespace

RawUntilResult UntilWithoutRetryCore(WatcherCore& watcher,
                                     const std::vector<RawCondition>& conditions,
                                     const CallOptions& call) {
  const StopAtEnd stop(watcher);
  const client::Patience patience(watcher.env(), call, "the wait for the conditions");
  std::optional<OwnedWatchEvent> last;
  for (const RawCondition& condition : conditions) {
    bool holds = false;
    if (last) {
      const Result<bool> held = condition(*last);
      if (!held.ok()) return {std::move(last), held.error()};
      holds = *held;
    }
    while (!holds) {
      const Result<CallOptions> left = patience.Left();
      if (!left) return {std::move(last), left.error()};
      Result<std::optional<OwnedWatchEvent>> next = watcher.Next(*left);
      if (!next) return {std::move(last), std::move(next).error()};
      if (!*next) {
        return {std::move(last),
                Error(Reason::kStopped, "the watch ended before the conditions held")};
      }
      last = *std::move(next);
      const Result<bool> held = condition(*last);
      if (!held.ok()) return {std::move(last), held.error()};
      holds = *held;
    }
  }
  return {std::move(last), {}};
}

}  // namespace kinformer::internal
