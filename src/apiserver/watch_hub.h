// apiserver/watch_hub.h
//
// WatchHub: who waits for events of one resource, by what they look at, so that a write wakes only those whom it may concern.

#ifndef KINFORMER_SRC_APISERVER_WATCH_HUB_H_
#define KINFORMER_SRC_APISERVER_WATCH_HUB_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kinformer::apiserver {

// A watch, as the hub knows it.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Something has happened that may concern it. Must not call back into the hub.
  virtual void OnEvents() = 0;
  // The stream is to end cleanly.
  virtual void OnClose() = 0;
};

// A scope is "" for everything, "namespace/" for one namespace, or the storage key of one object.
// Loop-confined. Watchers remove themselves before they go.
class WatchHub {
 public:
  void Add(const std::string& scope, Watcher& watcher) { scopes_[scope].push_back(&watcher); }
  void Remove(const std::string& scope, Watcher& watcher);
  // An object has changed.
  void Notify(std::string_view namespace_, const std::string& key);
  // Ends all of them.
  void Close();
  [[nodiscard]] std::size_t size() const;

 private:
  void Wake(const std::string& scope);
  std::unordered_map<std::string, std::vector<Watcher*>> scopes_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_WATCH_HUB_H_
