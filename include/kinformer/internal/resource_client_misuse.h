// kinformer/internal/resource_client_misuse.h
//
// Overloads that explain wrong calls of a ResourceClient at compile time: see misuse.h.

#ifndef KINFORMER_INTERNAL_RESOURCE_CLIENT_MISUSE_H_
#define KINFORMER_INTERNAL_RESOURCE_CLIENT_MISUSE_H_

#include <concepts>
#include <stop_token>
#include <string_view>
#include <type_traits>

#include "kinformer/base/result.h"
#include "kinformer/internal/attributes.h"
#include "kinformer/internal/misuse.h"

namespace kinformer::internal {

// An optional argument of any type, braces included.
struct AnyArgument {
  AnyArgument() = default;
  template <class Given>
  AnyArgument(const Given& /*given*/) {}  // NOLINT(google-explicit-constructor)
};

// A required argument of any type.
struct GivenArgument {
  template <class Given>
  GivenArgument(const Given& /*given*/) {}  // NOLINT(google-explicit-constructor)
};
// Matches ReadOptions, which a DelegatingClient takes, by their first member.
struct NamespaceOption {
  GivenArgument namespace_;
  AnyArgument label_selector{};
  AnyArgument field_selector{};
  AnyArgument limit{};
};
struct LabelSelectorOption {
  GivenArgument label_selector;
  AnyArgument field_selector{};
  AnyArgument limit{};
};
struct FieldSelectorOption {
  GivenArgument field_selector;
  AnyArgument limit{};
};

template <class Given>
concept IsContext = std::same_as<std::remove_cvref_t<Given>, std::stop_token>;

// Explains verbs with a context as first argument, as in Go.
class ResourceClientMisuse {
 public:
  template <IsContext Stop>
  auto Get(const Stop& /*stop*/, const AnyArgument& /*name*/ = {},
           const AnyArgument& /*options*/ = {}) const {
    static_assert(kNeverHolds<Stop>,
                  "no context goes in front: what ends the call stands last, in CallOptions: "
                  "pods.Get(\"web-0\", {}, {.stop = stop})");
    return Result<void>();
  }
  // Explains a Result where its value is needed.
  template <class Wrong, class... Rest>
  auto Patch(std::string_view /*name*/, const Result<Wrong>& /*patch*/,
             const Rest&... /*rest*/) const {
    ExplainPatchResult<Wrong>();
    return Result<void>();
  }
  template <IsContext Stop>
  auto List(const Stop& /*stop*/, const AnyArgument& /*options*/ = {}) const {
    static_assert(kNeverHolds<Stop>,
                  "no context goes in front: what ends the call stands last, in CallOptions: "
                  "pods.List({}, {.stop = stop})");
    return Result<void>();
  }
  void List(const NamespaceOption& options, const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE(
          "the namespace is the client's: client.For<corev1::Pod>(\"shop\").List()");
  void List(const LabelSelectorOption& options, const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE(
          "these options are the request's own, by the API's names: List({.labelSelector = "
          "\"app=web\"}); a LabelSelector is written with ToString()");
  void List(const FieldSelectorOption& options, const AnyArgument& call = {}) const
      KINFORMER_UNAVAILABLE(
          "these options are the request's own, by the API's names: List({.fieldSelector = "
          "\"spec.nodeName=node-7\"}); a FieldSelector is written with ToString()");
  template <IsContext Stop>
  auto Create(const Stop& /*stop*/, const AnyArgument& /*object*/ = {},
              const AnyArgument& /*options*/ = {}) const {
    static_assert(kNeverHolds<Stop>,
                  "no context goes in front: what ends the call stands last, in CallOptions: "
                  "pods.Create(pod, {}, {.stop = stop})");
    return Result<void>();
  }
  template <IsContext Stop>
  auto Update(const Stop& /*stop*/, const AnyArgument& /*object*/ = {},
              const AnyArgument& /*options*/ = {}) const {
    static_assert(kNeverHolds<Stop>,
                  "no context goes in front: what ends the call stands last, in CallOptions: "
                  "pods.Update(pod, {}, {.stop = stop})");
    return Result<void>();
  }
  template <IsContext Stop>
  auto UpdateStatus(const Stop& /*stop*/, const AnyArgument& /*object*/ = {},
                    const AnyArgument& /*options*/ = {}) const {
    static_assert(kNeverHolds<Stop>,
                  "no context goes in front: what ends the call stands last, in CallOptions: "
                  "pods.UpdateStatus(pod, {}, {.stop = stop})");
    return Result<void>();
  }
  template <IsContext Stop>
  auto Delete(const Stop& /*stop*/, const AnyArgument& /*name*/ = {},
              const AnyArgument& /*options*/ = {}) const {
    static_assert(kNeverHolds<Stop>,
                  "no context goes in front: what ends the call stands last, in CallOptions: "
                  "pods.Delete(\"web-0\", {}, {.stop = stop})");
    return Result<void>();
  }
  template <IsContext Stop>
  auto Watch(const Stop& /*stop*/, const AnyArgument& /*options*/ = {},
             const AnyArgument& /*on_event*/ = {}) const {
    static_assert(kNeverHolds<Stop>,
                  "no context goes in front: what ends the call stands last, in CallOptions, and "
                  "events come to a function: pods.Watch({}, [](const auto& event) { return true; "
                  "}, {.stop = stop})");
    return Result<void>();
  }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_RESOURCE_CLIENT_MISUSE_H_
