// The error for a struct that cannot be taken apart explains how to name its members.
// first-gcc: CustomResource<T>: T must be a plain struct
// first-clang: CustomResource<T>: T must be a plain struct

#include "kinformer/object/custom_resource.h"

class Widget {
 public:
  static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
  Widget() = default;
  [[nodiscard]] int size() const { return size_; }

 private:
  int size_ = 0;
#ifdef CORRECT
 public:
  static constexpr auto kFields = std::tuple(kinformer::Field("size", &Widget::size_));
#endif
};

const kinformer::KindInfo& Use() { return kinformer::CustomResource<Widget>::kind_info(); }
