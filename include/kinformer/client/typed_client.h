// kinformer/client/typed_client.h
//
// TypedClient: a ResourceClient with the verbs that the API has for a built-in resource, and no
// others. clientset.h has the way to it; the headers in kinformer/clientset/, one for each version
// of a group, name one for each resource: corev1::PodInterface, appsv1::DeploymentInterface, ...

#ifndef KINFORMER_CLIENT_TYPED_CLIENT_H_
#define KINFORMER_CLIENT_TYPED_CLIENT_H_

#include <string>
#include <utility>

#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/internal/subresource_verbs.h"
#include "kinformer/internal/verb_list.h"

namespace kinformer {

// T is the kind, Verbs::List says what the API has for it: TypedClient<corev1::Pod> is a
// corev1::PodInterface. Is a ResourceClient<T>, and can be given where one is wanted. Copyable,
// thread-safe; blocks as that. Counterpart: PodInterface and its kin, with a namespace or for a
// resource without.
template <class T, class Verbs = internal::VerbsOfKind<T>>
class TypedClient
    : public internal::WithVerbs<false, T, ResourceClient<T>, internal::ListOfVerbs<Verbs>> {
  using Base = internal::WithVerbs<false, T, ResourceClient<T>, internal::ListOfVerbs<Verbs>>;

 public:
  TypedClient(const Client& client, std::string namespace_)
      : TypedClient(client.For<T>(std::move(namespace_))) {}
  explicit TypedClient(const ResourceClient<T>& client) : Base(client.core()) {}

  // Returns a client for the same resource in another namespace; "" for all.
  [[nodiscard]] TypedClient Namespace(std::string namespace_) const {
    return TypedClient(ResourceClient<T>::Namespace(std::move(namespace_)));
  }
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_TYPED_CLIENT_H_
