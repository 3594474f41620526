// kinformer/client/scale_client.h
//
// ScaleClient: reads and writes the scale of objects of any kind that has one, for programs that
// learn the kind at run time, such as autoscalers.
//
//   const ScaleClient scales = ScaleClient(client).Scales("shop");
//   const GroupResource deployments{"apps", "deployments"};
//   ScaleClient::Scale scale = scales.Get(deployments, "web").OrExit();
//   scale.spec.replicas += 1;
//   scales.Update(deployments, scale).OrExit();
//
// For kinds that the program knows, DelegatingClient::SubResource("scale") has typed calls.

#ifndef KINFORMER_CLIENT_SCALE_CLIENT_H_
#define KINFORMER_CLIENT_SCALE_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/rest_mapper.h"
#include "kinformer/internal/named_variable.h"
#include "kinformer/object/group_version_kind.h"
#include "kinformer/object/group_version_resource.h"

namespace kinformer {

namespace json {
class Value;  // json.h
}  // namespace json

// Finds by discovery where a resource is, in the version that the server prefers, and which kind of
// Scale it has there. The server's answer becomes an autoscaling/v1 Scale, and what is written
// becomes the server's kind, as client-go does: autoscaling/v1, apps/v1beta1, apps/v1beta2 and
// extensions/v1beta1 are known.
//
// A handle for one namespace; copyable, thread-safe. Methods block, except the Async ones, whose
// calls are awaited or started (async_call.h). Errors, besides those of requests: kNotFound: the
// server does not have the resource, or that has no scale; kInvalidArgument: its kind of Scale is
// unknown. Counterpart: scale.ScalesGetter and ScaleInterface.
class ScaleClient {
 public:
  // An autoscaling/v1 Scale, with the metadata that a scale has. Counterpart:
  // autoscalingv1.Scale.
  struct Scale {
    // The metadata that a scale has.
    struct Metadata {
      std::string name{};
      std::string namespace_{};
      std::string uid{};
      // As in other objects: if set, Update fails with kConflict for any version but the current.
      std::string resourceVersion{};
    } metadata{};
    // The desired number of replicas.
    struct Spec {
      std::int32_t replicas{0};
    } spec{};
    // The observed number of replicas.
    struct Status {
      std::int32_t replicas{0};
      std::string selector{};  // label selector of the pods, as text
    } status{};
  };

  // Uses the client's discovery, whose answers are cached. Objects are those without a namespace;
  // Scales names one.
  explicit ScaleClient(const Client& client) : ScaleClient(client.core(), {}) {}
  [[nodiscard]] ScaleClient Scales(std::string home) const { return {core_, std::move(home)}; }

  Result<Scale> Get(const GroupResource& resource, std::string_view name,
                    const CallOptions& call = {}) const;
  Result<Scale> Get(const GroupKind& kind, std::string_view name,
                    const CallOptions& call = {}) const;
  // Sends the name, the resourceVersion and the wanted replicas.
  Result<Scale> Update(const GroupResource& resource, const Scale& scale,
                       const UpdateOptions& options = {}, const CallOptions& call = {}) const;
  Result<Scale> Update(const GroupKind& kind, const Scale& scale, const UpdateOptions& options = {},
                       const CallOptions& call = {}) const;
  // Patches the scale of this version of the resource. The patch is not converted.
  Result<Scale> Patch(const GroupVersionResource& resource, std::string_view name,
                      const kinformer::Patch& patch, const PatchOptions& options = {},
                      const CallOptions& call = {}) const;

  // The same calls for coroutines. Options and names of resources are variables.
  template <class T>
  using Named = internal::NamedVariable<T>;
  [[nodiscard]] AsyncCall<Scale> AsyncGet(Named<GroupResource> resource, std::string name) const;
  [[nodiscard]] AsyncCall<Scale> AsyncGet(Named<GroupKind> kind, std::string name) const;
  [[nodiscard]] AsyncCall<Scale> AsyncUpdate(Named<GroupResource> resource, Named<Scale> scale,
                                             Named<UpdateOptions> options = {}) const;
  [[nodiscard]] AsyncCall<Scale> AsyncUpdate(Named<GroupKind> kind, Named<Scale> scale,
                                             Named<UpdateOptions> options = {}) const;
  [[nodiscard]] AsyncCall<Scale> AsyncPatch(Named<GroupVersionResource> resource, std::string name,
                                            Named<kinformer::Patch> patch,
                                            Named<PatchOptions> options = {}) const;

  // Returns which kind of Scale this resource has. Counterpart: ScaleKindResolver.
  Result<GroupVersionKind> ScaleForResource(const GroupVersionResource& resource,
                                            const CallOptions& call = {}) const;

  // Convert a Scale of a kind that the server has from and to JSON. kInvalidArgument: the kind is
  // unknown. kDecode: it is no Scale.
  [[nodiscard]] static Result<Scale> FromJson(const json::Value& object);
  [[nodiscard]] static Result<json::Value> ToJson(const Scale& scale, const GroupVersionKind& kind);

 private:
  struct Requests;
  ScaleClient(std::shared_ptr<internal::ClientCore> core, std::string home)
      : core_(std::move(core)), home_(std::move(home)) {}

  std::shared_ptr<internal::ClientCore> core_;
  std::string home_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_SCALE_CLIENT_H_
