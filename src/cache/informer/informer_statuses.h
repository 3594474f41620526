// cache/informer/informer_statuses.h
//
// InformerStatuses: status of the lists and watches of an informer, in its places, over all its
// lives.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_STATUSES_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_STATUSES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/cache/informer_options.h"

#include "base/core/mutex.h"
#include "cache/watch/reflector_status.h"

namespace kinformer::internal::cache {

// Written on the loop; read by any thread.
class InformerStatuses {
 public:
  // `metrics` may be null; else it must outlive this object.
  InformerStatuses(Env& env, const std::string& informer,
                   std::shared_ptr<InformerObservers> observers, InformerMetrics* metrics);

  // ---- on the loop
  // Called before a reflector starts. Empty: errors are logged.
  void SetErrorHandler(const WatchErrorHandler& handler);
  // Returns the status of a place: a namespace, kOtherNamespaces, or "" for the whole collection or
  // the watch of Namespaces. Creates it on first use; it lives until a SetPlaces without it.
  [[nodiscard]] ReflectorStatus& Of(const std::string& place);
  // Sets the places that have a reflector now; before the first call, that is "". Statuses of all
  // others are dropped.
  void SetPlaces(const std::set<std::string, std::less<>>& places);
  // No reflector is running any more.
  void Stopped();
  // Reports the age of the oldest news to the metrics, after a place has reported its own.
  void ReportProgress();

  // ---- on any thread
  // Returns the last error of the namespace; empty: that of the worst place, with its name.
  [[nodiscard]] std::optional<Error> LastError(std::string_view namespace_ = {}) const;
  // Returns how often the server was found to have gone back in time.
  [[nodiscard]] std::uint64_t epochs() const;
  // Returns the status of the worst place.
  [[nodiscard]] InformerStatus Status() const;
  // Returns the statuses by key, without the store's fields and without that of "".
  [[nodiscard]] std::vector<NamespaceStatus> Namespaces() const;
  void AddTo(InformerStats& stats) const;

 private:
  // One place.
  struct One {
    One(Env& env, std::string describe_as, std::shared_ptr<InformerObservers> observers,
        InformerMetrics* metrics)
        : describe(std::move(describe_as)), status(env, describe, std::move(observers), metrics) {}
    const std::string describe;  // name in messages
    ReflectorStatus status;
  };
  using Places = std::map<std::string, std::shared_ptr<One>, std::less<>>;
  // Returns the places as they are now, which keeps them.
  [[nodiscard]] Places Now() const;

  Env& env_;
  const std::string& informer_;
  const std::shared_ptr<InformerObservers> observers_;
  InformerMetrics* const metrics_;
  WatchErrorHandler on_error_;  // used on the loop only

  mutable base::Mutex mutex_;
  Places places_ KINFORMER_GUARDED_BY(mutex_);
  // Sum of the counters of places that were dropped.
  InformerStats gone_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_STATUSES_H_
