// The error for a struct that is not a kind names the missing members.
// first-gcc: T must say which resource it is, by static constexpr members
// first-clang: T must say which resource it is, by static constexpr members

#include "kinformer/object/custom_resource.h"

struct Widget {
#ifdef CORRECT
  static constexpr std::string_view kGroup = "example.com";
  static constexpr std::string_view kVersion = "v1";
  static constexpr std::string_view kKind = "Widget";
  static constexpr std::string_view kPlural = "widgets";
  static constexpr bool kNamespaced = true;
#endif
  int size = 0;
  static constexpr auto kFields = std::tuple(kinformer::Field("size", &Widget::size));
};

const Widget& Use(const kinformer::CustomResource<Widget>& widget) { return widget.value(); }
