#include "simulation/simulated_informer.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "kinformer/cache/index.h"
#include "kinformer/cache/lister.h"

#include "cache/store/store_part.h"
#include "simulation/cached_contents.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kMostHandlers = 5;
constexpr std::size_t kMostHeld = 4;
// Maximum lag of a stale list (troubles.cc: StaleCache), and some more.
constexpr std::int64_t kStale = 12;

}  // namespace

// A handler that is slow, throws, and makes the checks that need a handler.
class SimulatedInformer::Watcher final : public DeliveryChecker<corev1::ConfigMap> {
 public:
  Watcher(SimulatedScene& scene, const ServerHistory& history, std::uint64_t stream, bool resyncs,
          bool limited)
      : DeliveryChecker(history, resyncs, limited), scene_(scene), dice_(scene.plan.seed, stream) {
    if (scene.Has(kStalls) && dice_.OneIn(2)) {
      stalls_ = 2 + dice_.Below(12);
    }
    if (scene.Has(kThrows) && dice_.OneIn(2)) {
      throws_ = 2 + dice_.Below(12);
    }
  }

  std::function<bool()> synced;
  bool left = false;
  std::uint64_t stalled = 0;

 protected:
  void Told(bool in_initial_list) override {
    if (left) Breach(Rule::kShape, "told after it has left", "event " + std::to_string(events()));
    if (in_initial_list && synced && synced()) {
      Breach(Rule::kShape, "told of the initial list after it was over",
             "event " + std::to_string(events()));
    }
    if (scene_.calm) return;
    if (stalls_ != 0 && dice_.OneIn(stalls_)) {
      ++stalled;
      scene_.sim.env().SleepFor(dice_.Milliseconds(2000));
    }
    if (throws_ != 0 && dice_.OneIn(throws_)) throw std::runtime_error("thrown by the simulation");
  }

 private:
  SimulatedScene& scene_;
  Dice dice_;
  std::uint64_t stalls_ = 0;
  std::uint64_t throws_ = 0;
};

// ---- Life of the informer

SimulatedInformer::SimulatedInformer(SimulatedScene& scene, const Client& client, int number,
                                     Dice& dice)
    : scene_(scene),
      number_(number),
      shape_(CacheShape::Draw(scene.plan, number)),
      history_(scene.history.See(shape_.View())),
      namespace_(dice.OneIn(2)   ? ""
                 : dice.OneIn(4) ? "kube-system"
                                 : "default"),
      limit_(CacheLimit::Draw(scene.plan, number)),
      several_(
          namespace_.empty() &&
          (limit_.bounded() || (scene.plan.seed + static_cast<std::uint64_t>(number)) % 3 == 0)),
      others_(several_ && !shape_.forbidden &&
              (scene.plan.seed / 3 + static_cast<std::uint64_t>(number)) % 2 == 0),
      resyncs_(dice.OneIn(4)) {
  InformerOptions<corev1::ConfigMap> options;
  options.indexers = {
      {"letter",
       [this](corev1::ConfigMap map, auto& out) {
         if (scene_.amid_write) scene_.amid_write();
         const std::string_view value = map.data()["value"];
         if (!value.empty()) out.Add(value.substr(0, 1));
       }},
      {"ordered", OrderedIndexFunc<corev1::ConfigMap>([](corev1::ConfigMap map, auto& out) {
         const std::string_view value = map.data()["value"];
         if (!value.empty()) out.Add(value);
       })}};
  options.initial_list = dice.OneIn(2) ? InitialList::kList : InitialList::kWatchList;
  options.watch_list_page_size = dice.OneIn(2) ? static_cast<std::int64_t>(1 + dice.Below(9)) : 0;
  page_size_ = options.watch_list_page_size;
  if (dice.OneIn(4)) options.max_queued_bytes = 2000 + dice.Below(20000);
  options.max_objects = limit_.objects;
  options.max_bytes = limit_.bytes;
  options.limit_policy = limit_.policy;
  shape_.Apply(options);
  if (scene.plan.tells) {
    options.trace = [this](const TraceEvent& e) {
      scene_.tell("  " + Describe() + ": " + std::string(e.stage) + " " + std::string(e.listener) +
                  " " + std::string(e.type) + " " + std::string(e.key) + " " +
                  std::string(e.resourceVersion));
    };
  }
  if (resyncs_) options.resync_period = seconds(2 + dice.Below(20));
  Env& env = scene.sim.env();
  const auto list_watch = [this, client](const std::string& of) {
    return NewListWatch(client, of);
  };
  if (others_) {
    options.namespaces = {"kube-system"};
    auto indexers = std::exchange(options.indexers, {});
    informer_ = std::make_unique<ConfigMaps>(internal::InformerCore::Create(
        env, "configmaps", {.objects = list_watch, .namespaced = true, .others = true},
        internal::SettingsOf(std::move(options))));
    informer_->AddIndexers(std::move(indexers)).OrExit();
  } else if (several_) {
    (shape_.forbidden ? options.if_forbidden.namespaces : options.namespaces) = {"default",
                                                                                 "kube-system"};
    informer_ = std::make_unique<ConfigMaps>(env, list_watch, std::move(options));
  } else {
    informer_ = std::make_unique<ConfigMaps>(env, list_watch(namespace_), std::move(options));
  }
  if (shape_.content == CacheShape::Content::kHalf) {
    const auto halve = [this](const Ref<corev1::ConfigMap>& map) {
      ++transformed_;
      return Halved(map);
    };
    if (!informer_->SetTransform(halve)) Problem("SetTransform");
  }
  for (std::uint64_t n = 1 + dice.Below(3); n > 0; --n) Join(dice);
  if (scene.Has(kFeeds)) {
    follower_ = std::make_unique<ChangeFollower>(
        scene, history_, *informer_, exact() && !limit_.bounded(), number,
        [this](const std::string& text) { Problem("its change feed " + text); });
  }
}

SimulatedInformer::~SimulatedInformer() {
  informer_->Stop();
  scene_.sim.RunReady();
  held_.clear();
  follower_.reset();
  // A registration owns its handler, which refers to the registration.
  for (const Handler& handler : handlers_) handler.watcher->synced = nullptr;
  handlers_.clear();
  informer_.reset();
  scene_.sim.RunReady();
}

void SimulatedInformer::Start() {
  if (std::exchange(running_, true)) return;
  ++life_;
  // In pages, a list may be as old as the data that the previous life received, which is at least
  // as new as the cache.
  const std::int64_t cached = NumberOf(informer_->LastSyncResourceVersion());
  if (cached != 0) {
    began_at_ = std::min(cached, scene_.version());
  } else if (life_ == 1) {
    began_at_ = std::min(scene_.version() - kStale, scene_.oldest_version());
  }
  synced_ = false;
  informer_->Start();
}

void SimulatedInformer::Stop() {
  if (!std::exchange(running_, false)) return;
  informer_->Stop();
}

std::int64_t SimulatedInformer::version() const {
  return NumberOf(informer_->LastSyncResourceVersion());
}

bool SimulatedInformer::IsWell() const {
  if (!running_) return true;
  const InformerStatus status = informer_->Status();
  return status.state == InformerState::kWatching && status.state_age >= seconds(4);
}

double SimulatedInformer::Lists(Duration time) const {
  const auto seconds = [](Duration d) { return std::chrono::duration<double>(d).count(); };
  const std::size_t objects = scene_.history.Now(namespace_).size();
  const double page = page_size_ == 0 ? 500 : static_cast<double>(page_size_);
  const double pages = 2 + static_cast<double>(objects) / page;
  // Each page once, and again if a request fails; also periodic lists.
  double times = 3 + seconds(time) / 20;
  if (shape_.relist_period > Duration(0)) times += seconds(time) / seconds(shape_.relist_period);
  return streams() * pages * times;
}

void SimulatedInformer::JoinOrLeave(Dice& dice) {
  const auto staying = std::find_if(handlers_.begin() + 1, handlers_.end(),
                                    [](const Handler& handler) { return !handler.left; });
  if (staying != handlers_.end() && dice.OneIn(2)) {
    Leave(*staying);
  } else if (handlers_.size() < kMostHandlers && running_) {
    Join(dice);
  }
}

void SimulatedInformer::Join(Dice& dice) {
  Handler& handler = handlers_.emplace_back();
  const std::uint64_t stream = 1000 + 100 * static_cast<std::uint64_t>(number_) + handlers_.size();
  handler.watcher = std::make_shared<Watcher>(scene_, history_, stream, resyncs_, limit_.bounded());
  handler.joined_in = began_at_;
  HandlerOptions options;
  // Small limits, to exercise coalescing and the difference after a drop.
  if (dice.OneIn(2)) options.max_events = 1 + dice.Below(8);
  if (dice.OneIn(4)) options.overflow = OverflowPolicy::kDropAndResync;
  if (dice.OneIn(4)) options.overflow = OverflowPolicy::kBlock;
  handler.registration =
      informer_
          ->AddEventHandler(
              std::static_pointer_cast<ResourceEventHandler<corev1::ConfigMap>>(handler.watcher),
              options)
          .OrExit();
  handler.watcher->synced = [registration = handler.registration] {
    return registration.HasSynced();
  };
}

void SimulatedInformer::Leave(Handler& handler) {
  handler.left = true;
  const EventHandlerRegistration registration = handler.registration;
  const std::shared_ptr<Watcher> watcher = handler.watcher;
  const bool returned = scene_.sim.RunBlocking(
      [this, registration, watcher] {
        const Result<void> removed = informer_->RemoveEventHandler(registration);
        watcher->left = true;
        if (!removed) Problem("RemoveEventHandler: " + removed.error().message());
      },
      minutes(1));
  if (!returned) Problem("RemoveEventHandler has not returned within a minute");
}

void SimulatedInformer::HoldOrRelease(Dice& dice) {
  if (held_.size() == kMostHeld || (!held_.empty() && dice.OneIn(3))) {
    CheckHeld();
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(dice.Below(held_.size())));
    return;
  }
  Snapshot<corev1::ConfigMap> snapshot = informer_->Snapshot();
  Contents contents = ContentsOf(snapshot);
  const auto letters = Letters(snapshot);
  std::vector<std::string> in_order = InOrder(snapshot);
  held_.push_back({std::move(snapshot), std::move(contents), letters, std::move(in_order)});
}

// ---- Checks of its statements

std::string SimulatedInformer::Describe() const {
  return "informer " + std::to_string(number_) + (namespace_.empty() ? "" : " of " + namespace_) +
         (several_ ? " of namespaces" : "") + (others_ ? " and all others" : "") +
         limit_.Describe() + shape_.Describe();
}

std::unique_ptr<ListerWatcher> SimulatedInformer::NewListWatch(
    const Client& client, const std::string& of_namespace) const {
  if (shape_.forbidden && several_ && of_namespace.empty()) {
    return NewForbiddenListWatch(scene_.sim.env());
  }
  const bool of_others = of_namespace == internal::cache::kOtherNamespaces;
  return NewFilteredListWatch<corev1::ConfigMap>(
      client, of_others ? "" : of_namespace, [shape = shape_, of_others](ListOptions& options) {
        shape.Select(options);
        if (!of_others) return;
        if (!options.fieldSelector.empty()) options.fieldSelector += ',';
        options.fieldSelector += "metadata.namespace!=kube-system";
      });
}

void SimulatedInformer::Problem(const std::string& text) const {
  scene_.Problem(Describe() + ": " + text);
}

std::array<std::size_t, 26> SimulatedInformer::Letters(
    const Snapshot<corev1::ConfigMap>& snapshot) {
  std::array<std::size_t, 26> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const char letter = static_cast<char>('a' + static_cast<char>(i));
    for (const corev1::ConfigMap map : snapshot.ByIndex("letter", {&letter, 1})) {
      // An object in the index under another letter must not count.
      if (map.data()["value"].starts_with(letter)) ++counts[i];
    }
  }
  return counts;
}

std::vector<std::string> SimulatedInformer::InOrder(const Snapshot<corev1::ConfigMap>& snapshot) {
  std::vector<std::string> keys;
  for (const corev1::ConfigMap map : snapshot.Range("ordered", "", std::nullopt)) {
    keys.push_back(KeyOf(map));
  }
  return keys;
}

bool SimulatedInformer::HasSynced(const std::string& of_namespace) const {
  if (!several_) return informer_->HasSynced();
  const std::string place = others_ && of_namespace != "kube-system" ? "" : of_namespace;
  const std::vector<NamespaceStatus> all = informer_->Namespaces();
  return std::any_of(all.begin(), all.end(), [&](const NamespaceStatus& status) {
    return status.namespace_ == place && status.synced;
  });
}

void SimulatedInformer::Read(Dice& dice) {
  if (scene_.history.keys().empty()) return;
  const auto drawn = static_cast<std::ptrdiff_t>(dice.Below(scene_.history.keys().size()));
  const std::string& key = std::next(scene_.history.keys().begin(), drawn)->first;
  static const ServerHistory::Changes kNever;
  const auto seen = history_.keys().find(key);
  const ServerHistory::Changes& changes = seen == history_.keys().end() ? kNever : seen->second;
  const std::size_t slash = key.find('/');
  const auto answer =
      informer_->lister().Namespace(key.substr(0, slash)).Get(key.substr(slash + 1));
  const bool in_scope = ServerHistory::InNamespace(key, namespace_);
  if (answer) {
    if (!in_scope) Problem("has " + key + ", which is out of scope");
    return;
  }
  const std::int64_t version = NumberOf(informer_->LastSyncResourceVersion());
  if (answer.error().reason() == Reason::kOverLimit) {
    const bool never = ServerHistory::At(changes, version) == nullptr &&
                       (changes.empty() || changes.back().version <= version);
    if (!limit_.bounded()) Problem("has no room for " + key + ", and no limit");
    if (never && scene_.trust == Trust::kHonest)
      Problem("has no room for " + key + ", which is not");
    return;
  }
  if (answer.error().reason() != Reason::kNotFound) return;
  if (!in_scope) return Problem("takes " + key + ", which is out of scope, for absent");
  if (!HasSynced(key.substr(0, slash))) {
    return Problem("takes " + key + " for absent before it has synced");
  }
  if (scene_.trust != Trust::kHonest) return;
  if (ServerHistory::ThereSince(changes, version == 0 ? began_at_ : version))
    Problem("takes " + key + " for absent: it is not");
}

void SimulatedInformer::Look() {
  CheckSynced();
  const Snapshot<corev1::ConfigMap> snapshot = informer_->Snapshot();
  if (snapshot.version() == seen_version_) return;
  if (snapshot.version() < seen_version_) Problem("the store's version went back");
  const std::int64_t version = NumberOf(snapshot.resourceVersion());
  if (snapshot.epoch() < seen_epoch_) Problem("the epoch went back");
  if (snapshot.epoch() == seen_epoch_ && version < seen_resource_version_) {
    Problem("the resourceVersion went back from " + std::to_string(seen_resource_version_) +
            " to " + std::to_string(version));
  }
  seen_version_ = snapshot.version();
  seen_epoch_ = snapshot.epoch();
  seen_resource_version_ = version;
  if (limit_.bounded()) {
    if (informer_->Stats().left_out != 0) ++times_full_;
    const std::string broken = limit_.BrokenBy(*informer_);
    if (!broken.empty()) Problem(broken);
  }
  // Complete uncompressed objects take about 270 bytes each.
  if (shape_.compressed && shape_.content == CacheShape::Content::kWhole && !snapshot.empty() &&
      informer_->Stats().object_bytes / snapshot.size() < 200) {
    ++times_packed_;
  }
  if (scene_.trust != Trust::kHonest) return;
  CheckContents(snapshot);
  if (++looks_ % 8 == 0) CheckIndex(snapshot);
}

template <class Knows>
void SimulatedInformer::MustKnow(const std::string& who, std::int64_t since,
                                 const Knows& knows) const {
  if (scene_.trust != Trust::kHonest) return;
  for (const auto& [key, changes] : history_.keys()) {
    if (!ServerHistory::InNamespace(key, namespace_)) continue;
    if (!ServerHistory::ThereSince(changes, since) || knows(key)) continue;
    Problem(who + " says that it has synced, and does not know " + key);
  }
}

void SimulatedInformer::CheckSynced() {
  if (!synced_ && running_ && informer_->HasSynced()) {
    synced_ = true;
    const Snapshot<corev1::ConfigMap> snapshot = informer_->Snapshot();
    MustKnow("it", began_at_, [&](const std::string& key) {
      return snapshot.GetByKey(key).has_value() || (limit_.bounded() && LeavesOut(*informer_, key));
    });
  }
  for (std::size_t i = 0; i < handlers_.size(); ++i) {
    Handler& handler = handlers_[i];
    if (handler.synced || handler.left || !handler.registration.HasSynced()) continue;
    handler.synced = true;
    // Objects that had no room reach the handler later.
    if (limit_.bounded()) continue;
    MustKnow("handler " + std::to_string(i), handler.joined_in,
             [&](const std::string& key) { return handler.watcher->believed().contains(key); });
  }
}

// ---- Checks of its events

void SimulatedInformer::LookClosely() {
  CheckHeld();
  if (!running_ || !informer_->HasSynced()) return;
  const InformerStats stats = informer_->Stats();
  if (stats.queued != 0) return;
  for (Handler& handler : handlers_) {
    if (!handler.left) CheckWindow(handler, stats);
  }
}

void SimulatedInformer::CheckWindow(Handler& handler, const InformerStats& stats) {
  const HandlerStats told = handler.registration.Stats();
  if (!told.synced || told.waiting != 0 || told.behind_for != Duration(0)) return;
  const Mark now{.version = NumberOf(stats.resourceVersion),
                 .lists = stats.AllLists(),
                 .epochs = stats.status.epochs,
                 .gaps = stats.gaps,
                 .skipped = told.coalesced + told.dropped,
                 .tombstones = handler.watcher->tombstones(),
                 .life = life_};
  const std::vector<std::int64_t> events = handler.watcher->TakeWindow();
  const std::optional<Mark> before = std::exchange(handler.mark, now);
  if (!before || !now.Continues(*before)) return;
  // Dropped and missing objects of a full cache are not in the server's history.
  if (limit_.bounded()) return;
  // A tombstone requires a list in the same window, or is a reason for one.
  if (now.tombstones != before->tombstones) Problem("a tombstone, and neither a list nor a gap");
  if (scene_.trust != Trust::kHonest || several_) return;
  ++windows_;
  const std::vector<std::int64_t> changes =
      history_.ChangesIn(namespace_, before->version, now.version);
  if (events == changes) return;
  std::string text = "from version " + std::to_string(before->version) + " to " +
                     std::to_string(now.version) + " a handler was told of";
  for (const std::int64_t version : events) text += " " + std::to_string(version);
  text += ", and what happened was";
  for (const std::int64_t version : changes) text += " " + std::to_string(version);
  Problem(text);
}

std::string SimulatedInformer::Difference() const {
  const std::string who = "informer " + std::to_string(number_);
  const std::size_t left_out = limit_.bounded() ? informer_->Stats().left_out : 0;
  if (left_out != 0 && scene_.roomy) return who + " leaves out " + std::to_string(left_out);
  const bool may_wait = left_out != 0 && limit_.policy == LimitPolicy::kNotSynced;
  if (!informer_->HasSynced() && !may_wait) {
    const InformerStatus status = informer_->Status();
    return who + " has not synced, " + std::string(ToString(status.state)) +
           ", last error: " + status.ErrorText();
  }
  if (informer_->HasSynced() && !informer_->lister().List().ok()) return who + " gives no list";
  Contents wanted = history_.Now(namespace_);
  const std::size_t there = wanted.size();
  if (left_out != 0) {
    std::erase_if(wanted, [this](const auto& one) { return LeavesOut(*informer_, one.first); });
  }
  if (wanted.size() + left_out != there) {
    return who + " leaves out " + std::to_string(left_out) + " and not " +
           std::to_string(there - wanted.size());
  }
  const std::string difference = DifferenceOf(ContentsOf(informer_->Snapshot()), wanted);
  if (!difference.empty()) return who + difference;
  for (std::size_t i = 0; i < handlers_.size(); ++i) {
    const Handler& handler = handlers_[i];
    if (handler.left) continue;
    const std::string which = who + ", handler " + std::to_string(i);
    const std::string believes = DifferenceOf(handler.watcher->believed(), wanted);
    if (!believes.empty()) return which + believes;
    if (informer_->HasSynced() && !handler.registration.HasSynced())
      return which + " is not synced";
  }
  return {};
}

void SimulatedInformer::Follow(Dice& dice) {
  if (follower_ != nullptr) follower_->Follow(dice);
}

void SimulatedInformer::Finish(SimulationReport& report) {
  LookClosely();
  const InformerStats stats = informer_->Stats();
  // An unnecessary list asks for the latest state, and may get that of a stale cache (F21).
  const bool lists = limit_.bounded() || shape_.relist_period != Duration(0);
  const bool honest = scene_.trust == Trust::kHonest && !(lists && scene_.Has(21));
  for (std::size_t i = 0; i < handlers_.size(); ++i) {
    const Watcher& watcher = *handlers_[i].watcher;
    report.events += watcher.events();
    report.hits[kStalls] += watcher.stalled;
    for (const auto& [rule, text] : watcher.breaches()) {
      const bool holds =
          rule == Rule::kShape || honest ||
          (scene_.trust != Trust::kLies &&
           (rule == Rule::kExisted || (rule == Rule::kForward && !scene_.Has(kRestores))));
      if (holds) Problem("handler " + std::to_string(i) + ": " + text);
    }
  }
  if (scene_.trust == Trust::kHonest) {
    if (stats.inconsistencies > 0) Problem("the consistency check found a difference");
    if (stats.gaps > 0 && !scene_.Has(14)) Problem("took a whole watch for one with gaps");
    if (stats.status.epochs > 0 && honest && !scene_.Has(11)) {
      Problem("found a new epoch where there is none");
    }
  }
  report.relists += stats.AllLists();
  report.epochs += stats.status.epochs;
  report.watches += stats.watches;
  report.coalesced += stats.coalesced;
  report.dropped += stats.dropped;
  report.gaps += stats.gaps;
  report.inconsistencies += stats.inconsistencies;
  report.hits[kThrows] += stats.handler_exceptions;
  report.hits[kLimits] += times_full_;
  report.hits[kTransforms] += transformed_;
  report.hits[kSelectors] += history_.moves();
  if (shape_.content == CacheShape::Content::kNoValue) report.hits[kProjections] += stats.added;
  if (shape_.compressed) report.hits[kCompression] += stats.added;
  if (stats.objects >= 128) report.hits[kManyObjects] += times_packed_;
  if (shape_.relist_period != Duration(0)) report.hits[kPeriodicRelists] += stats.AllLists();
  if (shape_.forbidden && several_) report.hits[kForbidden] += stats.AllLists();
  if (follower_ != nullptr) follower_->Finish(report);
  report.windows += windows_;
}

}  // namespace kinformer::testing
