// kinformer/internal/descriptor.h
//
// Descriptors: the schema of messages as constant tables, generated from schema/. They drive the
// code that is not generated per type: JSON to protobuf and back, encoding and decoding of mutable
// structs, defaults, field checks.

#ifndef KINFORMER_INTERNAL_DESCRIPTOR_H_
#define KINFORMER_INTERNAL_DESCRIPTOR_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace kinformer::internal {

// Type of one value. Lists and maps are marked by flags of the field.
enum class FieldKind : std::uint8_t {
  kString,
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kBytes,        // base64 in JSON
  kMessage,      // FieldDescriptor::message
  kTime,         // metav1.Time: {1: seconds, 2: nanos}; RFC 3339 in JSON
  kMicroTime,    // metav1.MicroTime: the same on the wire; six digits in JSON
  kDuration,     // metav1.Duration: {1: nanoseconds}; Go duration text in JSON
  kQuantity,     // resource.Quantity: {1: text}; text or number in JSON
  kIntOrString,  // {1: type, 2: intVal, 3: strVal}; number or string in JSON
  kRawJson,      // RawExtension {1: raw}, JSON {1: raw}, FieldsV1 {1: Raw}: JSON verbatim
  kJsonUnion,    // a message with a union_kind: apiextensions' JSONSchemaPropsOrBool and its kin
};

// Form in JSON of messages that are not an object of their fields: apiextensions' three "this or
// that" types, and the lists of strings that are messages on the wire (authentication's ExtraValue,
// metav1's Verbs).
enum class UnionKind : std::uint8_t {
  kNone,
  kSchemaOrArray,
  kSchemaOrBool,
  kSchemaOrStringArray,
  kStringList,
};

// Merge rule of a list in patches.
enum class ListType : std::uint8_t { kUnspecified, kAtomic, kSet, kMap };

// Rules of a field for strategic merge patch and server-side apply. Counterpart: the struct tags
// patchStrategy and patchMergeKey, and the markers +listType and +listMapKey.
struct MergeRule {
  bool merge = false;            // patchStrategy has "merge"
  bool retain_keys = false;      // patchStrategy has "retainKeys"
  std::string_view merge_key{};  // patchMergeKey
  ListType list_type = ListType::kUnspecified;
  std::string_view list_map_keys{};  // comma-separated
};

struct MessageDescriptor;

struct FieldDescriptor {
  std::string_view json_name;
  std::uint32_t number = 0;
  FieldKind kind = FieldKind::kString;
  bool repeated = false;
  bool map = false;       // map<string, kind>; on the wire a repeated {1: key, 2: value}
  bool pointer = false;   // absent and zero are different
  bool omitempty = true;  // omitted from JSON when empty
  // JSON: the message's fields are members of the parent ("json:,inline"); wire: a sub-message.
  bool inlined = false;
  const MessageDescriptor* message = nullptr;
  const MergeRule* merge_rule = nullptr;  // null: no rule
};

struct MessageDescriptor {
  std::string_view name;  // "k8s.io.api.core.v1.PodSpec"
  // By field number, ascending.
  std::span<const FieldDescriptor> fields;
  // Indexes into fields, in the bytewise order of json_name; for look-up by name. Without inlined
  // fields.
  std::span<const std::uint16_t> by_name;
  // Indexes into fields, in the order in which the API writes them in JSON. With inlined fields in
  // their place.
  std::span<const std::uint16_t> json_order;
  UnionKind union_kind = UnionKind::kNone;
  // JSON has kind and apiVersion here, the wire form does not.
  bool type_meta = false;
};

// Return null if there is no such field. Binary search.
const FieldDescriptor* FindByNumber(const MessageDescriptor& message, std::uint32_t number);
const FieldDescriptor* FindByName(const MessageDescriptor& message, std::string_view json_name);

// Does as FindByName, but searches inlined messages too: finds all members that a JSON object of
// this message may have.
const FieldDescriptor* FindJsonMember(const MessageDescriptor& message, std::string_view json_name);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_DESCRIPTOR_H_
