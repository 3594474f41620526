#include "cache/check/consistency_checker.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/cache/resource_event_handler.h"

#include "base/core/deadline.h"
#include "cache/figures/informer_metrics.h"
#include "cache/store/coverage.h"
#include "cache/store/resource_version.h"
#include "cache/watch/failure_kind.h"
#include "client/page_tokens.h"

namespace kinformer::internal::cache {
namespace {

// Delay before a difference is checked again, and before the next attempt if the store is being
// changed.
constexpr Duration kSoon = std::chrono::seconds(1);
// Delay before a server that lacked a version is asked for it again.
constexpr Duration kLater = std::chrono::seconds(5);
// Number of consecutive answers at another version than the requested one after which the server is
// considered unable to answer, and the time until it is asked again.
constexpr int kWrongVersions = 3;
constexpr Duration kRest = std::chrono::minutes(30);
// Limits of the differences that one walk records, and of those that a message names.
constexpr std::size_t kMostSuspects = 1000;
constexpr std::size_t kMostNamed = 10;
// Pauses between relists that do not help.
constexpr Duration kShortestPause = std::chrono::minutes(2);
constexpr Duration kLongestPause = std::chrono::minutes(10);

std::string Named(const std::vector<ObjectName>& keys) {
  std::string text;
  for (std::size_t i = 0; i < keys.size() && i < kMostNamed; ++i) {
    if (i > 0) text += ", ";
    text += keys[i].name.empty() ? "what had found no room" : keys[i].ToString();
  }
  if (keys.size() > kMostNamed) {
    text += " and " + std::to_string(keys.size() - kMostNamed) + " more";
  }
  return text;
}

std::size_t LeftOutOf(const Coverage* coverage, std::string_view namespace_) {
  if (coverage == nullptr || coverage->left_out == nullptr) return 0;
  return coverage->left_out->SizeOf(namespace_);
}

// Returns whether the error is permanent. 401 and 404 are not: a token is renewed or a definition
// is created again, and then the informer continues.
bool IsRefusal(const Error& error) {
  switch (error.http_status()) {
    case 400:
    case 403:
    case 405:
    case 406:
    case 415:
    case 501:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct ConsistencyChecker::Walk {
  std::shared_ptr<const SnapshotCore> snapshot;
  std::string version;       // resourceVersion of the snapshot's collection
  std::string namespace_{};  // empty: all
  ListOptions page{};
  client::PageTokens tokens{};
  int pages = 0;  // number in this period
  // Objects of the snapshot that are in the list, in the list's order; names that are unreadable.
  std::vector<const Block*> found{};
  std::set<ObjectName> unreadable{};
  // Number of listed objects that the full store has left out.
  std::size_t left_out = 0;
  // Differing objects. An empty name stands for left-out objects, of which only hashes are known.
  std::set<ObjectName> differ{};

  [[nodiscard]] bool IsLeftOut(std::string_view ns, std::string_view name) const {
    const Coverage* coverage = snapshot->coverage();
    return coverage != nullptr && coverage->IsLeftOut(ns, name);
  }
  // Returns whether the store knows the object to exist, but lacks its current state.
  [[nodiscard]] bool IsMissing(std::string_view ns, std::string_view name) const {
    const Coverage* coverage = snapshot->coverage();
    return IsLeftOut(ns, name) || (coverage != nullptr && coverage->IsUnreadable(ns, name));
  }
  void Differs(const Block& object) {
    if (differ.size() < kMostSuspects) differ.insert(NameOf(object));
  }
};

ConsistencyChecker::ConsistencyChecker(Env& env, ListerWatcher& source, const StoreCore& store,
                                       PipelineCounters& counters,
                                       ConsistencyCheckerOptions options)
    : env_(env),
      source_(source),
      store_(store),
      counters_(counters),
      options_(std::move(options)),
      off_(options_.period <= Duration(0)) {}

ConsistencyChecker::~ConsistencyChecker() = default;

void ConsistencyChecker::Listed() {
  const bool walking = walk_ != nullptr || !suspects_.empty() || from_the_future_;
  Forget();
  // A check that is due is not postponed, however often lists come.
  if (walking || !timer_.armed()) Arm();
}

void ConsistencyChecker::Distrust() {
  distrusted_ = true;
  if (off_) return;
  TurnOff(
      "the transform changes names, uids or resourceVersions, so that there is nothing to compare");
}

void ConsistencyChecker::Forget() {
  call_.reset();
  walk_.reset();
  suspects_.clear();
  from_the_future_ = false;
}

void ConsistencyChecker::TurnOff(std::string_view why) {
  off_ = true;
  Forget();
  timer_ = Timer();
  SayOff(why);
}

void ConsistencyChecker::Rest(std::string_view why) {
  Forget();
  ArmAfter(kRest);
  SayOff(why);
}

void ConsistencyChecker::SayOff(std::string_view why) {
  if (std::exchange(said_off_, true)) return;
  env_.log().Log(LogLevel::kInfo, "the consistency check is off for this informer",
                 {{"informer", options_.name}, {"why", std::string(why)}});
}

void ConsistencyChecker::Arm() {
  // Random, so that the informers of a program do not ask at the same time. Below the period, as
  // the second check and the relist take time, too.
  const double part = 0.65 + 0.2 * RandomUnit(env_);
  ArmAfter(std::chrono::duration_cast<Duration>(part * options_.period));
}

void ConsistencyChecker::ArmAfter(Duration delay) {
  if (off_) return;
  timer_ = env_.loop().RunAt(base::After(env_.Now(), delay), [this] {
    timer_ = Timer();
    walk_ != nullptr ? AskForPage() : Begin();
  });
}

// ---- a walk

void ConsistencyChecker::Begin() {
  std::shared_ptr<const SnapshotCore> snapshot = store_.Snapshot();
  const std::string version =
      options_.version ? options_.version() : std::string(snapshot->ResourceVersion());
  const Coverage* coverage = snapshot->coverage();
  // A store that left objects out has been listed, too.
  const bool full = LeftOutOf(coverage, options_.part.key()) != 0;
  const bool listed = coverage == nullptr || coverage->IsComplete(options_.part.key()) || full;
  // Versions that are not numbers cannot be compared, so the store's state is unknown.
  const bool comparable = IsWellFormedResourceVersion(version);
  if (!listed || !comparable || !options_.exact()) return ArmAfter(kSoon);
  walk_ = std::make_unique<Walk>();
  walk_->snapshot = std::move(snapshot);
  walk_->version = version;
  if (!suspects_.empty()) {
    walk_->namespace_ = suspects_namespace_;
  } else if (walk_->snapshot->size() > kWhole && std::exchange(one_namespace_, !one_namespace_)) {
    walk_->namespace_ = DrawNamespace(*walk_->snapshot);
  }
  walk_->page.resourceVersion = version;
  walk_->page.resourceVersionMatch = "Exact";
  walk_->page.limit = kPageSize;
  AskForPage();
}

// Returns the namespace of a randomly chosen object; empty if only one namespace is checked, or the
// object is cluster-scoped or belongs to another part.
std::string ConsistencyChecker::DrawNamespace(const SnapshotCore& snapshot) {
  if (options_.part.IsOneNamespace() || !source_.Scope().namespace_.empty()) return {};
  SnapshotCore::Cursor cursor{
      static_cast<std::size_t>(RandomUnit(env_) * static_cast<double>(snapshot.size()))};
  const Block* drawn = snapshot.Next(cursor);
  if (drawn == nullptr || !options_.part.Has(drawn->namespace_())) return {};
  return std::string(drawn->namespace_());
}

void ConsistencyChecker::AskForPage() {
  ++walk_->pages;
  call_ = source_.ListMetadata(walk_->namespace_, walk_->page, *this);
  // Most fakes cannot list metadata; that is not an error.
  if (call_ != nullptr) return;
  off_ = true;
  walk_.reset();
}

void ConsistencyChecker::OnItem(AnyRef object) {
  const Block& listed = *object.object();
  if (walk_->IsLeftOut(listed.namespace_(), listed.name())) ++walk_->left_out;
  if (walk_->IsMissing(listed.namespace_(), listed.name())) return;
  const Block* stored = walk_->snapshot->Get(listed.namespace_(), listed.name());
  if (stored != nullptr) walk_->found.push_back(stored);
  if (stored == nullptr || stored->uid() != listed.uid() ||
      stored->resourceVersion() != listed.resourceVersion()) {
    walk_->Differs(listed);
  }
}

void ConsistencyChecker::OnUnreadable(std::string_view namespace_, std::string_view name,
                                      const Error& /*error*/) {
  if (walk_->IsLeftOut(namespace_, name)) ++walk_->left_out;
  walk_->unreadable.insert({std::string(namespace_), std::string(name)});
}

void ConsistencyChecker::OnDone(Result<ListMeta> result) {
  call_.reset();
  if (result) {
    PageDone(*result);
  } else {
    Failed(result.error());
  }
}

void ConsistencyChecker::PageDone(const ListMeta& page) {
  if (page.resourceVersion != walk_->version) return WrongVersion();
  wrong_versions_ = 0;
  if (page.continue_.empty()) return WalkDone();
  if (const Result<void> next = walk_->tokens.Next(page.continue_); !next) {
    return Failed(next.error());
  }
  ListOptions next;
  next.limit = kPageSize;
  next.continue_ = page.continue_;
  walk_->page = std::move(next);
  if (walk_->pages < kPagesPerPeriod) return AskForPage();
  walk_->pages = 0;
  Arm();
}

// One of several servers may lag behind, or a server may ignore the requested version.
void ConsistencyChecker::WrongVersion() {
  if (++wrong_versions_ >= kWrongVersions) {
    return Rest("the server does not list at a version that it is asked for");
  }
  Forget();
  Arm();
}

void ConsistencyChecker::WalkDone() {
  Count(counters_.consistency_checks);
  if (options_.metrics != nullptr) options_.metrics->consistency_checks->Add();
  LookForMissing();
  from_the_future_ = false;
  const std::unique_ptr<Walk> walk = std::move(walk_);
  const std::set<ObjectName> before = std::exchange(suspects_, {});
  std::vector<ObjectName> twice;
  std::set_intersection(before.begin(), before.end(), walk->differ.begin(), walk->differ.end(),
                        std::back_inserter(twice));
  if (!twice.empty()) {
    Confirmed(Named(twice));
    return Arm();
  }
  if (walk->differ.empty()) {
    relist_pause_ = {};
    return Arm();
  }
  suspects_ = walk->differ;
  suspects_namespace_ = walk->namespace_;
  ArmAfter(kSoon);
}

// Adds the objects to `differ` that the store has and the list lacks.
void ConsistencyChecker::LookForMissing() {
  Walk& walk = *walk_;
  const SnapshotCore& snapshot = *walk.snapshot;
  if (walk.namespace_.empty() &&
      walk.left_out < LeftOutOf(snapshot.coverage(), options_.part.key())) {
    walk.differ.insert({options_.part.key(), ""});
  }
  std::vector<const Block*> of_part;
  std::size_t stored = snapshot.size();
  const StorePart part = walk.namespace_.empty() ? options_.part : StorePart(walk.namespace_);
  if (!part.IsAll()) {
    of_part = part.In(snapshot);
    stored = of_part.size();
  }
  std::sort(walk.found.begin(), walk.found.end(), std::less<>());
  walk.found.erase(std::unique(walk.found.begin(), walk.found.end()), walk.found.end());
  if (walk.found.size() == stored) return;
  const auto look = [&](const Block& object) {
    if (std::binary_search(walk.found.begin(), walk.found.end(), &object, std::less<>())) return;
    if (walk.IsMissing(object.namespace_(), object.name())) return;
    if (walk.unreadable.contains(NameOf(object))) return;
    walk.Differs(object);
  };
  for (const Block* object : of_part) look(*object);
  if (!part.IsAll()) return;
  SnapshotCore::Cursor cursor;
  while (const Block* object = snapshot.Next(cursor)) look(*object);
}

void ConsistencyChecker::Confirmed(const std::string& keys) {
  Count(counters_.inconsistencies);
  if (options_.metrics != nullptr) options_.metrics->inconsistencies->Add();
  if (env_.Now() < no_relist_before_) return;
  env_.log().Log(
      LogLevel::kWarning,
      "the cache differs from the server, though no event was missed; will list again",
      {{"informer", options_.name},
       {"keys", keys.empty() ? "all: the server is at an older version" : keys},
       {"resourceVersion", options_.version ? options_.version() : store_.ResourceVersion()}});
  // The first relist may be followed by a second one without a pause if it did not help.
  no_relist_before_ = env_.Now() + relist_pause_;
  relist_pause_ = std::clamp(2 * relist_pause_, kShortestPause, kLongestPause);
  options_.relist();
}

void ConsistencyChecker::Failed(const Error& error) {
  if (IsRefusal(error) && KindOf(error) == FailureKind::kOther) {
    return Rest("its list is refused: " + error.ToString());
  }
  // Any other error, for example a version that the server has forgotten: the next check starts
  // from the beginning.
  walk_.reset();
  suspects_.clear();
  if (KindOf(error) != FailureKind::kFuture) {
    from_the_future_ = false;
    return Arm();
  }
  // Asks again first: one of several servers may lag behind, and a watch that has just broken will
  // soon ask for this version itself.
  if (!std::exchange(from_the_future_, !from_the_future_)) return ArmAfter(kLater);
  // A server that still lags reports a newer version when asked for its newest one.
  asked_version_ = options_.version ? options_.version() : store_.ResourceVersion();
  call_ = source_.CurrentVersion(
      [this](const Result<std::string>& version) { VersionAnswered(version); });
  if (call_ != nullptr) return;
  Confirmed("");
  Arm();
}

void ConsistencyChecker::VersionAnswered(const Result<std::string>& version) {
  call_.reset();
  if (version && IsOlderResourceVersion(*version, asked_version_)) Confirmed("");
  Arm();
}

}  // namespace kinformer::internal::cache
