#include "cli/crd_structs.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "kinformer/internal/kind_of_struct.h"

#include "cli/cpp_text.h"
#include "cli/schema_lines.h"
#include "cli/struct_writer.h"

namespace kinformer::cli {
namespace {

using json::Value;

constexpr std::string_view kHead = R"(#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kinformer/object.h"

)";

// Initializers of a CustomKind in the making.
class KindLine {
 public:
  void Add(std::string_view name, const std::string& text) {
    text_ += "\n      ." + std::string(name) + " = " + text + ",";
  }
  void AddText(std::string_view name, const Value& text) {
    if (!text.StringOrEmpty().empty()) Add(name, CppLiteral(text.StringOrEmpty()));
  }
  void AddTexts(std::string_view name, const Value& texts) {
    if (const auto list = ListOf(texts)) Add(name, CppLiteral(*list));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void Append(std::string_view name, const std::string& text, std::string& out) {
  out += (out.empty() ? "." : ", .") + std::string(name) + " = " + text;
}

std::string ColumnsText(const Value& columns) {
  std::string out;
  for (const Value& column : columns.items()) {
    std::string one;
    const auto add = [&](std::string_view name, std::string_view member) {
      const std::string& text = column[name].StringOrEmpty();
      if (!text.empty()) Append(member, CppLiteral(text), one);
    };
    add("name", "name");
    add("jsonPath", "path");
    add("type", "type");
    add("description", "description");
    add("format", "format");
    if (!(column["priority"] == Value(0)) && column["priority"].is_integer()) {
      Append("priority", column["priority"].NumberText(), one);
    }
    out += (out.empty() ? "{" : ",\n                  {") + one + "}";
  }
  return "{" + out + "}";
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string ScaleText(const Value& scale) {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view member) {
    const std::string& text = scale[name].StringOrEmpty();
    if (!text.empty()) Append(member, CppLiteral(text), out);
  };
  add("specReplicasPath", "spec");
  add("statusReplicasPath", "status");
  add("labelSelectorPath", "selector");
  return "{" + out + "}";
}

// Adds what all versions of the kind have in common.
void AddNames(const Value& spec, KindLine& line) {
  const Value& names = spec["names"];
  const std::string& kind = names["kind"].StringOrEmpty();
  line.AddText("kind", names["kind"]);
  line.AddText("plural", names["plural"]);
  if (spec["scope"] == Value("Cluster")) line.Add("namespaced", "false");
  const std::string singular = names["singular"].StringOrEmpty();
  if (singular != Lower(kind)) line.AddText("singular", names["singular"]);
  if (!(names["listKind"] == Value(kind + "List"))) line.AddText("list_kind", names["listKind"]);
  line.AddTexts("short_names", names["shortNames"]);
  line.AddTexts("categories", names["categories"]);
}

// Returns the initializers of the CustomKind.
std::string KindText(const Value& definition, const Value& version, bool descriptions) {
  KindLine line;
  line.AddText("group", definition["spec"]["group"]);
  line.AddText("version", version["name"]);
  AddNames(definition["spec"], line);
  const Value& schema = version["schema"]["openAPIV3Schema"];
  if (descriptions) line.AddText("description", schema["description"]);
  if (const Value& columns = version["additionalPrinterColumns"]; columns.size() > 0) {
    line.Add("columns", ColumnsText(columns));
  }
  if (const Value& scale = version["subresources"]["scale"]; scale.size() > 0) {
    line.Add("scale", ScaleText(scale));
  }
  const bool status = version["subresources"].contains("status");
  if (status != schema["properties"].contains("status")) {
    line.Add("status_subresource", status ? "true" : "false");
  }
  Value selectable = Value::MakeArray();
  for (const Value& field : version["selectableFields"].items()) {
    selectable.Append(field["jsonPath"]);
  }
  line.AddTexts("selectable_fields", selectable);
  if (version["storage"] == Value(true)) line.Add("storage", "true");
  if (!(version["served"] == Value(true))) line.Add("served", "false");
  if (version["deprecated"] == Value(true)) line.Add("deprecated", "true");
  line.AddText("deprecation_warning", version["deprecationWarning"]);
  return line.text();
}

// Returns "example" for "example.com".
std::string NamespaceOf(const std::string& group) {
  return CppName(Lower(group.substr(0, group.find('.'))));
}

Error NoDefinition(const Value& object) {
  return Error(Reason::kInvalidArgument,
               "a " + object["kind"].StringOrEmpty() + " of " +
                   object["apiVersion"].StringOrEmpty() +
                   " is no definition: give a CustomResourceDefinition of apiextensions.k8s.io/v1");
}

}  // namespace

Result<std::string> CrdStructs(const std::vector<Value>& definitions,
                               const CrdStructsOptions& options) {
  std::map<std::string, StructWriter> writers;  // by their namespaces
  for (const Value& definition : definitions) {
    if (!(definition["kind"] == Value("CustomResourceDefinition")) ||
        !(definition["apiVersion"] == Value("apiextensions.k8s.io/v1"))) {
      return NoDefinition(definition);
    }
    const Value& spec = definition["spec"];
    bool found = false;
    for (const Value& version : spec["versions"].items()) {
      const std::string& name = version["name"].StringOrEmpty();
      const auto& wanted = options.versions;
      const bool take = wanted.empty()
                            ? version["served"] == Value(true)
                            : std::find(wanted.begin(), wanted.end(), name) != wanted.end();
      if (!take) continue;
      found = true;
      const std::string outer = options.namespace_.empty()
                                    ? NamespaceOf(spec["group"].StringOrEmpty())
                                    : options.namespace_;
      StructWriter& writer =
          writers.try_emplace(outer + "::" + CppName(name), options.descriptions).first->second;
      writer.AddKind(spec["names"]["kind"].StringOrEmpty(), spec["names"]["plural"].StringOrEmpty(),
                     version["schema"]["openAPIV3Schema"],
                     KindText(definition, version, options.descriptions));
    }
    if (!found) {
      return Error(Reason::kInvalidArgument,
                   definition["metadata"]["name"].StringOrEmpty() + " has none of the versions");
    }
  }
  std::string out(kHead);
  std::string kinds = "// Kinds:";
  for (const auto& [name, writer] : writers) {
    out += "namespace " + name + " {\n\n" + writer.text() + "}  // namespace " + name + "\n\n";
    for (const std::string& kind : writer.kinds()) kinds += " " + name + "::" + kind;
  }
  return out + kinds + "\n";
}

}  // namespace kinformer::cli
