// Definitions of kinds, from the schemas of their versions.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/internal/schema_writer.h"
#include "kinformer/json/yaml.h"
#include "kinformer/object/crd.h"

namespace kinformer::internal {
namespace {

using json::Value;

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Value Texts(std::string_view list) {
  Value out = Value::MakeArray();
  for (const std::string_view text : PartsOf(list)) out.Append(text);
  return out;
}

// Returns the schema of the member at a path, null if there is none: ".spec.ports[0].name". What
// stands below a value of any content is one, too.
const Value* SchemaAt(const Value& root, std::string_view path) {
  const Value* at = &root;
  while (!path.empty()) {
    if (at->contains("x-kubernetes-preserve-unknown-fields")) return at;
    if (path.starts_with('[')) {
      at = at->Find("items");
      path.remove_prefix(std::min(path.find(']'), path.size() - 1) + 1);
    } else {
      if (path.starts_with('.')) path.remove_prefix(1);
      const std::string_view name = path.substr(0, path.find_first_of(".["));
      path.remove_prefix(name.size());
      const Value* const member = (*at)["properties"].Find(name);
      at = member != nullptr ? member : at->Find("additionalProperties");
    }
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string_view ColumnType(const Value& schema) {
  const std::string& type = schema["type"].StringOrEmpty();
  if (type == "integer" || type == "number" || type == "boolean") return type;
  return schema["format"].StringOrEmpty() == "date-time" ? "date" : "string";
}

// One version of a definition in the making.
class VersionWriter {
 public:
  VersionWriter(const CustomKind& kind, Value schema, std::vector<std::string>& errors)
      : kind_(kind), schema_(std::move(schema)), errors_(errors) {}

  Value Write() {
    Value out =
        Value::MakeObject({{"name", kind_.version}, {"served", kind_.served}, {"storage", false}});
    if (kind_.deprecated) out.Set("deprecated", true);
    if (!kind_.deprecation_warning.empty()) {
      out.Set("deprecationWarning", kind_.deprecation_warning);
    }
    AddSubresources(out);
    AddColumns(out);
    for (const std::string_view path : PartsOf(kind_.selectable_fields)) {
      if (SchemaAt(schema_, path) == nullptr) NoMember("selectable_fields", path);
      out.Ensure("selectableFields").Append(Value::MakeObject({{"jsonPath", path}}));
    }
    AddTypeMeta();
    out.Ensure("schema", "openAPIV3Schema") = std::move(schema_);
    return out;
  }

 private:
  void NoMember(std::string_view what, std::string_view path) {
    errors_.push_back("kKind." + std::string(what) + ": there is no member at " +
                      std::string(path));
  }

  void AddSubresources(Value& out) {
    if (kind_.status_subresource.value_or(schema_["properties"].contains("status"))) {
      out.Ensure("subresources", "status").EnsureObject();
    }
    const ScalePaths& scale = kind_.scale;
    if (scale.spec.empty() && scale.status.empty() && scale.selector.empty()) return;
    Value& written = out.Ensure("subresources", "scale");
    const auto add = [&](std::string_view name, std::string_view path) {
      if (SchemaAt(schema_, path) == nullptr) NoMember("scale", path);
      written.Set(name, path);
    };
    add("specReplicasPath", scale.spec);
    add("statusReplicasPath", scale.status);
    if (!scale.selector.empty()) add("labelSelectorPath", scale.selector);
  }

  void AddColumns(Value& out) {
    for (const PrinterColumn& column : kind_.columns) {
      if (column.path.empty()) continue;
      std::string_view type = column.type;
      if (type.empty() && column.path.starts_with(".metadata.")) {
        type = column.path.ends_with("Timestamp") ? "date" : "string";
      } else if (type.empty()) {
        const Value* const schema = SchemaAt(schema_, column.path);
        if (schema == nullptr) {
          NoMember("columns", column.path);
          continue;
        }
        type = ColumnType(*schema);
      }
      Value written =
          Value::MakeObject({{"name", column.name}, {"type", type}, {"jsonPath", column.path}});
      if (!column.description.empty()) written.Set("description", column.description);
      if (!column.format.empty()) written.Set("format", column.format);
      if (column.priority != 0) written.Set("priority", column.priority);
      out.Ensure("additionalPrinterColumns").Append(std::move(written));
    }
  }

  void AddTypeMeta() {
    if (!kind_.description.empty()) schema_.Set("description", kind_.description);
    Value& properties = schema_.Ensure("properties");
    for (const char* const name : {"apiVersion", "kind", "metadata"}) {
      if (properties.contains(name)) {
        errors_.push_back("the member " + std::string(name) +
                          " is one that each object has: leave it out");
      }
      properties.Set(name, TypedSchema(std::string_view(name) == "metadata" ? "object" : "string"));
    }
  }

  const CustomKind& kind_;
  Value schema_;
  std::vector<std::string>& errors_;
};

Value WithoutVersions(const CustomKind& kind) {
  Value names = Value::MakeObject({{"kind", kind.kind}, {"plural", kind.plural}});
  names.Set("singular", kind.singular.empty() ? Lower(kind.kind) : std::string(kind.singular));
  names.Set("listKind",
            kind.list_kind.empty() ? std::string(kind.kind) + "List" : std::string(kind.list_kind));
  if (!kind.short_names.empty()) names.Set("shortNames", Texts(kind.short_names));
  if (!kind.categories.empty()) names.Set("categories", Texts(kind.categories));
  Value out = Value::MakeObject(
      {{"apiVersion", "apiextensions.k8s.io/v1"}, {"kind", "CustomResourceDefinition"}});
  out.Ensure("metadata", "name") = std::string(kind.plural) + "." + std::string(kind.group);
  out.Ensure("spec") = Value::MakeObject({{"group", kind.group},
                                          {"names", std::move(names)},
                                          {"scope", kind.namespaced ? "Namespaced" : "Cluster"},
                                          {"versions", Value::MakeArray()}});
  return out;
}

// Definitions in the making.
class DefinitionsWriter {
 public:
  void Add(DefinedVersion version) {
    const CustomKind& kind = *version.kind;
    Value whole = WithoutVersions(kind);
    const auto same = std::find_if(made_.begin(), made_.end(), [&](const Value& one) {
      return one["metadata"] == whole["metadata"];
    });
    const std::size_t at = static_cast<std::size_t>(same - made_.begin());
    if (same == made_.end()) {
      made_.push_back(std::move(whole));
      stored_.push_back(0);
    }
    Value written = VersionWriter(kind, std::move(version.schema), version.errors).Write();
    json::Array& versions = made_[at].Ensure("spec", "versions").EnsureArray();
    if (kind.storage && !versions.empty() && versions[stored_[at]]["storage"] == Value(true)) {
      version.errors.emplace_back("another version is the one of stored objects: kKind.storage");
    }
    if (kind.storage) {
      stored_[at] = versions.size();
      written.Set("storage", true);
    }
    versions.push_back(std::move(written));
    for (const std::string& error : version.errors) {
      errors_ += (errors_.empty() ? "" : "; ") + std::string(kind.kind) + " " +
                 std::string(kind.version) + ": " + error;
    }
  }

  Result<std::vector<Value>> Take() && {
    if (!errors_.empty()) return Error(Reason::kInvalidArgument, errors_);
    for (std::size_t i = 0; i < made_.size(); ++i) {
      made_[i].Ensure("spec", "versions", stored_[i], "storage") = true;
    }
    return std::move(made_);
  }

 private:
  std::vector<Value> made_{};
  std::vector<std::size_t> stored_{};  // for each, the index of the version of stored objects
  std::string errors_{};
};

}  // namespace

Result<std::vector<Value>> MakeDefinitions(std::vector<DefinedVersion> versions) {
  DefinitionsWriter writer;
  for (DefinedVersion& version : versions) writer.Add(std::move(version));
  return std::move(writer).Take();
}

Result<Value> OnlyDefinition(std::vector<Value> definitions) {
  if (definitions.size() == 1) return std::move(definitions.front());
  return Error(Reason::kInvalidArgument,
               "crd::Definition is for the versions of one kind, with one group, kind and plural; "
               "crd::Definitions takes several kinds");
}

std::string DefinitionsText(const std::vector<Value>& definitions) {
  std::string out;
  for (const Value& definition : definitions) out += "---\n" + yaml::Dump(definition);
  return out;
}

}  // namespace kinformer::internal
