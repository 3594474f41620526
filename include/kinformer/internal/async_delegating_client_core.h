// kinformer/internal/async_delegating_client_core.h
//
// AsyncDelegatingClientCore: untyped half of AsyncDelegatingClient, and the one implementation of
// the calls of a DelegatingClient: DelegatingClientCore blocks on its tasks.

#ifndef KINFORMER_INTERNAL_ASYNC_DELEGATING_CLIENT_CORE_H_
#define KINFORMER_INTERNAL_ASYNC_DELEGATING_CLIENT_CORE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/task.h"
#include "kinformer/internal/delegating_client_core.h"

namespace kinformer::internal {

// Cheap to copy. Thread-safe. A task keeps what it needs, and so may outlive this.
class AsyncDelegatingClientCore {
 public:
  explicit AsyncDelegatingClientCore(std::shared_ptr<delegating::DelegatingState> state)
      : state_(std::move(state)) {}

  [[nodiscard]] const Client& client() const;
  [[nodiscard]] const DelegatingClientOptions& options() const;

  // As the methods of DelegatingClientCore.
  [[nodiscard]] Task<Result<ObjectRef>> Get(ObjectForm form, ObjectName asked, CallBounds bounds,
                                            CallOptions call) const;
  [[nodiscard]] Task<Result<std::vector<ObjectRef>>> List(ObjectForm form, ReadOptions asked,
                                                          CallBounds bounds,
                                                          CallOptions call) const;
  [[nodiscard]] Task<Result<ObjectRef>> Create(const KindInfo& type, RequestObject object,
                                               CreateOptions options, CallBounds bounds,
                                               CallOptions call) const;
  [[nodiscard]] Task<Result<ObjectRef>> Update(const KindInfo& type, RequestObject object,
                                               std::string subresource, UpdateOptions options,
                                               CallBounds bounds, CallOptions call) const;
  [[nodiscard]] Task<Result<ObjectRef>> Patch(const KindInfo& type, ObjectName name,
                                              kinformer::Patch patch, std::string subresource,
                                              PatchOptions options, CallBounds bounds,
                                              CallOptions call) const;
  // `part`: kind of what is applied; `type`, or that of the part which `subresource` is.
  [[nodiscard]] Task<Result<ObjectRef>> Apply(const KindInfo& type, ObjectName name,
                                              std::string subresource, const KindInfo& part,
                                              RequestObject object, ApplyOptions options,
                                              CallBounds bounds, CallOptions call) const;
  [[nodiscard]] Task<Result<ObjectRef>> GetPart(const KindInfo& type, ObjectName name,
                                                std::string subresource, const KindInfo& part,
                                                CallBounds bounds, CallOptions call) const;
  // Writes a part. `method`: "POST" or "PUT".
  [[nodiscard]] Task<Result<ObjectRef>> SendPart(std::string method, const KindInfo& type,
                                                 ObjectName name, std::string subresource,
                                                 const KindInfo& part, RequestObject object,
                                                 CreateOptions options, CallBounds bounds,
                                                 CallOptions call) const;
  [[nodiscard]] Task<Result<void>> Delete(const KindInfo& type, ObjectName asked,
                                          DeleteOptions options, CallBounds bounds,
                                          CallOptions call) const;
  [[nodiscard]] Task<Result<DeletionAnswer>> DeleteForAnswer(const KindInfo& type, ObjectName asked,
                                                             DeleteOptions options,
                                                             CallBounds bounds,
                                                             CallOptions call) const;
  [[nodiscard]] Task<Result<void>> DeleteAllOf(const KindInfo& type, ReadOptions which,
                                               DeleteOptions options, CallBounds bounds,
                                               CallOptions call) const;

 private:
  // Coroutines, which keep the state.
  struct Calls;

  std::shared_ptr<delegating::DelegatingState> state_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_ASYNC_DELEGATING_CLIENT_CORE_H_
