// The error for a struct that is not a kind shows the missing line.
// first-gcc: T must say which resource it is: static constexpr kinformer::CustomKind kKind
// first-clang: T must say which resource it is: static constexpr kinformer::CustomKind kKind

#include "kinformer/object/custom_resource.h"

struct Widget {
#ifdef CORRECT
  static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
#endif
  int size = 0;
};

const Widget& Use(const kinformer::CustomResource<Widget>& widget) { return widget.value(); }
