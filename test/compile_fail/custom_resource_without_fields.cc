// The error for a struct that does not name its members explains how to do it.
// first-gcc: CustomResource<T>: T must name its members
// first-clang: CustomResource<T>: T must name its members

#include "kinformer/object/custom_resource.h"

struct Widget {
  static constexpr std::string_view kGroup = "example.com";
  static constexpr std::string_view kVersion = "v1";
  static constexpr std::string_view kKind = "Widget";
  static constexpr std::string_view kPlural = "widgets";
  static constexpr bool kNamespaced = true;
  int size = 0;
#ifdef CORRECT
  static constexpr auto kFields = std::tuple(kinformer::Field("size", &Widget::size));
#endif
};

const kinformer::KindInfo& Use() { return kinformer::CustomResource<Widget>::kind_info(); }
