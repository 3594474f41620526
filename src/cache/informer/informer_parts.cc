#include "cache/informer/informer_parts.h"

#include <utility>
#include <vector>

#include "kinformer/base/log.h"

#include "base/core/deadline.h"

namespace kinformer::internal::cache {
namespace {

// A single place is the whole store, whatever it is.
InformerParts::Keys KeysOf(const InformerContext& informer) {
  return informer.places.size() > 1 ? informer.places : InformerParts::Keys{""};
}

// Returns the place to list for a part.
std::string PlaceOf(const InformerContext& informer, const std::string& key) {
  return key.empty() && !informer.places.empty() ? *informer.places.begin() : key;
}

StoreLimitOptions LimitsOf(const InformerSettings& settings) {
  return {.max_objects = settings.max_objects,
          .max_bytes = settings.max_bytes,
          .policy = settings.limit_policy};
}

std::string Joined(const InformerParts::Keys& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

InformerParts::InformerParts(const InformerContext& informer)
    : informer_(informer),
      cleanup_(informer.env, informer.store),
      store_(informer.env, informer.store, informer.counters, informer.positions, informer.describe,
             LimitsOf(informer.settings), [this] { TurnGivenBack(); }) {
  Set(KeysOf(informer), true);
}

InformerParts::~InformerParts() {
  ending_ = true;
  watch_.reset();
  parts_.clear();
  leaving_.clear();
}

// ---- if listing everything is forbidden

void InformerParts::OnPartForbidden() {
  const IfForbidden& instead = informer_.settings.if_forbidden;
  if (!informer_.places.empty() || !informer_.namespaced || instead.IsDefault()) return;
  if (std::exchange(falling_back_, true)) return;
  // Later: the stack is inside the part's reflector.
  informer_.env.loop().Post(own_calls_.Guard([this] { FallBack(); }));
}

void InformerParts::FallBack() {
  const IfForbidden& instead = informer_.settings.if_forbidden;
  Keys names(instead.namespaces.begin(), instead.namespaces.end());
  // "" stands for all namespaces, which are forbidden.
  names.erase("");
  std::unique_ptr<ListerWatcher> namespaces;
  if (names.empty()) {
    if (!instead.watch_namespaces) return;
    namespaces = informer_.owner.NewNamespacesListerWatcher();
    if (namespaces == nullptr) return;
  }
  informer_.env.log().Log(LogLevel::kWarning,
                          "listing all namespaces is forbidden; looks at single ones instead",
                          {{"informer", informer_.describe},
                           {"namespaces", names.empty() ? "all that exist" : Joined(names)}});
  if (names.empty()) {
    Follow(std::move(namespaces));
  } else {
    Set(names, true);
  }
  informer_.observers->Notify();
}

void InformerParts::Follow(std::unique_ptr<ListerWatcher> namespaces) {
  // From now on "" stands for the collection of Namespaces.
  informer_.positions.SetParts({});
  NamespaceWatch::Owner& owner = *this;
  const InformerSettings& settings = informer_.settings;
  watch_ = std::make_unique<NamespaceWatch>(
      informer_.env, owner, std::move(namespaces),
      NamespaceWatch::Options{.describe = informer_.describe,
                              .metrics_name = informer_.metrics_name,
                              .initial_list = settings.initial_list,
                              .min_watch_timeout = settings.min_watch_timeout,
                              .relist_period = settings.relist_period,
                              .check_period = settings.consistency_check_period},
      informer_.statuses.Of(""));
  Set({}, false);
  namespaces_position_ = informer_.positions.Of("");
  watch_->Start();
}

// ---- the set of parts

void InformerParts::Set(const Keys& keys, bool known) {
  for (auto it = parts_.begin(); it != parts_.end();) {
    if (keys.contains(it->first)) {
      ++it;
      continue;
    }
    // Destroying the part may end a relist, which uses the other parts, and records its version.
    auto gone = parts_.extract(it++);
    gone.mapped().reset();
    if (!gone.key().empty()) Leave(gone.key());
  }
  if (known && !listed_) LeaveOthers(keys);
  const bool follows = watch_ != nullptr;
  Keys places = keys;
  if (follows) places.insert("");
  informer_.statuses.SetPlaces(places);
  informer_.positions.SetParts(places);
  store_.coverage.SetPlaces(keys, follows, known, informer_.statuses.epochs());
  std::vector<InformerPart*> opened;
  for (const std::string& key : keys) {
    if (parts_.contains(key)) continue;
    // The list to come removes the objects that were being deleted.
    static_cast<void>(leaving_.extract(key));
    std::unique_ptr<InformerPart> part = NewPart(key, keys);
    if (part == nullptr) continue;
    store_.coverage.SetScope(key, part->scope());
    opened.push_back(part.get());
    parts_[key] = std::move(part);
  }
  Publish();
  for (InformerPart* const part : opened) part->Start();
}

std::unique_ptr<InformerPart> InformerParts::NewPart(const std::string& key, const Keys& keys) {
  std::unique_ptr<ListerWatcher> lister_watcher =
      informer_.owner.NewListerWatcher(PlaceOf(informer_, key), informer_.statuses.Of(key));
  if (lister_watcher == nullptr) return nullptr;
  InformerPart::Owner& owner = *this;
  return std::make_unique<InformerPart>(informer_, owner, store_, std::move(lister_watcher),
                                        StorePart::OneOf(keys, key), keys.size());
}

void InformerParts::LeaveOthers(const Keys& keys) {
  if (keys.contains("") || keys.contains(kOtherNamespaces)) return;
  const std::shared_ptr<const SnapshotCore> snapshot = informer_.store.Snapshot();
  Keys others;
  SnapshotCore::Cursor cursor;
  while (const Block* block = snapshot->Next(cursor)) {
    if (!keys.contains(block->namespace_())) others.emplace(block->namespace_());
  }
  for (const std::string& name : others) {
    if (!name.empty() && !leaving_.contains(name)) Leave(name);
  }
}

void InformerParts::Leave(const std::string& namespace_) {
  informer_.last_seen.Forget(namespace_);
  Leaving& leaving = leaving_[namespace_];
  InformerControllerOptions options = CommonControllerOptions(informer_);
  options.part = StorePart(namespace_);
  options.changed = [this, namespace_] {
    leaving_.find(namespace_)->second.done = true;
    // Later: the stack is inside the controller.
    informer_.env.loop().Post(own_calls_.Guard([this] { SweepLeft(); }));
  };
  leaving.controller = std::make_unique<InformerController>(
      informer_.env, store_, informer_.processor, std::move(options));
  leaving.controller->ReplaceBegin();
  leaving.controller->ReplaceEnd("0");
  leaving.controller->ChunkEnd();
}

void InformerParts::SweepLeft() {
  std::erase_if(leaving_, [](const auto& leaving) { return leaving.second.done; });
}

// ---- the store, in turns

void InformerParts::ForEachController(const std::function<void(InformerController&)>& visit) {
  for (const auto& [key, part] : parts_) visit(part->controller());
  for (const auto& [name, leaving] : leaving_) visit(*leaving.controller);
}

void InformerParts::Process() {
  ForEachController([](InformerController& controller) { controller.Process(); });
}

void InformerParts::TurnGivenBack() {
  if (ending_) return;
  if (unpublished_) Publish();
  ForEachController([](InformerController& controller) { controller.TurnIsFree(); });
}

void InformerParts::Publish() {
  unpublished_ = !store_.turn.IsFree();
  if (unpublished_) return;
  store_.store.Begin();
  store_.coverage.Publish();
  if (namespaces_position_ != nullptr) store_.positions.BeforeCommit(*namespaces_position_);
  store_.store.Commit();
  if (namespaces_position_ != nullptr) store_.positions.AfterCommit(*namespaces_position_);
  informer_.owner.OnCommitted();
  ReportSynced();
}

void InformerParts::ReportSynced() {
  const std::size_t left_out = store_.coverage.left_out().size();
  const bool full = store_.limit != nullptr && !store_.limit->Tolerates(left_out);
  const bool synced = (listed_ || store_.coverage.complete()) && !full;
  if (synced == reported_synced_) return;
  reported_synced_ = synced;
  if (!synced) return informer_.owner.OnUnsynced();
  listed_ = true;
  informer_.processor.Synced();
  informer_.owner.OnSynced();
}

// ---- events that concern all parts

void InformerParts::OnPartEpoch(InformerPart* part) {
  for (const auto& [key, other] : parts_) {
    if (other.get() != part) other->JoinEpoch();
  }
  if (watch_ != nullptr) watch_->JoinEpoch();
}

void InformerParts::OnNamespacesVersion(std::string_view resourceVersion) {
  namespaces_position_->SetEpoch(informer_.statuses.epochs());
  namespaces_position_->SetResourceVersion(resourceVersion);
  Publish();
}

void InformerParts::OnNamespacesEpoch() {
  for (const auto& [key, part] : parts_) part->JoinEpoch();
}

void InformerParts::Committed() {
  cleanup_.Committed();
  if (questions_ == 0) return;
  for (const auto& [key, part] : parts_) part->Committed();
}

void InformerParts::AskWhetherCurrent(const std::shared_ptr<CurrentAnswers>& answers) {
  for (const auto& [key, part] : parts_) {
    ++questions_;
    answers->Asked();
    part->AskWhetherCurrent(
        [this, answers] {
          --questions_;
          answers->Answered();
        },
        [answers](const Error& error, bool for_good) { answers->Failed(error, for_good); });
  }
}

void InformerParts::ArmResync() {
  const Duration period = informer_.handlers.ResyncCheckPeriod();
  if (period <= Duration(0) || resync_timer_.armed()) return;
  resync_timer_ = informer_.env.loop().RunAt(base::After(informer_.env.Now(), period), [this] {
    resync_timer_ = Timer();
    // The resync of one part redelivers the whole store.
    if (!parts_.empty()) {
      InformerController& controller = parts_.begin()->second->controller();
      controller.Resync(informer_.processor.DueForResync());
      controller.ContinueLater();
    }
    ArmResync();
  });
}

}  // namespace kinformer::internal::cache
