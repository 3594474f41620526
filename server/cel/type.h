// cel/type.h
//
// Type: what the checker knows of an expression, and how values of JSON are to be read.

#ifndef KINFORMER_CEL_TYPE_H_
#define KINFORMER_CEL_TYPE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::cel {

enum class TypeKind : std::uint8_t {
  kDyn,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,
  kMap,
  kObject,
  kOptional,
  kType,
  kUrl,
  kIp,
  kCidr,
  kQuantity,
  kAuthorizer,
  kPathCheck,
  kGroupCheck,
  kResourceCheck,
  kDecision,
  kSemver,
  kNamedFormat,
  kFailed,    // of an expression that is wrong: it fits everywhere
  kVariable,  // stands for a type that the checker finds out
};

// How two lists are compared and added: by position, as sets, or by the keys of their items.
enum class ListOrder : std::uint8_t { kPositions, kSet, kKeys };

struct Type;
using TypePtr = std::shared_ptr<const Type>;

// A member of an object. `name` is an identifier of the language; `json_name` the member's name in
// JSON, which may contain other characters.
struct Field {
  std::string name{};
  std::string json_name{};
  TypePtr type{};
};

struct Type {
  TypeKind kind = TypeKind::kDyn;
  // One for lists, optionals and types; key and value for maps.
  std::vector<TypePtr> parameters{};
  // Members of objects.
  std::string name{};
  std::vector<Field> fields{};  // sorted by name
  bool is_open = false;         // it has all fields; those not among `fields` are of any type
  // Members of lists in JSON.
  ListOrder order = ListOrder::kPositions;
  std::vector<std::string> keys{};
  // How long a value can be, in items or bytes, and how short its JSON, by the schema that declares
  // the type.
  std::uint64_t max_size = 0;
  std::uint64_t min_json = 1;
  // The values of a dynamic type are integers and texts.
  bool int_or_string = false;
  // The number of a variable.
  std::size_t variable = 0;

  // Returns null if there is no such field.
  [[nodiscard]] const Field* FindField(std::string_view identifier) const;
};

// Return shared types without parameters.
const TypePtr& Plain(TypeKind kind);
TypePtr ListOf(TypePtr item);
TypePtr MapOf(TypePtr key, TypePtr value);
TypePtr OptionalOf(TypePtr type);
TypePtr TypeOf(TypePtr type);
TypePtr ObjectOf(std::string name, std::vector<Field> fields);
// Returns the type of objects with any fields.
TypePtr OpenObject(std::string name);

// Returns "list(string)": the type as messages show it.
std::string TypeText(const Type& type);

// Returns whether a variable may have this name: it is no reserved word.
bool IsIdentifier(std::string_view text);

// Returns the identifier for a member of JSON: "a-b" is a__dash__b. Empty if there is none, as for
// names with other signs than letters, digits, '_', '.', '-' and '/'.
std::string EscapedName(std::string_view name);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_TYPE_H_
