#include "apiserver/discovery/openapi_schemas.h"

#include <algorithm>
#include <utility>

#include "apiserver/discovery/meta_schemas.h"
#include "apiserver/discovery/openapi_facts.h"
#include "apiserver/discovery/published_schema.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;
using internal::ListType;
using internal::MergeRule;
using internal::MessageDescriptor;
using internal::UnionKind;
using json::Value;

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

// Returns "io.k8s.api.core.v1.Pod" for "k8s.io.api.core.v1.Pod".
std::string NameOf(std::string_view message) {
  constexpr std::string_view kPrefix = "k8s.io.";
  if (message.starts_with(kPrefix)) message.remove_prefix(kPrefix.size());
  std::string name = "io.k8s." + std::string(message);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// Returns "com.example.v1.Widget".
std::string CustomName(const OpenApiKind& kind) {
  std::string name;
  std::string_view rest = kind.group;
  while (!rest.empty()) {
    const std::size_t dot = rest.rfind('.');
    name += rest.substr(dot == std::string_view::npos ? 0 : dot + 1);
    name += '.';
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
  }
  return name + kind.version + "." + kind.kind;
}

Value Typed(const char* type, const char* format = nullptr) {
  Value out = Value::MakeObject({{"type", type}});
  if (format != nullptr) out.Set("format", format);
  return out;
}

// Returns a choice of types; a string in OpenAPI 2, which has no choices.
Value OneOf(OpenApiVersion form, const char* format, std::initializer_list<const char*> types) {
  if (form == OpenApiVersion::kV2) return Typed("string", format);
  Value out = Value::MakeObject();
  if (format != nullptr) out.Set("format", format);
  Value choices = Value::MakeArray();
  for (const char* const type : types) choices.Append(Typed(type));
  out.Set("oneOf", std::move(choices));
  return out;
}

Value ListOf(Value items) {
  Value out = Typed("array");
  out.Set("items", std::move(items));
  return out;
}

Value Split(std::string_view list) {
  Value out = Value::MakeArray();
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    out.Append(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return out;
}

void AddMergeRule(const MergeRule& rule, Value& schema) {
  if (!rule.list_map_keys.empty()) {
    schema.Set("x-kubernetes-list-map-keys", Split(rule.list_map_keys));
  }
  if (rule.list_type != ListType::kUnspecified) {
    schema.Set("x-kubernetes-list-type", rule.list_type == ListType::kMap   ? "map"
                                         : rule.list_type == ListType::kSet ? "set"
                                                                            : "atomic");
  }
  if (!rule.merge_key.empty()) schema.Set("x-kubernetes-patch-merge-key", rule.merge_key);
  if (rule.merge || rule.retain_keys) {
    schema.Set("x-kubernetes-patch-strategy", !rule.retain_keys ? "merge"
                                              : rule.merge      ? "merge,retainKeys"
                                                                : "retainKeys");
  }
}

bool IsRequired(const MessageDescriptor& owner, const FieldDescriptor& field) {
  const bool by_value =
      (field.kind == FieldKind::kMessage || field.kind == FieldKind::kJsonUnion) &&
      !field.pointer && !field.repeated && !field.map;
  const bool is_time = field.kind == FieldKind::kTime || field.kind == FieldKind::kMicroTime;
  const bool rule = !field.omitempty && !by_value && !is_time;
  return rule != HasOddRequirement(std::string(owner.name) + "." + std::string(field.json_name));
}

}  // namespace

json::Value OpenApiKind::ToJson() const {
  return Value::MakeObject({{"group", group}, {"version", version}, {"kind", kind}});
}

std::string OpenApiSchemas::AddPlain(std::string_view name, const json::Value& schema) {
  schemas_.try_emplace(std::string(name), schema);
  return std::string(name);
}

std::string OpenApiSchemas::AddMessage(const MessageDescriptor& message) {
  std::string name = NameOf(message.name);
  // Registers the name first, since types may refer to themselves.
  if (schemas_.try_emplace(name).second) schemas_[name] = SchemaOf(message);
  return name;
}

std::string OpenApiSchemas::AddBuiltin(const OpenApiKind& kind, const MessageDescriptor& message) {
  std::string name = AddMessage(message);
  Value& schema = schemas_[name];
  const Value entry = kind.ToJson();
  Value& kinds = schema.Ensure("x-kubernetes-group-version-kind");
  const auto& there = kinds.EnsureArray();
  if (std::find(there.begin(), there.end(), entry) == there.end()) kinds.Append(entry);
  return name;
}

json::Value OpenApiSchemas::SchemaOf(const MessageDescriptor& message) {
  switch (message.union_kind) {
    case UnionKind::kNone:
      break;
    case UnionKind::kStringList:
      return ListOf(Typed("string"));
    case UnionKind::kSchemaOrArray:
    case UnionKind::kSchemaOrBool:
    case UnionKind::kSchemaOrStringArray:
      return Value::MakeObject();
  }
  std::map<std::string, Value> members;
  Value required = Value::MakeArray();
  if (message.type_meta) {
    members.emplace("apiVersion", Typed("string"));
    members.emplace("kind", Typed("string"));
  }
  AddMembers(message, message, members, required);
  Value out = Typed("object");
  if (required.size() > 0) out.Set("required", std::move(required));
  if (!members.empty()) {
    Value properties = Value::MakeObject();
    for (auto& [name, schema] : members) properties.Set(name, std::move(schema));
    out.Set("properties", std::move(properties));
  }
  return out;
}

void OpenApiSchemas::AddMembers(const MessageDescriptor& owner, const MessageDescriptor& message,
                                std::map<std::string, json::Value>& members,
                                json::Value& required) {
  for (const std::uint16_t index : message.json_order) {
    const FieldDescriptor& field = message.fields[index];
    if (field.inlined) {
      if (field.message != nullptr) AddMembers(owner, *field.message, members, required);
      continue;
    }
    members.insert_or_assign(std::string(field.json_name), MemberOf(owner, field));
    if (IsRequired(owner, field)) required.Append(field.json_name);
  }
}

json::Value OpenApiSchemas::MemberOf(const MessageDescriptor& owner, const FieldDescriptor& field) {
  Value out = ScalarOf(owner, field);
  const bool inside = field.repeated || field.map;
  // Only a member's reference stands beside other things.
  if (const Value& all = std::as_const(out)["allOf"]; inside && all.is_array()) {
    Value bare = all[0];
    out = std::move(bare);
  }
  if (field.repeated) out = ListOf(std::move(out));
  if (field.map) {
    Value object = Typed("object");
    object.Set("additionalProperties", std::move(out));
    out = std::move(object);
  }
  if (field.merge_rule != nullptr) AddMergeRule(*field.merge_rule, out);
  return out;
}

json::Value OpenApiSchemas::ScalarOf(const MessageDescriptor& owner, const FieldDescriptor& field) {
  switch (field.kind) {
    case FieldKind::kString: {
      Value out = Typed("string");
      const std::string_view choices =
          ChoicesOf(std::string(owner.name) + "." + std::string(field.json_name));
      if (!choices.empty()) out.Set("enum", Split(choices));
      return out;
    }
    case FieldKind::kBool:
      return Typed("boolean");
    case FieldKind::kInt32:
      return Typed("integer", "int32");
    case FieldKind::kInt64:
      return Typed("integer", "int64");
    case FieldKind::kDouble:
      return Typed("number", "double");
    case FieldKind::kBytes:
      return Typed("string", "byte");
    case FieldKind::kDuration:
      return Typed("string");
    case FieldKind::kTime:
      return MemberReference(form_,
                             AddPlain(std::string(kMeta) + "Time", Typed("string", "date-time")));
    case FieldKind::kMicroTime:
      return MemberReference(
          form_, AddPlain(std::string(kMeta) + "MicroTime", Typed("string", "date-time")));
    case FieldKind::kQuantity:
      return MemberReference(form_, AddPlain("io.k8s.apimachinery.pkg.api.resource.Quantity",
                                             OneOf(form_, nullptr, {"string", "number"})));
    case FieldKind::kIntOrString:
      return MemberReference(form_, AddPlain("io.k8s.apimachinery.pkg.util.intstr.IntOrString",
                                             OneOf(form_, "int-or-string", {"integer", "string"})));
    case FieldKind::kRawJson:
      if (field.json_name == "fieldsV1") {
        return MemberReference(form_, AddPlain(std::string(kMeta) + "FieldsV1", Typed("object")));
      }
      if (owner.name.find(".apiextensions.") != std::string_view::npos) {
        return MemberReference(
            form_, AddPlain("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
                            Value::MakeObject()));
      }
      return MemberReference(
          form_, AddPlain("io.k8s.apimachinery.pkg.runtime.RawExtension", Typed("object")));
    case FieldKind::kMessage:
    case FieldKind::kJsonUnion:
      break;
  }
  if (field.message == nullptr) return Value::MakeObject();
  if (field.message->union_kind == UnionKind::kStringList) return SchemaOf(*field.message);
  return MemberReference(form_, AddMessage(*field.message));
}

std::string OpenApiSchemas::AddMetaSchema(std::string_view name) {
  std::string full = MetaSchemaName(name);
  if (!meta_schemas_.insert(full).second) return full;
  MetaSchema made = MetaSchemaOf(name, form_);
  // It says more than the type's descriptor.
  schemas_.insert_or_assign(full, std::move(made.schema));
  for (const std::string& other : made.refers_to) AddMetaSchema(other);
  return full;
}

std::string OpenApiSchemas::AddCustom(const OpenApiKind& kind, const json::Value& schema) {
  std::string name = CustomName(kind);
  Value whole = PublishedSchema(schema, form_, MemberReference(form_, AddMetaSchema("ObjectMeta")));
  whole.Set("x-kubernetes-group-version-kind", Value::MakeArray({kind.ToJson()}));
  schemas_.insert_or_assign(name, std::move(whole));
  return name;
}

std::string OpenApiSchemas::AddList(const OpenApiKind& kind, std::string_view list_kind,
                                    const std::string& item) {
  const std::size_t dot = item.rfind('.');
  std::string name = item.substr(0, dot + 1) + std::string(list_kind);
  Value whole = Typed("object");
  whole.Set("required", Value::MakeArray({"items"}));
  whole.Set("properties",
            Value::MakeObject({{"apiVersion", Typed("string")},
                               {"kind", Typed("string")},
                               {"metadata", MemberReference(form_, AddMetaSchema("ListMeta"))},
                               {"items", ListOf(Reference(item))}}));
  const OpenApiKind list{
      .group = kind.group, .version = kind.version, .kind = std::string(list_kind)};
  whole.Set("x-kubernetes-group-version-kind", Value::MakeArray({list.ToJson()}));
  schemas_.try_emplace(name, std::move(whole));
  return name;
}

json::Value OpenApiSchemas::Take() {
  Value out = Value::MakeObject();
  for (auto& [name, schema] : std::exchange(schemas_, {})) out.Set(name, std::move(schema));
  return out;
}

}  // namespace kinformer::apiserver
