// cache/reflector.h
//
// Reflector: keeps a ReflectorStore equal to one collection of the server: lists it, watches it from there, resumes when the
// watch ends, lists again when resuming is not possible. Counterpart: cache.Reflector.

#ifndef KINFORMER_CACHE_REFLECTOR_H_
#define KINFORMER_CACHE_REFLECTOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/list_watch.h"

#include "base/backoff.h"

namespace kinformer::internal {

class InformerMetrics;

// Where a Reflector puts what it learns. Called on the loop.
class ReflectorStore {
 public:
  virtual ~ReflectorStore() = default;

  // A watch's events.
  virtual void Add(ObjectRef object) = 0;
  virtual void Update(ObjectRef object) = 0;
  virtual void Delete(ObjectRef object) = 0;
  virtual void Unreadable(std::string_view namespace_, std::string_view name, bool deleted) = 0;
  virtual void Bookmark(std::string_view resourceVersion) = 0;

  // A list, as it streams in: Begin, then items, then End, which makes the collection equal to the items. A Begin without End
  // is a list that failed: what came since the last Begin is dropped by the next.
  virtual void ReplaceBegin() = 0;
  virtual void ReplaceItem(ObjectRef object) = 0;
  virtual void ReplaceUnreadable(std::string_view namespace_, std::string_view name) = 0;
  // A watch-list may take back what it sent.
  virtual void ReplaceRemove(std::string_view namespace_, std::string_view name) = 0;
  virtual void ReplaceEnd(std::string_view resourceVersion) = 0;

  virtual Result<void> Resync() = 0;
  // What came in one piece of network data has been handed over.
  virtual void ChunkEnd() = 0;
};

// Hears how it goes. Called on the loop.
class ReflectorObserver {
 public:
  virtual ~ReflectorObserver() = default;
  virtual void OnListed() {}
  virtual void OnWatchStarted() {}
  // An attempt to list or watch failed, or a watch ended with an error.
  virtual void OnWatchError(const Error& error) = 0;
  // The server's collection is older than what it served before.
  virtual void OnEpochChanged() {}
};

struct ReflectorOptions {
  std::string name{};  // for logs: "pods in namespace default"
  const TypeInfo* expected_type =
      nullptr;                 // objects of other types are logged and ignored; null: any
  bool use_watch_list = true;  // unless the ListerWatcher says that it cannot
  std::int64_t watch_list_page_size = 0;  // 0: 500 from etcd, none from the watch cache
  Duration min_watch_timeout{
      0};  // at least 5 min; the time-out asked for is between this and twice this
  Duration resync_period{0};              // 0: never
  std::function<bool()> should_resync{};  // empty: always
  Duration max_internal_error_retry{
      0};  // resume, not relist, after a 500 in a watch, for that long
  BackoffOptions backoff{};
  InformerMetrics* metrics = nullptr;  // null: none
};

// Confined to the loop; Start, Pause, Resume and destruction happen there, and destruction not inside a call to a receiver or
// the store. Everything it is given outlives it. Nothing blocks.
class Reflector final : private ListReceiver, private WatchReceiver {
 public:
  Reflector(Env& env, ListerWatcher& lister_watcher, ReflectorStore& store,
            ReflectorObserver& observer, ReflectorOptions options);
  ~Reflector() override;

  void Start();
  // Closes the watch, soon, and opens none until Resume, which continues where it was. A list under way goes on.
  void Pause();
  void Resume();

  [[nodiscard]] const std::string& LastSyncResourceVersion() const { return last_sync_rv_; }
  void SetLastSyncResourceVersion(std::string rv) { last_sync_rv_ = std::move(rv); }
  // What the next list would ask for.
  [[nodiscard]] std::string RelistResourceVersion() const;

 private:
  enum class Phase { kIdle, kList, kWatchList, kWatch };

  void ListAndWatch();
  // Ends the round: reports `error`, then waits and begins the next.
  void EndRound(const std::optional<Error>& error);
  void After(Duration delay, void (Reflector::*next)());
  // Backoff, or what the server asks for if that is longer.
  Duration RetryDelay(const Error& error);

  void StartList();
  void StartListAt(std::string resourceVersion, std::int64_t limit);
  void NextPage(const ListOptions& options);
  void Listed(std::string resourceVersion);
  [[nodiscard]] std::int64_t RelistPageSize() const;

  void StartWatchList();
  void WatchListEnded(const Result<void>& result);
  void WatchListSynced(std::string_view resourceVersion);
  void WatchListTick();
  void FallBackToList(std::string_view why);

  void OpenWatch();
  void WatchEnded(const Result<void>& result);
  [[nodiscard]] std::int64_t WatchTimeoutSeconds();
  bool RetryInternalError(const Error& error);

  void ArmResync();
  void ResyncNow();

  // For the metrics.
  void ListBegins();
  void ListEnds();
  void WatchBegins();
  void WatchEnds();
  void ReportVersion();

  // ListReceiver
  void OnItem(ObjectRef object) override;
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& error) override;
  void OnDone(Result<ListMeta> result) override;
  // WatchReceiver
  void OnStarted() override;
  void OnEvent(const WatchEvent& event) override;
  void OnDone(Result<void> result) override;
  // Both
  void OnChunkEnd() override;

  void LogVeryShortWatch();
  [[nodiscard]] bool IsExpectedType(const Block& object);
  void HandleWatchListEvent(const WatchEvent& event);
  void HandleWatchEvent(const WatchEvent& event);
  // Is the event's resourceVersion older than what the watch has told already? Logged once a stream.
  bool GoesBack(const WatchEvent& event);

  Env& env_;
  ListerWatcher& lister_watcher_;
  ReflectorStore& store_;
  ReflectorObserver& observer_;
  const ReflectorOptions options_;
  const bool watch_list_;
  BackoffManager backoff_;

  Phase phase_ = Phase::kIdle;
  std::string last_sync_rv_;
  bool unavailable_ = false;       // the server did not have last_sync_rv_
  bool paginated_result_ = false;  // a list at "0" came in pages: there is no watch cache
  bool paused_ = false;

  // The list under way.
  std::string list_rv_;
  std::int64_t list_limit_ = 0;
  std::string list_result_rv_;
  bool list_paginated_ = false;
  bool list_is_fallback_ = false;
  bool list_is_full_ = false;

  // The watch under way.
  bool watch_started_ = false;
  bool watch_reports_rv_ = false;
  bool watch_went_back_ = false;
  SteadyTime watch_start_{};
  std::size_t watch_events_ = 0;
  int unfinished_watch_lists_ = 0;
  int silent_ticks_ = 0;
  std::size_t events_at_tick_ = 0;

  // For the metrics.
  SteadyTime list_start_{};
  std::size_t list_items_ = 0;
  bool watch_counted_ = false;

  int brief_watches_ = 0;          // in a row
  std::size_t short_watches_ = 0;  // since the last log line about them
  std::optional<SteadyTime> short_watch_logged_;

  std::optional<SteadyTime> first_internal_error_;
  std::optional<SteadyTime> last_internal_error_;

  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  // Destroyed first: nothing may call back while the rest goes.
  Timer timer_;
  Timer tick_timer_;
  Timer resync_timer_;
  std::unique_ptr<ListWatchCall> call_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_REFLECTOR_H_
