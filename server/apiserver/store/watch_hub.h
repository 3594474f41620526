// apiserver/store/watch_hub.h
//
// WatchHub: waiting watches of one resource, by scope, so that a write wakes only those it may
// concern; and the frames that equal watches share.

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

#include "kinformer/client/transport.h"

namespace kinformer::apiserver {

// A range of the log, encoded once for all watches of a group.
struct EventBatch {
  std::uint64_t begin = 0;  // first event of the range
  std::uint64_t end = 0;    // first event after the range
  std::shared_ptr<const std::string> text{};
};

// Watches of one scope with equal selectors and encoding, which therefore send equal frames. Ten
// thousand of them share frames that are encoded once.
class WatchGroup {
 public:
  [[nodiscard]] bool shared() const { return watchers_ > 1; }
  // Returns null where no batch begins there.
  [[nodiscard]] const EventBatch* Find(std::uint64_t begin) const;
  const EventBatch& Add(EventBatch batch);
  // Response headers, equal for all watches of the group.
  HttpHeaders headers{};

 private:
  friend class WatchHub;
  std::string key_;
  std::vector<EventBatch> batches_;  // the last few, oldest first
  std::size_t watchers_ = 0;
  std::size_t waiting_ = 0;
};

struct WatchScope;

// Interface of a watch towards the hub.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // An event may concern this watch. Must not call back into the hub.
  virtual void OnEvents() = 0;
  // Ends the stream cleanly.
  virtual void OnClose() = 0;
  // Ends the stream with the error 410: its history was replaced.
  virtual void OnExpire() = 0;

 protected:
  [[nodiscard]] WatchGroup& group() const { return *group_; }

 private:
  friend class WatchHub;
  WatchScope* scope_ = nullptr;
  WatchGroup* group_ = nullptr;
  std::size_t position_ = 0;
};

// Watches of one scope; the first `waiting` of them are waiting for events.
struct WatchScope {
  std::string name{};
  std::vector<Watcher*> watchers{};
  std::size_t waiting = 0;
};

// A scope is "" for everything, "namespace/" for one namespace, or the storage key of one object.
// Loop-confined. Watchers must remove themselves before destruction. Only Close costs anything for
// watchers that do not wait.
class WatchHub {
 public:
  // `group`: equal for watches that send the same frames, whatever their scope.
  void Add(std::string_view scope, std::string_view group, Watcher& watcher);
  void Remove(Watcher& watcher);
  // The watch has sent everything; the next event calls OnEvents, once.
  void Wait(Watcher& watcher);
  // Wakes the watches that a change of that object may concern.
  void Notify(std::string_view namespace_, std::string_view key);
  // Closes all watches, cleanly or with 410.
  void Close();
  void Expire();
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
  void CloseBy(void (Watcher::*close)());
  static void Swap(WatchScope& scope, std::size_t a, std::size_t b);

  Map<WatchScope> scopes_;
  Map<WatchGroup> groups_;
  std::size_t size_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_WATCH_HUB_H_
