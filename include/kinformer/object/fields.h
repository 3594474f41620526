// kinformer/object/fields.h
//
// User-defined structs as JSON: plain structs, whose members are read, written and compared by
// their names.
//
//   enum class Colour { kRed, kBlue };
//   constexpr std::array<kinformer::EnumName<Colour>, 2> EnumNames(Colour) {
//     return {{{Colour::kRed, "Red"}, {Colour::kBlue, "Blue"}}};
//   }
//   struct WidgetSpec {
//     std::int64_t size = 1;
//     std::optional<Colour> colour{};
//     std::map<std::string, std::string> selector{};
//     std::vector<Rule> rules{};               // another plain struct
//     std::string class_{};                    // "class": without an underscore at the end
//     kinformer::UnknownFields unknown{};      // what newer servers send survives an update
//   };
//   // An error reads "rules[2].port: expected an integer, got a string".
//   Result<WidgetSpec> spec = kinformer::FieldsFromJson<WidgetSpec>(text);
//
// Members may be bool, integers, float, double, std::string, enums with EnumNames, metav1::Time,
// MicroTime and Duration, resource::Quantity, intstr::IntOrStringMutable, json::Value (anything),
// plain structs, generated structs (metav1::Condition::Mutable, corev1::PodTemplateSpec::Mutable;
// include their header, kinformer/api/metav1_mutable.h), and std::optional, Box, std::vector,
// std::deque and std::map<std::string, ...> of these.
//
// Reading: a member that is absent or null keeps its default. A value of another type or out of
// range, or a text that is no enumerator, is an error that names the path. Members that the struct
// lacks are stored in its UnknownFields; without one they are dropped. Writing: members in their
// order, then the unknown ones. Empty optionals, boxes, lists, maps and times are omitted, all
// others written.
//
// kSchema (field_schema.h) gives a member another name in JSON, omits its zeros, and holds the
// rules of its definition. A struct with constructors, private members, a base class or more than
// 64 members lists the members that count:
//
//   static constexpr auto kFields = std::tuple(kinformer::Field("size", &WidgetSpec::size),
//                                              kinformer::Field(&WidgetSpec::unknown));
//
// Thread-safe; nothing blocks. Counterpart: the struct tags of Go (`json:"size,omitempty"`).

#ifndef KINFORMER_OBJECT_FIELDS_H_
#define KINFORMER_OBJECT_FIELDS_H_

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/fields_codec.h"
#include "kinformer/json/json.h"
#include "kinformer/json/json_view.h"
#include "kinformer/object/field_schema.h"

namespace kinformer {

// Describes a member by its name in JSON; Field(...).OmitEmpty() omits zeros and empty strings.
template <class Struct, class Member>
constexpr internal::FieldOf<Struct, Member> Field(std::string_view name, Member Struct::* member) {
  return {name, member};
}

// Describes the member that stores members which the struct lacks.
template <class Struct>
constexpr internal::BagOf<Struct> Field(UnknownFields Struct::* bag) {
  return {bag};
}

// Matches structs that can be read and written. A static_assert explains invalid member types.
template <class T>
concept StructWithFields = internal::HasFields<T>;

// Reads a struct. kDecode with the path of the first member that does not fit. `dropped`, if not
// null, counts members that were dropped.
template <StructWithFields T>
Result<T> FieldsFromValue(const json::Value& value, std::size_t* dropped = nullptr) {
  return internal::DecodeFields<T>(value, dropped);
}

// Does the same from a value in a cached object, read in place.
template <StructWithFields T>
Result<T> FieldsFromView(const json::View& value, std::size_t* dropped = nullptr) {
  return internal::DecodeFields<T>(value, dropped);
}

// Does the same from JSON text.
template <StructWithFields T>
Result<T> FieldsFromJson(std::string_view text) {
  Result<json::Value> value = json::Parse(text);
  if (!value) return std::move(value).error();
  return internal::DecodeFields<T>(*value, nullptr);
}

// Returns the struct as a JSON object.
template <StructWithFields T>
json::Value FieldsToValue(const T& object) {
  json::Value out;
  internal::EncodeField(object, out);
  return out;
}

// Returns the struct as compact JSON text.
template <StructWithFields T>
std::string FieldsToJson(const T& object) {
  return FieldsToValue(object).Dump();
}

// Returns true if all members, unknown ones included, would be written equally: for structs without
// operator==.
template <StructWithFields T>
[[nodiscard]] bool FieldsEqual(const T& a, const T& b) {
  return FieldsToValue(a) == FieldsToValue(b);
}

// Returns the paths that T reads, for Projection::Keep: "spec.size", "spec.rules.port". A struct
// with UnknownFields, a map, and a struct that contains itself are named as a whole. UnknownFields
// in T itself do not count.
template <StructWithFields T>
[[nodiscard]] std::vector<std::string> FieldPaths() {
  std::vector<std::string> out;
  internal::AppendPaths<T>("", out);
  return out;
}

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_FIELDS_H_
