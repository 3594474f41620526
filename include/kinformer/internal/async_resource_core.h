// kinformer/internal/async_resource_core.h
//
// AsyncResourceCore: untyped half of AsyncResourceClient, and the one implementation of all
// requests for a resource: ResourceCore blocks on its tasks.

#ifndef KINFORMER_INTERNAL_ASYNC_RESOURCE_CORE_H_
#define KINFORMER_INTERNAL_ASYNC_RESOURCE_CORE_H_

#include <functional>
#include <string>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/resource_core.h"

namespace kinformer::internal {

// Cheap to copy. Thread-safe. A task keeps what it needs, and so may outlive this.
class AsyncResourceCore {
 public:
  explicit AsyncResourceCore(ResourceCore resource) : resource_(std::move(resource)) {}

  [[nodiscard]] const ResourceCore& resource() const { return resource_; }

  // As the methods of ResourceCore.
  [[nodiscard]] Task<Result<ObjectRef>> Get(std::string name, GetOptions options,
                                            CallOptions call) const;
  [[nodiscard]] Task<Result<ListedObjects>> ListPage(ListOptions options, CallOptions call) const;
  [[nodiscard]] Task<Result<ListedObjects>> List(ListOptions options, CallOptions call) const;
  [[nodiscard]] Task<Result<ObjectRef>> Create(RequestObject object, CreateOptions options,
                                               CallOptions call) const;
  [[nodiscard]] Task<Result<ObjectRef>> Update(RequestObject object, std::string subresource,
                                               UpdateOptions options, CallOptions call) const;
  [[nodiscard]] Task<Result<ObjectRef>> Patch(std::string name, kinformer::Patch patch,
                                              std::string subresource, PatchOptions options,
                                              CallOptions call) const;
  [[nodiscard]] Task<Result<ObjectRef>> GetPart(std::string name, std::string subresource,
                                                const KindInfo& part, CallOptions call) const;
  // Writes a part. `method`: "POST" or "PUT".
  [[nodiscard]] Task<Result<ObjectRef>> SendPart(std::string method, std::string name,
                                                 std::string subresource, const KindInfo& part,
                                                 RequestObject object, CreateOptions options,
                                                 CallOptions call) const;
  // Applies the fields that are set in an object, or in a part of it: `name` is that of the whole
  // object, `part` the kind of what is sent and answered.
  [[nodiscard]] Task<Result<ObjectRef>> Apply(std::string name, std::string subresource,
                                              const KindInfo& part, RequestObject object,
                                              ApplyOptions options, CallOptions call) const;
  [[nodiscard]] Task<Result<void>> Delete(std::string name, DeleteOptions options,
                                          CallOptions call) const;
  [[nodiscard]] Task<Result<DeletionAnswer>> DeleteForAnswer(std::string name,
                                                             DeleteOptions options,
                                                             CallOptions call) const;
  [[nodiscard]] Task<Result<void>> DeleteCollection(DeleteOptions options, ListOptions list,
                                                    CallOptions call) const;
  // Calls `on_event` within the task.
  [[nodiscard]] Task<Result<void>> Watch(ListOptions options,
                                         std::function<bool(const OwnedWatchEvent&)> on_event,
                                         CallOptions call) const;

 private:
  // Coroutines, which have a copy of this as their first parameter.
  struct Requests;

  ResourceCore resource_;
};

// Awaits an answer of which only the success counts.
[[nodiscard]] Task<Result<void>> WithoutObject(Task<Result<ObjectRef>> sent);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_ASYNC_RESOURCE_CORE_H_
