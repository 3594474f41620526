// kinformer/internal/resource_core.h
//
// ResourceCore: untyped half of ResourceClient, compiled once. A KindInfo represents the kind, and
// blocks the objects; the typed client only adds types.

#ifndef KINFORMER_INTERNAL_RESOURCE_CORE_H_
#define KINFORMER_INTERNAL_RESOURCE_CORE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/block.h"

namespace kinformer::internal {

class ClientCore;  // client/client_core.h
class AsyncResourceCore;

// An object to be sent to the server, in at least one encoding. `protobuf` is the kind's bare
// message, without envelope; `json` is called only if needed: the server refused protobuf, or the
// kind has none.
struct RequestObject {
  std::string namespace_{};
  std::string name{};
  std::string protobuf{};
  std::function<std::string()> json{};
  bool is_partial = false;  // copied from an object that a projection cut
};

// A list, or one page of it.
struct ListedObjects {
  std::vector<ObjectRef> items{};
  ListMeta metadata{};
  std::size_t unreadable = 0;  // objects with malformed bytes, which `items` lacks
};

// One event of a watch; owns its object.
struct OwnedWatchEvent {
  WatchEventType type{};
  ObjectRef object{};
  std::string resourceVersion{};
  bool initial_events_end = false;
};

// The answer to a delete. `object` is null if it was a Status.
struct DeletionAnswer {
  bool pending = false;
  std::string uid{};
  ObjectRef object{};
};

// Client for one resource. Cheap to copy. Thread-safe. All methods but the constructor block; on
// the loop thread they fail with kWouldDeadlock.
class ResourceCore {
 public:
  ResourceCore(std::shared_ptr<ClientCore> client, const KindInfo& type, std::string namespace_);

  [[nodiscard]] const std::shared_ptr<ClientCore>& client() const { return client_; }
  [[nodiscard]] const KindInfo& type() const { return *type_; }
  [[nodiscard]] Env& env() const;
  [[nodiscard]] const std::string& namespace_() const { return scope_; }
  [[nodiscard]] ResourceCore InNamespace(std::string namespace_) const;
  // Returns the same resource, with methods that return tasks: async_resource_core.h.
  [[nodiscard]] AsyncResourceCore async() const;

  Result<ObjectRef> Get(std::string_view name, const GetOptions& options,
                        const CallOptions& call) const;
  // Lists one page: everything, if options.limit is 0.
  Result<ListedObjects> ListPage(const ListOptions& options, const CallOptions& call) const;
  // Lists all pages. If the collection expires between two pages, begins again without pages.
  Result<ListedObjects> List(const ListOptions& options, const CallOptions& call) const;
  Result<ObjectRef> Create(const RequestObject& object, const CreateOptions& options,
                           const CallOptions& call) const;
  // Updates the object, or its subresource if that is not empty.
  Result<ObjectRef> Update(const RequestObject& object, std::string_view subresource,
                           const UpdateOptions& options, const CallOptions& call) const;
  Result<ObjectRef> Patch(std::string_view name, const kinformer::Patch& patch,
                          std::string_view subresource, const PatchOptions& options,
                          const CallOptions& call) const;
  // Access a part with a kind of its own, `part`: "scale", "token", "eviction", "binding". Writes
  // return null if the server answers with a success Status.
  Result<ObjectRef> GetPart(std::string_view name, std::string_view subresource,
                            const KindInfo& part, const CallOptions& call) const;
  Result<ObjectRef> CreatePart(std::string_view name, std::string_view subresource,
                               const KindInfo& part, const RequestObject& object,
                               const CreateOptions& options, const CallOptions& call) const;
  Result<ObjectRef> UpdatePart(std::string_view name, std::string_view subresource,
                               const KindInfo& part, const RequestObject& object,
                               const UpdateOptions& options, const CallOptions& call) const;
  // Applies the fields that are set in an object, or in a part of it: see AsyncResourceCore.
  Result<ObjectRef> Apply(std::string_view name, std::string_view subresource, const KindInfo& part,
                          const RequestObject& object, const ApplyOptions& options,
                          const CallOptions& call) const;
  Result<void> Delete(std::string_view name, const DeleteOptions& options,
                      const CallOptions& call) const;
  Result<DeletionAnswer> DeleteForAnswer(std::string_view name, const DeleteOptions& options,
                                         const CallOptions& call) const;
  Result<void> DeleteCollection(const DeleteOptions& options, const ListOptions& list,
                                const CallOptions& call) const;
  // Calls `on_event` on the calling thread for each event, until it returns false (OK), the stream
  // ends (OK) or fails.
  Result<void> Watch(const ListOptions& options,
                     const std::function<bool(const OwnedWatchEvent&)>& on_event,
                     const CallOptions& call) const;

 private:
  std::shared_ptr<ClientCore> client_;
  const KindInfo* type_;
  std::string scope_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_RESOURCE_CORE_H_
