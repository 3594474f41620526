#include "cache/watch/reflector.h"

#include <algorithm>
#include <utility>

#include "base/core/deadline.h"
#include "cache/store/resource_version.h"
#include "cache/watch/failure_kind.h"

namespace kinformer::internal::cache {
namespace {

constexpr Duration kMinWatchTimeout = std::chrono::minutes(5);
// Twice this value still fits into a server's clock.
constexpr Duration kMaxWatchTimeout = std::chrono::years(10);

// Number of times in a row that a server may defer the question for its version before a watch is
// opened anyway.
constexpr int kMostPutOff = 3;

}  // namespace

Reflector::Reflector(Env& env, ListerWatcher& lister_watcher, ReflectorStore& store,
                     ReflectorObserver& observer, ReflectorOptions options)
    : env_(env),
      lister_watcher_(lister_watcher),
      store_(store),
      observer_(observer),
      options_(std::move(options)),
      pace_(env, options_.backoff, options_.name),
      metrics_(env, options_.metrics),
      spans_(ReflectorSpans::New(env, options_.name)),
      internal_errors_(options_.max_internal_error_retry),
      unreadable_log_(env, options_.name),
      version_(options_.watch_list_page_size) {}

Reflector::~Reflector() { metrics_.WatchEnds(watch_.events); }

void Reflector::WatchIsOver() {
  metrics_.WatchEnds(watch_.events);
  if (spans_ != nullptr) spans_->End(watch_.events);
  if (std::exchange(watch_.open, false)) pace_.WatchLasted(env_.Now() - watch_.begun, objects_);
}

void Reflector::Start() { ListAndWatch(); }

void Reflector::StartFrom(std::string_view resourceVersion) {
  version_.Advance(resourceVersion);
  ask_version_ = true;
  ResumeWatch();
}

void Reflector::ListAndWatch() {
  watch_list_.Forget();
  list_is_fallback_ = false;
  watch_list_declined_ = false;
  const bool lists = std::exchange(list_next_, false);
  if (options_.use_watch_list && !lists && !lister_watcher_.IsWatchListSemanticsUnSupported()) {
    StartWatchList();
  } else {
    StartList();
  }
}

void Reflector::After(Duration delay, void (Reflector::*next)()) {
  const SteadyTime until = env_.Now() + delay;
  observer_.OnWaiting(until);
  timer_ = env_.loop().RunAt(until, [this, next] {
    timer_ = Timer();
    (this->*next)();
  });
}

void Reflector::EndRound(const std::optional<Error>& error) {
  phase_ = Phase::kIdle;
  call_.reset();
  if (spans_ != nullptr && error) spans_->Failed(*error);
  WatchIsOver();
  if (error) Report(*error);
  ListAndWatchAfter(error ? pace_.After(*error) : pace_.AfterNothing(watch_.broken));
}

void Reflector::ListAndWatchAfter(Duration pace) {
  After(outage_ ? pace + pace_.BySize(objects_) : pace, &Reflector::ListAndWatch);
}

void Reflector::Report(const Error& error) {
  metrics_.Failed();
  if (KindOf(error) == FailureKind::kUnreachable) outage_ = true;
  observer_.OnWatchError(error);
}

void Reflector::ReportEpoch() {
  metrics_.EpochBegins();
  observer_.OnEpochChanged();
}

void Reflector::RetryAfter(const Error& error, void (Reflector::*next)()) {
  if (spans_ != nullptr) spans_->Event("retry");
  Report(error);
  const Duration pause = pace_.After(error);
  if (KindOf(error) == FailureKind::kAsksToWait) asked_to_wait_until_ = env_.Now() + pause;
  After(pause, next);
}

void Reflector::RelistSoon() {
  version_.SetUnavailable();
  phase_ = Phase::kIdle;
  // Later: the caller may be inside a call of the stream that is to be closed.
  After(Duration(0), &Reflector::CloseAndRelist);
}

void Reflector::CloseAndRelist() {
  call_.reset();
  WatchIsOver();
  ListAndWatchAfter(std::max(pace_.BeforeRelist(), asked_to_wait_until_ - env_.Now()));
}

void Reflector::Relist() {
  if (phase_ == Phase::kWatch) RelistSoon();
}

void Reflector::JoinEpoch() {
  version_.BeginEpoch();
  outage_ = true;
  Relist();
}

void Reflector::BeginEpoch() {
  version_.BeginEpoch();
  outage_ = true;
  ReportEpoch();
  RelistSoon();
}

// ---- LIST

void Reflector::StartList() { StartListAt(version_.ListFrom(), version_.PageSize()); }

void Reflector::StartListAt(std::string resourceVersion, std::int64_t limit) {
  phase_ = Phase::kList;
  list_ = ListAttempt{.from = std::move(resourceVersion), .limit = limit};
  observer_.OnListing();
  FirstPage();
}

void Reflector::FirstPage() {
  if (spans_ != nullptr) spans_->ListBegins("list", list_.from);
  metrics_.ListBegins();
  list_.begun = env_.Now();
  store_.ReplaceBegin();
  ListOptions options;
  options.resourceVersion = list_.from;
  if (!list_.in_one_piece) options.limit = list_.limit;
  NextPage(std::move(options));
}

void Reflector::NextPage(ListOptions options) {
  list_.page = std::move(options);
  AskForPage();
}

void Reflector::AskForPage() {
  list_.page_begun = false;
  pace_.Asks();
  const SpanScope scope(ReflectorSpans::OpenOf(spans_.get()));
  call_ = lister_watcher_.List(list_.page, *this);
}

void Reflector::PageBegins() {
  list_.page_begun = true;
  pace_.Answered();
}

void Reflector::OnItem(AnyRef object) {
  PageBegins();
  const Block& block = *object.object();
  if (!IsExpectedType(block)) return;
  unreadable_log_.Readable(block);
  ++list_.items;
  store_.ReplaceItem(std::move(object).object());
}

void Reflector::OnUnreadable(std::string_view namespace_, std::string_view name,
                             const Error& error) {
  PageBegins();
  unreadable_log_.Unreadable("list", namespace_, name, &error);
  store_.ReplaceUnreadable(namespace_, name);
}

void Reflector::OnDone(Result<ListMeta> result) {
  call_.reset();
  if (!result) return ListFailed(result.error());
  if (list_.resourceVersion.empty()) list_.resourceVersion = result->resourceVersion;
  if (!result->continue_.empty()) {
    if (Result<void> next = list_.tokens.Next(result->continue_); !next) {
      return EndRound(std::move(next).error());
    }
    list_.paginated = true;
    ListOptions options;
    options.limit = list_.limit;
    options.continue_ = result->continue_;
    return NextPage(std::move(options));
  }
  if (list_.from == "0" && list_.paginated) version_.SetNoWatchCache();
  if (watch_list_declined_) lister_watcher_.WatchListDeclined();
  Listed(list_.resourceVersion, list_.items, InitialList::kList);
  store_.ChunkEnd();
  BeginWatch();
}

void Reflector::ListFailed(const Error& error) {
  const FailureKind kind = KindOf(error);
  if (kind == FailureKind::kExpired && list_.paginated && !list_.in_one_piece) {
    // The pages outlived their snapshot: request the list in one piece.
    list_.in_one_piece = true;
    list_.tokens = {};
    list_.resourceVersion.clear();
    list_.items = 0;
    return FirstPage();
  }
  if (AsksForAnotherVersion(kind) && !list_is_fallback_) {
    list_is_fallback_ = true;
    version_.SetUnavailable();
    return StartList();
  }
  // The pages received so far remain valid.
  const bool again =
      kind == FailureKind::kAsksToWait || (kind == FailureKind::kUnreachable && list_.paginated);
  if (again && !list_.page_begun) return RetryAfter(error, &Reflector::AskForPage);
  EndRound(error);
}

void Reflector::Listed(std::string_view resourceVersion, std::size_t items, InitialList kind) {
  if (version_.Listed(resourceVersion)) ReportEpoch();
  pace_.Listed();
  outage_ = false;
  objects_ = items;
  metrics_.ListEnds(resourceVersion, items);
  if (spans_ != nullptr) spans_->Listed(items);
  unreadable_log_.TellHowMany();
  store_.ReplaceEnd(resourceVersion);
  observer_.OnListed(kind);
  observer_.OnProgress(list_.begun);
}

// ---- WATCH

std::int64_t Reflector::WatchTimeoutSeconds() {
  const Duration least = std::clamp(options_.min_watch_timeout, kMinWatchTimeout, kMaxWatchTimeout);
  const double base = std::chrono::duration<double>(least).count();
  return static_cast<std::int64_t>(base * (1.0 + RandomUnit(env_)));
}

void Reflector::BeginWatch() {
  ask_version_ = paused_;
  OpenWatch(false);
}

void Reflector::ResumeWatch() {
  phase_ = Phase::kWatch;
  if (paused_) return observer_.OnPaused();
  observer_.OnWatching();
  // Opaque versions cannot be compared.
  if (std::exchange(ask_version_, true) && IsWellFormedResourceVersion(version_.Last())) {
    pace_.Asks();
    call_ = lister_watcher_.CurrentVersion(
        [this](const Result<std::string>& version) { VersionAnswered(version); });
    if (call_ != nullptr) return;
  }
  OpenWatch(true);
}

bool Reflector::DefersTheWatch(const Error& unanswered) {
  switch (KindOf(unanswered)) {
    case FailureKind::kUnreachable:
      return true;
    case FailureKind::kAsksToWait:
      // A server may defer lists forever and still accept watches.
      return ++questions_put_off_ <= kMostPutOff;
    default:
      return unanswered.http_status() == 401;
  }
}

void Reflector::VersionAnswered(const Result<std::string>& version) {
  call_.reset();
  if (version && version_.IsNewerThan(*version)) return BeginEpoch();
  if (version && *version == version_.Last()) observer_.OnProgress(env_.Now());
  if (!version && DefersTheWatch(version.error())) {
    return RetryAfter(version.error(), &Reflector::ResumeWatch);
  }
  questions_put_off_ = 0;
  OpenWatch(true);
}

void Reflector::OpenWatch(bool resumed) {
  phase_ = Phase::kWatch;
  ArmResync();
  if (paused_) return observer_.OnPaused();
  observer_.OnWatching();
  watch_ =
      WatchAttempt{.resumed = resumed, .ordered = version_.OrdersEvents(), .begun = env_.Now()};
  ListOptions options;
  options.resourceVersion = version_.Last();
  options.allowWatchBookmarks = true;
  options.timeoutSeconds = WatchTimeoutSeconds();
  watch_.timeout_seconds = *options.timeoutSeconds;
  pace_.Asks();
  if (spans_ != nullptr) spans_->WatchBegins(resumed, options.resourceVersion);
  const SpanScope scope(ReflectorSpans::OpenOf(spans_.get()));
  call_ = lister_watcher_.Watch(options, *this);
}

void Reflector::OnStarted() {
  pace_.Answered();
  watch_.started = true;
  watch_.accepted = env_.Now();
  WatchListSent();
  if (phase_ == Phase::kWatch) WatchStarted();
}

void Reflector::OnBroken() {
  watch_.broken = true;
  if (spans_ != nullptr) spans_->Event("connection broken");
  observer_.OnWatchBroken();
}

void Reflector::WatchStarted() {
  watch_.begun = env_.Now();
  watch_.open = true;
  metrics_.WatchBegins();
  if (spans_ != nullptr) spans_->Event("accepted");
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
  // Ignores events of a stream that is about to be closed.
  if (phase_ == Phase::kWatch) HandleWatchEvent(event);
}

bool Reflector::GoesBack(const WatchEvent& event) {
  if (!watch_.ordered || !version_.IsNewerThan(event.resourceVersion)) return false;
  if (std::exchange(watch_.went_back, true)) return true;
  env_.log().Log(LogLevel::kWarning, "the server's watch went back in resourceVersion",
                 {{"informer", options_.name},
                  {"event", event.type == WatchEventType::kBookmark ? "bookmark" : "object"},
                  {"from", version_.Last()},
                  {"to", std::string(event.resourceVersion)}});
  return true;
}

void Reflector::HandleWatchEvent(const WatchEvent& event) {
  if (event.object && !IsExpectedType(*event.object.object())) return;
  ++watch_.events;
  if (GoesBack(event)) {
    // A resumed watch asked for newer events only.
    if (watch_.resumed) return BeginEpoch();
    // A bookmark has no object, so nothing changes.
    if (event.type == WatchEventType::kBookmark) return;
  }
  Apply(event);
  outage_ = false;
  watch_.progressed = true;
  if (event.type != WatchEventType::kAdded) watch_.ordered = true;
  if (watch_.ordered && IsVersion(event)) version_.Advance(event.resourceVersion);
}

// Where versions are numbers, a watch cannot resume from anything else.
bool Reflector::IsVersion(const WatchEvent& event) {
  if (IsWellFormedResourceVersion(event.resourceVersion)) return true;
  const bool numbers = IsWellFormedResourceVersion(version_.Last()) || version_.Last() == "0";
  if (!numbers && !event.resourceVersion.empty()) return true;
  if (std::exchange(watch_.bad_version, true)) return false;
  env_.log().Log(LogLevel::kWarning,
                 "an event's resourceVersion is no version; if the watch ends it is resumed before "
                 "that event",
                 {{"informer", options_.name},
                  {"event", event.type == WatchEventType::kBookmark ? "bookmark" : "object"},
                  {"from", version_.Last()},
                  {"to", std::string(event.resourceVersion)}});
  return false;
}

void Reflector::Apply(const WatchEvent& event) {
  if (event.type == WatchEventType::kAdded) ++objects_;
  if (event.type == WatchEventType::kDeleted && objects_ > 0) --objects_;
  if (event.unreadable) {
    const bool deleted = event.type == WatchEventType::kDeleted;
    if (deleted) {
      unreadable_log_.Forget(event.namespace_, event.name);
    } else {
      unreadable_log_.Unreadable("watch", event.namespace_, event.name, event.why);
    }
    return store_.Unreadable(event.namespace_, event.name, deleted);
  }
  if (event.object) unreadable_log_.Readable(*event.object.object());
  switch (event.type) {
    case WatchEventType::kAdded:
      return store_.Change(DeltaType::kAdded, event.object.object());
    case WatchEventType::kModified:
      return store_.Change(DeltaType::kUpdated, event.object.object());
    case WatchEventType::kDeleted:
      return store_.Change(DeltaType::kDeleted, event.object.object());
    case WatchEventType::kBookmark:
      return store_.Bookmark(event.resourceVersion);
  }
}

void Reflector::OnChunkEnd() {
  if (phase_ == Phase::kWatch && std::exchange(watch_.progressed, false)) {
    observer_.OnProgress(env_.Now());
  }
  metrics_.Version(version_.Last());
  if (phase_ == Phase::kWatch) unreadable_log_.TellHowMany();
  store_.ChunkEnd();
}

void Reflector::OnDone(Result<void> result) {
  call_.reset();
  if (phase_ == Phase::kWatchList) return WatchListEnded(result);
  if (phase_ == Phase::kWatch) WatchEnded(result);
}

void Reflector::WatchEnded(const Result<void>& result) {
  if (spans_ != nullptr && !result) spans_->Failed(result.error());
  WatchIsOver();
  ask_version_ = !result || !watch_.EndedAtItsTimeout(env_.Now());
  if (result) {
    outage_ = outage_ || ask_version_;
    return WatchEndedCleanly();
  }
  const Error& error = result.error();
  const FailureKind kind = KindOf(error);
  if (kind == FailureKind::kAsksToWait || (kind == FailureKind::kUnreachable && !watch_.started)) {
    return RetryAfter(error, &Reflector::ResumeWatch);
  }
  if (watch_.started && IsInternalError(error) && internal_errors_.MayResume(env_.Now())) {
    return ResumeWatch();
  }
  EndRound(error);
}

void Reflector::WatchEndedCleanly() {
  const Duration lasted = env_.Now() - watch_.begun;
  if (lasted < ShortWatches::kVeryShort && watch_.events == 0) {
    metrics_.ShortWatch();
    short_watches_.LogEmpty(env_, options_.name);
    return EndRound(std::nullopt);
  }
  // No list is needed. But a server that ends all watches at once must not be asked in a loop.
  if (short_watches_.TooManyInARow(lasted)) {
    return After(base::Jitter(env_, ShortWatches::kVeryShort, 1.0), &Reflector::ResumeWatch);
  }
  ResumeWatch();
}

// ---- pause, resync

void Reflector::Pause() {
  paused_ = true;
  // Later: the caller may be inside a call of the stream that is to be closed.
  env_.loop().Post(own_calls_.Guard([this] {
    if (paused_ && phase_ == Phase::kWatch) {
      timer_ = Timer();
      call_.reset();
      ask_version_ = true;
      observer_.OnPaused();
      WatchIsOver();
    }
  }));
}

void Reflector::Resume() {
  if (!paused_) return;
  paused_ = false;
  if (phase_ != Phase::kWatch || call_ != nullptr || timer_.armed()) return;
  if (const Duration left = asked_to_wait_until_ - env_.Now(); left > Duration(0)) {
    return After(left, &Reflector::ResumeWatch);
  }
  ResumeWatch();
}

void Reflector::ArmResync() {
  if (options_.resync_period <= Duration(0) || resync_timer_.armed()) return;
  resync_timer_ =
      env_.loop().RunAt(base::After(env_.Now(), options_.resync_period), [this] { ResyncNow(); });
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

}  // namespace kinformer::internal::cache
