// kinformer/object/mutable_values.h
//
// Types by which mutable structs own values of views: IntOrString and embedded JSON.

#ifndef KINFORMER_OBJECT_MUTABLE_VALUES_H_
#define KINFORMER_OBJECT_MUTABLE_VALUES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/object/int_or_string.h"
#include "kinformer/object/raw_extension.h"

namespace kinformer::intstr {

// A number or a text; by default the number 0. Thread-compatible.
//
//   probe.httpGet->port = 8080;
//   strategy.maxSurge = "25%";
struct IntOrStringMutable {
  IntOrStringMutable() = default;
  // NOLINTBEGIN(google-explicit-constructor): assigned as above
  IntOrStringMutable(std::int32_t number) : intVal(number) {}
  IntOrStringMutable(const char* text) : is_string(true), strVal(text) {}
  IntOrStringMutable(std::string text) : is_string(true), strVal(std::move(text)) {}
  // NOLINTEND(google-explicit-constructor)
  explicit IntOrStringMutable(const IntOrString& view)
      : is_string(view.is_string()), intVal(view.IntVal()), strVal(view.StrVal()) {}

  [[nodiscard]] IntOrString view() const {
    return is_string ? IntOrString(std::string_view(strVal)) : IntOrString(intVal);
  }
  bool operator==(const IntOrStringMutable&) const = default;

  bool is_string = false;
  std::int32_t intVal = 0;
  std::string strVal{};
};

}  // namespace kinformer::intstr

namespace kinformer::runtime {

// JSON text of any form; empty: none. The program must ensure that it is valid JSON.
// Thread-compatible.
struct RawExtensionMutable {
  RawExtensionMutable() = default;
  // NOLINTBEGIN(google-explicit-constructor): assigned to as a field of type string is
  RawExtensionMutable(std::string text) : json(std::move(text)) {}
  RawExtensionMutable(const char* text) : json(text) {}
  // NOLINTEND(google-explicit-constructor)
  explicit RawExtensionMutable(const RawExtension& view) : json(view.json()) {}
  bool operator==(const RawExtensionMutable&) const = default;

  std::string json{};
};

}  // namespace kinformer::runtime

#endif  // KINFORMER_OBJECT_MUTABLE_VALUES_H_
