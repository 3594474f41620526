// kinformer/client/lister_watcher.h
//
// ListerWatcher: interface of a Reflector to the server: lists a collection, and watches it from a
// resourceVersion. NewListWatch makes one for a resource of a Client, known by its type or only by
// its name. A program may have its own, for another source of objects: it passes on an AnyRef of
// each object, which ObjectFromJson (object_from_json.h) makes.
//
//   auto pods = NewListWatch<corev1::Pod>(client, "default");
//   auto widgets = NewListWatch(client, {"example.com", "v1", "widgets"});  // of Unstructured
//
// Both calls stream: objects are passed on while bytes arrive from the network, so that a whole
// list is never in memory at once.

#ifndef KINFORMER_CLIENT_LISTER_WATCHER_H_
#define KINFORMER_CLIENT_LISTER_WATCHER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/list_options.h"
#include "kinformer/object/entry_options.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

class Client;  // client.h

// Kind of a watch event. Counterpart: watch.EventType.
enum class WatchEventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark };

// One event of a watch. An ERROR event is not passed as one: it ends the watch with OnDone(error of
// the Status).
struct WatchEvent {
  WatchEventType type{};
  AnyRef object{};                     // null for bookmarks and unreadable objects
  std::string_view resourceVersion{};  // of the object or the bookmark; valid during the call
  bool initial_events_end = false;     // a bookmark that ends the initial events of a watch-list
  // True if the object's bytes are malformed beyond its metadata: it exists, under this name, but
  // cannot be read.
  bool unreadable = false;
  std::string_view namespace_{};  // of an unreadable object
  std::string_view name{};
  const Error* why = nullptr;  // cause, if known; valid during the call
};

// Metadata of a list.
struct ListMeta {
  std::string resourceVersion{};
  std::string continue_{};
  std::int64_t remainingItemCount{0};
  // The shardSelector by which the server has left objects out. Empty: it has sent every object.
  std::string shardInfo{};
};

// Receives one page. OnDone is called once and last; its ListMeta is complete. The receiver may
// destroy the handle only in OnDone.
class ListReceiver {
 public:
  virtual ~ListReceiver() = default;
  // Reports one object. REQUIRES: not null.
  virtual void OnItem(AnyRef object) = 0;
  virtual void OnDone(Result<ListMeta> result) = 0;
  // Reports one object with malformed bytes. The list continues.
  virtual void OnUnreadable(std::string_view namespace_, std::string_view name,
                            const Error& error) = 0;
  // Called when all objects of one piece of network data have been passed, so that they can be
  // published.
  virtual void OnChunkEnd() {}
};

// Receives one watch. OnStarted is called when the server has accepted it (response headers with
// status 200); OnDone once and last: OK for a clean end (also for EOF and time-outs in the middle,
// which mean "resume"), an Error for an ERROR event (the Status), a refused request, or undecodable
// bytes. The receiver may destroy the handle only in OnDone.
class WatchReceiver {
 public:
  virtual ~WatchReceiver() = default;
  // Called when the request of a watch-list is sent, after it has waited for its turn among the
  // client's lists. Not called by ListerWatchers without such turns.
  virtual void OnSent() {}
  virtual void OnStarted() = 0;
  virtual void OnEvent(const WatchEvent& event) = 0;
  // Called when the connection broke; OnDone(OK) follows. Without it, OnDone(OK) is a regular end.
  virtual void OnBroken() {}
  virtual void OnDone(Result<void> result) = 0;
  virtual void OnChunkEnd() {}
};

// A running list or watch. Destroying it abandons it: the receiver is not called any more.
class ListWatchCall {
 public:
  virtual ~ListWatchCall() = default;
};

// Part of the collection that a ListerWatcher covers.
struct ListScope {
  // Empty: all namespaces, or cluster scope.
  std::string namespace_{};
  // As in ListOptions; empty: no condition.
  std::string labelSelector{};
  std::string fieldSelector{};
  std::string shardSelector{};
};

// Lists and watches one collection. Loop-confined. Receivers must outlive the returned calls; no
// method calls the receiver before it has returned. If the server refuses, or the connection breaks
// before an answer, the call ends with the error; the caller decides about retries. A ListerWatcher
// that wraps another must forward all methods. Counterpart: cache.ListerWatcher.
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  // Lists one page.
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> List(const ListOptions& options,
                                                            ListReceiver& receiver) = 0;
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                                             WatchReceiver& receiver) = 0;
  // Asks for the newest resourceVersion that the server has issued, at the cost of reading one key:
  // if it is below one issued before, the server went back in time. `answer` is called once, and
  // may destroy the handle. Returns null if it cannot ask, as most fakes: a broken watch is then
  // resumed without asking.
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string> version)>& /*answer*/) {
    return nullptr;
  }
  // Lists one page of the same collection, for a comparison of keys, uids and resourceVersions, so
  // that metadata is enough. `namespace_`: of that namespace only; empty: of all that List covers.
  // Returns null if it cannot, as most fakes: an informer's cache is then not compared with the
  // server (InformerOptions::consistency_check_period).
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> ListMetadata(
      const std::string& /*namespace_*/, const ListOptions& /*options*/,
      ListReceiver& /*receiver*/) {
    return nullptr;
  }
  // Returns its scope, so that objects outside are not taken for missing. An informer asks at each
  // start, before the first call. The default is the whole collection.
  [[nodiscard]] virtual ListScope Scope() const { return {}; }
  // Sets how objects are built, before the first call. Returns false if it does not support this,
  // as most fakes: the informer then cuts and checks the finished objects.
  [[nodiscard]] virtual bool SetEntryOptions(const EntryOptions& options) = 0;
  // Returns true if sendInitialEvents cannot work, as in some fakes: the reflector then lists and
  // watches. Asked before each list.
  [[nodiscard]] virtual bool IsWatchListSemanticsUnSupported() const = 0;
  // Called when the server has shown that it does not support watch-lists of this resource, and not
  // just temporarily: it has refused one as invalid or unknown (400, 405, 422, 501), or has not
  // ended the initial events; and a list has succeeded instead. ListerWatchers of NewListWatch
  // remember this for an hour, for all lists of the resource by their Client:
  // IsWatchListSemanticsUnSupported is true during that time. Then the server is tried again, since
  // it may have been upgraded. The default ignores it, so that each list tries a watch-list first.
  virtual void WatchListDeclined() {}
  // Returns "pods in namespace default", for messages.
  [[nodiscard]] virtual std::string Describe() const = 0;
};

// Creates the ListerWatcher of a namespace.
using NamespacedListWatch =
    std::function<std::unique_ptr<ListerWatcher>(const std::string& namespace_)>;

// Source of a SharedInformerFactory's ListerWatchers, for factories over something else than a
// Client. Thread-safe.
class ListerWatcherProvider {
 public:
  virtual ~ListerWatcherProvider() = default;
  [[nodiscard]] virtual Env& env() const = 0;
  // Creates a ListerWatcher. Called on the loop. `kind` names the resource, is never destroyed, and
  // is the kind of all objects (ObjectFromJson). `namespace_` is empty for all namespaces and for
  // cluster scope; `tweak` must be called with the options of every request. The result's Scope
  // must reflect both.
  [[nodiscard]] virtual std::unique_ptr<ListerWatcher> NewListWatch(
      const KindInfo& kind, const std::string& namespace_,
      const std::function<void(ListOptions&)>& tweak) = 0;
};

namespace internal {

class ClientCore;  // client/client_core.h

// Creates one for any KindInfo: typed, dynamic (DynamicKindInfo: objects stay JSON), or metadata
// only (MetadataKindInfo: requests PartialObjectMetadata).
std::unique_ptr<ListerWatcher> NewListWatch(const Client& client, const KindInfo& type,
                                            std::string namespace_,
                                            TweakListOptionsFunc tweak = {});
std::unique_ptr<ListerWatcher> NewListWatch(const std::shared_ptr<ClientCore>& client,
                                            const KindInfo& type, std::string namespace_,
                                            TweakListOptionsFunc tweak = {});

// Returns a tweak that sets the selector of every request.
TweakListOptionsFunc SelectFields(const FieldSelector& field_selector);

}  // namespace internal

// Creates a ListerWatcher for one resource of `client`'s server. `namespace_` ""
// means all namespaces, or cluster scope.
//
// Sends no request and never blocks. The result is for one reflector or informer; it
// does not keep the client's threads alive. Counterpart:
// cache.NewListWatchFromClient.
template <Resource T>
std::unique_ptr<ListerWatcher> NewListWatch(const Client& client, std::string namespace_ = "",
                                            const FieldSelector& field_selector = {}) {
  return internal::NewListWatch(client, T::kind_info(), std::move(namespace_),
                                internal::SelectFields(field_selector));
}
// Does the same for a resource that is known only by its name. Its objects are Unstructured; the
// server tells their kind.
std::unique_ptr<ListerWatcher> NewListWatch(const Client& client,
                                            const GroupVersionResource& resource,
                                            std::string namespace_ = "",
                                            const FieldSelector& field_selector = {});

// Creates a ListerWatcher where `tweak` may change the options of every request: label selectors,
// the same ones each time, and time-outs. Called on the loop. Counterpart:
// cache.NewFilteredListWatchFromClient.
template <Resource T>
std::unique_ptr<ListerWatcher> NewFilteredListWatch(const Client& client,
                                                    std::string namespace_ = "",
                                                    TweakListOptionsFunc tweak = {}) {
  return internal::NewListWatch(client, T::kind_info(), std::move(namespace_), std::move(tweak));
}
// Does the same for a resource that is known only by its name.
std::unique_ptr<ListerWatcher> NewFilteredListWatch(const Client& client,
                                                    const GroupVersionResource& resource,
                                                    std::string namespace_ = "",
                                                    TweakListOptionsFunc tweak = {});

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_LISTER_WATCHER_H_
