// kinformer/internal/delegating_client_core.h
//
// DelegatingClientCore: untyped half of DelegatingClient, compiled once. A KindInfo represents the
// kind, and blocks the objects.

#ifndef KINFORMER_INTERNAL_DELEGATING_CLIENT_CORE_H_
#define KINFORMER_INTERNAL_DELEGATING_CLIENT_CORE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/controller/delegating_client_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/live_reader.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal {

namespace delegating {
struct DelegatingState;
}  // namespace delegating
class AsyncDelegatingClientCore;
struct WrittenStruct;  // written_struct.h

// Bounds of every call through one handle, in addition to those of the call itself.
struct CallBounds {
  SteadyTime deadline = SteadyTime::max();
  std::stop_token stop{};
  std::string namespace_{};  // empty: no limit; see NamespaceOfCall
  // The trace for calls that have none.
  std::string traceparent{};
  std::string tracestate{};
  // The write has been compared with the cache already, and must be sent.
  bool compared = false;
};

// Kind of the objects to read, and the form to read them in.
struct ObjectForm {
  const KindInfo* type = nullptr;
  bool metadata_only = false;
  bool live = false;  // always from the server

  auto operator<=>(const ObjectForm&) const = default;
};

// Thread-safe. See DelegatingClient. Blocks on the tasks of AsyncDelegatingClientCore.
class DelegatingClientCore {
 public:
  DelegatingClientCore(Client client, std::shared_ptr<SharedInformerFactory> factory,
                       DelegatingClientOptions options);
  ~DelegatingClientCore();
  DelegatingClientCore(const DelegatingClientCore&) = delete;
  DelegatingClientCore& operator=(const DelegatingClientCore&) = delete;

  // ---- Reads
  [[nodiscard]] Result<ObjectRef> Get(const ObjectForm& form, const ObjectName& asked,
                                      const CallBounds& bounds, const CallOptions& call);
  [[nodiscard]] Result<std::vector<ObjectRef>> List(const ObjectForm& form,
                                                    const ReadOptions& asked,
                                                    const CallBounds& bounds,
                                                    const CallOptions& call);
  [[nodiscard]] LiveReader Live(const KindInfo& type, const CallBounds& bounds) const;
  // Returns the informer for reads of that form, and starts it.
  [[nodiscard]] Result<std::shared_ptr<InformerCore>> Informer(const ObjectForm& form);
  [[nodiscard]] Result<void> IndexField(const ObjectForm& form, std::string_view field,
                                        IndexFunction function);

  // ---- Writes
  [[nodiscard]] Result<ObjectRef> Create(const KindInfo& type, RequestObject object,
                                         const CreateOptions& options, const CallBounds& bounds,
                                         const CallOptions& call);
  [[nodiscard]] Result<ObjectRef> Update(const KindInfo& type, RequestObject object,
                                         std::string_view subresource, const UpdateOptions& options,
                                         const CallBounds& bounds, const CallOptions& call);
  // The same with a struct, which is encoded only if it must be.
  [[nodiscard]] Result<ObjectRef> Update(const KindInfo& type, const WrittenStruct& object,
                                         std::string_view subresource, const UpdateOptions& options,
                                         const CallBounds& bounds, const CallOptions& call);
  [[nodiscard]] Result<ObjectRef> Patch(const KindInfo& type, const ObjectName& name,
                                        const kinformer::Patch& patch, std::string_view subresource,
                                        const PatchOptions& options, const CallBounds& bounds,
                                        const CallOptions& call);
  [[nodiscard]] Result<ObjectRef> Apply(const KindInfo& type, RequestObject object,
                                        std::string_view subresource, const ApplyOptions& options,
                                        const CallBounds& bounds, const CallOptions& call);
  // ---- Parts of an object with a kind of their own, `part`: see ResourceCore.
  [[nodiscard]] Result<ObjectRef> GetPart(const KindInfo& type, const ObjectName& name,
                                          std::string_view subresource, const KindInfo& part,
                                          const CallBounds& bounds, const CallOptions& call);
  [[nodiscard]] Result<ObjectRef> CreatePart(const KindInfo& type, const ObjectName& name,
                                             std::string_view subresource, const KindInfo& part,
                                             RequestObject object, const CreateOptions& options,
                                             const CallBounds& bounds, const CallOptions& call);
  [[nodiscard]] Result<ObjectRef> UpdatePart(const KindInfo& type, const ObjectName& name,
                                             std::string_view subresource, const KindInfo& part,
                                             RequestObject object, const UpdateOptions& options,
                                             const CallBounds& bounds, const CallOptions& call);
  [[nodiscard]] Result<ObjectRef> ApplyPart(const KindInfo& type, const ObjectName& name,
                                            std::string_view subresource, const KindInfo& part,
                                            RequestObject object, const ApplyOptions& options,
                                            const CallBounds& bounds, const CallOptions& call);

  // ---- Deletions
  [[nodiscard]] Result<void> Delete(const KindInfo& type, const ObjectName& asked,
                                    const DeleteOptions& options, const CallBounds& bounds,
                                    const CallOptions& call);
  [[nodiscard]] Result<DeletionAnswer> DeleteForAnswer(const KindInfo& type,
                                                       const ObjectName& asked,
                                                       const DeleteOptions& options,
                                                       const CallBounds& bounds,
                                                       const CallOptions& call);
  [[nodiscard]] Result<void> DeleteAllOf(const KindInfo& type, const ReadOptions& which,
                                         const DeleteOptions& options, const CallBounds& bounds,
                                         const CallOptions& call);

  // Returns the same calls as tasks: async_delegating_client_core.h.
  [[nodiscard]] AsyncDelegatingClientCore async() const;
  [[nodiscard]] Env& env() const;
  [[nodiscard]] const Client& client() const;
  [[nodiscard]] const DelegatingClientOptions& options() const;
  // Returns the number of writes that some informer has yet to show.
  [[nodiscard]] std::size_t unseen_writes() const;
  // Returns an informer and the age of the oldest write that it does not show.
  [[nodiscard]] std::optional<std::pair<std::string, Duration>> oldest_unseen_write() const;

 private:
  std::shared_ptr<delegating::DelegatingState> state_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_DELEGATING_CLIENT_CORE_H_
