// kinformer/internal/resource_core.h
//
// ResourceCore: the untyped half of ResourceClient. It knows a kind by its TypeInfo and objects as
// blocks; the typed client adds nothing but types. Compiled once.

#ifndef KINFORMER_INTERNAL_RESOURCE_CORE_H_
#define KINFORMER_INTERNAL_RESOURCE_CORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/list_options.h"
#include "kinformer/list_watch.h"
#include "kinformer/patch.h"
#include "kinformer/request_options.h"
#include "kinformer/result.h"

namespace kinformer::internal {

class ClientCore;        // client/client_core.h
struct ExchangeRequest;  // client/engine.h
namespace client {
enum class Answers : std::uint8_t;  // client/object_codec.h
class Patience;                     // client/patience.h
}  // namespace client

// An object on its way to the server: in one encoding at least. `protobuf` is the bare message of
// the kind, without envelope; `json` is made only when it is needed (the server refused protobuf,
// or the kind has none).
struct RequestObject {
  std::string namespace_{};
  std::string name{};
  std::string protobuf{};
  std::function<std::string()> json{};
  bool is_partial = false;  // copied from an object that a projection cut
};

// What a collection looked like.
struct ListedObjects {
  std::vector<ObjectRef> items{};
  ListMeta metadata{};
  std::size_t unreadable = 0;  // objects whose bytes were malformed: they are not in `items`
};

// One object that a watch gives out; owns what it shows.
struct OwnedWatchEvent {
  WatchEventType type{};
  ObjectRef object{};
  std::string resourceVersion{};
  bool initial_events_end = false;
};

// Cheap to copy. Thread-safe. All methods but the constructor block; on the loop thread they fail
// with kWouldDeadlock.
class ResourceCore {
 public:
  ResourceCore(std::shared_ptr<ClientCore> client, const TypeInfo& type, std::string namespace_);

  [[nodiscard]] const TypeInfo& type() const { return *type_; }
  [[nodiscard]] Env& env() const;
  [[nodiscard]] const std::string& namespace_() const { return scope_; }
  [[nodiscard]] ResourceCore InNamespace(std::string namespace_) const;

  Result<ObjectRef> Get(std::string_view name, const GetOptions& options,
                        const CallOptions& call) const;
  // One page: all, where options.limit is 0.
  Result<ListedObjects> ListPage(const ListOptions& options, const CallOptions& call) const;
  // All pages. A collection that expires between two pages is listed again, whole.
  Result<ListedObjects> List(const ListOptions& options, const CallOptions& call) const;
  Result<ObjectRef> Create(const RequestObject& object, const CreateOptions& options,
                           const CallOptions& call) const;
  // `subresource` is empty for the object itself.
  Result<ObjectRef> Update(const RequestObject& object, std::string_view subresource,
                           const UpdateOptions& options, const CallOptions& call) const;
  Result<ObjectRef> Patch(std::string_view name, const kinformer::Patch& patch,
                          std::string_view subresource, const PatchOptions& options,
                          const CallOptions& call) const;
  // A part that is of a kind of its own: "scale", "token", "eviction", "binding". `part` is that
  // kind. Written ones are null where the server answers with a Status: it is done.
  Result<ObjectRef> GetPart(std::string_view name, std::string_view subresource,
                            const TypeInfo& part, const CallOptions& call) const;
  Result<ObjectRef> CreatePart(std::string_view name, std::string_view subresource,
                               const TypeInfo& part, const RequestObject& object,
                               const CreateOptions& options, const CallOptions& call) const;
  Result<ObjectRef> UpdatePart(std::string_view name, std::string_view subresource,
                               const TypeInfo& part, const RequestObject& object,
                               const UpdateOptions& options, const CallOptions& call) const;
  Result<void> Delete(std::string_view name, const DeleteOptions& options,
                      const CallOptions& call) const;
  // The same; gives the answer as JSON: the object as it is now, or a Status.
  Result<std::string> DeleteForAnswer(std::string_view name, const DeleteOptions& options,
                                      const CallOptions& call) const;
  Result<void> DeleteCollection(const DeleteOptions& options, const ListOptions& list,
                                const CallOptions& call) const;
  // Calls `on_event` on the calling thread for each event until it returns false (OK), the stream
  // ends (OK) or fails.
  Result<void> Watch(const ListOptions& options,
                     const std::function<bool(const OwnedWatchEvent&)>& on_event,
                     const CallOptions& call) const;

 private:
  // The collection's path, or an item's. Item paths need a name, and a namespace where the resource
  // has them.
  Result<std::string> Path(std::string_view namespace_, std::string_view name,
                           std::string_view subresource) const;
  Result<std::string> ItemPath(std::string_view namespace_, std::string_view name,
                               std::string_view subresource) const;
  Result<ObjectRef> Send(ExchangeRequest request, const CallOptions& call,
                         client::Answers answers) const;
  Result<ObjectRef> SendObject(std::string method, std::string target, const RequestObject& object,
                               const CallOptions& call, client::Answers answers) const;
  Result<ObjectRef> SendPart(std::string method, std::string_view name,
                             std::string_view subresource, const TypeInfo& part,
                             const RequestObject& object, const CreateOptions& options,
                             const CallOptions& call) const;
  // The answer to a request for a part of an object. NotFound is what a server says, too, that has
  // the object and knows no such part: then it is kMethodNotAllowed, so that nobody takes the
  // object for gone. Asks for the object, once, where it is not sure.
  Result<ObjectRef> OfPart(Result<ObjectRef> answer, std::string_view namespace_,
                           std::string_view name, std::string_view subresource,
                           const client::Patience& patience) const;
  // `wants_answer`: gives the body.
  Result<std::string> SendDelete(std::string target, const DeleteOptions& options,
                                 const CallOptions& call, bool wants_answer) const;

  std::shared_ptr<ClientCore> client_;
  const TypeInfo* type_;
  std::string scope_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_RESOURCE_CORE_H_
