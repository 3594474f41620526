// kinformer/internal/async_subresource_verbs.h
//
// Methods of AsyncTypedClient for parts of an object: those of subresource_verbs.h, as AsyncCalls.

#ifndef KINFORMER_INTERNAL_ASYNC_SUBRESOURCE_VERBS_H_
#define KINFORMER_INTERNAL_ASYNC_SUBRESOURCE_VERBS_H_

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/client/async_call.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/internal/async_resource_core.h"
#include "kinformer/internal/named_variable.h"
#include "kinformer/internal/subresource_verbs.h"

namespace kinformer::internal {

// Return calls that write a part. `method`: "POST" or "PUT".
template <class P, class M>
AsyncCall<Ref<P>> PartCall(const AsyncResourceCore& core, std::string method, std::string name,
                           std::string subresource, const M& part, CreateOptions options) {
  RequestObject object = ToKeptRequest<P>(NamedPart(part, name, core.resource().namespace_()));
  return {core.resource().env(), [core, method = std::move(method), name = std::move(name),
                                  subresource = std::move(subresource), object = std::move(object),
                                  options = std::move(options)](CallOptions call) mutable {
            return core.SendPart(std::move(method), std::move(name), std::move(subresource),
                                 P::kind_info(), std::move(object), std::move(options),
                                 std::move(call));
          }};
}
template <class P, class M>
AsyncCall<Ref<P>> ApplyPartCall(const AsyncResourceCore& core, std::string name,
                                std::string subresource, const M& part, ApplyOptions options) {
  RequestObject object = ToKeptRequest<P>(NamedPart(part, name, core.resource().namespace_()));
  return {core.resource().env(),
          [core, name = std::move(name), subresource = std::move(subresource),
           object = std::move(object), options = std::move(options)](CallOptions call) mutable {
            return core.Apply(std::move(name), std::move(subresource), P::kind_info(),
                              std::move(object), std::move(options), std::move(call));
          }};
}
// Returns a call that creates a part that names its object, and of which no answer counts.
template <class P, class M>
AsyncCall<void> CreatePartCall(const AsyncResourceCore& core, std::string subresource,
                               const M& part, CreateOptions options) {
  RequestObject object = ToKeptRequest<P>(NamedPart(part, "", core.resource().namespace_()));
  return {core.resource().env(),
          [core, subresource = std::move(subresource), object = std::move(object),
           options = std::move(options)](CallOptions call) mutable {
            std::string name = object.name;
            return WithoutObject(core.SendPart("POST", std::move(name), std::move(subresource),
                                               P::kind_info(), std::move(object),
                                               std::move(options), std::move(call)));
          }};
}
// Returns a call that updates a part that is written as the whole object. Empty name: the object's.
template <class T, class M>
AsyncCall<Ref<T>> UpdateCall(const AsyncResourceCore& core, std::string name, const M& object,
                             std::string subresource, UpdateOptions options) {
  if constexpr (CheckWritable<T, M>()) {
    RequestObject request = ToKeptRequest<T>(object);
    if (!name.empty()) request.name = std::move(name);
    return {core.resource().env(),
            [core, request = std::move(request), subresource = std::move(subresource),
             options = std::move(options)](CallOptions call) mutable {
              return core.Update(std::move(request), std::move(subresource), std::move(options),
                                 std::move(call));
            }};
  } else {
    return {core.resource().env(), [](const CallOptions&) { return NeverSent<ObjectRef>(); }};
  }
}

template <class T, class Base>
class ScaleVerbs<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class P = autoscalingv1::Scale>
  [[nodiscard]] auto GetScale(std::string name) const {
    static_assert(IsComplete<P>,
                  "a Scale has a header of its own: #include \"kinformer/api/autoscalingv1.h\"");
    if constexpr (IsComplete<P>) {
      return AsyncCall<Ref<P>>(
          this->env(), [core = this->core(), name = std::move(name)](CallOptions call) mutable {
            return core.GetPart(std::move(name), "scale", P::kind_info(), std::move(call));
          });
    }
  }
  template <class M, class P = autoscalingv1::Scale>
  [[nodiscard]] auto UpdateScale(std::string name, M&& scale,
                                 NamedVariable<UpdateOptions> options = {}) const {
    ExplainTemporaryInAwait<M>();
    if constexpr (CheckWritable<P, std::remove_cvref_t<M>>()) {
      return PartCall<P>(this->core(), "PUT", std::move(name), "scale", scale,
                         std::move(options).Take());
    }
  }
  template <class M, class P = autoscalingv1::Scale>
  [[nodiscard]] auto ApplyScale(std::string name, M&& scale,
                                NamedVariable<ApplyOptions> options) const {
    ExplainTemporaryInAwait<M>();
    if constexpr (CheckWritable<P, std::remove_cvref_t<M>>()) {
      return ApplyPartCall<P>(this->core(), std::move(name), "scale", scale,
                              std::move(options).Take());
    }
  }
};

template <class T, class Base>
class EvictionVerb<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class M, class P = policyv1::Eviction>
  [[nodiscard]] auto EvictV1(M&& eviction, NamedVariable<CreateOptions> options = {}) const {
    ExplainTemporaryInAwait<M>();
    if constexpr (CheckWritable<P, std::remove_cvref_t<M>>()) {
      return CreatePartCall<P>(this->core(), "eviction", eviction, std::move(options).Take());
    }
  }
};

template <class T, class Base>
class BindingVerb<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class M, class P = corev1::Binding>
  [[nodiscard]] auto Bind(M&& binding, NamedVariable<CreateOptions> options = {}) const {
    ExplainTemporaryInAwait<M>();
    if constexpr (CheckWritable<P, std::remove_cvref_t<M>>()) {
      return CreatePartCall<P>(this->core(), "binding", binding, std::move(options).Take());
    }
  }
};

template <class T, class Base>
class TokenVerb<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class M, class P = authenticationv1::TokenRequest>
  [[nodiscard]] auto CreateToken(std::string name, M&& request,
                                 NamedVariable<CreateOptions> options = {}) const {
    ExplainTemporaryInAwait<M>();
    if constexpr (CheckWritable<P, std::remove_cvref_t<M>>()) {
      return PartCall<P>(this->core(), "POST", std::move(name), "token", request,
                         std::move(options).Take());
    }
  }
};

template <class T, class Base>
class ApprovalVerb<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> UpdateApproval(std::string name, M&& object,
                                                 NamedVariable<UpdateOptions> options = {}) const {
    ExplainTemporaryInAwait<M>();
    return UpdateCall<T>(this->core(), std::move(name), object, "approval",
                         std::move(options).Take());
  }
};

template <class T, class Base>
class EphemeralContainersVerb<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> UpdateEphemeralContainers(
      std::string name, M&& object, NamedVariable<UpdateOptions> options = {}) const {
    ExplainTemporaryInAwait<M>();
    return UpdateCall<T>(this->core(), std::move(name), object, "ephemeralcontainers",
                         std::move(options).Take());
  }
};

template <class T, class Base>
class ResizeVerb<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> UpdateResize(std::string name, M&& object,
                                               NamedVariable<UpdateOptions> options = {}) const {
    ExplainTemporaryInAwait<M>();
    return UpdateCall<T>(this->core(), std::move(name), object, "resize",
                         std::move(options).Take());
  }
};

template <class T, class Base>
class FinalizeVerb<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class M>
  [[nodiscard]] AsyncCall<Ref<T>> Finalize(M&& object,
                                           NamedVariable<UpdateOptions> options = {}) const {
    ExplainTemporaryInAwait<M>();
    return UpdateCall<T>(this->core(), "", object, "finalize", std::move(options).Take());
  }
};

// A RestRequest has awaited forms itself.
template <class T, class Base>
class LogVerb<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class Client = ResourceClient<T>>
  [[nodiscard]] auto GetLogs(std::string_view name) const {
    return LogRequest(Client(this->core().resource()), name);
  }
  template <class Options = corev1::PodLogOptionsMutable>
  [[nodiscard]] auto GetLogs(std::string_view name, const Options& options) const {
    return LogRequest(ResourceClient<T>(this->core().resource()), name, options);
  }
};
template <class T, class Base>
class ProxyVerb<true, T, Base> : public Base {
 public:
  using Base::Base;
  template <class R = RestClient>
  [[nodiscard]] auto ProxyGet(std::string_view scheme, std::string_view name, std::string_view port,
                              std::string_view path,
                              const std::map<std::string, std::string>& params = {}) const {
    return ProxyRequest<R>(this->core().resource(), JoinSchemeNamePort(scheme, name, port), path,
                           params);
  }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_ASYNC_SUBRESOURCE_VERBS_H_
