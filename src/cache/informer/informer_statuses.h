// cache/informer/informer_statuses.h
//
// InformerStatuses: how listing and watching goes, of an informer that looks at one place or at
// several namespaces, over all its lives.

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

#include "kinformer/env.h"
#include "kinformer/error.h"
#include "kinformer/informer_options.h"

#include "base/core/mutex.h"
#include "cache/watch/reflector_status.h"

namespace kinformer::internal::cache {

// The loop writes; anyone may ask.
class InformerStatuses {
 public:
  // `metrics`: null, or outlives this.
  InformerStatuses(Env& env, const std::string& informer,
                   std::shared_ptr<InformerObservers> observers, InformerMetrics* metrics);

  // ---- on the loop
  // Before a reflector starts. Empty: errors are logged.
  void SetErrorHandler(const WatchErrorHandler& handler);
  // Of the one place that the informer looks at, or of what it looks at besides its namespaces.
  [[nodiscard]] ReflectorStatus& Whole() { return whole_; }
  // Of one namespace, or of kOtherNamespaces: made for the first who asks. Lives until
  // SetNamespaces lets go of it.
  [[nodiscard]] ReflectorStatus& Of(const std::string& namespace_);
  // The informer looks at these now, one by one, and `whole` says whether at something besides. The
  // others have no reflector any more.
  void SetNamespaces(const std::set<std::string, std::less<>>& namespaces, bool whole);
  // At one place.
  void SetWhole();
  // No reflector is left.
  void Stopped();
  // A metric tells how old the oldest news is.
  void ReportProgress();

  // ---- by anyone
  // Of the namespace; empty: of that one which is worst off, and names it.
  [[nodiscard]] std::optional<Error> LastError(std::string_view namespace_ = {}) const;
  // How often the server went back in time, as far as anyone has noticed.
  [[nodiscard]] std::uint64_t epochs() const;
  // Of the one that is worst off.
  [[nodiscard]] InformerStatus Status() const;
  // By key; empty where there is one place. Without what the store knows.
  [[nodiscard]] std::vector<NamespaceStatus> Namespaces() const;
  void AddTo(InformerStats& stats) const;

 private:
  // One namespace.
  struct One {
    One(Env& env, std::string describe_as, std::shared_ptr<InformerObservers> observers,
        InformerMetrics* metrics)
        : describe(std::move(describe_as)), status(env, describe, std::move(observers), metrics) {}
    const std::string describe;  // what messages call it
    ReflectorStatus status;
  };
  struct Named {
    std::string name;  // empty: not of a namespace
    const ReflectorStatus* status;
    std::shared_ptr<const One> keeps;  // null where status lives as long as this
  };
  // Those that count now, by key.
  [[nodiscard]] std::vector<Named> Active() const;

  Env& env_;
  const std::string& informer_;
  const std::shared_ptr<InformerObservers> observers_;
  InformerMetrics* const metrics_;
  WatchErrorHandler on_error_;  // of the loop
  ReflectorStatus whole_;

  mutable base::Mutex mutex_;
  std::map<std::string, std::shared_ptr<One>> namespaces_ KINFORMER_GUARDED_BY(mutex_);
  bool whole_active_ KINFORMER_GUARDED_BY(mutex_) = true;
  // Of those that it does not look at any more.
  InformerStats gone_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_STATUSES_H_
