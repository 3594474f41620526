#include "kinformer/controller/delegating_client.h"

#include "kinformer/client/discovery.h"

#include "controller/delegating/mapped_kind.h"

namespace kinformer {
namespace {

using internal::TypedObject;
using internal::TypedObjects;
using internal::delegating::FormOf;
using internal::delegating::HomeOf;
using internal::delegating::NamedPartOf;
using internal::delegating::TypeOfPart;

internal::RequestObject RequestOf(const json::Value& object, std::string_view home) {
  return internal::ToRequestObject<Unstructured>(object, home);
}

}  // namespace

DelegatingClient::DelegatingClient(Client client, std::shared_ptr<SharedInformerFactory> factory,
                                   DelegatingClientOptions options)
    : core_(std::make_shared<internal::DelegatingClientCore>(std::move(client), std::move(factory),
                                                             std::move(options))) {}

DelegatingClient DelegatingClient::WithDeadline(SteadyTime deadline) const {
  DelegatingClient bounded = *this;
  if (deadline < bounded.bounds_.deadline) bounded.bounds_.deadline = deadline;
  return bounded;
}

DelegatingClient DelegatingClient::WithStopToken(std::stop_token stop) const {
  DelegatingClient bounded = *this;
  bounded.bounds_.stop = std::move(stop);
  return bounded;
}

DelegatingClient DelegatingClient::WithNamespace(std::string namespace_) const {
  DelegatingClient bounded = *this;
  bounded.bounds_.namespace_ = std::move(namespace_);
  return bounded;
}

DelegatingClient DelegatingClient::Within(const CallOptions& call) const {
  DelegatingClient bounded = *this;
  if (call.stop.stop_possible()) bounded.bounds_.stop = call.stop;
  if (!call.traceparent.empty()) {
    bounded.bounds_.traceparent = call.traceparent;
    bounded.bounds_.tracestate = call.tracestate;
  }
  if (call.timeout <= Duration(0)) return bounded;
  const SteadyTime now = client().env().Now();
  if (call.timeout >= SteadyTime::max() - now) return bounded;
  return bounded.WithDeadline(now + call.timeout);
}

DelegatingClient::SubResourceClient::SubResourceClient(const DelegatingClient& client,
                                                       std::string name)
    : client_(std::make_shared<const DelegatingClient>(client)), name_(std::move(name)) {}

DelegatingClient::SubResourceClient DelegatingClient::SubResource(std::string name) const {
  return SubResourceClient(*this, std::move(name));
}

DelegatingClient::SubResourceClient DelegatingClient::Status() const {
  return SubResource("status");
}

Result<Ref<Unstructured>> DelegatingClient::Get(const RestMapping& mapping, const ObjectName& name,
                                                const CallOptions& call) const {
  return TypedObject<Unstructured>(
      core_->Get(FormOf(mapping, core_->options()), name, bounds_, call));
}

Result<std::vector<Ref<Unstructured>>> DelegatingClient::List(const RestMapping& mapping,
                                                              const ReadOptions& options,
                                                              const CallOptions& call) const {
  return TypedObjects<Unstructured>(
      core_->List(FormOf(mapping, core_->options()), options, bounds_, call));
}

Result<void> DelegatingClient::IndexField(const RestMapping& mapping, std::string_view field,
                                          IndexFunc<Unstructured> function) const {
  return core_->IndexField(FormOf(mapping, core_->options()), field,
                           internal::Untyped<Unstructured>(std::move(function)));
}

Result<Ref<Unstructured>> DelegatingClient::Create(const RestMapping& mapping,
                                                   const json::Value& object,
                                                   const CreateOptions& options,
                                                   const CallOptions& call) const {
  return TypedObject<Unstructured>(core_->Create(
      mapping.dynamic_type(), RequestOf(object, HomeOf(mapping, bounds_)), options, bounds_, call));
}

Result<Ref<Unstructured>> DelegatingClient::Update(const RestMapping& mapping,
                                                   const json::Value& object,
                                                   const UpdateOptions& options,
                                                   const CallOptions& call) const {
  return TypedObject<Unstructured>(core_->Update(mapping.dynamic_type(),
                                                 RequestOf(object, HomeOf(mapping, bounds_)), "",
                                                 options, bounds_, call));
}

Result<Ref<Unstructured>> DelegatingClient::UpdateStatus(const RestMapping& mapping,
                                                         const json::Value& object,
                                                         const UpdateOptions& options,
                                                         const CallOptions& call) const {
  return TypedObject<Unstructured>(core_->Update(mapping.dynamic_type(),
                                                 RequestOf(object, HomeOf(mapping, bounds_)),
                                                 "status", options, bounds_, call));
}

Result<Ref<Unstructured>> DelegatingClient::Patch(const RestMapping& mapping,
                                                  const ObjectName& name,
                                                  const kinformer::Patch& patch,
                                                  const PatchOptions& options,
                                                  const CallOptions& call) const {
  return TypedObject<Unstructured>(
      core_->Patch(mapping.dynamic_type(), name, patch, "", options, bounds_, call));
}

Result<void> DelegatingClient::Delete(const RestMapping& mapping, const ObjectName& name,
                                      const DeleteOptions& options, const CallOptions& call) const {
  return core_->Delete(mapping.dynamic_type(), name, options, bounds_, call);
}

Result<Deletion<Unstructured>> DelegatingClient::DeleteForAnswer(const RestMapping& mapping,
                                                                 const ObjectName& name,
                                                                 const DeleteOptions& options,
                                                                 const CallOptions& call) const {
  return internal::TypedDeletion<Unstructured>(
      core_->DeleteForAnswer(mapping.dynamic_type(), name, options, bounds_, call));
}

Result<void> DelegatingClient::DeleteAllOf(const RestMapping& mapping, const ReadOptions& which,
                                           const DeleteOptions& options,
                                           const CallOptions& call) const {
  return core_->DeleteAllOf(mapping.dynamic_type(), which, options, bounds_, call);
}

using SubResourceClient = DelegatingClient::SubResourceClient;

Result<Ref<Unstructured>> SubResourceClient::Get(const RestMapping& mapping, const ObjectName& name,
                                                 const GroupVersionKind& part,
                                                 const CallOptions& call) const {
  return TypedObject<Unstructured>(client_->core_->GetPart(
      mapping.dynamic_type(), name, name_, TypeOfPart(part), client_->bounds_, call));
}

Result<Ref<Unstructured>> SubResourceClient::Create(const RestMapping& mapping,
                                                    const ObjectName& name, const json::Value& part,
                                                    const CreateOptions& options,
                                                    const CallOptions& call) const {
  const json::Value named = NamedPartOf(part, name);
  const std::string_view home = HomeOf(mapping, client_->bounds_);
  return TypedObject<Unstructured>(
      client_->core_->CreatePart(mapping.dynamic_type(), name, name_, TypeOfPart(part),
                                 RequestOf(named, home), options, client_->bounds_, call));
}

Result<Ref<Unstructured>> SubResourceClient::Update(const RestMapping& mapping,
                                                    const ObjectName& name, const json::Value& part,
                                                    const UpdateOptions& options,
                                                    const CallOptions& call) const {
  const json::Value named = NamedPartOf(part, name);
  const std::string_view home = HomeOf(mapping, client_->bounds_);
  return TypedObject<Unstructured>(
      client_->core_->UpdatePart(mapping.dynamic_type(), name, name_, TypeOfPart(part),
                                 RequestOf(named, home), options, client_->bounds_, call));
}

Result<Ref<Unstructured>> SubResourceClient::Patch(const RestMapping& mapping,
                                                   const ObjectName& name,
                                                   const kinformer::Patch& patch,
                                                   const PatchOptions& options,
                                                   const CallOptions& call) const {
  return TypedObject<Unstructured>(client_->core_->Patch(mapping.dynamic_type(), name, patch, name_,
                                                         options, client_->bounds_, call));
}

}  // namespace kinformer
