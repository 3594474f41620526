// kinformer/internal/schema_writer.h
//
// Implementation of crd.h: the OpenAPI schema of a struct.

#ifndef KINFORMER_INTERNAL_SCHEMA_WRITER_H_
#define KINFORMER_INTERNAL_SCHEMA_WRITER_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/fields_codec.h"
#include "kinformer/internal/kind_of_struct.h"
#include "kinformer/internal/mutable_codec.h"
#include "kinformer/json/json.h"
#include "kinformer/object/custom_kind.h"
#include "kinformer/object/field_schema.h"

namespace kinformer::internal {

// Returns the parts of a list, "a, b". Parts are not empty.
std::vector<std::string_view> PartsOf(std::string_view list);

// ---- Schemas of single types.
json::Value TypedSchema(std::string_view type, std::string_view format = {});
json::Value IntegerSchema(std::size_t bytes, bool is_signed);
json::Value AnyValueSchema();
json::Value AnyObjectSchema();
json::Value IntOrStringSchema();
json::Value QuantitySchema();
json::Value ListSchema(json::Value items);
json::Value MapSchema(json::Value values);
json::Value ChoiceSchema(const std::vector<std::string_view>& texts);
json::Value MessageSchema(const MessageDescriptor& message);
// Schema of a list of generated structs; conditions have their types as keys.
json::Value MessageListSchema(const MessageDescriptor& message);

// Schema of a struct in the making. Thread-compatible.
class StructSchema {
 public:
  // `errors` gets what does not fit, with `name` of the struct.
  StructSchema(std::string_view name, std::vector<std::string>& errors);

  // Adds a member. `initial` is its initializer; null: none that counts.
  void Add(const FieldFacts& field, json::Value schema, json::Value initial);
  // Adds what kSchema says.
  void Add(std::span<const FieldFacts> fields, std::span<const FieldSchema> lines);
  json::Value Take() && { return std::move(schema_); }

 private:
  void AddLine(const FieldSchema& line, json::Value& schema, const std::string& place);
  bool ReadJson(std::string_view text, const std::string& place, json::Value& out);

  std::string name_;
  std::vector<std::string>& errors_;
  json::Value schema_;
};

template <class T, class... Outer>
json::Value SchemaOfStruct(std::vector<std::string>& errors);

// Returns the schema of a member's type.
template <class M, class... Outer>
json::Value SchemaOf(std::vector<std::string>& errors) {
  if constexpr (std::is_same_v<M, json::Value>) {
    return AnyValueSchema();
  } else if constexpr (std::is_same_v<M, bool>) {
    return TypedSchema("boolean");
  } else if constexpr (std::is_integral_v<M>) {
    return IntegerSchema(sizeof(M), std::is_signed_v<M>);
  } else if constexpr (std::is_floating_point_v<M>) {
    return TypedSchema("number", sizeof(M) == sizeof(float) ? "float" : "double");
  } else if constexpr (std::is_same_v<M, std::string> || std::is_same_v<M, metav1::Duration>) {
    return TypedSchema("string");
  } else if constexpr (HasEnumNames<M>) {
    std::vector<std::string_view> texts;
    for (const auto& [enumerator, text] : EnumNames(M{})) texts.push_back(text);
    return ChoiceSchema(texts);
  } else if constexpr (std::is_base_of_v<metav1::Time, M>) {
    return TypedSchema("string", "date-time");
  } else if constexpr (std::is_same_v<M, resource::Quantity>) {
    return QuantitySchema();
  } else if constexpr (std::is_same_v<M, intstr::IntOrStringMutable>) {
    return IntOrStringSchema();
  } else if constexpr (HasMutableTable<M>) {
    return MessageSchema(*M::mutable_table().message);
  } else if constexpr (kIsOptional<M>) {
    return SchemaOf<std::remove_cvref_t<decltype(*std::declval<M&>())>, Outer...>(errors);
  } else if constexpr (kIsList<M>) {
    using Item = typename M::value_type;
    if constexpr (HasMutableTable<Item>) {
      return MessageListSchema(*Item::mutable_table().message);
    } else {
      return ListSchema(SchemaOf<Item, Outer...>(errors));
    }
  } else if constexpr (kIsMap<M>) {
    return MapSchema(SchemaOf<typename M::mapped_type, Outer...>(errors));
  } else if constexpr (HasFields<M>) {
    return SchemaOfStruct<M, Outer...>(errors);
  } else {
    static_assert(kNever<M>, "a schema needs members of the types that fields.h lists");
  }
}

// Returns what a member is if an object lacks it; null if that is the value of every member of its
// type.
template <class M>
json::Value InitialOf(const M& member) {
  json::Value initial;
  EncodeField(member, initial);
  json::Value of_all;
  const M plain{};
  EncodeField(plain, of_all);
  return initial == of_all ? json::Value() : initial;
}

template <class T, class... Outer>
json::Value SchemaOfStruct(std::vector<std::string>& errors) {
  if constexpr ((std::is_same_v<T, Outer> || ...)) {
    return AnyObjectSchema();
  } else {
    StructSchema schema(kStructName<T>.view(), errors);
    const T initial{};
    EachField(initial, [&]<class M>(const FieldFacts& field, const M& member) {
      if constexpr (!kIsBag<M>) {
        schema.Add(field, SchemaOf<M, T, Outer...>(errors), InitialOf(member));
      }
    });
    if constexpr (HasSchema<T>) schema.Add(kFieldFacts<T>, T::kSchema);
    return std::move(schema).Take();
  }
}

// One version of a kind.
struct DefinedVersion {
  const CustomKind* kind = nullptr;
  json::Value schema{};
  std::vector<std::string> errors{};
};

template <class T>
DefinedVersion VersionOf() {
  DefinedVersion out{.kind = &kKindOf<T>};
  out.schema = SchemaOfStruct<T>(out.errors);
  return out;
}

Result<std::vector<json::Value>> MakeDefinitions(std::vector<DefinedVersion> versions);
Result<json::Value> OnlyDefinition(std::vector<json::Value> definitions);
std::string DefinitionsText(const std::vector<json::Value>& definitions);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_SCHEMA_WRITER_H_
