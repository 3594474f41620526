#include "kinformer/internal/resource_core.h"

#include <utility>

#include "kinformer/internal/async_resource_core.h"

#include "client/client_core.h"

namespace kinformer::internal {

ResourceCore::ResourceCore(std::shared_ptr<ClientCore> client, const KindInfo& type,
                           std::string namespace_)
    : client_(std::move(client)), type_(&type), scope_(std::move(namespace_)) {}

Env& ResourceCore::env() const { return client_->env(); }

ResourceCore ResourceCore::InNamespace(std::string namespace_) const {
  return ResourceCore(client_, *type_, std::move(namespace_));
}

AsyncResourceCore ResourceCore::async() const { return AsyncResourceCore(*this); }

Result<ObjectRef> ResourceCore::Get(std::string_view name, const GetOptions& options,
                                    const CallOptions& call) const {
  return BlockOn(env(), async().Get(std::string(name), options, call));
}

Result<ListedObjects> ResourceCore::ListPage(const ListOptions& options,
                                             const CallOptions& call) const {
  return BlockOn(env(), async().ListPage(options, call));
}

Result<ListedObjects> ResourceCore::List(const ListOptions& options,
                                         const CallOptions& call) const {
  return BlockOn(env(), async().List(options, call));
}

Result<ObjectRef> ResourceCore::Create(const RequestObject& object, const CreateOptions& options,
                                       const CallOptions& call) const {
  return BlockOn(env(), async().Create(object, options, call));
}

Result<ObjectRef> ResourceCore::Update(const RequestObject& object, std::string_view subresource,
                                       const UpdateOptions& options,
                                       const CallOptions& call) const {
  return BlockOn(env(), async().Update(object, std::string(subresource), options, call));
}

Result<ObjectRef> ResourceCore::Patch(std::string_view name, const kinformer::Patch& patch,
                                      std::string_view subresource, const PatchOptions& options,
                                      const CallOptions& call) const {
  return BlockOn(env(),
                 async().Patch(std::string(name), patch, std::string(subresource), options, call));
}

Result<ObjectRef> ResourceCore::GetPart(std::string_view name, std::string_view subresource,
                                        const KindInfo& part, const CallOptions& call) const {
  return BlockOn(env(), async().GetPart(std::string(name), std::string(subresource), part, call));
}

Result<ObjectRef> ResourceCore::CreatePart(std::string_view name, std::string_view subresource,
                                           const KindInfo& part, const RequestObject& object,
                                           const CreateOptions& options,
                                           const CallOptions& call) const {
  return BlockOn(env(), async().SendPart("POST", std::string(name), std::string(subresource), part,
                                         object, options, call));
}

Result<ObjectRef> ResourceCore::UpdatePart(std::string_view name, std::string_view subresource,
                                           const KindInfo& part, const RequestObject& object,
                                           const UpdateOptions& options,
                                           const CallOptions& call) const {
  return BlockOn(env(), async().SendPart("PUT", std::string(name), std::string(subresource), part,
                                         object, options, call));
}

Result<ObjectRef> ResourceCore::Apply(std::string_view name, std::string_view subresource,
                                      const KindInfo& part, const RequestObject& object,
                                      const ApplyOptions& options, const CallOptions& call) const {
  return BlockOn(env(), async().Apply(std::string(name), std::string(subresource), part, object,
                                      options, call));
}

Result<void> ResourceCore::Delete(std::string_view name, const DeleteOptions& options,
                                  const CallOptions& call) const {
  return BlockOn(env(), async().Delete(std::string(name), options, call));
}

Result<DeletionAnswer> ResourceCore::DeleteForAnswer(std::string_view name,
                                                     const DeleteOptions& options,
                                                     const CallOptions& call) const {
  return BlockOn(env(), async().DeleteForAnswer(std::string(name), options, call));
}

Result<void> ResourceCore::DeleteCollection(const DeleteOptions& options, const ListOptions& list,
                                            const CallOptions& call) const {
  return BlockOn(env(), async().DeleteCollection(options, list, call));
}

Result<void> ResourceCore::Watch(const ListOptions& options,
                                 const std::function<bool(const OwnedWatchEvent&)>& on_event,
                                 const CallOptions& call) const {
  return BlockOn(env(), async().Watch(options, on_event, call));
}

}  // namespace kinformer::internal
