#include "cache/pipeline/namespace_watch.h"

#include <utility>

namespace kinformer::internal::cache {

NamespaceWatch::NamespaceWatch(Env& env, Owner& owner,
                               std::unique_ptr<ListerWatcher> lister_watcher, std::string describe,
                               ReflectorStatus& status)
    : owner_(owner),
      describe_(std::move(describe)),
      status_(status),
      lister_watcher_(std::move(lister_watcher)),
      contained_(env, *lister_watcher_),
      reflector_(env, contained_, *this, *this, {.name = "namespaces, for " + describe_}) {}

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

void NamespaceWatch::Unreadable(std::string_view /*namespace_*/, std::string_view name,
                                bool deleted) {
  // Its name is all that is asked of it.
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
  if (std::exchange(changed_, false)) owner_.OnNamespaces(names_);
  owner_.OnNamespacesVersion(version_);
}

void NamespaceWatch::OnWatchError(const Error& error) {
  if (error.http_status() != 403) return status_.OnWatchError(error);
  status_.OnWatchError(Error(error).WithContext(
      "to cache " + describe_ +
      " grant the verbs list and watch on them cluster-wide, or on namespaces (ClusterRole, "
      "ClusterRoleBinding), or name the namespaces to look at (InformerOptions::namespaces)"));
}

void NamespaceWatch::OnEpochChanged() {
  status_.OnEpochChanged();
  owner_.OnNamespacesEpoch();
}

}  // namespace kinformer::internal::cache
