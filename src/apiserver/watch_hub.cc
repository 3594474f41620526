#include "apiserver/watch_hub.h"

#include <algorithm>

namespace kinformer::apiserver {

void WatchHub::Remove(const std::string& scope, Watcher& watcher) {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return;
  std::vector<Watcher*>& all = found->second;
  // Watches end in any order; among ten thousand the newest are the likeliest to go.
  const auto at = std::find(all.rbegin(), all.rend(), &watcher);
  if (at != all.rend()) all.erase(std::next(at).base());
  if (all.empty()) scopes_.erase(found);
}

void WatchHub::Wake(const std::string& scope) {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return;
  for (Watcher* watcher : found->second) watcher->OnEvents();
}

void WatchHub::Notify(std::string_view namespace_, const std::string& key) {
  if (scopes_.empty()) return;
  Wake({});
  Wake(key);
  if (!namespace_.empty()) Wake(std::string(namespace_) + "/");
}

void WatchHub::Close() {
  // In the order of scopes, which does not depend on how they hash.
  std::map<std::string, std::vector<Watcher*>> ordered(scopes_.begin(), scopes_.end());
  for (auto& [scope, watchers] : ordered) {
    for (Watcher* watcher : watchers) watcher->OnClose();
  }
}

std::size_t WatchHub::size() const {
  std::size_t total = 0;
  for (const auto& [scope, watchers] : scopes_) total += watchers.size();
  return total;
}

}  // namespace kinformer::apiserver
