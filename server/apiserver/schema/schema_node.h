// apiserver/schema/schema_node.h
//
// SchemaNode: one schema of a tree of schemas, as structural_schema.h parses it.

#ifndef KINFORMER_APISERVER_SCHEMA_SCHEMA_NODE_H_
#define KINFORMER_APISERVER_SCHEMA_SCHEMA_NODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/schema/rule_set.h"
#include "cel/regular_expression.h"
#include "cel/type.h"

namespace kinformer::apiserver {

using internal::cel::RegularExpression;

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

  // ---- Only in schemas with x-kubernetes-validations.
  bool has_rules = false;     // this node or one below it
  bool has_integers = false;  // the same
  std::unique_ptr<const RuleSet> rules{};
  internal::cel::TypePtr declared_type{};  // in expressions; null if not visible there

  // Returns null where there is no such property.
  [[nodiscard]] const SchemaNode* FindProperty(std::string_view name) const;
  // Returns the schema of member `name`: its property, else additionalProperties, else null.
  [[nodiscard]] const SchemaNode* FindMember(std::string_view name) const;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_SCHEMA_NODE_H_
