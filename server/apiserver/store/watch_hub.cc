#include "apiserver/store/watch_hub.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

// Most batches kept. Watches further behind make their own.
constexpr std::size_t kBatches = 8;

}  // namespace

const EventBatch* WatchGroup::Find(std::uint64_t begin) const {
  for (auto at = batches_.rbegin(); at != batches_.rend(); ++at) {
    if (at->begin == begin) return &*at;
  }
  return nullptr;
}

const EventBatch& WatchGroup::Add(EventBatch batch) {
  if (batches_.size() == kBatches) batches_.erase(batches_.begin());
  batches_.push_back(std::move(batch));
  return batches_.back();
}

void WatchHub::Swap(WatchScope& scope, std::size_t a, std::size_t b) {
  std::swap(scope.watchers[a], scope.watchers[b]);
  scope.watchers[a]->position_ = a;
  scope.watchers[b]->position_ = b;
}

void WatchHub::Add(std::string_view scope, std::string_view group, Watcher& watcher) {
  auto at = scopes_.find(scope);
  if (at == scopes_.end()) {
    at = scopes_.emplace(scope, std::make_unique<WatchScope>()).first;
    at->second->name = scope;
  }
  std::string key = std::to_string(scope.size()) + ':';
  key.append(scope).append(group);
  std::unique_ptr<WatchGroup>& shared = groups_[key];
  if (shared == nullptr) {
    shared = std::make_unique<WatchGroup>();
    shared->key_ = std::move(key);
  }
  ++shared->watchers_;
  watcher.group_ = shared.get();
  watcher.scope_ = at->second.get();
  watcher.position_ = watcher.scope_->watchers.size();
  watcher.scope_->watchers.push_back(&watcher);
  ++size_;
}

void WatchHub::Remove(Watcher& watcher) {
  WatchScope& scope = *watcher.scope_;
  WatchGroup& group = *watcher.group_;
  if (watcher.position_ < scope.waiting) {
    Swap(scope, watcher.position_, --scope.waiting);
    --group.waiting_;
  }
  Swap(scope, watcher.position_, scope.watchers.size() - 1);
  scope.watchers.pop_back();
  if (scope.watchers.empty()) scopes_.erase(scopes_.find(scope.name));
  if (--group.watchers_ == 0) groups_.erase(groups_.find(group.key_));
  --size_;
}

void WatchHub::Wait(Watcher& watcher) {
  WatchScope& scope = *watcher.scope_;
  if (watcher.position_ < scope.waiting) return;
  Swap(scope, watcher.position_, scope.waiting++);
  WatchGroup& group = *watcher.group_;
  // All watches have caught up.
  if (++group.waiting_ == group.watchers_) std::vector<EventBatch>().swap(group.batches_);
}

void WatchHub::Wake(std::string_view scope) {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return;
  WatchScope& woken = *found->second;
  const std::size_t count = std::exchange(woken.waiting, 0);
  for (std::size_t i = 0; i < count; ++i) {
    Watcher& watcher = *woken.watchers[i];
    --watcher.group_->waiting_;
    watcher.OnEvents();
  }
}

void WatchHub::Notify(std::string_view namespace_, std::string_view key) {
  if (scopes_.empty()) return;
  Wake({});
  Wake(key);
  if (!namespace_.empty()) Wake(key.substr(0, namespace_.size() + 1));
}

void WatchHub::Close() { CloseBy(&Watcher::OnClose); }

void WatchHub::Expire() { CloseBy(&Watcher::OnExpire); }

void WatchHub::CloseBy(void (Watcher::*close)()) {
  // In the order of scopes, which is deterministic, unlike that of hashes.
  std::map<std::string_view, std::vector<Watcher*>> ordered;
  for (const auto& [name, scope] : scopes_) ordered.emplace(name, scope->watchers);
  for (auto& [scope, watchers] : ordered) {
    for (Watcher* watcher : watchers) (watcher->*close)();
  }
}

}  // namespace kinformer::apiserver
