// kinformer/internal/factory_misuse.h
//
// Overloads that explain wrong calls of a SharedInformerFactory at compile time: see misuse.h.

#ifndef KINFORMER_INTERNAL_FACTORY_MISUSE_H_
#define KINFORMER_INTERNAL_FACTORY_MISUSE_H_

#include <concepts>
#include <exception>
#include <functional>
#include <stop_token>
#include <type_traits>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/resource.h"

namespace kinformer::internal {

class FactoryMisuse {
 public:
  // Explains a missing kind.
  template <int = 0, class... Wrong>
  auto InformerFor(const Wrong&... /*wrong*/) {
    static_assert(kNeverHolds<Wrong...>,
                  "InformerFor takes the kind in angle brackets, and no object: "
                  "InformerFor<corev1::Pod>()");
    return Result<void>();
  }
  template <KnownKind T, class Wrong, class... Rest>
    requires(!std::convertible_to<const Wrong&, InformerOptions<T>> &&
             !std::convertible_to<const Wrong&, std::function<SharedInformer<T>(Duration)>>)
  auto InformerFor(const Wrong& /*wrong*/, const Rest&... /*rest*/) {
    static_assert(
        kNeverHolds<Wrong>,
        "InformerFor takes InformerOptions<T>, as in InformerFor<corev1::Pod>({.namespaces "
        "= {\"default\"}}), or a function from a resync period to a SharedInformer<T>");
    return Never<SharedInformer<T>>();
  }
  template <std::same_as<GroupVersionResource> Resource>
  auto ForResource(const Resource& /*resource*/) {
    static_assert(
        kNeverHolds<Resource>,
        "ForResource needs the kind and its scope, too: ForResource(resource, \"Widget\", "
        "/*namespaced=*/true), or what Client::Discovery() says, "
        "ForResource(client.Discovery().MappingFor(resource).OrExit())");
    return Result<void>();
  }
  template <std::same_as<GroupVersionResource> Resource>
  auto MetadataInformerFor(const Resource& /*resource*/) {
    static_assert(kNeverHolds<Resource>,
                  "MetadataInformerFor needs the kind and its scope, too: "
                  "MetadataInformerFor(resource, \"Widget\", /*namespaced=*/true)");
    return Result<void>();
  }

  template <class... Wrong>
    requires(sizeof...(Wrong) > 0)
  auto Start(const Wrong&... /*wrong*/) {
    static_assert(kNeverHolds<Wrong...>,
                  "Start takes nothing: informers run until Shutdown, or until the factory is "
                  "destroyed");
  }
  template <class Stop, class... Rest>
    requires(!std::convertible_to<const Stop&, const std::stop_token&>)
  auto WaitForCacheSync(const Stop& /*stop*/, const Rest&... /*rest*/) {
    ExplainStop<Stop>();
    return Result<void>();
  }
  template <class Stop, class... Rest>
    requires(!std::convertible_to<const Stop&, const std::stop_token&>)
  auto WaitForHandlersSync(const Stop& /*stop*/, const Rest&... /*rest*/) {
    ExplainStop<Stop>();
    return Result<void>();
  }
  template <class... Wrong>
  auto Release(const Wrong&... /*wrong*/) {
    static_assert(kNeverHolds<Wrong...>,
                  "Release takes the informer that the factory gave: auto pods = "
                  "factory.InformerFor<corev1::Pod>(); ...; factory.Release(pods)");
  }
  template <class T, class... Wrong>
  auto Release(const Wrong&... /*wrong*/)
    requires(sizeof...(Wrong) == 0)
  {
    static_assert(kNeverHolds<T>,
                  "Release takes the informer that the factory gave: auto pods = "
                  "factory.InformerFor<corev1::Pod>(); ...; factory.Release(pods)");
  }

 private:
  template <class Stop>
  static constexpr void ExplainStop() {
    constexpr bool kIsSource =
        requires(const Stop& s) { s.token(); } || requires(const Stop& s) { s.get_token(); };
    static_assert(!kIsSource, "this is the source of the token: give its token, stop.token()");
    static_assert(kIsSource,
                  "a wait takes a stop token, and how long it may take behind that: "
                  "WaitForCacheSync(stop.token(), {.timeout = std::chrono::seconds(30)})");
  }
};

template <class Wrong>
[[noreturn]] const Client& NoClient(const Wrong& /*wrong*/) {
  static_assert(kNeverHolds<Wrong>,
                "a factory is made of a Client: Client::NewForConfig(config), or "
                "Client::FromEnvironment(), and then SharedInformerFactory(client)");
  std::terminate();
}

// Explains why the argument behind the client is no SharedInformerFactoryOptions.
template <class Options>
constexpr void ExplainFactoryOptions() {
  static_assert(kNeverHolds<Options>,
                "a factory's options have names: SharedInformerFactory(client, {.default_resync = "
                "std::chrono::minutes(10)}), or {.namespace_ = \"default\"}");
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_FACTORY_MISUSE_H_
