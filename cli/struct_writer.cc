#include "cli/struct_writer.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>

#include "kinformer/internal/members_of.h"
#include "kinformer/internal/schema_writer.h"

#include "cli/cpp_text.h"

namespace kinformer::cli {
namespace {

using json::Value;

bool Says(const Value& schema, std::string_view flag) { return schema[flag] == Value(true); }

bool HasMembers(const Value& schema) { return schema["properties"].size() > 0; }

// Names that a schema requires and has.
Value RequiredMembers(const Value& schema) {
  Value out = Value::MakeArray();
  for (const Value& name : schema["required"].items()) {
    if (schema["properties"].contains(name.StringOrEmpty())) out.Append(name);
  }
  return out;
}

bool IsRequired(const Value& schema, std::string_view name) {
  const json::Array& names = schema["required"].items();
  return std::find(names.begin(), names.end(), Value(name)) != names.end();
}

// Returns the schema that the library makes of a struct: its members with all that is said of them.
Value StructBase(const Value& schema) {
  Value out = internal::TypedSchema("object");
  out.Set("properties", schema["properties"]);
  if (const Value required = RequiredMembers(schema); required.size() > 0) {
    out.Set("required", required);
  }
  return out;
}

// Returns an initializer for a default, nullopt if the type has no such literal.
std::optional<std::string> Initializer(const std::string& type, const Value& value) {
  if (type == "bool" && value.is_bool()) return value.Dump();
  if (type.starts_with("std::int") && value.is_integer()) return value.NumberText();
  if (type == "double" && value.is_number()) return value.NumberText();
  if (type == "std::string" && value.is_string()) return CppLiteral(value.StringOrEmpty());
  return std::nullopt;
}

// Whether a member without an initializer has this value, too.
bool IsZero(const Value& value) {
  return value == Value(false) || value == Value(0) || value == Value("");
}

// Returns "Policies" for Policy and policies.
std::string PluralName(const std::string& kind, const std::string& plural) {
  std::size_t same = 0;
  while (same < kind.size() && same < plural.size() &&
         std::tolower(static_cast<unsigned char>(kind[same])) == plural[same]) {
    ++same;
  }
  const std::string name = kind.substr(0, same) + plural.substr(same);
  return same + 1 < kind.size() || name == kind ? kind + "Objects" : name;
}

// The schema of a kind without what each object has.
Value WithoutTypeMeta(const Value& schema) {
  Value out = schema;
  if (Value* const properties = out.Find("properties")) {
    for (const char* const name : {"apiVersion", "kind", "metadata"}) properties->Erase(name);
    if (properties->size() == 0) out.Erase("properties");
  }
  if (Value* const required = out.Find("required")) {
    const auto given = [](const Value& name) {
      return name == Value("apiVersion") || name == Value("kind") || name == Value("metadata");
    };
    std::erase_if(required->EnsureArray(), given);
    if (required->size() == 0) out.Erase("required");
  }
  return out;
}

}  // namespace

void StructWriter::AddKind(const std::string& kind, const std::string& plural, const Value& schema,
                           const std::string& kind_line) {
  const std::string name = NewName(CppTypeName(kind), used_);
  const Value inside = WithoutTypeMeta(schema);
  SchemaLine whole;
  whole.SetDifference(
      inside, HasMembers(inside) ? StructBase(inside) : internal::TypedSchema("object"), false);
  const std::string head = "  static constexpr kinformer::CustomKind kKind{" + kind_line + "};\n";
  text_ += WriteStruct(inside, name, head, whole);
  kinds_.push_back(name);
  text_ += "using " + NewName(PluralName(name, plural), used_) + " = kinformer::CustomResource<" +
           name + ">;\n\n";
}

StructWriter::Type StructWriter::ScalarType(const Value& schema) const {
  const std::string& type = schema["type"].StringOrEmpty();
  const std::string& format = schema["format"].StringOrEmpty();
  if (Says(schema, "x-kubernetes-int-or-string")) {
    const Value quantity = internal::QuantitySchema();
    if (schema["pattern"] == quantity["pattern"]) {
      return {"kinformer::resource::Quantity", quantity, Type::Form::kScalar};
    }
    return {"kinformer::intstr::IntOrStringMutable", internal::IntOrStringSchema(),
            Type::Form::kScalar};
  }
  if (type == "boolean") return {"bool", internal::TypedSchema(type), Type::Form::kScalar};
  if (type == "integer" && format == "int32") {
    return {"std::int32_t", internal::IntegerSchema(sizeof(std::int32_t), true),
            Type::Form::kScalar};
  }
  if (type == "integer") {
    return {"std::int64_t", internal::IntegerSchema(sizeof(std::int64_t), true),
            Type::Form::kScalar};
  }
  if (type == "number")
    return {"double", internal::TypedSchema(type, "double"), Type::Form::kScalar};
  if (type == "string" && format == "date-time") {
    return {"kinformer::metav1::Time", internal::TypedSchema(type, format), Type::Form::kOther};
  }
  if (type == "string") return {"std::string", internal::TypedSchema(type), Type::Form::kScalar};
  return {"kinformer::json::Value", internal::AnyValueSchema(), Type::Form::kOther};
}

StructWriter::Type StructWriter::TypeOf(const Value& schema, const std::string& name) {
  const std::string& type = schema["type"].StringOrEmpty();
  if (type == "array" && schema["items"].is_object()) {
    Type item = TypeOf(schema["items"], name);
    return {"std::vector<" + item.name + ">", internal::ListSchema(std::move(item.base))};
  }
  if (type == "object" && HasMembers(schema) && !schema.contains("additionalProperties") &&
      !Says(schema, "x-kubernetes-embedded-resource")) {
    return {StructFor(schema, name), StructBase(schema), Type::Form::kStruct};
  }
  if (type == "object" && schema["additionalProperties"].is_object() && !HasMembers(schema)) {
    Type value = TypeOf(schema["additionalProperties"], name);
    return {"std::map<std::string, " + value.name + ">",
            internal::MapSchema(std::move(value.base))};
  }
  return ScalarType(schema);
}

std::string StructWriter::StructFor(const Value& schema, const std::string& name) {
  const std::string key = StructBase(schema).Dump();
  if (const auto known = structs_.find(key); known != structs_.end()) return known->second;
  const std::string unique = NewName(name, used_);
  text_ += WriteStruct(schema, unique, "", SchemaLine());
  structs_[key] = unique;
  return unique;
}

std::string StructWriter::WriteStruct(const Value& schema, const std::string& name,
                                      const std::string& head, const SchemaLine& whole) {
  const json::Object& properties = schema["properties"].members();
  const bool listed = properties.size() + 1 > internal::kMostMembers;
  Parts parts;
  if (!whole.empty()) parts.lines += "      " + whole.Text("      ") + ",\n";
  for (const auto& [property, inner] : properties) {
    AddMember(property, inner, IsRequired(schema, property), name, listed, parts);
  }
  std::string out =
      "struct " + name + " {\n" + head + parts.members + "  kinformer::UnknownFields unknown{};\n";
  if (listed) {
    out += "  static constexpr auto kFields = std::tuple(\n";
    for (const auto& [json_name, member] : parts.names) {
      out +=
          "      kinformer::Field(" + CppLiteral(json_name) + ", &" + name + "::" + member + "),\n";
    }
    out += "      kinformer::Field(&" + name + "::unknown));\n";
  }
  out += parts.constants;
  if (!parts.lines.empty()) {
    out += "  static constexpr kinformer::FieldSchema kSchema[] = {\n" + parts.lines + "  };\n";
  }
  return out + "};\n\n";
}

void StructWriter::AddMember(const std::string& name, const Value& schema, bool required,
                             const std::string& owner, bool by_json_name, Parts& parts) {
  const std::string member = NewName(CppName(name), parts.used);
  const Type type = TypeOf(schema, owner + CppTypeName(name));
  const std::string bare = member.ends_with('_') ? member.substr(0, member.size() - 1) : member;
  SchemaLine line(by_json_name ? name : member);
  if (!by_json_name && bare != name) line.Set("name", CppLiteral(name));
  if (required) line.Set("required", "true");
  Describe(schema, type.base, "k" + CppTypeName(member), parts, line);

  const Value* const fallback = schema.Find("default");
  const std::optional<std::string> initializer =
      fallback != nullptr ? Initializer(type.name, *fallback) : std::nullopt;
  std::string declared = type.name;
  if (type.form != Type::Form::kOther && !required && !initializer) {
    const char* const holder =
        type.form == Type::Form::kStruct ? "kinformer::Box" : "std::optional";
    declared = holder + ("<" + type.name + ">");
  }
  if (fallback != nullptr && (!initializer || required || IsZero(*fallback))) {
    line.Set("default_value", CppLiteral(fallback->Dump({.escape_html = false})));
  }
  parts.names.emplace_back(name, member);
  parts.members += CppComment(schema["description"].StringOrEmpty(), "  ");
  parts.members +=
      "  " + declared + " " + member + (initializer ? " = " + *initializer : "{}") + ";\n";
  if (!line.empty()) parts.lines += "      " + line.Text("      ") + ",\n";
}

void StructWriter::Describe(const Value& schema, const Value& base, const std::string& constant,
                            Parts& parts, SchemaLine& line) {
  line.SetDifference(schema, base, descriptions_);
  for (const char* const inside : {"items", "additionalProperties"}) {
    if (!base.contains(inside)) continue;
    const Value& inner = schema[inside];
    SchemaLine each;
    Describe(inner, base[inside], constant + "Each", parts, each);
    if (const Value* const fallback = inner.Find("default")) {
      each.Set("default_value", CppLiteral(fallback->Dump({.escape_html = false})));
    }
    if (each.empty()) continue;
    const std::string name = NewName(constant + "Each", parts.used_constants);
    parts.constants +=
        "  static constexpr kinformer::FieldSchema " + name + each.Text("    ") + ";\n";
    line.Set("each", "&" + name);
  }
}

}  // namespace kinformer::cli
