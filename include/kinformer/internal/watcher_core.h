// kinformer/internal/watcher_core.h
//
// WatcherCore: untyped half of Watcher, and functions that create and use one.

#ifndef KINFORMER_INTERNAL_WATCHER_CORE_H_
#define KINFORMER_INTERNAL_WATCHER_CORE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/resource_core.h"

namespace kinformer::internal {

class InformerCore;

// A source of watch events. Thread-safe. Destruction stops it.
class WatcherCore {
 public:
  virtual ~WatcherCore() = default;
  // See Watcher.
  virtual Result<std::optional<OwnedWatchEvent>> Next(const CallOptions& call) = 0;
  virtual void Stop() = 0;
  [[nodiscard]] virtual Env& env() const = 0;
};

// See kinformer::NewRetryWatcher.
Result<std::shared_ptr<WatcherCore>> NewRetryWatcherCore(
    Env& env, std::string resource_version, std::unique_ptr<ListerWatcher> lister_watcher);

// Returns a watcher of the informer's events. Stopping it stops the informer.
Result<std::shared_ptr<WatcherCore>> NewInformerWatcherCore(
    const std::shared_ptr<InformerCore>& informer);

using RawCondition = std::function<Result<bool>(const OwnedWatchEvent&)>;
struct RawUntilResult {
  std::optional<OwnedWatchEvent> event{};
  Result<void> result{};
};
// See kinformer::UntilWithoutRetry.
RawUntilResult UntilWithoutRetryCore(WatcherCore& watcher,
                                     const std::vector<RawCondition>& conditions,
                                     const CallOptions& call);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_WATCHER_CORE_H_
