// Typical first mistakes with the functions of a conversion webhook.
// case add_plain: this T is a struct of yours: name the kind that is made of it
// case add_mutable: this T is the struct that is written; name the view that is read
// case add_without_kinds: Add needs both kinds: in angle brackets, Add<From, To>\(function\)
// case add_with_one_kind: Add needs both kinds: in angle brackets, Add<From, To>\(function\)
// case add_of_texts: Add needs both kinds: .* for objects without a struct
// case add_void: a conversion is called with the object and with the struct that it becomes
// case add_of_json: a conversion is called with the object and with the struct that it becomes
// case add_the_other_way: this function converts the other way round
// case add_of_copy: this function would change a copy, which is lost: take the struct by reference
// case spoke_plain: this T is a struct of yours: name the kind that is made of it
// case spoke_without_kinds: AddSpoke needs both kinds in angle brackets, the hub's first
// case spoke_swapped: this function converts the other way round: AddSpoke<Hub, Spoke> takes
// case spoke_void: a conversion is called with the object and with the struct that it becomes

#include "kinformer/object/custom_resource.h"
#include "kinformer/webhook/conversion.h"

using kinformer::Result;
using kinformer::json::Value;

struct WidgetV1 {
  static constexpr kinformer::CustomKind kKind{
      .group = "example.com", .version = "v1", .kind = "Widget"};
  int size = 0;
};
struct WidgetV2 {
  static constexpr kinformer::CustomKind kKind{
      .group = "example.com", .version = "v2", .kind = "Widget"};
  int size = 0;
};
using V1 = kinformer::CustomResource<WidgetV1>;
using V2 = kinformer::CustomResource<WidgetV2>;

Result<void> Newer(const V1& from, V2::Mutable& to);
Result<void> Older(const V2& from, V1::Mutable& to);

void Use(kinformer::Conversions& conversions, const kinformer::GroupVersionKind& v1,
         const kinformer::GroupVersionKind& v2) {
  const auto json = [](const Value& object) -> Result<Value> { return object; };
#if defined(add_plain)
  conversions.Add<WidgetV1, WidgetV2>([](const auto&, auto&) { return Result<void>(); }).OrExit();
#elif defined(add_mutable)
  conversions.Add<V1::Mutable, V2::Mutable>(Newer).OrExit();
#elif defined(add_without_kinds)
  conversions.Add(Newer).OrExit();
#elif defined(add_with_one_kind)
  conversions.Add<V1>(Newer).OrExit();
#elif defined(add_of_texts)
  conversions.Add("v1", "v2", json).OrExit();
#elif defined(add_void)
  conversions.Add<V1, V2>([](const V1&, V2::Mutable&) {}).OrExit();
#elif defined(add_of_json)
  conversions.Add<V1, V2>(json).OrExit();
#elif defined(add_the_other_way)
  conversions.Add<V1, V2>(Older).OrExit();
#elif defined(add_of_copy)
  conversions.Add<V1, V2>([](const V1&, V2::Mutable) { return Result<void>(); }).OrExit();
#elif defined(spoke_plain)
  conversions.AddSpoke<WidgetV2, WidgetV1>(Newer, Older).OrExit();
#elif defined(spoke_without_kinds)
  conversions.AddSpoke(Newer, Older).OrExit();
#elif defined(spoke_swapped)
  conversions.AddSpoke<V2, V1>(Older, Newer).OrExit();
#elif defined(spoke_void)
  conversions.AddSpoke<V2, V1>(Newer, [](const V2&, V1::Mutable&) {}).OrExit();
#else
  conversions.AddSpoke<V2, V1>(Newer, Older).OrExit();
  conversions.Add<V1, V2>(Newer).OrExit();
  conversions.Add<V1, V2>([](const auto&, auto&) -> Result<void> { return {}; }).OrExit();
  conversions.Add(v1, v2, json).OrExit();
  conversions.Add({"example.com", "v1", "Widget"}, {"example.com", "v2", "Widget"}, json).OrExit();
#endif
  static_cast<void>(json);
}
