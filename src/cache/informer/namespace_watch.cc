#include "cache/informer/namespace_watch.h"

#include <utility>

#include "base/core/deadline.h"

namespace kinformer::internal::cache {

NamespaceWatch::NamespaceWatch(Env& env, Owner& owner,
                               std::unique_ptr<ListerWatcher> lister_watcher, Options options,
                               ReflectorStatus& status)
    : env_(env),
      owner_(owner),
      options_(std::move(options)),
      status_(status),
      metrics_(InformerMetrics::For(env, options_.metrics_name + ", namespaces")),
      lister_watcher_(std::move(lister_watcher)),
      contained_(env, *lister_watcher_),
      check_(env, contained_,
             {.name = options_.describe,
              .period = options_.check_period,
              .known = &names_,
              .relist = [this] { reflector_.Relist(); }}),
      reflector_(env, contained_, *this, *this, OptionsOfReflector()) {}

ReflectorOptions NamespaceWatch::OptionsOfReflector() const {
  ReflectorOptions options;
  options.name = "namespaces, for " + options_.describe;
  options.use_watch_list = options_.initial_list == InitialList::kWatchList;
  options.min_watch_timeout = options_.min_watch_timeout;
  options.metrics = metrics_.get();
  return options;
}

void NamespaceWatch::Start() {
  reflector_.Start();
  ArmRelist();
}

void NamespaceWatch::ArmRelist() {
  if (options_.relist_period <= Duration(0)) return;
  relist_timer_ = env_.loop().RunAt(base::After(env_.Now(), options_.relist_period), [this] {
    // Has no effect if a list is due or running already.
    reflector_.Relist();
    ArmRelist();
  });
}

void NamespaceWatch::OnListed(InitialList kind) {
  status_.OnListed(kind);
  if (kind == InitialList::kWatchList && metrics_ != nullptr) metrics_->watch_lists->Add();
  check_.Begin();
}

void NamespaceWatch::Insert(std::string_view name, std::string_view resourceVersion) {
  if (names_.emplace(name).second) changed_ = true;
  version_ = resourceVersion;
}

void NamespaceWatch::Erase(std::string_view name, std::string_view resourceVersion) {
  if (const auto found = names_.find(name); found != names_.end()) {
    names_.erase(found);
    changed_ = true;
  }
  version_ = resourceVersion;
}

void NamespaceWatch::Change(DeltaType type, ObjectRef object) {
  const bool deleted = type == DeltaType::kDeleted;
  deleted ? Erase(object->name(), object->resourceVersion())
          : Insert(object->name(), object->resourceVersion());
}

void NamespaceWatch::Unreadable(std::string_view /*namespace_*/, std::string_view name,
                                bool deleted) {
  // Only the name is needed.
  deleted ? Erase(name, version_) : Insert(name, version_);
}

void NamespaceWatch::ReplaceUnreadable(std::string_view /*namespace_*/, std::string_view name) {
  staged_.emplace(name);
}

void NamespaceWatch::ReplaceRemove(std::string_view /*namespace_*/, std::string_view name) {
  if (const auto found = staged_.find(name); found != staged_.end()) staged_.erase(found);
}

void NamespaceWatch::ReplaceEnd(std::string_view resourceVersion) {
  changed_ = changed_ || !listed_ || staged_ != names_;
  listed_ = true;
  names_ = std::exchange(staged_, {});
  version_ = resourceVersion;
}

void NamespaceWatch::ChunkEnd() {
  if (!listed_) return;
  if (metrics_ != nullptr) metrics_->store_objects.Set(names_.size());
  if (std::exchange(changed_, false)) owner_.OnNamespaces(names_);
  owner_.OnNamespacesVersion(version_);
}

void NamespaceWatch::OnWatchError(const Error& error) {
  if (error.http_status() != 403) return status_.OnWatchError(error);
  status_.OnWatchError(Error(error).WithContext(
      "to cache " + options_.describe +
      " grant the verbs list and watch on them cluster-wide, or on namespaces (ClusterRole, "
      "ClusterRoleBinding), or name the namespaces to look at (InformerOptions::namespaces)"));
}

void NamespaceWatch::OnEpochChanged() {
  status_.OnEpochChanged();
  owner_.OnNamespacesEpoch();
}

}  // namespace kinformer::internal::cache
