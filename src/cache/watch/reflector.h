// cache/watch/reflector.h
//
// Reflector: keeps a ReflectorStore equal to one collection of the server: lists it, watches it
// from there, resumes when the watch ends, lists again when resuming is not possible. Counterpart:
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

#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/list_watch.h"

#include "base/core/backoff.h"
#include "cache/watch/collection_version.h"
#include "cache/watch/reflector_attempts.h"
#include "cache/watch/reflector_metrics.h"
#include "cache/watch/retry_pace.h"
#include "cache/watch/unreadable_log.h"
#include "cache/watch/watch_retry.h"

namespace kinformer::internal::cache {

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

  // A list, as it streams in: Begin, then items, then End, which makes the collection equal to the
  // items. A Begin without End is a list that failed: what came since the last Begin is dropped by
  // the next.
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
  // A list is asked for; it is complete.
  virtual void OnListing() {}
  virtual void OnListed(InitialList) {}
  // A watch is asked for; the server has accepted it.
  virtual void OnWatching() {}
  virtual void OnWatchStarted() {}
  // Its connection broke, which is no failed attempt: the watch is resumed.
  virtual void OnWatchBroken() {}
  // No watch until Resume.
  virtual void OnPaused() {}
  // Nothing is asked for until then.
  virtual void OnWaiting(SteadyTime) {}
  // At that time the server had nothing newer than what has been handed over.
  virtual void OnProgress(SteadyTime) {}
  // An attempt to list or watch failed, or a watch ended with an error.
  virtual void OnWatchError(const Error& error) = 0;
  // The server went back in time: what it says now is older than what it said before.
  virtual void OnEpochChanged() {}
};

struct ReflectorOptions {
  std::string name{};  // for logs: "pods in namespace default"
  // Objects of other types are logged and ignored; null: any.
  const TypeInfo* expected_type = nullptr;
  // Unless the ListerWatcher says that it cannot.
  bool use_watch_list = true;
  // Of lists; 0: 500 from etcd, none from the watch cache.
  std::int64_t watch_list_page_size = 0;
  // At least 5 min; the time-out asked for is between this and twice this.
  Duration min_watch_timeout{0};
  Duration resync_period{0};              // 0: never
  std::function<bool()> should_resync{};  // empty: always
  // Resume, not relist, after a 500 in a watch, for that long.
  Duration max_internal_error_retry{0};
  base::BackoffOptions backoff{};
  InformerMetrics* metrics = nullptr;  // null: none
};

// Confined to the loop; Start, Pause, Resume and destruction happen there, and destruction not
// inside a call to a receiver or the store. Everything it is given outlives it. Nothing blocks.
class Reflector final : private ListReceiver, private WatchReceiver {
 public:
  Reflector(Env& env, ListerWatcher& lister_watcher, ReflectorStore& store,
            ReflectorObserver& observer, ReflectorOptions options);
  ~Reflector() override;

  void Start();
  // Closes the watch, soon, and opens none until Resume, which continues where it was. A list under
  // way goes on.
  void Pause();
  void Resume();
  // What the store holds is in doubt: lists again, soon, unless a list is due or under way.
  void Relist();
  // Another reflector has found that the server went back in time: the same as if this one had,
  // except that the observer has been told.
  void JoinEpoch();

  [[nodiscard]] const std::string& LastSyncResourceVersion() const { return version_.Last(); }
  // Where it left off in an earlier life. Before Start.
  void SetLastSyncResourceVersion(std::string_view rv) { version_.Advance(rv); }

 private:
  enum class Phase { kIdle, kList, kWatchList, kWatch };

  void ListAndWatch();
  // Ends the round: reports `error`, then waits and begins the next.
  void EndRound(const std::optional<Error>& error);
  void After(Duration delay, void (Reflector::*next)());
  // The next round, after that and what is due after an outage.
  void ListAndWatchAfter(Duration pace);
  void Report(const Error& error);
  void ReportEpoch();
  // Reports `error`, and does `next` when it is worth another try.
  void RetryAfter(const Error& error, void (Reflector::*next)());
  // Whatever is under way ends, and the newest state is listed. From anywhere.
  void RelistSoon();
  void CloseAndRelist();
  void BeginEpoch();

  void StartList();
  void StartListAt(std::string resourceVersion, std::int64_t limit);
  // Asks for the list under way from its front.
  void FirstPage();
  void NextPage(ListOptions options);
  void AskForPage();
  void PageBegins();
  void ListFailed(const Error& error);
  // The store is told that it has all up to this version, and where that is older than what it had.
  void Listed(std::string_view resourceVersion, std::size_t items, InitialList kind);

  void StartWatchList();
  void WatchListEnded(const Result<void>& result);
  void WatchListSynced(std::string_view resourceVersion);
  void AwaitWatchListTick();
  // The server's time to answer begins.
  void WatchListSent();
  void WatchListTick();
  // `declined`: the server cannot serve watch-lists, if the list shows that it is there.
  void FallBackToList(std::string_view why, bool declined);

  // The first after a list.
  void BeginWatch();
  // Another one from the same version on, if the server has not gone back behind it.
  void ResumeWatch();
  void VersionAnswered(const Result<std::string>& version);
  // The watch would get the same answer: it is not asked for yet.
  [[nodiscard]] bool DefersTheWatch(const Error& unanswered);
  void OpenWatch(bool resumed);
  // The stream has begun to tell what happens.
  void WatchStarted();
  // The stream is closed, whoever did it.
  void WatchIsOver();
  void WatchEnded(const Result<void>& result);
  void WatchEndedCleanly();
  [[nodiscard]] std::int64_t WatchTimeoutSeconds();

  void ArmResync();
  void ResyncNow();

  // ListReceiver
  void OnItem(ObjectRef object) override;
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
  // Can a watch be resumed from the event's resourceVersion? That it cannot is logged once a
  // stream.
  [[nodiscard]] bool IsVersion(const WatchEvent& event);
  void Apply(const WatchEvent& event);
  // Is the event's resourceVersion older than what the watch has told already? Logged once a
  // stream.
  bool GoesBack(const WatchEvent& event);

  Env& env_;
  ListerWatcher& lister_watcher_;
  ReflectorStore& store_;
  ReflectorObserver& observer_;
  const ReflectorOptions options_;
  RetryPace pace_;
  ReflectorMetrics metrics_;
  ShortWatches short_watches_;
  InternalErrors internal_errors_;
  UnreadableLog unreadable_log_;

  Phase phase_ = Phase::kIdle;
  bool paused_ = false;
  // The last watch did not end at its own time-out: much may have happened to the server.
  bool ask_version_ = false;
  int questions_put_off_ = 0;         // for the version, in a row
  bool list_next_ = false;            // the next round does not begin with a watch-list
  bool list_is_fallback_ = false;     // of a list that the server could not serve
  bool watch_list_declined_ = false;  // by the server, in this round
  // A connection was lost, or the server went back in time, and nothing has come since: others are
  // likely to list at the same time.
  bool outage_ = false;
  SteadyTime asked_to_wait_until_{};  // by the server; what else there may be to ask for waits, too
  std::size_t objects_ = 0;           // of the collection, as far as is known
  CollectionVersion version_;
  ListAttempt list_;
  WatchAttempt watch_;
  WatchListPatience watch_list_;

  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  // Destroyed first: nothing may call back while the rest goes.
  Timer timer_;
  Timer resync_timer_;
  std::unique_ptr<ListWatchCall> call_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_REFLECTOR_H_
