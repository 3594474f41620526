// kinformer/internal/delegating_client_misuse.h
//
// Overloads that explain wrong calls of a DelegatingClient at compile time: see misuse.h.

#ifndef KINFORMER_INTERNAL_DELEGATING_CLIENT_MISUSE_H_
#define KINFORMER_INTERNAL_DELEGATING_CLIENT_MISUSE_H_

#include <concepts>
#include <type_traits>

#include "kinformer/base/result.h"
#include "kinformer/internal/misuse.h"
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

class DelegatingClientMisuse {
 public:
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
  template <int = 0, NoMapping Wrong, class... Rest>
  auto Get(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "Get needs the kind, takes a name, and gives the object as its result: "
                  "Get<corev1::Pod>({\"default\", \"web-0\"})");
    return Result<void>();
  }
  template <int = 0, class... Wrong>
  auto List(const Wrong&... /*wrong*/) const
    requires(sizeof...(Wrong) == 0 || (NoMapping<Wrong> && ...))
  {
    static_assert(
        kNeverHolds<Wrong...>,
        "List needs the kind, of the objects and not of their list, and gives them as its "
        "result: List<corev1::Pod>({.namespace_ = \"default\"})");
    return Result<void>();
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  auto Patch(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "Patch needs the kind, and the object's name, not the object: "
                  "Patch<corev1::Pod>({\"default\", \"web-0\"}, patch)");
    return Result<void>();
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  auto Delete(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "Delete needs the kind, and the object's name, not the object: "
                  "Delete<corev1::Pod>({\"default\", \"web-0\"})");
    return Result<void>();
  }
  template <int = 0, NoMapping Wrong, class... Rest>
  auto DeleteAllOf(const Wrong& /*wrong*/, const Rest&... /*rest*/) const {
    static_assert(kNeverHolds<Wrong>,
                  "DeleteAllOf needs the kind: DeleteAllOf<corev1::Pod>({.namespace_ = "
                  "\"default\"})");
    return Result<void>();
  }
};

// Explains the same mistakes for parts of an object.
class SubResourceMisuse {
 public:
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
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_DELEGATING_CLIENT_MISUSE_H_
