// cache/check/consistency_checker.h
//
// ConsistencyChecker: compares the store with the server now and then, to find differences that no
// event reveals. A server restored from a backup that has passed the version we resumed from sends
// no events for objects that differ until they change again.

#ifndef KINFORMER_CACHE_CHECK_CONSISTENCY_CHECKER_H_
#define KINFORMER_CACHE_CHECK_CONSISTENCY_CHECKER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/object/object_name.h"

#include "cache/figures/pipeline_counters.h"
#include "cache/store/store_core.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

class InformerMetrics;

struct ConsistencyCheckerOptions {
  std::string name{};  // name of the informer in messages
  // The part of the store that `source` lists.
  StorePart part{};
  // Longest time from the end of one check to the start of the next. 0: never checks.
  Duration period{0};
  // Returns the resourceVersion of the collection in the store. Empty: the store's own is used.
  std::function<std::string()> version{};
  // Returns whether the store, as far as this informer knows, has exactly the server's state at
  // that resourceVersion.
  std::function<bool()> exact{};
  // Called when a difference is confirmed. Not empty.
  std::function<void()> relist{};
  InformerMetrics* metrics = nullptr;  // null: none
};

// Walks page by page over a metadata-only list at the store's own version, and compares key, uid
// and resourceVersion with a snapshot of that version; so changes meanwhile do no harm. Checks a
// difference again at a newer version; a confirmed one is logged, counted and healed by a relist.
// Does the same if the server twice does not know the store's version, and its newest version is an
// older one: then it went back in time, and no watch was resumed that could have shown it. A server
// whose cache only lags behind knows a newer version and is not affected.
//
// Confined to the loop. The constructor's reference arguments must outlive it.
class ConsistencyChecker final : private ListReceiver {
 public:
  static constexpr std::int64_t kPageSize = 2500;
  // Most pages per period: enough to walk over a store of up to 10,000 objects at once. A walk over
  // a larger store continues in the next period; such walks alternate between all objects and those
  // of one randomly chosen namespace.
  static constexpr int kPagesPerPeriod = 4;
  static constexpr std::size_t kWhole = kPageSize * kPagesPerPeriod;

  ConsistencyChecker(Env& env, ListerWatcher& source, const StoreCore& store,
                     PipelineCounters& counters, ConsistencyCheckerOptions options);
  ~ConsistencyChecker() override;

  // Drops the findings of the current walk: a whole list is about to enter the store.
  void Listed();
  // Ends all checks: a transform makes keys, uids or versions differ from the server's.
  void Distrust();
  [[nodiscard]] bool distrusted() const { return distrusted_; }

 private:
  struct Walk;

  void Arm();
  void ArmAfter(Duration delay);
  void Begin();
  [[nodiscard]] std::string DrawNamespace(const SnapshotCore& snapshot);
  void AskForPage();
  void PageDone(const ListMeta& page);
  void WalkDone();
  void LookForMissing();
  // Reports a confirmed difference in these objects (text for messages), or in all (empty).
  void Confirmed(const std::string& keys);
  void Failed(const Error& error);
  void VersionAnswered(const Result<std::string>& version);
  void WrongVersion();
  // Drops the current walk and its findings.
  void Forget();
  // Stops checking for good, or for a while, as rights may be granted later. Logged only once.
  void TurnOff(std::string_view why);
  void Rest(std::string_view why);
  void SayOff(std::string_view why);

  // ListReceiver
  void OnItem(AnyRef object) override;
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& error) override;
  void OnDone(Result<ListMeta> result) override;

  Env& env_;
  ListerWatcher& source_;
  const StoreCore& store_;
  PipelineCounters& counters_;
  const ConsistencyCheckerOptions options_;
  // Next pause between relists, and the earliest time of the next one, as a server may contradict
  // itself. The pause grows until a check finds no difference.
  Duration relist_pause_{0};
  SteadyTime no_relist_before_{};
  bool off_ = false;
  bool distrusted_ = false;
  bool said_off_ = false;
  int wrong_versions_ = 0;      // consecutive answers at another version
  bool one_namespace_ = false;  // the next walk over a large store covers one namespace
  // Differences of the last walk, to be confirmed by the next one in the same namespace.
  std::set<ObjectName> suspects_;
  std::string suspects_namespace_;
  bool from_the_future_ = false;  // the server does not know the store's version yet
  std::string asked_version_;     // that version, while the server is asked for its newest one
  std::unique_ptr<Walk> walk_;
  Timer timer_;
  std::unique_ptr<ListWatchCall> call_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_CHECK_CONSISTENCY_CHECKER_H_
