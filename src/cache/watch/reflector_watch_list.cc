// The part of Reflector that lists by a watch with initial events.

#include <string>
#include <string_view>

#include "cache/watch/failure_kind.h"
#include "cache/watch/reflector.h"

namespace kinformer::internal::cache {

void Reflector::StartWatchList() {
  phase_ = Phase::kWatchList;
  list_ = ListAttempt{.begun = env_.Now()};
  watch_ = WatchAttempt{};
  observer_.OnListing();
  watch_list_.Begin();
  metrics_.ListBegins();
  store_.ReplaceBegin();
  ListOptions options;
  options.resourceVersion = version_.WatchListFrom();
  options.resourceVersionMatch = "NotOlderThan";
  options.sendInitialEvents = true;
  options.allowWatchBookmarks = true;
  options.timeoutSeconds = WatchTimeoutSeconds();
  watch_.timeout_seconds = *options.timeoutSeconds;
  pace_.Asks();
  if (spans_ != nullptr) spans_->ListBegins("watch-list", options.resourceVersion);
  const SpanScope scope(ReflectorSpans::OpenOf(spans_.get()));
  call_ = lister_watcher_.Watch(options, *this);
}

void Reflector::WatchListSent() {
  if (phase_ == Phase::kWatchList && !watch_list_.tick.armed()) AwaitWatchListTick();
}

void Reflector::AwaitWatchListTick() {
  watch_list_.tick =
      env_.loop().RunAt(env_.Now() + WatchListPatience::kTick, [this] { WatchListTick(); });
}

void Reflector::WatchListTick() {
  if (watch_list_.Tick(watch_.events)) {
    env_.log().Log(LogLevel::kWarning, "waiting for the end of the initial events of a watch-list",
                   {{"informer", options_.name},
                    {"events", std::to_string(watch_.events)},
                    {"silent_for", std::to_string(watch_list_.silent_ticks * 10) + "s"}});
  }
  if (watch_list_.SilentForTooLong()) {
    return FallBackToList("the server does not end the initial events", true);
  }
  AwaitWatchListTick();
}

void Reflector::FallBackToList(std::string_view why, bool declined) {
  call_.reset();
  watch_list_.tick = Timer();
  watch_list_declined_ = declined;
  env_.log().Log(LogLevel::kInfo, "watch-list did not work, using list and watch",
                 {{"informer", options_.name}, {"err", std::string(why)}});
  StartList();
}

void Reflector::HandleWatchListEvent(const WatchEvent& event) {
  switch (event.type) {
    case WatchEventType::kAdded:
    case WatchEventType::kModified:
      if (event.unreadable) {
        unreadable_log_.Unreadable("watch-list", event.namespace_, event.name, event.why);
        store_.ReplaceUnreadable(event.namespace_, event.name);
      } else if (IsExpectedType(*event.object.object())) {
        unreadable_log_.Readable(*event.object.object());
        ++list_.items;
        store_.ReplaceItem(event.object.object());
      } else {
        return;
      }
      break;
    case WatchEventType::kDeleted:
      if (event.unreadable) {
        store_.ReplaceRemove(event.namespace_, event.name);
      } else if (event.object) {
        const Block& block = *event.object.object();
        store_.ReplaceRemove(block.namespace_(), block.name());
      }
      break;
    case WatchEventType::kBookmark:
      break;
  }
  ++watch_.events;
  if (event.initial_events_end) WatchListSynced(event.resourceVersion);
}

void Reflector::WatchListSynced(std::string_view resourceVersion) {
  watch_list_.tick = Timer();
  watch_list_.Forget();
  Listed(resourceVersion, list_.items, InitialList::kWatchList);
  // The same stream continues as the watch.
  phase_ = Phase::kWatch;
  watch_ = WatchAttempt{.started = true,
                        .ordered = true,
                        .timeout_seconds = watch_.timeout_seconds,
                        .accepted = watch_.accepted};
  if (spans_ != nullptr) spans_->WatchBegins(/*resumed=*/false, version_.Last());
  WatchStarted();
  ArmResync();
  if (paused_) Pause();
}

void Reflector::WatchListEnded(const Result<void>& result) {
  watch_list_.tick = Timer();
  if (spans_ != nullptr && !result) spans_->Failed(result.error());
  if (result) {
    ++watch_list_.unfinished;
    watch_list_.broken = watch_list_.broken || watch_.broken;
    if (!watch_list_.TooManyUnfinished()) return StartWatchList();
    return FallBackToList("streams end before their initial events do", !watch_list_.broken);
  }
  const Error& error = result.error();
  const FailureKind kind = KindOf(error);
  if (kind == FailureKind::kAsksToWait || kind == FailureKind::kUnreachable) {
    return RetryAfter(error, &Reflector::StartWatchList);
  }
  if (AsksForAnotherVersion(kind) && !version_.unavailable()) {
    version_.SetUnavailable();
    return StartWatchList();
  }
  switch (error.http_status()) {
    case 403:
      // The right to list may exist without the right to watch: the next round lists.
      list_next_ = true;
      return EndRound(error);
    case 401:
    case 404:
      return EndRound(error);  // a list would fail in the same way
    default:
      break;
  }
  FallBackToList(error.ToString(), DeclinesWatchLists(error));
}

}  // namespace kinformer::internal::cache
