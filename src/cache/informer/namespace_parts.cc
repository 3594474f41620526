#include "cache/informer/namespace_parts.h"

#include <utility>

#include "base/core/deadline.h"

namespace kinformer::internal::cache {

NamespaceParts::NamespaceParts(const InformerContext& informer, const Names& names)
    : informer_(informer),
      all_(false),
      turn_([this] { TurnGivenBack(); }),
      coverage_(informer.store, Scope()),
      limit_(LimitOf(informer, informer.describe)),
      namespaces_position_(informer.store, &informer.versions, "") {
  Set(names, true);
}

NamespaceParts::NamespaceParts(const InformerContext& informer,
                               std::unique_ptr<ListerWatcher> namespaces)
    : informer_(informer),
      all_(true),
      turn_([this] { TurnGivenBack(); }),
      coverage_(informer.store, Scope()),
      limit_(LimitOf(informer, informer.describe)),
      namespaces_position_(informer.store, &informer.versions, "") {
  Set({}, false);
  NamespaceWatch::Owner& owner = *this;
  const InformerSettings& settings = informer.settings;
  watch_ = std::make_unique<NamespaceWatch>(
      informer.env, owner, std::move(namespaces),
      NamespaceWatch::Options{.describe = informer.describe,
                              .metrics_name = informer.metrics_name,
                              .initial_list = settings.initial_list,
                              .min_watch_timeout = settings.min_watch_timeout,
                              .relist_period = settings.relist_period,
                              .check_period = settings.consistency_check_period},
      informer.statuses.Whole());
  watch_->Start();
}

NamespaceParts::~NamespaceParts() {
  ending_ = true;
  watch_.reset();
  parts_.clear();
  leaving_.clear();
}

// ---- the set of namespaces

void NamespaceParts::Set(const Names& names, bool known) {
  for (auto it = parts_.begin(); it != parts_.end();) {
    if (names.contains(it->first)) {
      ++it;
      continue;
    }
    // Destroying the part may end a relist, which uses the other parts, and records its version.
    auto gone = parts_.extract(it++);
    gone.mapped().reset();
    Leave(gone.key());
  }
  if (known && !listed_) LeaveOthers(names);
  informer_.statuses.SetNamespaces(names, all_);
  Names versions = names;
  if (all_) versions.insert("");
  informer_.versions.SetNamespaces(versions);
  coverage_.SetNamespaces(names, all_, known, informer_.statuses.epochs());
  for (const std::string& name : names) {
    if (!parts_.contains(name)) Open(name, names);
  }
  Publish();
}

void NamespaceParts::Open(const std::string& name, const Names& names) {
  // The list to come removes the objects that were being deleted.
  static_cast<void>(leaving_.extract(name));
  std::unique_ptr<ListerWatcher> lister_watcher =
      informer_.owner.NewListerWatcher(name, informer_.statuses.Of(name));
  if (lister_watcher == nullptr) return;
  InformerPart::Owner& owner = *this;
  auto part = std::make_unique<InformerPart>(informer_, owner, std::move(lister_watcher),
                                             StorePart::OneOf(names, name),
                                             InformerCompany{.coverage = &coverage_,
                                                             .versions = &informer_.versions,
                                                             .turn = &turn_,
                                                             .limit = limit_.get(),
                                                             .parts = names.size()});
  InformerPart& opened = *part;
  coverage_.SetScope(name, part->scope());
  parts_[name] = std::move(part);
  opened.Start();
}

void NamespaceParts::LeaveOthers(const Names& names) {
  if (names.contains(kOtherNamespaces)) return;
  const std::shared_ptr<const SnapshotCore> snapshot = informer_.store.Snapshot();
  Names others;
  SnapshotCore::Cursor cursor;
  while (const Block* block = snapshot->Next(cursor)) {
    if (!names.contains(block->namespace_())) others.emplace(block->namespace_());
  }
  for (const std::string& name : others) {
    if (!name.empty() && !leaving_.contains(name)) Leave(name);
  }
}

void NamespaceParts::Leave(const std::string& name) {
  informer_.last_seen.Forget(name);
  Leaving& leaving = leaving_[name];
  InformerControllerOptions options = CommonControllerOptions(informer_);
  options.part = StorePart(name);
  options.coverage = &coverage_;
  options.versions = &informer_.versions;
  options.turn = &turn_;
  options.limit = limit_.get();
  options.synced = [this, name] {
    leaving_.find(name)->second.done = true;
    // Later: the stack is inside the controller.
    informer_.env.loop().Post([this, alive = std::weak_ptr<bool>(alive_)] {
      if (!alive.expired()) SweepLeft();
    });
  };
  leaving.controller = std::make_unique<InformerController>(
      informer_.env, informer_.store, informer_.processor, informer_.counters, std::move(options));
  leaving.controller->ReplaceBegin();
  leaving.controller->ReplaceEnd("0");
  leaving.controller->ChunkEnd();
}

void NamespaceParts::SweepLeft() {
  std::erase_if(leaving_, [](const auto& leaving) { return leaving.second.done; });
}

// ---- the store, in turns

void NamespaceParts::ForEachController(const std::function<void(InformerController&)>& visit) {
  for (const auto& [name, part] : parts_) visit(part->controller());
  for (const auto& [name, leaving] : leaving_) visit(*leaving.controller);
}

void NamespaceParts::Process() {
  ForEachController([](InformerController& controller) { controller.Process(); });
}

void NamespaceParts::TurnGivenBack() {
  if (ending_) return;
  if (unpublished_) Publish();
  ForEachController([](InformerController& controller) { controller.TurnIsFree(); });
}

void NamespaceParts::Publish() {
  unpublished_ = !turn_.IsFree();
  if (unpublished_) return;
  informer_.store.Begin();
  coverage_.Publish();
  namespaces_position_.BeforeCommit();
  informer_.store.Commit();
  namespaces_position_.AfterCommit();
  informer_.owner.OnCommitted();
  ReportSynced();
}

void NamespaceParts::ReportSynced() {
  const bool full = limit_ != nullptr && !limit_->Tolerates(coverage_.left_out().size());
  const bool synced = (listed_ || coverage_.complete()) && !full;
  if (synced == reported_synced_) return;
  reported_synced_ = synced;
  if (!synced) return informer_.owner.OnUnsynced();
  listed_ = true;
  informer_.processor.Synced();
  informer_.owner.OnSynced();
}

// ---- events that concern all parts

void NamespaceParts::OnPartEpoch(InformerPart* part) {
  for (const auto& [name, other] : parts_) {
    if (other.get() != part) other->JoinEpoch();
  }
  if (watch_ != nullptr) watch_->JoinEpoch();
}

void NamespaceParts::OnNamespacesVersion(std::string_view resourceVersion) {
  namespaces_position_.SetEpoch(informer_.statuses.epochs());
  namespaces_position_.SetResourceVersion(resourceVersion);
  Publish();
}

void NamespaceParts::OnNamespacesEpoch() {
  for (const auto& [name, part] : parts_) part->JoinEpoch();
}

void NamespaceParts::ArmResync() {
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
