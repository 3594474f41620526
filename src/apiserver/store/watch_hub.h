// apiserver/store/watch_hub.h
//
// WatchHub: who waits for events of one resource, by what they look at, so that a write wakes only
// those whom it may concern, and what equal watches share.

#ifndef KINFORMER_APISERVER_STORE_WATCH_HUB_H_
#define KINFORMER_APISERVER_STORE_WATCH_HUB_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinformer/transport.h"

namespace kinformer::apiserver {

// A stretch of the log, as all watches of a group see it.
struct EventBatch {
  std::uint64_t begin = 0;            // the first event looked at
  std::uint64_t end = 0;              // the first that is not in it
  std::int64_t resource_version = 0;  // of the last event looked at
  std::shared_ptr<const std::string> text{};
};

// Watches of one scope with equal selectors and encoding: what one of them sends, the others send
// too. Ten thousand of them have the frames of an event made and put together once.
class WatchGroup {
 public:
  [[nodiscard]] bool shared() const { return watchers_ > 1; }
  // Null where there is none that begins there.
  [[nodiscard]] const EventBatch* Find(std::uint64_t begin) const;
  const EventBatch& Add(EventBatch batch);
  // What the answers' heads say.
  HttpHeaders headers{};

 private:
  friend class WatchHub;
  std::string key_;
  std::vector<EventBatch> batches_;  // the last few, oldest first
  std::size_t watchers_ = 0;
  std::size_t waiting_ = 0;
};

struct WatchScope;

// A watch, as the hub knows it.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Something has happened that may concern it. Must not call back into the hub.
  virtual void OnEvents() = 0;
  // The stream is to end cleanly.
  virtual void OnClose() = 0;

 protected:
  [[nodiscard]] WatchGroup& group() const { return *group_; }

 private:
  friend class WatchHub;
  WatchScope* scope_ = nullptr;
  WatchGroup* group_ = nullptr;
  std::size_t position_ = 0;
};

// Watches of one scope: the first `waiting` of them wait.
struct WatchScope {
  std::string name{};
  std::vector<Watcher*> watchers{};
  std::size_t waiting = 0;
};

// A scope is "" for everything, "namespace/" for one namespace, or the storage key of one object.
// Loop-confined. Watchers remove themselves before they go. All but Close costs nothing for
// watchers that do not wait.
class WatchHub {
 public:
  // `group`: equal for watches that send the same, whatever the scope.
  void Add(std::string_view scope, std::string_view group, Watcher& watcher);
  void Remove(Watcher& watcher);
  // It has sent everything: the next event calls its OnEvents, once.
  void Wait(Watcher& watcher);
  // An object has changed.
  void Notify(std::string_view namespace_, std::string_view key);
  // Ends all of them.
  void Close();
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  template <class T>
  using Map = std::unordered_map<std::string, std::unique_ptr<T>, Hash, std::equal_to<>>;

  void Wake(std::string_view scope);
  static void Swap(WatchScope& scope, std::size_t a, std::size_t b);

  Map<WatchScope> scopes_;
  Map<WatchGroup> groups_;
  std::size_t size_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_WATCH_HUB_H_
