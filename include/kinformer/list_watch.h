// kinformer/list_watch.h
//
// ListerWatcher: what a Reflector needs of the world: list a collection, watch it from a
// resourceVersion. NewListWatch makes one for a resource of a Client, known by its type or only by
// its name; tests make their own.
//
//   auto pods = NewListWatch<corev1::Pod>(client, "default");
//   auto widgets = NewListWatch(client, {"example.com", "v1", "widgets"});  // of Unstructured
//
// Both calls stream: objects arrive one by one while bytes arrive from the network, so that no
// whole list is ever held.

#ifndef KINFORMER_LIST_WATCH_H_
#define KINFORMER_LIST_WATCH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/entry_options.h"
#include "kinformer/env.h"
#include "kinformer/field_selector.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/type_info.h"
#include "kinformer/list_options.h"
#include "kinformer/object_name.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer {

class Client;  // client.h

// What a watch event says of its object. Counterpart: watch.EventType.
enum class WatchEventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark };

// One event of a watch. An ERROR event is not one of these: it ends the watch with OnDone(error of
// the Status).
struct WatchEvent {
  WatchEventType type{};
  internal::ObjectRef object{};        // null for bookmarks and unreadable objects
  std::string_view resourceVersion{};  // of the object or the bookmark; valid during the call
  bool initial_events_end = false;     // a bookmark that closes the initial events of a watch-list
  // Set where the object's bytes are malformed beyond its metadata: it is there, under this name,
  // but cannot be read.
  bool unreadable = false;
  std::string_view namespace_{};  // of an unreadable object
  std::string_view name{};
  const Error* why = nullptr;  // it is unreadable, where that is known; valid during the call
};

// The head of a list's answer.
struct ListMeta {
  std::string resourceVersion{};
  std::string continue_{};
  std::int64_t remainingItemCount{0};
};

// Receives one page. OnDone comes once and last; its ListMeta is complete. The receiver may destroy
// the handle only from OnDone.
class ListReceiver {
 public:
  virtual ~ListReceiver() = default;
  virtual void OnItem(internal::ObjectRef object) = 0;
  virtual void OnDone(Result<ListMeta> result) = 0;
  // One object whose bytes are malformed. The list goes on.
  virtual void OnUnreadable(std::string_view namespace_, std::string_view name,
                            const Error& error) = 0;
  // The objects that arrived in one piece of network data have been handed over: publish what you
  // have.
  virtual void OnChunkEnd() {}
};

// Receives one watch. OnStarted comes when the server has accepted it (response headers with status
// 200); OnDone once and last: OK for a clean end (also for EOF and time-outs in the middle, which
// mean "resume"), an Error for an ERROR event (the Status), a refused request, or undecodable
// bytes. The receiver may destroy the handle only from OnDone.
class WatchReceiver {
 public:
  virtual ~WatchReceiver() = default;
  // The request of a watch-list goes out: before, it waited for its turn among the client's lists.
  // From a ListerWatcher that has no such turns it need not come.
  virtual void OnSent() {}
  virtual void OnStarted() = 0;
  virtual void OnEvent(const WatchEvent& event) = 0;
  // The connection has broken: OnDone(OK) follows, which otherwise is the server's own end.
  virtual void OnBroken() {}
  virtual void OnDone(Result<void> result) = 0;
  virtual void OnChunkEnd() {}
};

// A list or watch under way. Destroying it abandons it: no further call to the receiver.
class ListWatchCall {
 public:
  virtual ~ListWatchCall() = default;
};

// Which part of its collection a ListerWatcher lists and watches.
struct ListScope {
  // Empty: all namespaces, or cluster scope.
  std::string namespace_{};
  // As in ListOptions; empty: no condition.
  std::string labelSelector{};
  std::string fieldSelector{};
};

// Loop-confined. Receivers must outlive the returned calls; no method calls the receiver before it
// has returned. What the server refuses, or a connection that breaks before it answers, ends a call
// with its error: whoever asked decides when to ask again. A ListerWatcher around another one
// passes all methods on. Counterpart: cache.ListerWatcher.
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  // One page.
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> List(const ListOptions& options,
                                                            ListReceiver& receiver) = 0;
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                                             WatchReceiver& receiver) = 0;
  // Asks for the newest resourceVersion that the server has given to anything, at the cost of one
  // key: a server that says less than what it served before went back in time. `answer` is called
  // once, and may destroy the handle. Null where this cannot ask, as with most fakes: then a broken
  // watch is resumed without asking.
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string> version)>& /*answer*/) {
    return nullptr;
  }
  // One page of the same collection, of which the objects' metadata will do: keys, uids and
  // resourceVersions are compared. `namespace_`: of that namespace only; empty: of all that List
  // lists. Null where this cannot, as with most fakes: then an informer's cache is not compared
  // with the server (InformerOptions::consistency_check_period).
  [[nodiscard]] virtual std::unique_ptr<ListWatchCall> ListMetadata(
      const std::string& /*namespace_*/, const ListOptions& /*options*/,
      ListReceiver& /*receiver*/) {
    return nullptr;
  }
  // What it leaves out, so that nobody takes it for missing. An informer asks each time it is
  // started, before the first call. The default is for those that leave nothing out.
  [[nodiscard]] virtual ListScope Scope() const { return {}; }
  // How objects are to be built, said before the first call. False where this has no say in that,
  // as with most fakes: the informer then cuts and checks the finished objects.
  [[nodiscard]] virtual bool SetEntryOptions(const EntryOptions& options) = 0;
  // True where sendInitialEvents cannot work, as with some fakes: the reflector then lists and
  // watches. Asked before each list.
  [[nodiscard]] virtual bool IsWatchListSemanticsUnSupported() const = 0;
  // The server has shown that it cannot serve watch-lists of this resource, as opposed to not now:
  // it has refused one as invalid or unknown (400, 405, 422, 501), or has not ended the initial
  // events; and a list has worked in its place. Those of NewListWatch remember it for an hour, for
  // all lists of the resource by their Client: IsWatchListSemanticsUnSupported is true meanwhile.
  // After that the server is asked again, since it may have been upgraded. The default forgets it,
  // so that each list asks for a watch-list first.
  virtual void WatchListDeclined() {}
  // "pods in namespace default": for messages.
  [[nodiscard]] virtual std::string Describe() const = 0;
};

// Makes the ListerWatcher of a namespace.
using NamespacedListWatch =
    std::function<std::unique_ptr<ListerWatcher>(const std::string& namespace_)>;

// Where a SharedInformerFactory gets its ListerWatchers: for factories over something else than a
// Client. Thread-safe.
class ListerWatcherProvider {
 public:
  virtual ~ListerWatcherProvider() = default;
  [[nodiscard]] virtual Env& env() const = 0;
  // Called on the loop. `type` names the resource and lives for ever; `namespace_` is empty for all
  // and for cluster scope; `tweak` is to be called with the options of every request. The result's
  // Scope says what both leave out.
  [[nodiscard]] virtual std::unique_ptr<ListerWatcher> NewListWatch(
      const internal::TypeInfo& type, const std::string& namespace_,
      const std::function<void(ListOptions&)>& tweak) = 0;
};

namespace internal {

// For a TypeInfo of any sort: typed, dynamic (DynamicTypeInfo: objects stay JSON), metadata only
// (MetadataTypeInfo: asks for PartialObjectMetadata).
std::unique_ptr<ListerWatcher> NewListWatch(const Client& client, const TypeInfo& type,
                                            std::string namespace_,
                                            TweakListOptionsFunc tweak = {});

// Sets the selector of every request.
TweakListOptionsFunc SelectFields(const FieldSelector& field_selector);

}  // namespace internal

// The list and watch of one resource at `client`'s server. `namespace_` "" means all namespaces, or
// cluster scope.
//
// Making one asks the server nothing and never blocks. The result is for one reflector or informer;
// it does not keep the threads of the client alive.
// Counterpart: cache.NewListWatchFromClient.
template <Resource T>
std::unique_ptr<ListerWatcher> NewListWatch(const Client& client, std::string namespace_ = "",
                                            const FieldSelector& field_selector = {}) {
  return internal::NewListWatch(client, T::type_info(), std::move(namespace_),
                                internal::SelectFields(field_selector));
}
// The same for a resource that is known by its name only. Its objects are Unstructured; their kind
// is what the server says it is.
std::unique_ptr<ListerWatcher> NewListWatch(const Client& client,
                                            const GroupVersionResource& resource,
                                            std::string namespace_ = "",
                                            const FieldSelector& field_selector = {});

// The same, where `tweak` may change the options of every request: selectors by label, the same
// ones each time, and time-outs. It is called on the loop. Counterpart:
// cache.NewFilteredListWatchFromClient.
template <Resource T>
std::unique_ptr<ListerWatcher> NewFilteredListWatch(const Client& client,
                                                    std::string namespace_ = "",
                                                    TweakListOptionsFunc tweak = {}) {
  return internal::NewListWatch(client, T::type_info(), std::move(namespace_), std::move(tweak));
}
// The same for a resource that is known by its name only.
std::unique_ptr<ListerWatcher> NewFilteredListWatch(const Client& client,
                                                    const GroupVersionResource& resource,
                                                    std::string namespace_ = "",
                                                    TweakListOptionsFunc tweak = {});

}  // namespace kinformer

#endif  // KINFORMER_LIST_WATCH_H_
