// cache/informer/namespace_watch.h
//
// NamespaceWatch: keeps track of the Namespaces that exist.

#ifndef KINFORMER_CACHE_INFORMER_NAMESPACE_WATCH_H_
#define KINFORMER_CACHE_INFORMER_NAMESPACE_WATCH_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/client/lister_watcher.h"

#include "cache/check/namespace_check.h"
#include "cache/figures/informer_metrics.h"
#include "cache/watch/reflector.h"
#include "cache/watch/reflector_status.h"
#include "client/contained_list_watch.h"

namespace kinformer::internal::cache {

// Confined to the loop. The constructor's arguments must outlive it.
class NamespaceWatch final : private ReflectorStore, private ReflectorObserver {
 public:
  using Names = std::set<std::string, std::less<>>;
  class Owner {
   public:
    virtual ~Owner() = default;
    // Receives all names, at first and after each change.
    virtual void OnNamespaces(const Names& names) = 0;
    // The names last received are those of this version.
    virtual void OnNamespacesVersion(std::string_view resourceVersion) = 0;
    // The server went back in time.
    virtual void OnNamespacesEpoch() = 0;
  };

  // Settings of the informer that uses the names.
  struct Options {
    std::string describe{};      // name in messages
    std::string metrics_name{};  // name in metrics
    InitialList initial_list{};  // this and the following are as in InformerOptions
    Duration min_watch_timeout{};
    Duration relist_period{};
    Duration check_period{};
  };
  NamespaceWatch(Env& env, Owner& owner, std::unique_ptr<ListerWatcher> lister_watcher,
                 Options options, ReflectorStatus& status);

  void Start();
  void JoinEpoch() { reflector_.JoinEpoch(); }

 private:
  // ReflectorStore
  void Change(DeltaType type, ObjectRef object) override;
  void Unreadable(std::string_view namespace_, std::string_view name, bool deleted) override;
  void Bookmark(std::string_view resourceVersion) override { version_ = resourceVersion; }
  void ReplaceBegin() override { staged_.clear(); }
  void ReplaceItem(ObjectRef object) override { staged_.emplace(object->name()); }
  void ReplaceUnreadable(std::string_view namespace_, std::string_view name) override;
  void ReplaceRemove(std::string_view namespace_, std::string_view name) override;
  void ReplaceEnd(std::string_view resourceVersion) override;
  Result<void> Resync() override { return {}; }
  void ChunkEnd() override;

  // ReflectorObserver
  void OnListing() override { status_.OnListing(); }
  void OnListed(InitialList kind) override;
  void OnWatching() override { status_.OnWatching(); }
  void OnWatchStarted() override { status_.OnWatchStarted(); }
  void OnWatchBroken() override { status_.OnWatchBroken(); }
  void OnWaiting(SteadyTime until) override { status_.OnWaiting(until); }
  void OnProgress(SteadyTime when) override { status_.OnProgress(when); }
  void OnWatchError(const Error& error) override;
  void OnEpochChanged() override;

  void ArmRelist();
  [[nodiscard]] ReflectorOptions OptionsOfReflector() const;
  void Insert(std::string_view name, std::string_view resourceVersion);
  void Erase(std::string_view name, std::string_view resourceVersion);

  Env& env_;
  Owner& owner_;
  const Options options_;
  ReflectorStatus& status_;
  const std::unique_ptr<InformerMetrics> metrics_;  // null: none
  const std::unique_ptr<ListerWatcher> lister_watcher_;
  client::ContainedListWatch contained_;
  Names staged_;
  Names names_;
  std::string version_;
  bool listed_ = false;
  bool changed_ = false;
  NamespaceCheck check_;
  // Destroyed first, as it feeds the other members.
  Reflector reflector_;
  Timer relist_timer_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_NAMESPACE_WATCH_H_
