// kinformer/internal/delegating_client_misuse.h
//
// What calls of a DelegatingClient that cannot be meant are told: see misuse.h.

#ifndef KINFORMER_INTERNAL_DELEGATING_CLIENT_MISUSE_H_
#define KINFORMER_INTERNAL_DELEGATING_CLIENT_MISUSE_H_

#include <concepts>
#include <type_traits>

#include "kinformer/index.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/object_name.h"
#include "kinformer/ref.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer {

struct RestMapping;  // discovery.h
struct ReadOptions;  // delegating_client_options.h

namespace internal {

template <class T>
concept NoName = !std::convertible_to<const T&, const ObjectName&>;
// What begins a call that says no kind, and is not one for kinds known at run time.
template <class T>
concept NoMapping = !std::same_as<T, RestMapping>;

class DelegatingClientMisuse {
 public:
  // Something else where the name should be.
  template <KnownKind T, NoName Name, class... Rest>
  Result<Ref<T>> Get(const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return NeverCalled();
  }
  template <KnownKind T, NoName Name, class... Rest>
  Result<Ref<T>> Patch(const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return NeverCalled();
  }
  template <KnownKind T, NoName Name, class... Rest>
  Result<void> Delete(const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return NeverCalled();
  }
  template <KnownKind T, class Options, class... Rest>
    requires(!std::convertible_to<const Options&, const ReadOptions&>)
  Result<void> List(const Options& /*options*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Options>,
                  "List takes ReadOptions, and gives the objects as its result: "
                  "List<corev1::Pod>({.namespace_ = \"default\"})");
    return {};
  }
  template <KnownKind T, class Options, class... Rest>
    requires(!std::convertible_to<const Options&, const ReadOptions&>)
  Result<void> DeleteAllOf(const Options& /*options*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Options>,
                  "DeleteAllOf takes ReadOptions, which say where: "
                  "DeleteAllOf<corev1::Pod>({.namespace_ = \"default\"})");
    return {};
  }

  // No kind is named. The int keeps calls that name one away.
  template <int = 0, NoMapping Wrong, class... Rest>
  Result<void> Get(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "Get needs the kind, takes a name, and gives the object as its result: "
                  "Get<corev1::Pod>({\"default\", \"web-0\"})");
    return {};
  }
  template <int = 0, class... Wrong>
  Result<void> List(const Wrong&... /*wrong*/) const
    requires(sizeof...(Wrong) == 0 || (NoMapping<Wrong> && ...))
  {
    static_assert(
        kNeverHolds<Wrong...>,
        "List needs the kind, of the objects and not of their list, and gives them as its "
        "result: List<corev1::Pod>({.namespace_ = \"default\"})");
    return {};
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  Result<void> Patch(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "Patch needs the kind, and the object's name, not the object: "
                  "Patch<corev1::Pod>({\"default\", \"web-0\"}, patch)");
    return {};
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  Result<void> Delete(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "Delete needs the kind, and the object's name, not the object: "
                  "Delete<corev1::Pod>({\"default\", \"web-0\"})");
    return {};
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  Result<void> DeleteAllOf(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "DeleteAllOf needs the kind: DeleteAllOf<corev1::Pod>({.namespace_ = "
                  "\"default\"})");
    return {};
  }

  // A function of another shape.
  template <KnownKind T, class Field, class Function>
    requires(!std::constructible_from<IndexFunc<T>, const Function&>)
  Result<void> IndexField(const Field& /*field*/, const Function& /*function*/) const {
    static_assert(kNeverHolds<Function>,
                  "IndexField takes a function that is called with the object and with where its "
                  "values go: [](corev1::Pod pod, auto& out) { out.Add(pod.spec().nodeName()); }");
    return {};
  }
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_DELEGATING_CLIENT_MISUSE_H_
