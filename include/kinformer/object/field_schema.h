// kinformer/object/field_schema.h
//
// FieldSchema: what a struct of the program says of its members beside their types: names in JSON
// that C++ cannot have, and the rules that the server checks, for the definition (crd.h).
//
//   struct WebsiteSpec {
//     std::string page{};
//     std::int32_t replicas = 1;
//     std::string class_{};  // "class" in JSON: an underscore at the end is left out
//     static constexpr kinformer::FieldSchema kSchema[] = {
//         {.rule = {.expression = "self.page != '' || self.replicas == 0"}},  // of the struct
//         {.member = "page", .max_length = 65536},
//         {.member = "replicas", .minimum = 0, .maximum = 100},
//     };
//   };
//
// Members without rules need no line. A line for a member that the struct lacks does not compile.
// Counterpart: the markers of controller-gen (+kubebuilder:validation:Minimum=0).

#ifndef KINFORMER_OBJECT_FIELD_SCHEMA_H_
#define KINFORMER_OBJECT_FIELD_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace kinformer {

// A rule in CEL. Counterpart: +kubebuilder:validation:XValidation.
struct SchemaRule {
  std::string_view expression{};  // "self.minimum <= self.maximum"
  std::string_view message{};
  std::string_view message_expression{};
  std::string_view reason{};      // "FieldValueInvalid" if empty
  std::string_view field_path{};  // ".minimum"
  bool optional_old_self = false;
};

// Facts of one member. All of them but the first three and `required` concern the definition only.
// Several lines for one member add up.
struct FieldSchema {
  // Name in C++, or in JSON if the struct has kFields. Empty: the struct itself.
  std::string_view member{};
  // Name in JSON; empty: that of the member, without an underscore at its end.
  std::string_view name{};
  bool omit_empty = false;  // omits zeros and empty strings, too, when written

  std::string_view description{};
  bool required = false;  // the server refuses objects without it; an empty list is written
  bool nullable = false;
  // Value that the server sets where the member is missing, as JSON. Empty: the member's
  // initializer, if it is another value than zero, false, "" or an empty list.
  std::string_view default_value{};
  bool no_default = false;  // the initializer is no default of the server

  std::string_view format{};   // "date-time", "ipv4", "uri"
  std::string_view pattern{};  // regular expression
  std::string_view values{};   // the only texts that are allowed: "Fast, Slow"
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<double> multiple_of{};
  std::optional<std::int64_t> min_length{};
  std::optional<std::int64_t> max_length{};
  std::optional<std::int64_t> min_items{};
  std::optional<std::int64_t> max_items{};
  std::optional<std::int64_t> min_properties{};
  std::optional<std::int64_t> max_properties{};
  std::string_view list_type{};          // "atomic", "set" or "map"
  std::string_view list_map_keys{};      // members that identify an item: "name, port"
  std::string_view map_type{};           // "atomic" or "granular"
  bool preserve_unknown_fields = false;  // the server keeps members that the struct lacks
  bool embedded_resource = false;        // a whole object, with kind and metadata
  SchemaRule rule{};                     // several rules are several lines
  // Facts of the items of a list, or the values of a map: an object of static lifetime.
  const FieldSchema* each = nullptr;
  // More of the schema, as a JSON object: its members replace those of the same name, and null
  // removes one. For what this struct has no words for, such as anyOf.
  std::string_view extra{};
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_FIELD_SCHEMA_H_
