// kinformer/list_watch.h
//
// ListerWatcher: what a Reflector needs of the world: list a collection, watch it from a resourceVersion. ListWatch makes one
// for a resource of a Client; tests make their own.
//
// Both calls stream: objects arrive one by one while bytes arrive from the network, so that no whole list is ever held.

#ifndef KINFORMER_LIST_WATCH_H_
#define KINFORMER_LIST_WATCH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/entry_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/list_options.h"
#include "kinformer/result.h"

namespace kinformer {

enum class WatchEventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark };

// One event of a watch. An ERROR event is not one of these: it ends the watch with OnDone(error of the Status).
struct WatchEvent {
  WatchEventType type{};
  internal::ObjectRef object{};        // null for bookmarks and unreadable objects
  std::string_view resourceVersion{};  // of the object or the bookmark; valid during the call
  bool initial_events_end = false;     // a bookmark that closes the initial events of a watch-list
  // Set where the object's bytes are malformed beyond its metadata: it is there, under this name, but cannot be read.
  bool unreadable = false;
  std::string_view namespace_{};  // of an unreadable object
  std::string_view name{};
};

// The head of a list's answer.
struct ListMeta {
  std::string resourceVersion{};
  std::string continue_{};
  std::int64_t remainingItemCount{0};
};

// Receives one page. OnDone comes once and last; its ListMeta is complete. No call destroys the handle except OnDone.
class ListReceiver {
 public:
  virtual ~ListReceiver() = default;
  virtual void OnItem(internal::ObjectRef object) = 0;
  virtual void OnDone(Result<ListMeta> result) = 0;
  // One object whose bytes are malformed. The list goes on.
  virtual void OnUnreadable(std::string_view namespace_, std::string_view name,
                            const Error& error) = 0;
  // The objects that arrived in one piece of network data have been handed over: publish what you have.
  virtual void OnChunkEnd() {}
};

// Receives one watch. OnStarted comes when the server has accepted it (response headers with status 200); OnDone once and last:
// OK for a clean end (also for EOF and time-outs in the middle, which mean "resume"), an Error for an ERROR event (the Status), a
// refused request, or undecodable bytes. No call destroys the handle except OnDone.
class WatchReceiver {
 public:
  virtual ~WatchReceiver() = default;
  virtual void OnStarted() = 0;
  virtual void OnEvent(const WatchEvent& event) = 0;
  virtual void OnDone(Result<void> result) = 0;
  virtual void OnChunkEnd() {}
};

// A list or watch under way. Destroying it abandons it: no further call to the receiver.
class ListWatchCall {
 public:
  virtual ~ListWatchCall() = default;
};

// Loop-confined. Receivers must outlive the returned calls; no method calls the receiver before it has returned. Counterpart:
// cache.ListerWatcher.
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  // One page.
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> List(const ListOptions& options,
                                                            ListReceiver& receiver) = 0;
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                                             WatchReceiver& receiver) = 0;
  // How objects are to be built, said before the first call. False where this has no say in that, as with most fakes: the
  // informer then cuts and checks the finished objects.
  [[nodiscard]] virtual bool SetEntryOptions(const EntryOptions& /*options*/) { return false; }
  // True where sendInitialEvents cannot work, as with some fakes: the reflector then lists and watches.
  [[nodiscard]] virtual bool IsWatchListSemanticsUnSupported() const { return false; }
  // "pods in namespace default": for messages.
  [[nodiscard]] virtual std::string Describe() const = 0;
};

}  // namespace kinformer

#endif  // KINFORMER_LIST_WATCH_H_
