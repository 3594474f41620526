// kinformer/internal/conversion_misuse.h
//
// Overloads that explain wrong calls of Conversions at compile time: see misuse.h.

#ifndef KINFORMER_INTERNAL_CONVERSION_MISUSE_H_
#define KINFORMER_INTERNAL_CONVERSION_MISUSE_H_

#include <concepts>
#include <type_traits>

#include "kinformer/base/result.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/resource.h"

namespace kinformer::internal {

template <class F, class From, class To>
concept NoConversion = !std::is_invocable_r_v<Result<void>, F&, const From&, typename To::Mutable&>;

// Explains why F does not convert from From to To.
template <class F, class From, class To>
constexpr void ExplainConversion() {
  constexpr bool kOtherWay =
      std::is_invocable_r_v<Result<void>, F&, const To&, typename From::Mutable&>;
  static_assert(!kOtherWay,
                "this function converts the other way round: AddSpoke<Hub, Spoke> takes the one to "
                "the hub first, and Add<From, To> the one between these two");
  static_assert(kOtherWay,
                "a conversion is called with the object and with the struct that it becomes: "
                "[](const From& from, To::Mutable& to) -> Result<void> { ...; return {}; }");
}

class ConversionsMisuse {
 public:
  template <KnownKind From, KnownKind To, NoConversion<From, To> Wrong>
  auto Add(const Wrong& /*wrong*/) {
    ExplainConversion<Wrong, From, To>();
    return Result<void>();
  }
  template <KnownKind Hub, KnownKind Spoke, class ToHub, class FromHub>
    requires(NoConversion<ToHub, Spoke, Hub> || NoConversion<FromHub, Hub, Spoke>)
  auto AddSpoke(const ToHub& /*to_hub*/, const FromHub& /*from_hub*/) {
    if constexpr (NoConversion<ToHub, Spoke, Hub>) {
      ExplainConversion<ToHub, Spoke, Hub>();
    } else {
      ExplainConversion<FromHub, Hub, Spoke>();
    }
    return Result<void>();
  }

  // Explain missing kinds.
  template <KnownKind From, int = 0, class... Wrong>
  auto Add(const Wrong&... /*wrong*/) {
    ExplainKinds<Wrong...>();
    return Result<void>();
  }
  template <int = 0, class Wrong, class... Rest>
    requires(!std::same_as<Wrong, GroupVersionKind>)
  auto Add(const Wrong& /*wrong*/, const Rest&... /*rest*/) {
    ExplainKinds<Wrong>();
    return Result<void>();
  }
  template <int = 0, class... Wrong>
  auto AddSpoke(const Wrong&... /*wrong*/) {
    static_assert(kNeverHolds<Wrong...>,
                  "AddSpoke needs both kinds in angle brackets, the hub's first: AddSpoke<Hub, "
                  "Spoke>(to_hub, from_hub)");
    return Result<void>();
  }

 private:
  template <class... Given>
  static constexpr void ExplainKinds() {
    static_assert(kNeverHolds<Given...>,
                  "Add needs both kinds: in angle brackets, Add<From, To>(function), or, for "
                  "objects without a struct, Add({\"example.com\", \"v1\", \"Widget\"}, "
                  "{\"example.com\", \"v2\", \"Widget\"}, function)");
  }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CONVERSION_MISUSE_H_
