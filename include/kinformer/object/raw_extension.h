// kinformer/object/raw_extension.h
//
// runtime::RawExtension: JSON of any shape inside an object, and apiextensions' JSON and meta/v1's
// FieldsV1, which are the same.

#ifndef KINFORMER_OBJECT_RAW_EXTENSION_H_
#define KINFORMER_OBJECT_RAW_EXTENSION_H_

#include <iosfwd>
#include <string_view>

#include "kinformer/internal/view.h"

namespace kinformer::runtime {

// A view: lives as long as the object. json() is the text as the server sent it, "" if there is
// none; json::Parse reads it.
class RawExtension {
 public:
  constexpr RawExtension() = default;
  explicit RawExtension(const internal::MessageView& message);
  static RawExtension FromRaw(const internal::MessageView& parent, const internal::RawValue& value);

  [[nodiscard]] const std::string_view json() const { return json_; }
  [[nodiscard]] bool empty() const { return json_.empty(); }
  friend std::ostream& operator<<(std::ostream& out, const RawExtension& value);

 private:
  std::string_view json_{};
};

}  // namespace kinformer::runtime

#endif  // KINFORMER_OBJECT_RAW_EXTENSION_H_
