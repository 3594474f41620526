#include "kinformer/controller/async_delegating_client.h"

#include "controller/delegating/mapped_kind.h"

namespace kinformer {
namespace {

using internal::ToKeptRequest;
using internal::delegating::FormOf;
using internal::delegating::HomeOf;
using internal::delegating::NamedPartOf;
using internal::delegating::TypeOfPart;

}  // namespace

AsyncCall<void> AsyncDelegatingClient::Deleted(const KindInfo& type, ObjectName name,
                                               DeleteOptions options) const {
  return {env(), [core = core_, bounds = bounds_, &type, name = std::move(name),
                  options = std::move(options)](CallOptions call) mutable {
            return core.Delete(type, std::move(name), std::move(options), std::move(bounds),
                               std::move(call));
          }};
}

AsyncCall<void> AsyncDelegatingClient::AllDeleted(const KindInfo& type, ReadOptions which,
                                                  DeleteOptions options) const {
  return {env(), [core = core_, bounds = bounds_, &type, which = std::move(which),
                  options = std::move(options)](CallOptions call) mutable {
            return core.DeleteAllOf(type, std::move(which), std::move(options), std::move(bounds),
                                    std::move(call));
          }};
}

AsyncCall<Ref<Unstructured>> AsyncDelegatingClient::Get(Named<RestMapping> mapping,
                                                        Named<ObjectName> name) const {
  return Got<Unstructured>(FormOf(std::move(mapping).Take(), core_.options()),
                           std::move(name).Take());
}

AsyncCall<AsyncDelegatingClient::Objects> AsyncDelegatingClient::List(
    Named<RestMapping> mapping, Named<ReadOptions> options) const {
  return Listed<Unstructured>(FormOf(std::move(mapping).Take(), core_.options()),
                              std::move(options).Take());
}

AsyncCall<Ref<Unstructured>> AsyncDelegatingClient::Create(Named<RestMapping> mapping,
                                                           Named<json::Value> object,
                                                           Named<CreateOptions> options) const {
  const RestMapping of = std::move(mapping).Take();
  return Created<Unstructured>(
      of.dynamic_type(), ToKeptRequest<Unstructured>(std::move(object).Take(), HomeOf(of, bounds_)),
      std::move(options).Take());
}

AsyncCall<Ref<Unstructured>> AsyncDelegatingClient::Update(Named<RestMapping> mapping,
                                                           Named<json::Value> object,
                                                           Named<UpdateOptions> options) const {
  const RestMapping of = std::move(mapping).Take();
  return Updated<Unstructured>(
      of.dynamic_type(), ToKeptRequest<Unstructured>(std::move(object).Take(), HomeOf(of, bounds_)),
      "", std::move(options).Take());
}

AsyncCall<Ref<Unstructured>> AsyncDelegatingClient::UpdateStatus(
    Named<RestMapping> mapping, Named<json::Value> object, Named<UpdateOptions> options) const {
  const RestMapping of = std::move(mapping).Take();
  return Updated<Unstructured>(
      of.dynamic_type(), ToKeptRequest<Unstructured>(std::move(object).Take(), HomeOf(of, bounds_)),
      "status", std::move(options).Take());
}

AsyncCall<Ref<Unstructured>> AsyncDelegatingClient::Patch(Named<RestMapping> mapping,
                                                          Named<ObjectName> name,
                                                          Named<kinformer::Patch> patch,
                                                          Named<PatchOptions> options) const {
  return Patched<Unstructured>(std::move(mapping).Take().dynamic_type(), std::move(name).Take(),
                               std::move(patch).Take(), "", std::move(options).Take());
}

AsyncCall<void> AsyncDelegatingClient::Delete(Named<RestMapping> mapping, Named<ObjectName> name,
                                              Named<DeleteOptions> options) const {
  return Deleted(std::move(mapping).Take().dynamic_type(), std::move(name).Take(),
                 std::move(options).Take());
}

AsyncCall<Deletion<Unstructured>> AsyncDelegatingClient::DeleteForAnswer(
    Named<RestMapping> mapping, Named<ObjectName> name, Named<DeleteOptions> options) const {
  return Answered<Unstructured>(std::move(mapping).Take().dynamic_type(), std::move(name).Take(),
                                std::move(options).Take());
}

AsyncCall<void> AsyncDelegatingClient::DeleteAllOf(Named<RestMapping> mapping,
                                                   Named<ReadOptions> which,
                                                   Named<DeleteOptions> options) const {
  return AllDeleted(std::move(mapping).Take().dynamic_type(), std::move(which).Take(),
                    std::move(options).Take());
}

using SubResourceClient = AsyncDelegatingClient::SubResourceClient;

SubResourceClient::SubResourceClient(const AsyncDelegatingClient& client, std::string name)
    : client_(std::make_shared<const AsyncDelegatingClient>(client)), name_(std::move(name)) {}

SubResourceClient AsyncDelegatingClient::SubResource(std::string name) const {
  return SubResourceClient(*this, std::move(name));
}

SubResourceClient AsyncDelegatingClient::Status() const { return SubResource("status"); }

AsyncCall<Ref<Unstructured>> SubResourceClient::SentMapped(std::string_view method,
                                                           const RestMapping& mapping,
                                                           ObjectName name, const json::Value& part,
                                                           CreateOptions options) const {
  internal::RequestObject object =
      ToKeptRequest<Unstructured>(NamedPartOf(part, name), HomeOf(mapping, client_->bounds_));
  return client_->PartSent<Unstructured>(method, mapping.dynamic_type(), std::move(name), name_,
                                         TypeOfPart(part), std::move(object), std::move(options));
}

AsyncCall<Ref<Unstructured>> SubResourceClient::Get(Named<RestMapping> mapping,
                                                    Named<ObjectName> name,
                                                    Named<GroupVersionKind> part) const {
  return client_->PartGot<Unstructured>(std::move(mapping).Take().dynamic_type(),
                                        std::move(name).Take(), name_,
                                        TypeOfPart(std::move(part).Take()));
}

AsyncCall<Ref<Unstructured>> SubResourceClient::Create(Named<RestMapping> mapping,
                                                       Named<ObjectName> name,
                                                       Named<json::Value> part,
                                                       Named<CreateOptions> options) const {
  return SentMapped("POST", std::move(mapping).Take(), std::move(name).Take(),
                    std::move(part).Take(), std::move(options).Take());
}

AsyncCall<Ref<Unstructured>> SubResourceClient::Update(Named<RestMapping> mapping,
                                                       Named<ObjectName> name,
                                                       Named<json::Value> part,
                                                       Named<UpdateOptions> options) const {
  return SentMapped("PUT", std::move(mapping).Take(), std::move(name).Take(),
                    std::move(part).Take(), std::move(options).Take());
}

AsyncCall<Ref<Unstructured>> SubResourceClient::Patch(Named<RestMapping> mapping,
                                                      Named<ObjectName> name,
                                                      Named<kinformer::Patch> patch,
                                                      Named<PatchOptions> options) const {
  return client_->Patched<Unstructured>(std::move(mapping).Take().dynamic_type(),
                                        std::move(name).Take(), std::move(patch).Take(), name_,
                                        std::move(options).Take());
}

}  // namespace kinformer
