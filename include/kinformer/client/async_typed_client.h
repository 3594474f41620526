// kinformer/client/async_typed_client.h
//
// AsyncTypedClient: the verbs of a TypedClient, as calls that block no thread.
//
//   const AsyncTypedClient pods(clientset.CoreV1().Pods("default"));
//   Result<Ref<corev1::Pod>> pod = co_await pods.Get("web-0");

#ifndef KINFORMER_CLIENT_ASYNC_TYPED_CLIENT_H_
#define KINFORMER_CLIENT_ASYNC_TYPED_CLIENT_H_

#include <string>
#include <utility>

#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/typed_client.h"
#include "kinformer/internal/async_subresource_verbs.h"
#include "kinformer/internal/verb_list.h"

namespace kinformer {

// Is an AsyncResourceClient<T>; options and objects are variables, as there. Copyable, thread-safe;
// never blocks.
template <class T, class Verbs = internal::VerbsOfKind<T>>
class AsyncTypedClient
    : public internal::WithVerbs<true, T, AsyncResourceClient<T>, internal::ListOfVerbs<Verbs>> {
  using Base = internal::WithVerbs<true, T, AsyncResourceClient<T>, internal::ListOfVerbs<Verbs>>;

 public:
  explicit AsyncTypedClient(const TypedClient<T, Verbs>& client) : Base(client) {}

  // Returns a client for the same resource in another namespace; "" for all.
  [[nodiscard]] AsyncTypedClient Namespace(std::string namespace_) const {
    const ResourceClient<T> here(this->core().resource());
    return AsyncTypedClient(TypedClient<T, Verbs>(here.Namespace(std::move(namespace_))));
  }
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_ASYNC_TYPED_CLIENT_H_
