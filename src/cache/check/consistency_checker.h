// cache/check/consistency_checker.h
//
// ConsistencyChecker: compares the store with the server now and then, for what no event shows. A
// server that was restored from a backup and has overtaken the version that we resumed from tells
// nothing of the objects that differ until they change again.

#ifndef KINFORMER_CACHE_CHECK_CONSISTENCY_CHECKER_H_
#define KINFORMER_CACHE_CHECK_CONSISTENCY_CHECKER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/list_watch.h"
#include "kinformer/object_name.h"

#include "cache/figures/pipeline_counters.h"
#include "cache/store/store_core.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

class InformerMetrics;

struct ConsistencyCheckerOptions {
  std::string name{};  // what messages call the informer
  // What `source` lists, of a store that may have more.
  StorePart part{};
  // At most this long from the end of one check to the begin of the next. 0: never.
  Duration period{0};
  // Which version of the collection the store has. Empty: the store's own.
  std::function<std::string()> version{};
  // Is that exactly what the server had at that resourceVersion, as far as this
  // informer knows?
  std::function<bool()> exact{};
  // A difference is confirmed. Not empty.
  std::function<void()> relist{};
  InformerMetrics* metrics = nullptr;  // null: none
};

// A check walks over a metadata-only list at the store's own version, page by page, and compares
// key, uid and resourceVersion with a snapshot of that version: what happens meanwhile disturbs
// neither. Whatever differs is looked for a second time, at a newer version; what differs in both
// is logged, counted and healed by a relist. So is a store whose version is twice yet to come for
// the server, and newer than the newest that it knows of when it is asked: it went back in time,
// and the watch that could have told was never resumed. One whose cache lags knows of newer ones.
//
// Confined to the loop. The arguments outlive it.
class ConsistencyChecker final : private ListReceiver {
 public:
  static constexpr std::int64_t kPageSize = 2500;
  // What a period looks at, at most: a store of up to 10,000 objects is seen as a whole. Of a
  // larger one it is a part: the walk goes on with the next period, alternately over all objects
  // and over one namespace that is drawn.
  static constexpr int kPagesPerPeriod = 4;
  static constexpr std::size_t kWhole = kPageSize * kPagesPerPeriod;

  ConsistencyChecker(Env& env, ListerWatcher& source, const StoreCore& store,
                     PipelineCounters& counters, ConsistencyCheckerOptions options);
  ~ConsistencyChecker() override;

  // A whole list is on its way into the store: what a walk has found is beside the point.
  void Listed();
  // What the store holds of keys, uids and versions is not the server's: no check any more.
  void Distrust();

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
  // A difference is confirmed: in these objects, as a text, or in all (empty).
  void Confirmed(const std::string& keys);
  void Failed(const Error& error);
  void VersionAnswered(const Result<std::string>& version);
  void WrongVersion();
  // What a walk has found so far is beside the point.
  void Forget();
  // For good, or for a while: rights are granted, and servers are replaced. The log has it once.
  void TurnOff(std::string_view why);
  void Rest(std::string_view why);
  void SayOff(std::string_view why);

  // ListReceiver
  void OnItem(ObjectRef object) override;
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& error) override;
  void OnDone(Result<ListMeta> result) override;

  Env& env_;
  ListerWatcher& source_;
  const StoreCore& store_;
  PipelineCounters& counters_;
  const ConsistencyCheckerOptions options_;
  // How long the next relist is followed by none, and when one may come: a server that does not
  // agree with itself is not listed all the time. The pause grows until a check finds nothing.
  Duration relist_pause_{0};
  SteadyTime no_relist_before_{};
  bool off_ = false;
  bool said_off_ = false;
  int wrong_versions_ = 0;      // answers in a row that were at another version
  bool one_namespace_ = false;  // the next walk over a part of a large store
  // What the last walk found and the next one is to confirm, where it walked.
  std::set<ObjectName> suspects_;
  std::string suspects_namespace_;
  bool from_the_future_ = false;  // the server did not know the store's version yet
  std::string asked_version_;     // that version, while the server is asked for its newest
  std::unique_ptr<Walk> walk_;
  Timer timer_;
  std::unique_ptr<ListWatchCall> call_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_CHECK_CONSISTENCY_CHECKER_H_
