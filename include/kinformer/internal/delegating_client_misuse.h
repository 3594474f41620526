// kinformer/internal/delegating_client_misuse.h
//
// Overloads that explain wrong calls of a DelegatingClient at compile time: see misuse.h.

#ifndef KINFORMER_INTERNAL_DELEGATING_CLIENT_MISUSE_H_
#define KINFORMER_INTERNAL_DELEGATING_CLIENT_MISUSE_H_

#include <concepts>
#include <string>
#include <type_traits>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

struct RestMapping;  // rest_mapping.h
struct ReadOptions;  // delegating_client_options.h

namespace internal {

template <class T>
concept NoName = !std::convertible_to<const T&, const ObjectName&>;
// Matches the first argument of a call without a kind that is not for kinds known at run time.
template <class T>
concept NoMapping = !std::same_as<T, RestMapping>;
template <class T>
concept NamesResource = std::same_as<T, GroupVersionResource> || std::same_as<T, GroupVersionKind>;

template <class T>
concept NoJson = !std::convertible_to<const T&, const json::Value&> &&
                 !std::convertible_to<const T&, const CreateOptions&>;

// Explains a resource by name, as for Go's dynamic client, in the place of its RestMapping.
template <class Given>
constexpr void ExplainResource() {
  static_assert(!NamesResource<Given>,
                "a resource's name does not say its kind and scope, too: give its RestMapping, of "
                "client.client().Discovery().MappingFor(resource)");
}
// Explains an object in the place of its JSON.
template <class Given>
constexpr void ExplainJson() {
  static_assert(kNeverHolds<Given>,
                "behind a RestMapping an object is a json::Value, with kind and metadata; a struct "
                "names its kind itself: leave the mapping away");
}

class DelegatingClientMisuse {
 public:
  // Explain bounds of the wrong type.
  template <class Wrong>
    requires(!std::convertible_to<const Wrong&, SteadyTime>)
  auto WithDeadline(const Wrong& /*wrong*/) const {
    static_assert(
        kNeverHolds<Wrong>,
        "WithDeadline takes a moment of the Env's steady clock: "
        "WithDeadline(env.Now() + std::chrono::seconds(5)); a span is for Within({.timeout "
        "= std::chrono::seconds(5)}), and what a reconcile has left for "
        "Within(context.call())");
    return *this;
  }
  template <class Wrong>
    requires(!std::convertible_to<const Wrong&, const CallOptions&>)
  auto Within(const Wrong& /*wrong*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "Within takes CallOptions: those of a reconcile, Within(context.call()), or "
                  "Within({.stop = token, .timeout = std::chrono::seconds(5)})");
    return *this;
  }
  template <class Wrong>
    requires(!std::convertible_to<const Wrong&, std::string>)
  auto WithNamespace(const Wrong& /*wrong*/) const {
    static_assert(!IsText<Wrong>,
                  "a namespace is a std::string, and this text is a view of one: "
                  "WithNamespace(std::string(pod.metadata().namespace_()))");
    static_assert(IsText<Wrong>,
                  "WithNamespace takes the namespace's name alone: WithNamespace(\"default\"), "
                  "or WithNamespace(request.namespace_)");
    return *this;
  }

  // Explains a name of the wrong type.
  template <KnownKind T, NoName Name, class... Rest>
  auto Get(const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<Ref<T>>(NeverCalled());
  }
  template <KnownKind T, NoName Name, class... Rest>
  auto Patch(const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<Ref<T>>(NeverCalled());
  }
  // Explains a Result where its value is needed.
  template <KnownKind T, class Wrong, class... Rest>
  auto Patch(const ObjectName& /*name*/, const Result<Wrong>& /*patch*/,
             const Rest&... /*rest*/) const {
    ExplainPatchResult<Wrong>();
    return Result<Ref<T>>(NeverCalled());
  }
  template <KnownKind T, NoName Name, class... Rest>
  auto Delete(const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<Ref<T>>(NeverCalled());
  }
  template <KnownKind T, class Options, class... Rest>
    requires(!std::convertible_to<const Options&, const ReadOptions&>)
  auto List(const Options& /*options*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Options>,
                  "List takes ReadOptions, and gives the objects as its result: "
                  "List<corev1::Pod>({.namespace_ = \"default\"})");
    return Result<void>();
  }
  template <KnownKind T, class Options, class... Rest>
    requires(!std::convertible_to<const Options&, const ReadOptions&>)
  auto DeleteAllOf(const Options& /*options*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Options>,
                  "DeleteAllOf takes ReadOptions, which say where: "
                  "DeleteAllOf<corev1::Pod>({.namespace_ = \"default\"})");
    return Result<void>();
  }

  template <KnownKind T, class Options, class... Rest>
    requires(!std::convertible_to<const Options&, const ReadOptions&>)
  auto ListMetadata(const Options& /*options*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Options>,
                  "ListMetadata takes ReadOptions, and gives the metadata as its result: "
                  "ListMetadata<corev1::Pod>({.namespace_ = \"default\"})");
    return Result<void>();
  }

  // Explain a missing kind. The int excludes calls that name one.
  template <int = 0, class... Wrong>
  auto ListMetadata(const Wrong&... /*wrong*/) const {
    static_assert(kNeverHolds<Wrong...>,
                  "ListMetadata needs the kind, of the objects and not of their list, and gives "
                  "their metadata as its result: ListMetadata<corev1::Pod>({.namespace_ = "
                  "\"default\"})");
    return Result<void>();
  }
  template <int = 0, class... Wrong>
  auto IndexMetadataField(const Wrong&... /*wrong*/) const {
    static_assert(kNeverHolds<Wrong...>,
                  "IndexMetadataField needs the kind, in angle brackets, and takes no object: "
                  "IndexMetadataField<corev1::Pod>(field, function)");
    return Result<void>();
  }
  template <int = 0, class... Wrong>
  auto IndexField(const Wrong&... /*wrong*/) const
    requires(sizeof...(Wrong) == 2 && (NoMapping<Wrong> && ...))
  {
    static_assert(kNeverHolds<Wrong...>,
                  "IndexField needs the kind, in angle brackets, and takes no object: "
                  "IndexField<corev1::Pod>(field, function)");
    return Result<void>();
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  auto Get(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    ExplainResource<Wrong>();
    static_assert(NamesResource<Wrong>,
                  "Get needs the kind, takes a name, and gives the object as its result: "
                  "Get<corev1::Pod>({\"default\", \"web-0\"})");
    return Result<void>();
  }
  template <int = 0, class... Wrong>
  auto List(const Wrong&... /*wrong*/) const
    requires(sizeof...(Wrong) == 0 || (NoMapping<Wrong> && ...))
  {
    (ExplainResource<Wrong>(), ...);
    static_assert(
        (NamesResource<Wrong> || ...),
        "List needs the kind, of the objects and not of their list, and gives them as its "
        "result: List<corev1::Pod>({.namespace_ = \"default\"})");
    return Result<void>();
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  auto Patch(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    ExplainResource<Wrong>();
    static_assert(NamesResource<Wrong>,
                  "Patch needs the kind, and the object's name, not the object: "
                  "Patch<corev1::Pod>({\"default\", \"web-0\"}, patch)");
    return Result<void>();
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  auto Delete(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    ExplainResource<Wrong>();
    static_assert(NamesResource<Wrong>,
                  "Delete needs the kind, and the object's name, not the object: "
                  "Delete<corev1::Pod>({\"default\", \"web-0\"})");
    return Result<void>();
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  auto DeleteAllOf(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    ExplainResource<Wrong>();
    static_assert(NamesResource<Wrong>,
                  "DeleteAllOf needs the kind: DeleteAllOf<corev1::Pod>({.namespace_ = "
                  "\"default\"})");
    return Result<void>();
  }

  // Explain what stands behind a RestMapping, or in its place.
  template <std::same_as<RestMapping> Mapping, NoName Name, class... Rest>
  auto Get(const Mapping& /*mapping*/, const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<void>();
  }
  template <std::same_as<RestMapping> Mapping, NoName Name, class... Rest>
  auto Patch(const Mapping& /*mapping*/, const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<void>();
  }
  template <std::same_as<RestMapping> Mapping, NoName Name, class... Rest>
  auto Delete(const Mapping& /*mapping*/, const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<void>();
  }
  template <std::same_as<RestMapping> Mapping, class Options, class... Rest>
    requires(!std::convertible_to<const Options&, const ReadOptions&>)
  auto List(const Mapping& /*mapping*/, const Options& /*options*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Options>,
                  "List takes ReadOptions behind the mapping: List(mapping, {.namespace_ = "
                  "\"default\"})");
    return Result<void>();
  }
  template <std::same_as<RestMapping> Mapping, NoJson Object, class... Rest>
  auto Create(const Mapping& /*mapping*/, const Object& /*object*/, const Rest&... /*rest*/) const {
    ExplainJson<Object>();
    return Result<void>();
  }
  template <std::same_as<RestMapping> Mapping, NoJson Object, class... Rest>
  auto Update(const Mapping& /*mapping*/, const Object& /*object*/, const Rest&... /*rest*/) const {
    ExplainJson<Object>();
    return Result<void>();
  }
  template <NamesResource Resource, class Object, class... Rest>
    requires(!std::convertible_to<const Object&, const CreateOptions&>)
  auto Create(const Resource& /*resource*/, const Object& /*object*/,
              const Rest&... /*rest*/) const {
    ExplainResource<Resource>();
    return Result<void>();
  }
  template <NamesResource Resource, class Object, class... Rest>
    requires(!std::convertible_to<const Object&, const UpdateOptions&>)
  auto Update(const Resource& /*resource*/, const Object& /*object*/,
              const Rest&... /*rest*/) const {
    ExplainResource<Resource>();
    return Result<void>();
  }
};

// Explains the same mistakes for parts of an object.
class SubResourceMisuse {
 public:
  // Explain missing kinds, and a name of the wrong type.
  template <KnownKind T, int = 0, class... Wrong>
  auto Get(const Wrong&... /*wrong*/) const {
    ExplainPart<Wrong...>();
    return Result<Ref<T>>(NeverCalled());
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  auto Get(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    ExplainPart<Wrong>();
    return Result<void>();
  }
  template <KnownKind T, KnownKind P, NoName Name, class... Rest>
  auto Get(const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<Ref<P>>(NeverCalled());
  }
  template <std::same_as<RestMapping> Mapping, std::same_as<ObjectName> Name>
  auto Get(const Mapping& /*mapping*/, const Name& /*name*/) const {
    static_assert(kNeverHolds<Mapping>,
                  "behind a RestMapping and the name Get takes the kind of the part: Get(mapping, "
                  "name, {\"autoscaling\", \"v1\", \"Scale\"})");
    return Result<void>();
  }
  template <KnownKind T, NoName Name, IsMutable Part, class... Rest>
  auto Create(const Name& /*name*/, const Part& /*part*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<Ref<T>>(NeverCalled());
  }
  template <KnownKind T, NoName Name, IsMutable Part, class... Rest>
  auto Update(const Name& /*name*/, const Part& /*part*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<Ref<T>>(NeverCalled());
  }
  template <int = 0, NoMapping Name, IsMutable Part, class... Rest>
  auto Create(const Name& /*name*/, const Part& /*part*/, const Rest&... /*rest*/) const {
    ExplainWhole<Name>();
    return Result<void>();
  }
  template <int = 0, NoMapping Name, IsMutable Part, class... Rest>
  auto Update(const Name& /*name*/, const Part& /*part*/, const Rest&... /*rest*/) const {
    ExplainWhole<Name>();
    return Result<void>();
  }
  template <KnownKind T, NoName Name, class... Rest>
  auto Patch(const Name& /*name*/, const Rest&... /*rest*/) const {
    ExplainName<Name>();
    return Result<Ref<T>>(NeverCalled());
  }
  template <KnownKind T, class Wrong, class... Rest>
  auto Patch(const ObjectName& /*name*/, const Result<Wrong>& /*patch*/,
             const Rest&... /*rest*/) const {
    ExplainPatchResult<Wrong>();
    return Result<Ref<T>>(NeverCalled());
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  auto Patch(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "Patch needs the kind, and the object's name, not the object: "
                  "Status().Patch<corev1::Pod>({\"default\", \"web-0\"}, patch)");
    return Result<void>();
  }

 private:
  template <class... Given>
  static constexpr void ExplainPart() {
    static_assert(kNeverHolds<Given...>,
                  "Get needs two kinds, of the whole object and of its part, takes the name, and "
                  "gives the part as its result: SubResource(\"scale\").Get<appsv1::Deployment, "
                  "autoscalingv1::Scale>({\"default\", \"web\"})");
  }
  template <class Given>
  static constexpr void ExplainWhole() {
    static_assert(kNeverHolds<Given>,
                  "the kind of the whole object is needed, and its name, not the object: "
                  "SubResource(\"eviction\").Create<corev1::Pod>({\"default\", \"web-0\"}, part)");
  }
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_DELEGATING_CLIENT_MISUSE_H_
