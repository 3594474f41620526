// apiserver/schema/structural_schema.h
//
// StructuralSchema: the openAPIV3Schema of one version of a custom resource, parsed once into a
// tree for the validation of writes. Counterpart: apiextensions-apiserver's schema.Structural.

#ifndef KINFORMER_APISERVER_SCHEMA_STRUCTURAL_SCHEMA_H_
#define KINFORMER_APISERVER_SCHEMA_STRUCTURAL_SCHEMA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/schema/regular_expression.h"

namespace kinformer::apiserver {

// Deeper schemas are refused, so recursion over a schema is never deeper than this.
inline constexpr std::size_t kMaxSchemaDepth = 200;

enum class SchemaType : std::uint8_t {
  kAny,
  kObject,
  kArray,
  kString,
  kInteger,
  kNumber,
  kBoolean,
};

// Returns kAny for any other text.
SchemaType SchemaTypeOf(std::string_view name);
std::string_view SchemaTypeName(SchemaType type);

// Returns equal texts for values that an enum treats as equal.
std::string EnumerationText(const json::Value& value);

enum class ListType : std::uint8_t { kAtomic, kSet, kMap };

// One node of the tree with its children. Schemas in allOf, anyOf, oneOf and not are nodes too;
// only their validation fields are set.
struct SchemaNode {
  SchemaType type = SchemaType::kAny;
  ListType list_type = ListType::kAtomic;
  bool nullable = false;
  bool int_or_string = false;
  bool embedded_resource = false;
  bool preserve_unknown = false;
  bool atomic_map = false;  // x-kubernetes-map-type
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  // additionalProperties: true or false, without a schema for the values. Pruning keeps forbidden
  // members, so that validation reports them.
  bool any_additional = false;
  bool no_additional = false;
  // This node or one below it has a default.
  bool has_defaults = false;

  // Sorted; properties[i] belongs to names[i].
  std::vector<std::string> names{};
  std::vector<SchemaNode> properties{};
  std::unique_ptr<const SchemaNode> additional{};
  std::unique_ptr<const SchemaNode> items{};
  std::vector<std::string> map_keys{};
  std::optional<json::Value> default_value{};
  // Approximate cost of one use of the default: its text, and memory for each value in it.
  std::size_t default_cost = 0;

  std::vector<std::string> required{};
  std::vector<json::Value> enumeration{};
  // The same as texts (EnumerationText), for lookups.
  std::unordered_set<std::string> enumerated{};
  std::string format{};
  std::shared_ptr<const RegularExpression> pattern{};
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  std::optional<double> multiple_of{};
  std::optional<std::int64_t> min_length{};
  std::optional<std::int64_t> max_length{};
  std::optional<std::int64_t> min_items{};
  std::optional<std::int64_t> max_items{};
  std::optional<std::int64_t> min_properties{};
  std::optional<std::int64_t> max_properties{};
  std::vector<SchemaNode> all_of{};
  std::vector<SchemaNode> any_of{};
  std::vector<SchemaNode> one_of{};
  std::unique_ptr<const SchemaNode> not_{};

  // Returns null where there is no such property.
  [[nodiscard]] const SchemaNode* FindProperty(std::string_view name) const;
  // Returns the schema of member `name`: its property, else additionalProperties, else null.
  [[nodiscard]] const SchemaNode* FindMember(std::string_view name) const;
};

// Immutable and thread-safe; shared by all writes under way.
class StructuralSchema {
 public:
  // Parses the known parts of `schema`; CheckSchema (schema_check.h) reports problems beforehand.
  // Ignores parts deeper than kMaxSchemaDepth.
  explicit StructuralSchema(const json::Value& schema);

  [[nodiscard]] const SchemaNode& root() const { return root_; }
  // The schema as written in the definition.
  [[nodiscard]] const json::Value& source() const { return source_; }

 private:
  json::Value source_;
  SchemaNode root_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_STRUCTURAL_SCHEMA_H_
