// kinformer/controller/cached_resource_client.h
//
// CachedResourceClient<T>: a DelegatingClient limited to one resource in one namespace, with the
// methods of a ResourceClient (resource_client.h): for functions that accept either.
//
//   auto made = controllerutil::CreateOrUpdate(
//       ForResource<corev1::ConfigMap>(cached, "default", context.call()), "settings",
//       [](corev1::ConfigMap::Mutable& map) -> Result<void> {
//         map.data["color"] = "blue";
//         return {};
//       });

#ifndef KINFORMER_CONTROLLER_CACHED_RESOURCE_CLIENT_H_
#define KINFORMER_CONTROLLER_CACHED_RESOURCE_CLIENT_H_

#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// A copyable handle. Thread-safe. Reads, writes and errors are those of DelegatingClient.
template <Resource T>
class CachedResourceClient {
 public:
  CachedResourceClient(DelegatingClient client, std::string namespace_)
      : client_(std::move(client)), namespace_name_(std::move(namespace_)) {}

  Result<Ref<T>> Get(std::string_view name, const CallOptions& call = {}) const {
    return client_.Get<T>(Named(name), call);
  }
  template <class M>
  Result<Ref<T>> Create(const M& object, const CreateOptions& options = {},
                        const CallOptions& call = {}) const {
    return client_.Create<T>(object, options, call);
  }
  template <class M>
  Result<Ref<T>> Update(const M& object, const UpdateOptions& options = {},
                        const CallOptions& call = {}) const {
    return client_.Update<T>(object, options, call);
  }
  template <class M>
  Result<Ref<T>> UpdateStatus(const M& object, const UpdateOptions& options = {},
                              const CallOptions& call = {}) const {
    return client_.UpdateStatus<T>(object, options, call);
  }
  Result<Ref<T>> Patch(std::string_view name, const kinformer::Patch& patch,
                       const PatchOptions& options = {}, std::string_view subresource = "",
                       const CallOptions& call = {}) const {
    if (subresource.empty()) return client_.Patch<T>(Named(name), patch, options, call);
    return client_.SubResource(std::string(subresource))
        .template Patch<T>(Named(name), patch, options, call);
  }
  Result<void> Delete(std::string_view name, const DeleteOptions& options = {},
                      const CallOptions& call = {}) const {
    return client_.Delete<T>(Named(name), options, call);
  }

  [[nodiscard]] const std::string& namespace_() const { return namespace_name_; }

 private:
  [[nodiscard]] ObjectName Named(std::string_view name) const {
    return {namespace_name_, std::string(name)};
  }

  DelegatingClient client_;
  std::string namespace_name_;
};

// Returns a client for objects of T in a namespace, or of the cluster if the kind has none. `call`
// bounds all its requests, and its timeout starts now: in a reconciler use context.call(), so that
// no request outlasts the reconcile.
template <Resource T>
[[nodiscard]] CachedResourceClient<T> ForResource(const DelegatingClient& client,
                                                  std::string namespace_ = "",
                                                  const CallOptions& call = {}) {
  return CachedResourceClient<T>(client.Within(call), std::move(namespace_));
}

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_CACHED_RESOURCE_CLIENT_H_
