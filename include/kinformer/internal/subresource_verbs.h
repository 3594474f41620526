// kinformer/internal/subresource_verbs.h
//
// Methods of typed clients for parts of an object: scale, eviction, binding, token, approval, logs
// and so on, with client-go's names. They are thin: ResourceCore does the work.

#ifndef KINFORMER_INTERNAL_SUBRESOURCE_VERBS_H_
#define KINFORMER_INTERNAL_SUBRESOURCE_VERBS_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/internal/verb_list.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/ref.h"

namespace kinformer {

class RestClient;  // client/rest_request.h

namespace authenticationv1 {
class TokenRequest;  // api/authenticationv1.h
}  // namespace authenticationv1
namespace autoscalingv1 {
class Scale;  // api/autoscalingv1.h
}  // namespace autoscalingv1
namespace corev1 {
class Binding;                // api/corev1.h
struct PodLogOptionsMutable;  // api/corev1_mutable.h
}  // namespace corev1
namespace policyv1 {
class Eviction;  // api/policyv1.h
}  // namespace policyv1

namespace internal {

template <class P>
concept IsComplete = requires { sizeof(P); };

template <class P>
Result<Ref<P>> TypedPart(Result<ObjectRef> object) {
  if (!object) return std::move(object).error();
  return Ref<P>(*std::move(object));
}
inline Result<void> SuccessOf(const Result<ObjectRef>& answer) {
  if (!answer) return answer.error();
  return {};
}

// Updates a part that is written as the whole object.
template <class T, class M>
Result<Ref<T>> UpdateByName(const ResourceCore& core, std::string_view name, const M& object,
                            std::string_view subresource, const UpdateOptions& options,
                            const CallOptions& call) {
  if constexpr (CheckWritable<T, M>()) {
    RequestObject request = ToRequestObject<T>(object);
    request.name = name;
    return TypedPart<T>(core.Update(request, subresource, options, call));
  } else {
    return NeverCalled();
  }
}

// Returns the request for the log: the function of pod_logs.h, which this finds by its argument.
template <class Pods, class... Options>
auto LogRequest(const Pods& pods, std::string_view name, const Options&... options) {
  constexpr bool kHasHeader = requires { GetLogs(pods, name, options...); };
  static_assert(kHasHeader,
                "GetLogs needs the header of logs, and takes a corev1::PodLogOptions::Mutable: "
                "#include \"kinformer/client/pod_logs.h\"");
  if constexpr (kHasHeader) return GetLogs(pods, name, options...);
}

// Returns "https:web:8443", as a proxy is told scheme and port.
std::string JoinSchemeNamePort(std::string_view scheme, std::string_view name,
                               std::string_view port);

// Returns the request that a proxy of the server passes on. R is RestClient.
template <class R>
auto ProxyRequest(const ResourceCore& core, std::string_view name, std::string_view path,
                  const std::map<std::string, std::string>& params) {
  static_assert(IsComplete<R>,
                "ProxyGet makes a RestRequest: #include \"kinformer/client/rest_request.h\"");
  if constexpr (IsComplete<R>) {
    const KindInfo& type = core.type();
    const R client(core.client(), {std::string(type.group), std::string(type.version)});
    auto request = client.Get();
    request.Namespace(core.namespace_()).Resource(type.resource).Name(name).SubResource("proxy");
    request.Suffix(path);
    for (const auto& [key, value] : params) request.Param(key, value);
    return request;
  }
}

// Counterpart: the methods of client-go's DeploymentInterface and others.
template <class T, class Base>
class ScaleVerbs<false, T, Base> : public Base {
 public:
  using Base::Base;
  template <class P = autoscalingv1::Scale>
  auto GetScale(std::string_view name, const CallOptions& call = {}) const {
    static_assert(IsComplete<P>,
                  "a Scale has a header of its own: #include \"kinformer/api/autoscalingv1.h\"");
    if constexpr (IsComplete<P>) {
      return TypedPart<P>(this->core().GetPart(name, "scale", P::kind_info(), call));
    } else {
      return Result<void>();
    }
  }
  // `scale` is an autoscalingv1::Scale::Mutable; it needs no name.
  template <class M, class P = autoscalingv1::Scale>
  auto UpdateScale(std::string_view name, const M& scale, const UpdateOptions& options = {},
                   const CallOptions& call = {}) const {
    if constexpr (CheckWritable<P, M>()) {
      const M named = NamedPart(scale, name, this->namespace_());
      return TypedPart<P>(this->core().UpdatePart(name, "scale", P::kind_info(),
                                                  ToRequestObject<P>(named), options, call));
    } else {
      return Result<void>();
    }
  }
  template <class M, class P = autoscalingv1::Scale>
  auto ApplyScale(std::string_view name, const M& scale, const ApplyOptions& options,
                  const CallOptions& call = {}) const {
    if constexpr (CheckWritable<P, M>()) {
      const M named = NamedPart(scale, name, this->namespace_());
      return TypedPart<P>(this->core().Apply(name, "scale", P::kind_info(),
                                             ToRequestObject<P>(named), options, call));
    } else {
      return Result<void>();
    }
  }
};

template <class T, class Base>
class EvictionVerb<false, T, Base> : public Base {
 public:
  using Base::Base;
  // Evicts the pod that a policyv1::Eviction::Mutable names. kTooManyRequests: a
  // PodDisruptionBudget forbids it, try again later.
  template <class M, class P = policyv1::Eviction>
  Result<void> EvictV1(const M& eviction, const CreateOptions& options = {},
                       const CallOptions& call = {}) const {
    if constexpr (CheckWritable<P, M>()) {
      const M named = NamedPart(eviction, "", this->namespace_());
      return SuccessOf(this->core().CreatePart(named.metadata.name, "eviction", P::kind_info(),
                                               ToRequestObject<P>(named), options, call));
    } else {
      return {};
    }
  }
};

template <class T, class Base>
class BindingVerb<false, T, Base> : public Base {
 public:
  using Base::Base;
  // Binds the pod that a corev1::Binding::Mutable names to the node that is its target.
  template <class M, class P = corev1::Binding>
  Result<void> Bind(const M& binding, const CreateOptions& options = {},
                    const CallOptions& call = {}) const {
    if constexpr (CheckWritable<P, M>()) {
      const M named = NamedPart(binding, "", this->namespace_());
      return SuccessOf(this->core().CreatePart(named.metadata.name, "binding", P::kind_info(),
                                               ToRequestObject<P>(named), options, call));
    } else {
      return {};
    }
  }
};

template <class T, class Base>
class TokenVerb<false, T, Base> : public Base {
 public:
  using Base::Base;
  // Returns a token of the service account; `request` is an
  // authenticationv1::TokenRequest::Mutable.
  template <class M, class P = authenticationv1::TokenRequest>
  auto CreateToken(std::string_view name, const M& request, const CreateOptions& options = {},
                   const CallOptions& call = {}) const {
    if constexpr (CheckWritable<P, M>()) {
      const M named = NamedPart(request, name, this->namespace_());
      return TypedPart<P>(this->core().CreatePart(name, "token", P::kind_info(),
                                                  ToRequestObject<P>(named), options, call));
    } else {
      return Result<void>();
    }
  }
};

template <class T, class Base>
class ApprovalVerb<false, T, Base> : public Base {
 public:
  using Base::Base;
  // Writes the conditions of a request, which approve or deny it.
  template <class M>
  Result<Ref<T>> UpdateApproval(std::string_view name, const M& object,
                                const UpdateOptions& options = {},
                                const CallOptions& call = {}) const {
    return UpdateByName<T>(this->core(), name, object, "approval", options, call);
  }
};

template <class T, class Base>
class EphemeralContainersVerb<false, T, Base> : public Base {
 public:
  using Base::Base;
  template <class M>
  Result<Ref<T>> UpdateEphemeralContainers(std::string_view name, const M& pod,
                                           const UpdateOptions& options = {},
                                           const CallOptions& call = {}) const {
    return UpdateByName<T>(this->core(), name, pod, "ephemeralcontainers", options, call);
  }
};

template <class T, class Base>
class ResizeVerb<false, T, Base> : public Base {
 public:
  using Base::Base;
  template <class M>
  Result<Ref<T>> UpdateResize(std::string_view name, const M& pod,
                              const UpdateOptions& options = {},
                              const CallOptions& call = {}) const {
    return UpdateByName<T>(this->core(), name, pod, "resize", options, call);
  }
};

template <class T, class Base>
class FinalizeVerb<false, T, Base> : public Base {
 public:
  using Base::Base;
  // Writes the finalizers of the spec.
  template <class M>
  Result<Ref<T>> Finalize(const M& object, const UpdateOptions& options = {},
                          const CallOptions& call = {}) const {
    if constexpr (CheckWritable<T, M>()) {
      return TypedPart<T>(
          this->core().Update(ToRequestObject<T>(object), "finalize", options, call));
    } else {
      return NeverCalled();
    }
  }
};

template <class T, class Base>
class LogVerb<false, T, Base> : public Base {
 public:
  using Base::Base;
  // Return the RestRequest for the log of a container, which has blocking and awaited forms; see
  // pod_logs.h, which they need. `options` is a corev1::PodLogOptions::Mutable.
  template <class Pods = LogVerb>
  [[nodiscard]] auto GetLogs(std::string_view name) const {
    return LogRequest(static_cast<const Pods&>(*this), name);
  }
  template <class Options = corev1::PodLogOptionsMutable>
  [[nodiscard]] auto GetLogs(std::string_view name, const Options& options) const {
    return LogRequest(*this, name, options);
  }
};

template <class T, class Base>
class ProxyVerb<false, T, Base> : public Base {
 public:
  using Base::Base;
  // Returns the RestRequest for a path of what the object serves, which the server passes on. Empty
  // scheme and port: the default ones. Needs rest_request.h.
  template <class R = RestClient>
  [[nodiscard]] auto ProxyGet(std::string_view scheme, std::string_view name, std::string_view port,
                              std::string_view path,
                              const std::map<std::string, std::string>& params = {}) const {
    return ProxyRequest<R>(this->core(), JoinSchemeNamePort(scheme, name, port), path, params);
  }
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_SUBRESOURCE_VERBS_H_
