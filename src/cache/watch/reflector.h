// cache/watch/reflector.h
//
// Reflector: keeps a ReflectorStore equal to one collection of the server. Lists it, watches it
// from there, resumes the watch when it ends, and lists again if that is not possible. Counterpart:
// cache.Reflector.

#ifndef KINFORMER_CACHE_WATCH_REFLECTOR_H_
#define KINFORMER_CACHE_WATCH_REFLECTOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/cache/delta.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/block.h"

#include "base/core/backoff.h"
#include "base/core/own_calls.h"
#include "cache/watch/collection_version.h"
#include "cache/watch/reflector_attempts.h"
#include "cache/watch/reflector_metrics.h"
#include "cache/watch/reflector_spans.h"
#include "cache/watch/retry_pace.h"
#include "cache/watch/unreadable_log.h"
#include "cache/watch/watch_retry.h"

namespace kinformer::internal::cache {

class InformerMetrics;

// Receives the contents of the collection. Called on the loop.
class ReflectorStore {
 public:
  virtual ~ReflectorStore() = default;

  // Events of a watch.
  // `type`: kAdded, kUpdated or kDeleted.
  virtual void Change(DeltaType type, ObjectRef object) = 0;
  virtual void Unreadable(std::string_view namespace_, std::string_view name, bool deleted) = 0;
  virtual void Bookmark(std::string_view resourceVersion) = 0;

  // A list as it is received: Begin, then the items, then End, which makes the collection equal to
  // the items. A list that fails has no End: the next Begin then drops everything received since
  // the previous one.
  virtual void ReplaceBegin() = 0;
  virtual void ReplaceItem(ObjectRef object) = 0;
  virtual void ReplaceUnreadable(std::string_view namespace_, std::string_view name) = 0;
  // Removes an item again, as a watch-list may.
  virtual void ReplaceRemove(std::string_view namespace_, std::string_view name) = 0;
  virtual void ReplaceEnd(std::string_view resourceVersion) = 0;

  virtual Result<void> Resync() = 0;
  // All events of one piece of network data have been passed on.
  virtual void ChunkEnd() = 0;
};

// Receives the state of the reflector. Called on the loop.
class ReflectorObserver {
 public:
  virtual ~ReflectorObserver() = default;
  // A list was requested; it is complete.
  virtual void OnListing() {}
  virtual void OnListed(InitialList) {}
  // A watch was requested; the server has accepted it.
  virtual void OnWatching() {}
  virtual void OnWatchStarted() {}
  // The connection of the watch broke. Not a failed attempt: the watch is resumed.
  virtual void OnWatchBroken() {}
  // No watch is open until Resume.
  virtual void OnPaused() {}
  // No request is sent until that time.
  virtual void OnWaiting(SteadyTime) {}
  // At that time the server had nothing newer than what was passed on.
  virtual void OnProgress(SteadyTime) {}
  // A list failed, or a watch could not be opened or ended with an error.
  virtual void OnWatchError(const Error& error) = 0;
  // The server went back in time: its state is now older than the one it sent before.
  virtual void OnEpochChanged() {}
};

struct ReflectorOptions {
  std::string name{};  // name in logs: "pods in namespace default"
  // Objects of other types are logged and ignored; null: any.
  const KindInfo* expected_type = nullptr;
  // Ignored if the ListerWatcher does not support watch-lists.
  bool use_watch_list = true;
  // Page size of lists; 0: 500 from etcd, unlimited from the watch cache.
  std::int64_t watch_list_page_size = 0;
  // At least 5 min; the requested time-out is between one and two times this value.
  Duration min_watch_timeout{0};
  Duration resync_period{0};              // 0: never
  std::function<bool()> should_resync{};  // empty: always
  // Time for which errors 500 in a watch lead to a resume instead of a relist.
  Duration max_internal_error_retry{0};
  base::BackoffOptions backoff{};
  InformerMetrics* metrics = nullptr;  // null: none
};

// Confined to the loop, as are Start, Pause, Resume and the destructor, which must not run inside a
// call to a receiver or the store. All arguments must outlive it. Nothing blocks.
class Reflector final : private ListReceiver, private WatchReceiver {
 public:
  Reflector(Env& env, ListerWatcher& lister_watcher, ReflectorStore& store,
            ReflectorObserver& observer, ReflectorOptions options);
  ~Reflector() override;

  void Start();
  // In the place of Start: watches from a version at which the store has everything. Lists if the
  // server does not have that version any more, or went back behind it.
  void StartFrom(std::string_view resourceVersion);
  // Closes the watch soon, and opens none until Resume, which continues at the same version. A
  // running list is not stopped.
  void Pause();
  void Resume();
  // Lists again soon, as the store may be wrong; no effect if a list is due or running.
  void Relist();
  // Another reflector has found that the server went back in time: does what this one would do
  // then, except for the notification of the observer.
  void JoinEpoch();

  [[nodiscard]] const std::string& LastSyncResourceVersion() const { return version_.Last(); }
  // Sets the version reached in an earlier life. Call it before Start.
  void SetLastSyncResourceVersion(std::string_view rv) { version_.Advance(rv); }

 private:
  enum class Phase { kIdle, kList, kWatchList, kWatch };

  void ListAndWatch();
  // Ends the round: reports `error`, then waits and starts the next one.
  void EndRound(const std::optional<Error>& error);
  void After(Duration delay, void (Reflector::*next)());
  // Starts the next round after `pace` and the additional pause after an outage.
  void ListAndWatchAfter(Duration pace);
  void Report(const Error& error);
  void ReportEpoch();
  // Reports `error`, and calls `next` after a pause.
  void RetryAfter(const Error& error, void (Reflector::*next)());
  // Ends the current request and lists the newest state. May be called at any time.
  void RelistSoon();
  void CloseAndRelist();
  void BeginEpoch();

  void StartList();
  void StartListAt(std::string resourceVersion, std::int64_t limit);
  // Requests the current list from its first page.
  void FirstPage();
  void NextPage(ListOptions options);
  void AskForPage();
  void PageBegins();
  void ListFailed(const Error& error);
  // Reports a complete list to the store, and a new epoch if its version is older than before.
  void Listed(std::string_view resourceVersion, std::size_t items, InitialList kind);

  void StartWatchList();
  void WatchListEnded(const Result<void>& result);
  void WatchListSynced(std::string_view resourceVersion);
  void AwaitWatchListTick();
  // Starts to measure the server's time to answer.
  void WatchListSent();
  void WatchListTick();
  // `declined`: the server cannot serve watch-lists, provided that the list succeeds.
  void FallBackToList(std::string_view why, bool declined);

  // Opens the first watch after a list.
  void BeginWatch();
  // Opens a watch from the last version, unless the server has gone back behind it.
  void ResumeWatch();
  void VersionAnswered(const Result<std::string>& version);
  // Returns whether to delay the watch, as it would get the same answer.
  [[nodiscard]] bool DefersTheWatch(const Error& unanswered);
  void OpenWatch(bool resumed);
  // The stream has started to send events.
  void WatchStarted();
  // The stream is closed, by either side.
  void WatchIsOver();
  void WatchEnded(const Result<void>& result);
  void WatchEndedCleanly();
  [[nodiscard]] std::int64_t WatchTimeoutSeconds();

  void ArmResync();
  void ResyncNow();

  // ListReceiver
  void OnItem(AnyRef object) override;
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& error) override;
  void OnDone(Result<ListMeta> result) override;
  // WatchReceiver
  void OnSent() override { WatchListSent(); }
  void OnStarted() override;
  void OnBroken() override;
  void OnEvent(const WatchEvent& event) override;
  void OnDone(Result<void> result) override;
  // Both
  void OnChunkEnd() override;

  [[nodiscard]] bool IsExpectedType(const Block& object);
  void HandleWatchListEvent(const WatchEvent& event);
  void HandleWatchEvent(const WatchEvent& event);
  // Returns whether a watch can resume at the event's resourceVersion. Logs once per stream that it
  // cannot.
  [[nodiscard]] bool IsVersion(const WatchEvent& event);
  void Apply(const WatchEvent& event);
  // Returns whether the event's resourceVersion is older than an earlier one. Logged once per
  // stream.
  bool GoesBack(const WatchEvent& event);

  Env& env_;
  ListerWatcher& lister_watcher_;
  ReflectorStore& store_;
  ReflectorObserver& observer_;
  const ReflectorOptions options_;
  RetryPace pace_;
  ReflectorMetrics metrics_;
  const std::unique_ptr<ReflectorSpans> spans_;  // null: nobody traces
  ShortWatches short_watches_;
  InternalErrors internal_errors_;
  UnreadableLog unreadable_log_;

  Phase phase_ = Phase::kIdle;
  bool paused_ = false;
  // The last watch did not end at its time-out, so the server may have been replaced.
  bool ask_version_ = false;
  int questions_put_off_ = 0;         // consecutive deferrals of the question for the version
  bool list_next_ = false;            // the next round starts with a list
  bool list_is_fallback_ = false;     // repeats a list that the server could not serve
  bool watch_list_declined_ = false;  // by the server, in this round
  // True after a lost connection or a new epoch until something is received: other clients are then
  // likely to list at the same time.
  bool outage_ = false;
  SteadyTime asked_to_wait_until_{};  // on the server's request; delays all other requests, too
  std::size_t objects_ = 0;           // estimated size of the collection
  CollectionVersion version_;
  ListAttempt list_;
  WatchAttempt watch_;
  WatchListPatience watch_list_;

  const base::OwnCalls own_calls_{};
  // Destroyed first, so that nothing calls back during destruction.
  Timer timer_;
  Timer resync_timer_;
  std::unique_ptr<ListWatchCall> call_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_REFLECTOR_H_
