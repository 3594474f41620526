#include "cache/informer/informer_part.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kinformer/internal/block_builder.h"

#include "base/core/deadline.h"

namespace kinformer::internal::cache {
namespace {

// Returns the user's transform, preceded by entry options that the lister watcher does not apply.
RawTransform TransformOf(const InformerContext& informer, ListerWatcher& lister_watcher) {
  RawTransform transform = informer.owner.Transform();
  const EntryOptions entry = EntryOptionsOf(informer.settings);
  if (entry.IsDefault() || lister_watcher.SetEntryOptions(entry)) return transform;
  return [entry, transform = std::move(transform)](const ObjectRef& object) -> Result<ObjectRef> {
    Result<ObjectRef> built = RebuildBlock(*object, BuildOptionsOf(entry));
    return built && transform ? transform(*std::move(built)) : std::move(built);
  };
}

// Time for which the server must deny the resource before its objects count as gone: one of several
// servers may not know a new definition yet.
constexpr Duration kAbsentForGood = std::chrono::seconds(30);

// Returns the bytes that each of `parts` queues may use.
std::size_t ShareOf(std::size_t bytes, std::size_t parts) {
  constexpr std::size_t kLeast = std::size_t{64} << 10;
  return std::max(bytes / std::max<std::size_t>(parts, 1), std::min(bytes, kLeast));
}

}  // namespace

InformerControllerOptions CommonControllerOptions(const InformerContext& informer) {
  const InformerSettings& settings = informer.settings;
  InformerControllerOptions options;
  options.name = informer.describe;
  options.uid_change_is_update = settings.uid_change_is_update;
  options.ever_synced = informer.ever_synced;
  options.max_queued_bytes = settings.max_queued_bytes;
  options.trace = settings.trace;
  options.metrics = informer.metrics;
  options.epoch = [&informer] { return informer.statuses.epochs(); };
  options.committed = [&informer] { informer.owner.OnCommitted(); };
  return options;
}

InformerControllerOptions InformerPart::ControllerOptions(std::size_t parts) {
  InformerControllerOptions options = CommonControllerOptions(informer_);
  options.name = describe_;
  options.part = part_;
  options.max_queued_bytes = ShareOf(options.max_queued_bytes, parts);
  options.transform = TransformOf(informer_, contained_);
  options.changed = [this] { owner_.OnPartChanged(); };
  options.congested = [this](bool congested) {
    // Only the reflector fills the queue, so pausing it is enough.
    congested ? reflector_.Pause() : reflector_.Resume();
  };
  options.relist = [this] { reflector_.Relist(); };
  options.listed = [this] { checker_.Listed(); };
  options.renamed = [this] { checker_.Distrust(); };
  return options;
}

ReflectorOptions InformerPart::ReflectorOptionsOfInformer() const {
  const InformerSettings& settings = informer_.settings;
  ReflectorOptions options;
  options.name = describe_;
  options.use_watch_list = settings.initial_list == InitialList::kWatchList;
  options.watch_list_page_size = settings.watch_list_page_size;
  options.min_watch_timeout = settings.min_watch_timeout;
  options.metrics = informer_.metrics;
  return options;
}

InformerPart::InformerPart(const InformerContext& informer, Owner& owner, PartedStore& store,
                           std::unique_ptr<ListerWatcher> lister_watcher, StorePart part,
                           std::size_t parts)
    : informer_(informer),
      owner_(owner),
      part_(std::move(part)),
      describe_(part_.IsAll() ? informer.describe
                              : informer.describe + ", " + DescribedPlace(part_.key())),
      status_(informer.statuses.Of(part_.key())),
      lister_watcher_(std::move(lister_watcher)),
      contained_(informer.env, *lister_watcher_),
      scope_(ScopeOf(contained_.Scope())),
      controller_(informer.env, store, informer.processor, ControllerOptions(parts)),
      checker_(informer.env, contained_, informer.store, informer.counters,
               {.name = describe_,
                .part = part_,
                .period = informer.settings.consistency_check_period,
                .version = [this] { return controller_.ResourceVersion(); },
                .exact = [this] { return controller_.StoreIsExact(); },
                .relist = [this] { reflector_.Relist(); },
                .metrics = informer.metrics}),
      reflector_(informer.env, contained_, controller_, *this, ReflectorOptionsOfInformer()),
      progress_gauge_(NewProgressGauge()) {}

std::shared_ptr<Gauge> InformerPart::NewProgressGauge() const {
  const std::vector<std::string>& others = informer_.settings.if_forbidden.namespaces;
  const bool named = informer_.places.contains(part_.key()) ||
                     std::find(others.begin(), others.end(), part_.key()) != others.end();
  if (part_.IsAll() || !named) return nullptr;
  return InformerMetrics::NamespaceProgress(informer_.env, informer_.metrics_name, part_.key());
}

InformerPart::~InformerPart() {
  for (const auto& question : questions_) question->Abandon();
  informer_.last_seen.Record(part_.key(), reflector_.LastSyncResourceVersion());
}

void InformerPart::Start() {
  reflector_.SetLastSyncResourceVersion(informer_.last_seen.Of(part_.key()));
  reflector_.Start();
  ArmRelist(informer_.settings.relist_period);
}

void InformerPart::AskWhetherCurrent(
    std::function<void()> answered, std::function<void(const Error& error, bool for_good)> failed) {
  std::erase_if(questions_, [](const auto& question) { return question->is_answered(); });
  CurrentQuestionOptions options{.part = part_,
                                 .version = [this] { return CurrentVersion(); },
                                 .comparable = [this] { return !checker_.distrusted(); },
                                 .answered = std::move(answered),
                                 .failed = std::move(failed)};
  questions_.push_back(std::make_unique<CurrentQuestion>(informer_.env, contained_, informer_.store,
                                                         std::move(options)));
  questions_.back()->Ask();
}

// Versions of different epochs must not be compared.
std::string InformerPart::CurrentVersion() const {
  const StorePosition position = informer_.PositionOf(part_.key());
  return position.epoch == informer_.statuses.epochs() ? position.resource_version : std::string();
}

void InformerPart::Committed() {
  for (const auto& question : questions_) question->Committed();
  std::erase_if(questions_, [](const auto& question) { return question->is_answered(); });
}

void InformerPart::ArmRelist(Duration period) {
  if (period <= Duration(0)) return;
  relist_timer_ =
      informer_.env.loop().RunAt(base::After(informer_.env.Now(), period), [this, period] {
        // Has no effect if a list is due or running already.
        reflector_.Relist();
        ArmRelist(period);
      });
}

void InformerPart::OnListed(InitialList kind) {
  listed_ = true;
  absent_ = cleared_ = false;
  absent_since_.reset();
  status_.OnListed(kind);
  owner_.OnPartListed();
}

void InformerPart::OnProgress(SteadyTime when) {
  status_.OnProgress(when);
  informer_.statuses.ReportProgress();
  if (progress_gauge_ != nullptr) {
    InformerMetrics::SetTime(*progress_gauge_, informer_.env, when);
  }
}

void InformerPart::ResourceAbsent() {
  if (!std::exchange(absent_, true)) controller_.ResourceAbsent();
  const SteadyTime now = informer_.env.Now();
  if (!absent_since_) absent_since_ = now;
  const bool is_empty = informer_.settings.absent_is_empty;
  const bool gone = controller_.HasSynced() ? now - *absent_since_ >= kAbsentForGood : is_empty;
  if (cleared_ || !gone) return;
  // Deleting a definition deletes all of its objects.
  cleared_ = true;
  controller_.Clear(is_empty);
  // Waiters for the sync then learn of it before they learn of the error.
  controller_.Process();
}

std::string InformerPart::RemedyIfForbidden() const {
  const std::string& where = part_.IsOneNamespace() ? part_.key() : scope_.namespace_;
  std::string remedy = "to cache " + describe_ + " grant the verbs list and watch ";
  if (!where.empty()) return remedy + "in \"" + where + '"';
  remedy += "cluster-wide (ClusterRole, ClusterRoleBinding)";
  if (!informer_.namespaced || listed_) return remedy;
  if (!part_.IsAll()) return remedy + ", or name all namespaces to look at";
  return remedy +
         (informer_.settings.if_forbidden.IsDefault()
              ? ", or name the namespaces to look at (InformerOptions::namespaces, if_forbidden)"
              : ", or else it looks at single namespaces (if_forbidden)");
}

void InformerPart::OnWatchError(const Error& error) {
  if (error.http_status() == 404) {
    ResourceAbsent();
    return status_.OnWatchError(Error(error).WithContext(
        "the server does not have " + describe_ +
        "; is there a CustomResourceDefinition, or the API server that serves it?"));
  }
  absent_since_.reset();
  if (error.http_status() != 403) return status_.OnWatchError(error);
  // The server's message names the missing permission; this adds how to grant it.
  status_.OnWatchError(Error(error).WithContext(RemedyIfForbidden()));
  if (!listed_) owner_.OnPartForbidden();
}

void InformerPart::OnEpochChanged() {
  status_.OnEpochChanged();
  owner_.OnPartEpoch(this);
}

}  // namespace kinformer::internal::cache
