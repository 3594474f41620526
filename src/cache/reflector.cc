#include "cache/reflector.h"

#include <algorithm>
#include <utility>

#include "cache/informer_metrics.h"
#include "cache/resource_version.h"

namespace kinformer::internal {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kDefaultPageSize = 500;
constexpr Duration kMinWatchTimeout = std::chrono::minutes(5);
constexpr Duration kVeryShortWatch = seconds(1);
constexpr Duration kShortWatchLogPeriod = std::chrono::minutes(1);
constexpr int kMaxBriefWatches = 10;
constexpr Duration kWatchListTick = seconds(10);
constexpr Duration kInternalErrorQuiet = std::chrono::minutes(1);
// A server that streams but never ends the initial events must not keep the informer from syncing.
constexpr int kMaxSilentTicks = 6;
constexpr int kMaxUnfinishedWatchLists = 3;

bool IsExpired(const Error& error) { return IsResourceExpired(error) || IsGone(error); }

}  // namespace

Reflector::Reflector(Env& env, ListerWatcher& lister_watcher, ReflectorStore& store,
                     ReflectorObserver& observer, ReflectorOptions options)
    : env_(env),
      lister_watcher_(lister_watcher),
      store_(store),
      observer_(observer),
      options_(std::move(options)),
      watch_list_(options_.use_watch_list && !lister_watcher.IsWatchListSemanticsUnSupported()),
      backoff_(env, options_.backoff) {}

Reflector::~Reflector() { WatchEnds(); }

void Reflector::Start() { ListAndWatch(); }

void Reflector::ListAndWatch() {
  unfinished_watch_lists_ = 0;
  list_is_fallback_ = false;
  if (watch_list_) {
    StartWatchList();
  } else {
    StartList();
  }
}

void Reflector::After(Duration delay, void (Reflector::*next)()) {
  timer_ = env_.loop().RunAt(env_.Now() + delay, [this, next] {
    timer_ = Timer();
    (this->*next)();
  });
}

void Reflector::EndRound(const std::optional<Error>& error) {
  phase_ = Phase::kIdle;
  call_.reset();
  WatchEnds();
  tick_timer_ = Timer();
  Duration delay;
  if (error) {
    observer_.OnWatchError(*error);
    delay = RetryDelay(*error);
  } else {
    delay = backoff_.Next();
  }
  After(delay, &Reflector::ListAndWatch);
}

Duration Reflector::RetryDelay(const Error& error) {
  const Duration delay = backoff_.Next();
  if (!error.retry_after()) return delay;
  return std::max<Duration>(delay, *error.retry_after());
}

// ---- LIST

std::string Reflector::RelistResourceVersion() const {
  if (unavailable_) return "";
  return last_sync_rv_.empty() ? "0" : last_sync_rv_;
}

std::int64_t Reflector::RelistPageSize() const {
  if (options_.watch_list_page_size != 0) return options_.watch_list_page_size;
  if (paginated_result_ || unavailable_ || last_sync_rv_.empty()) return kDefaultPageSize;
  // A limit would make the server read from etcd what its watch cache has.
  return last_sync_rv_ == "0" ? kDefaultPageSize : 0;
}

void Reflector::StartList() { StartListAt(RelistResourceVersion(), RelistPageSize()); }

void Reflector::StartListAt(std::string resourceVersion, std::int64_t limit) {
  phase_ = Phase::kList;
  list_rv_ = std::move(resourceVersion);
  list_limit_ = limit;
  list_result_rv_.clear();
  list_paginated_ = false;
  list_is_full_ = false;
  ListBegins();
  store_.ReplaceBegin();
  ListOptions options;
  options.resourceVersion = list_rv_;
  options.limit = limit;
  NextPage(options);
}

void Reflector::NextPage(const ListOptions& options) {
  call_ = lister_watcher_.List(options, *this);
}

void Reflector::OnItem(ObjectRef object) {
  if (!IsExpectedType(*object)) return;
  ++list_items_;
  store_.ReplaceItem(std::move(object));
}

void Reflector::OnUnreadable(std::string_view namespace_, std::string_view name,
                             const Error& error) {
  env_.log().Log(LogLevel::kError, "an object of the list is unreadable",
                 {{"informer", options_.name},
                  {"namespace", std::string(namespace_)},
                  {"name", std::string(name)},
                  {"err", error.ToString()}});
  store_.ReplaceUnreadable(namespace_, name);
}

void Reflector::OnDone(Result<ListMeta> result) {
  call_.reset();
  if (result) {
    if (list_result_rv_.empty()) list_result_rv_ = result->resourceVersion;
    if (result->continue_.empty()) return Listed(std::move(list_result_rv_));
    list_paginated_ = true;
    ListOptions options;
    options.limit = list_limit_;
    options.continue_ = result->continue_;
    return NextPage(options);
  }
  const Error error = std::move(result).error();
  if (IsExpired(error) && list_paginated_ && !list_is_full_) {
    // The pages outlived their snapshot: take the list in one piece.
    list_is_full_ = true;
    list_result_rv_.clear();
    ListBegins();
    store_.ReplaceBegin();
    ListOptions options;
    options.resourceVersion = list_rv_;
    return NextPage(options);
  }
  if ((IsExpired(error) || IsTooLargeResourceVersion(error)) && !list_is_fallback_) {
    list_is_fallback_ = true;
    unavailable_ = true;
    return StartListAt("", RelistPageSize());
  }
  EndRound(error);
}

void Reflector::Listed(std::string resourceVersion) {
  if (list_rv_ == "0" && list_paginated_) paginated_result_ = true;
  unavailable_ = false;
  const auto order = CompareResourceVersion(resourceVersion, last_sync_rv_);
  if (order && *order == std::strong_ordering::less) observer_.OnEpochChanged();
  last_sync_rv_ = std::move(resourceVersion);
  ListEnds();
  store_.ReplaceEnd(last_sync_rv_);
  observer_.OnListed();
  store_.ChunkEnd();
  OpenWatch();
}

// ---- WATCH with initial events

void Reflector::StartWatchList() {
  phase_ = Phase::kWatchList;
  watch_started_ = false;
  watch_events_ = 0;
  silent_ticks_ = 0;
  events_at_tick_ = 0;
  ListBegins();
  store_.ReplaceBegin();
  ListOptions options;
  options.resourceVersion = unavailable_ ? "" : last_sync_rv_;
  options.resourceVersionMatch = "NotOlderThan";
  options.sendInitialEvents = true;
  options.allowWatchBookmarks = true;
  options.timeoutSeconds = WatchTimeoutSeconds();
  tick_timer_ = env_.loop().RunAt(env_.Now() + kWatchListTick, [this] { WatchListTick(); });
  call_ = lister_watcher_.Watch(options, *this);
}

void Reflector::WatchListTick() {
  if (watch_events_ == events_at_tick_) {
    ++silent_ticks_;
    env_.log().Log(LogLevel::kWarning, "waiting for the end of the initial events of a watch-list",
                   {{"informer", options_.name},
                    {"events", std::to_string(watch_events_)},
                    {"silent_for", std::to_string(silent_ticks_ * 10) + "s"}});
  } else {
    silent_ticks_ = 0;
    events_at_tick_ = watch_events_;
  }
  if (silent_ticks_ >= kMaxSilentTicks) {
    return FallBackToList("the server does not end the initial events");
  }
  tick_timer_ = env_.loop().RunAt(env_.Now() + kWatchListTick, [this] { WatchListTick(); });
}

void Reflector::FallBackToList(std::string_view why) {
  call_.reset();
  tick_timer_ = Timer();
  env_.log().Log(LogLevel::kInfo, "watch-list did not work, using list and watch",
                 {{"informer", options_.name}, {"err", std::string(why)}});
  StartList();
}

void Reflector::HandleWatchListEvent(const WatchEvent& event) {
  switch (event.type) {
    case WatchEventType::kAdded:
    case WatchEventType::kModified:
      if (event.unreadable) {
        store_.ReplaceUnreadable(event.namespace_, event.name);
      } else if (IsExpectedType(*event.object)) {
        ++list_items_;
        store_.ReplaceItem(event.object);
      } else {
        return;
      }
      break;
    case WatchEventType::kDeleted:
      if (event.unreadable) {
        store_.ReplaceRemove(event.namespace_, event.name);
      } else if (event.object) {
        store_.ReplaceRemove(event.object->namespace_(), event.object->name());
      }
      break;
    case WatchEventType::kBookmark:
      break;
  }
  ++watch_events_;
  if (event.initial_events_end) WatchListSynced(event.resourceVersion);
}

void Reflector::WatchListSynced(std::string_view resourceVersion) {
  tick_timer_ = Timer();
  unfinished_watch_lists_ = 0;
  unavailable_ = false;
  const auto order = CompareResourceVersion(resourceVersion, last_sync_rv_);
  if (order && *order == std::strong_ordering::less) observer_.OnEpochChanged();
  last_sync_rv_ = resourceVersion;
  ListEnds();
  store_.ReplaceEnd(resourceVersion);
  observer_.OnListed();
  // The same stream goes on as the watch.
  phase_ = Phase::kWatch;
  watch_reports_rv_ = true;
  watch_went_back_ = false;
  watch_start_ = env_.Now();
  watch_events_ = 0;
  WatchBegins();
  observer_.OnWatchStarted();
  ArmResync();
  if (paused_) Pause();
}

void Reflector::WatchListEnded(const Result<void>& result) {
  tick_timer_ = Timer();
  if (result) {
    if (++unfinished_watch_lists_ < kMaxUnfinishedWatchLists) return StartWatchList();
    return FallBackToList("streams end before their initial events do");
  }
  const Error& error = result.error();
  if (IsConnectionRefused(error) || IsTooManyRequests(error)) {
    observer_.OnWatchError(error);
    return After(RetryDelay(error), &Reflector::StartWatchList);
  }
  if ((IsExpired(error) || IsTooLargeResourceVersion(error)) && !unavailable_) {
    unavailable_ = true;
    return StartWatchList();
  }
  FallBackToList(error.ToString());
}

// ---- WATCH

std::int64_t Reflector::WatchTimeoutSeconds() {
  const Duration least = std::max(kMinWatchTimeout, options_.min_watch_timeout);
  const double base = std::chrono::duration<double>(least).count();
  return static_cast<std::int64_t>(base * (1.0 + RandomUnit(env_)));
}

void Reflector::OpenWatch() {
  phase_ = Phase::kWatch;
  ArmResync();
  if (paused_) return;
  watch_started_ = false;
  watch_events_ = 0;
  watch_start_ = env_.Now();
  // The burst of ADDED with which a watch from nowhere begins is not in the order of resourceVersions.
  watch_reports_rv_ = !last_sync_rv_.empty() && last_sync_rv_ != "0";
  watch_went_back_ = false;
  ListOptions options;
  options.resourceVersion = last_sync_rv_;
  options.allowWatchBookmarks = true;
  options.timeoutSeconds = WatchTimeoutSeconds();
  call_ = lister_watcher_.Watch(options, *this);
}

void Reflector::OnStarted() {
  watch_started_ = true;
  watch_start_ = env_.Now();
  if (phase_ != Phase::kWatch) return;
  WatchBegins();
  observer_.OnWatchStarted();
}

bool Reflector::IsExpectedType(const Block& object) {
  if (options_.expected_type == nullptr || &object.type() == options_.expected_type) return true;
  env_.log().Log(LogLevel::kError, "the server sent an object of another kind; ignored",
                 {{"informer", options_.name},
                  {"kind", std::string(object.type().kind)},
                  {"expected", std::string(options_.expected_type->kind)}});
  return false;
}

void Reflector::OnEvent(const WatchEvent& event) {
  if (phase_ == Phase::kWatchList) return HandleWatchListEvent(event);
  HandleWatchEvent(event);
}

bool Reflector::GoesBack(const WatchEvent& event) {
  if (!watch_reports_rv_) return false;
  const auto order = CompareResourceVersion(event.resourceVersion, last_sync_rv_);
  if (!order || *order != std::strong_ordering::less) return false;
  if (std::exchange(watch_went_back_, true)) return true;
  env_.log().Log(LogLevel::kWarning, "the server's watch went back in resourceVersion",
                 {{"informer", options_.name},
                  {"event", event.type == WatchEventType::kBookmark ? "bookmark" : "object"},
                  {"from", last_sync_rv_},
                  {"to", std::string(event.resourceVersion)}});
  return true;
}

void Reflector::HandleWatchEvent(const WatchEvent& event) {
  if (event.object && !IsExpectedType(*event.object)) return;
  const bool back = GoesBack(event);
  if (back && event.type == WatchEventType::kBookmark) {
    // It says nothing of any object; what is known stays known. Objects are taken as they come, since a server that was restored
    // tells its new history so.
    ++watch_events_;
    return;
  }
  if (event.unreadable) {
    env_.log().Log(LogLevel::kError, "an object of the watch is unreadable",
                   {{"informer", options_.name},
                    {"namespace", std::string(event.namespace_)},
                    {"name", std::string(event.name)}});
    store_.Unreadable(event.namespace_, event.name, event.type == WatchEventType::kDeleted);
  } else {
    switch (event.type) {
      case WatchEventType::kAdded:
        store_.Add(event.object);
        break;
      case WatchEventType::kModified:
        store_.Update(event.object);
        break;
      case WatchEventType::kDeleted:
        store_.Delete(event.object);
        break;
      case WatchEventType::kBookmark:
        store_.Bookmark(event.resourceVersion);
        break;
    }
  }
  ++watch_events_;
  if (event.type != WatchEventType::kAdded) watch_reports_rv_ = true;
  if (watch_reports_rv_ && !event.resourceVersion.empty()) last_sync_rv_ = event.resourceVersion;
}

void Reflector::OnChunkEnd() {
  ReportVersion();
  store_.ChunkEnd();
}

void Reflector::OnDone(Result<void> result) {
  call_.reset();
  if (phase_ == Phase::kWatchList) return WatchListEnded(result);
  WatchEnded(result);
}

void Reflector::WatchEnded(const Result<void>& result) {
  WatchEnds();
  if (result) {
    const bool brief = env_.Now() - watch_start_ < kVeryShortWatch;
    if (brief && watch_events_ == 0) {
      if (options_.metrics != nullptr) options_.metrics->short_watches->Add();
      LogVeryShortWatch();
      return EndRound(std::nullopt);
    }
    // There is nothing to list, since each brought something; but a server that ends them all at once is not asked in a circle.
    brief_watches_ = brief ? brief_watches_ + 1 : 0;
    if (brief_watches_ > kMaxBriefWatches) {
      return After(Jitter(env_, kVeryShortWatch, 1.0), &Reflector::OpenWatch);
    }
    return OpenWatch();
  }
  const Error& error = result.error();
  if (IsTooManyRequests(error) || (!watch_started_ && IsConnectionRefused(error))) {
    observer_.OnWatchError(error);
    return After(RetryDelay(error), &Reflector::OpenWatch);
  }
  if (watch_started_ && RetryInternalError(error)) return OpenWatch();
  EndRound(error);
}

// Once a minute: a server that ends every watch at once does so for as long as nobody mends it.
void Reflector::LogVeryShortWatch() {
  ++short_watches_;
  const SteadyTime now = env_.Now();
  if (short_watch_logged_ && now - *short_watch_logged_ < kShortWatchLogPeriod) return;
  env_.log().Log(LogLevel::kWarning,
                 "very short watch: it ended within a second and without events; will relist",
                 {{"informer", options_.name}, {"times", std::to_string(short_watches_)}});
  short_watch_logged_ = now;
  short_watches_ = 0;
}

bool Reflector::RetryInternalError(const Error& error) {
  if (options_.max_internal_error_retry <= Duration(0) || !IsInternalError(error)) return false;
  const SteadyTime now = env_.Now();
  if (last_internal_error_ && now - *last_internal_error_ >= kInternalErrorQuiet) {
    first_internal_error_.reset();
  }
  if (!first_internal_error_) first_internal_error_ = now;
  last_internal_error_ = now;
  if (now - *first_internal_error_ <= options_.max_internal_error_retry) return true;
  first_internal_error_.reset();
  last_internal_error_.reset();
  return false;
}

// ---- pause, resync

void Reflector::Pause() {
  paused_ = true;
  // Not here: the caller may stand in a call of the stream that is to be closed.
  env_.loop().Post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    if (paused_ && phase_ == Phase::kWatch) {
      timer_ = Timer();
      call_.reset();
      WatchEnds();
    }
  });
}

void Reflector::Resume() {
  if (!paused_) return;
  paused_ = false;
  if (phase_ == Phase::kWatch && call_ == nullptr && !timer_.armed()) OpenWatch();
}

void Reflector::ArmResync() {
  if (options_.resync_period <= Duration(0) || resync_timer_.armed()) return;
  resync_timer_ = env_.loop().RunAt(env_.Now() + options_.resync_period, [this] { ResyncNow(); });
}

void Reflector::ResyncNow() {
  resync_timer_ = Timer();
  if (!options_.should_resync || options_.should_resync()) {
    Result<void> result = store_.Resync();
    if (!result) {
      if (phase_ == Phase::kWatch) EndRound(result.error());
      return ArmResync();
    }
    store_.ChunkEnd();
  }
  ArmResync();
}

// ---- metrics

void Reflector::ListBegins() {
  if (options_.metrics == nullptr) return;
  options_.metrics->lists->Add();
  list_start_ = env_.Now();
  list_items_ = 0;
}

void Reflector::ListEnds() {
  if (options_.metrics == nullptr) return;
  const Duration took = env_.Now() - list_start_;
  options_.metrics->list_duration->Observe(std::chrono::duration<double>(took).count());
  options_.metrics->items_per_list->Observe(static_cast<double>(list_items_));
  ReportVersion();
}

void Reflector::WatchBegins() {
  if (options_.metrics == nullptr) return;
  options_.metrics->watches->Add();
  watch_counted_ = true;
}

void Reflector::WatchEnds() {
  if (!std::exchange(watch_counted_, false)) return;
  const Duration lasted = env_.Now() - watch_start_;
  options_.metrics->watch_duration->Observe(std::chrono::duration<double>(lasted).count());
  options_.metrics->items_per_watch->Observe(static_cast<double>(watch_events_));
}

void Reflector::ReportVersion() {
  if (options_.metrics == nullptr) return;
  InformerMetrics::SetVersion(*options_.metrics->last_resource_version, last_sync_rv_);
}

}  // namespace kinformer::internal
