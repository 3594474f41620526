#include "apiserver/discovery/custom_paths.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

using json::Value;
using Texts = std::vector<std::string>;

struct Parameter {
  std::string_view name{};
  std::string_view type = "string";
};
using Parameters = std::vector<Parameter>;

// Returns what an operation takes besides `pretty`, by its action.
Parameters ParametersOf(std::string_view action) {
  if (action == "get") return {{"resourceVersion"}};
  if (action == "list" || action == "deletecollection") {
    return {{"allowWatchBookmarks", "boolean"},
            {"continue"},
            {"fieldSelector"},
            {"labelSelector"},
            {"limit", "integer"},
            {"resourceVersion"},
            {"resourceVersionMatch"},
            {"sendInitialEvents", "boolean"},
            {"shardSelector"},
            {"timeoutSeconds", "integer"},
            {"watch", "boolean"}};
  }
  if (action == "delete") {
    return {{"dryRun"},
            {"gracePeriodSeconds", "integer"},
            {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
            {"orphanDependents", "boolean"},
            {"propagationPolicy"}};
  }
  Parameters writing = {{"dryRun"}, {"fieldManager"}, {"fieldValidation"}};
  if (action == "patch") writing.push_back({"force", "boolean"});
  return writing;
}

struct Operation {
  std::string_view method{};
  std::string_view action{};
  std::string_view verb{};  // in the operation's id
  std::string subject{};    // the rest of it: "NamespacedWidgetStatus"
  std::string answer{};     // name of a schema
  std::string body{};       // the same; empty: none
  Texts codes{};            // of answers other than 200 and 401
};

std::string_view Meaning(std::string_view code) {
  return code == "201" ? "Created" : code == "202" ? "Accepted" : "OK";
}

// Returns "StableExampleCom" or "stableExampleCom" for "stable.example.com".
std::string Identifier(std::string_view text, bool capital) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (std::isalpha(c) != 0 || c == '_' || (i > 0 && std::isdigit(c) != 0)) {
      out += capital ? static_cast<char>(std::toupper(c)) : text[i];
      capital = false;
    } else {
      capital = true;
    }
  }
  return out;
}

// Writes the paths of one resource.
class PathWriter {
 public:
  PathWriter(const OpenApiResource& at, OpenApiSchemas& schemas, Value& paths)
      : at_(at), schemas_(schemas), paths_(paths), v2_(schemas.form() == OpenApiVersion::kV2) {
    constexpr std::string_view kSuffix = ".k8s.io";
    if (group_.ends_with(kSuffix)) group_.remove_suffix(kSuffix.size());
  }

  void Write() {
    const std::string root = "/apis/" + at_.kind.group + "/" + at_.kind.version + "/";
    const bool namespaced = at_.resource.namespaced;
    const std::string& kind = at_.kind.kind;
    const std::string subject = (namespaced ? "Namespaced" : "") + kind;
    const std::string& object = at_.object_schema;
    if (namespaced) {
      Add(root + at_.resource.plural,
          {{"get", "list", "list", kind + "ForAllNamespaces", at_.list_schema}});
    }
    const std::string all =
        root + (namespaced ? "namespaces/{namespace}/" : "") + at_.resource.plural;
    const std::string status = Meta("Status");
    Add(all, {{"get", "list", "list", subject, at_.list_schema},
              {"post", "post", "create", subject, object, object, {"201", "202"}},
              {"delete", "deletecollection", "delete", "Collection" + subject, status}});
    Add(all + "/{name}",
        {{"get", "get", "read", subject, object},
         {"put", "put", "replace", subject, object, object, {"201"}},
         {"delete", "delete", "delete", subject, status, Meta("DeleteOptions"), {"202"}},
         {"patch", "patch", "patch", subject, object, Meta("Patch")}});
    for (const Subresource& sub : at_.resource.subresources) {
      if (!sub.IsIn(at_.kind.version)) continue;
      const bool scale = sub.name == "scale";
      const std::string part = scale ? Meta("Scale") : object;
      const std::string of = subject + (scale ? "Scale" : "Status");
      Add(all + "/{name}/" + sub.name, {{"get", "get", "read", of, part},
                                        {"put", "put", "replace", of, part, part, {"201"}},
                                        {"patch", "patch", "patch", of, part, Meta("Patch")}});
    }
  }

 private:
  std::string Meta(std::string_view name) { return schemas_.AddMetaSchema(name); }

  void Add(const std::string& path, const std::vector<Operation>& operations) {
    Value item = Value::MakeObject();
    // Parameters of all operations stand at the path.
    Parameters common = {{"pretty"}};
    for (const Parameter& parameter : ParametersOf(operations[0].action)) {
      const bool everywhere =
          std::all_of(operations.begin(), operations.end(), [&](const Operation& operation) {
            return Has(ParametersOf(operation.action), parameter);
          });
      if (everywhere) common.push_back(parameter);
    }
    for (const Operation& operation : operations) {
      item.Set(operation.method, Made(operation, common));
    }
    item.Set("parameters", Shown(common, path));
    paths_.Set(path, std::move(item));
  }

  static bool Has(const Parameters& all, const Parameter& one) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Parameter& other) { return other.name == one.name; });
  }

  [[nodiscard]] Value Query(const Parameter& parameter) const {
    Value out = Value::MakeObject({{"name", parameter.name}, {"in", "query"}});
    Value& typed = v2_ ? out : out.Ensure("schema");
    typed.Set("type", parameter.type);
    typed.Set("uniqueItems", true);
    return out;
  }
  [[nodiscard]] Value InPath(std::string_view name) const {
    Value out = Value::MakeObject({{"name", name}, {"in", "path"}, {"required", true}});
    Value& typed = v2_ ? out : out.Ensure("schema");
    typed.Set("type", "string");
    typed.Set("uniqueItems", true);
    return out;
  }

  // Returns the parameters and those that are part of the path, by name.
  [[nodiscard]] Value Shown(const Parameters& parameters, std::string_view path) const {
    std::vector<Value> all;
    for (const Parameter& parameter : parameters) all.push_back(Query(parameter));
    for (const std::string_view name : {"name", "namespace"}) {
      if (path.find("{" + std::string(name) + "}") == std::string_view::npos) continue;
      all.push_back(InPath(name));
    }
    std::sort(all.begin(), all.end(), [](const Value& a, const Value& b) {
      return a["name"].StringOrEmpty() < b["name"].StringOrEmpty();
    });
    Value out = Value::MakeArray();
    for (Value& one : all) out.Append(std::move(one));
    return out;
  }

  [[nodiscard]] Value Content(const Texts& types, const std::string& schema) const {
    Value content = Value::MakeObject();
    for (const std::string& type : types) {
      content.Set(type, Value::MakeObject({{"schema", schemas_.Reference(schema)}}));
    }
    return content;
  }

  [[nodiscard]] Value Answer(std::string_view code, const std::string& schema) const {
    Value out = Value::MakeObject({{"description", Meaning(code)}});
    if (v2_) {
      out.Set("schema", schemas_.Reference(schema));
    } else {
      out.Set("content", Content({"application/json", "application/yaml"}, schema));
    }
    return out;
  }

  // Returns the types of bodies that a method takes.
  static Texts TypesOf(std::string_view method) {
    if (method != "patch") return {"application/json", "application/yaml"};
    return {"application/json-patch+json", "application/merge-patch+json",
            "application/apply-patch+yaml"};
  }

  [[nodiscard]] Value Made(const Operation& operation, const Parameters& common) const {
    Value out = Value::MakeObject();
    out.Set("tags", Value::MakeArray(
                        {Identifier(group_, false) + "_" + Identifier(at_.kind.version, false)}));
    out.Set("operationId", std::string(operation.verb) + Identifier(group_, true) +
                               Identifier(at_.kind.version, true) + operation.subject);
    const Texts types = TypesOf(operation.method);
    if (v2_) {
      out.Set("schemes", Value::MakeArray({"https"}));
      Value consumes = Value::MakeArray();
      for (const std::string& type : types) consumes.Append(type);
      out.Set("consumes", std::move(consumes));
      out.Set("produces", Value::MakeArray({"application/json", "application/yaml"}));
    }
    Parameters own = ParametersOf(operation.action);
    std::erase_if(own, [&](const Parameter& one) { return Has(common, one); });
    Value parameters = Shown(own, {});
    if (!operation.body.empty()) AddBody(operation, types, parameters, out);
    if (parameters.size() > 0) out.Set("parameters", std::move(parameters));
    Value answers = Value::MakeObject({{"200", Answer("200", operation.answer)}});
    for (const std::string& code : operation.codes) {
      answers.Set(code, Answer(code, operation.answer));
    }
    answers.Set("401", Value::MakeObject({{"description", "Unauthorized"}}));
    out.Set("responses", std::move(answers));
    out.Set("x-kubernetes-action", operation.action);
    out.Set("x-kubernetes-group-version-kind", at_.kind.ToJson());
    return out;
  }

  void AddBody(const Operation& operation, const Texts& types, Value& parameters,
               Value& out) const {
    const bool required = operation.action != "delete";
    if (v2_) {
      Value body = Value::MakeObject({{"name", "body"}, {"in", "body"}});
      if (required) body.Set("required", true);
      body.Set("schema", schemas_.Reference(operation.body));
      json::Array& all = parameters.EnsureArray();
      all.insert(all.begin(), std::move(body));
      return;
    }
    Value body = Value::MakeObject({{"content", Content(types, operation.body)}});
    if (required) body.Set("required", true);
    out.Set("requestBody", std::move(body));
  }

  const OpenApiResource& at_;
  OpenApiSchemas& schemas_;
  Value& paths_;
  const bool v2_;
  std::string_view group_ = at_.kind.group;
};

}  // namespace

void AddCustomPaths(const OpenApiResource& at, OpenApiSchemas& schemas, json::Value& paths) {
  PathWriter(at, schemas, paths).Write();
}

}  // namespace kinformer::apiserver
