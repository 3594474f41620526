#include "apiserver/write/request/apply_patch.h"

#include <algorithm>
#include <utility>

#include "kinformer/json/yaml.h"

#include "apiserver/errors/status.h"
#include "apiserver/ownership/list_problems.h"
#include "apiserver/ownership/value_shape.h"
#include "apiserver/registry/custom_object.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/request/patch.h"
#include "apiserver/schema/schema_apply.h"
#include "object/transcode/transcode.h"

namespace kinformer::apiserver {
namespace {

// Returns "v1, Kind=Pod", the form in which Go prints a group, version and kind.
std::string KindText(std::string_view api_version, std::string_view kind) {
  const bool core = api_version.find('/') == std::string_view::npos;
  return (core ? "/" : "") + std::string(api_version) + ", Kind=" + std::string(kind);
}

// Converts `unknown field "spec.containers[0].x"` to the form of merge schemas:
// .spec.containers[name="c"].x
std::string FieldPath(std::string_view problem, const json::Value& object, bool custom) {
  const std::size_t first = problem.find('"');
  const std::size_t last = problem.rfind('"');
  const std::string_view path = problem.substr(first + 1, last - first - 1);
  std::string out = ".";
  std::string pointer = "/";
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '[') {
      const std::size_t close = std::min(path.find(']', i), path.size());
      pointer.append("/").append(path.substr(i + 1, close - i - 1));
      const json::Value& element = object.At(pointer);
      if (!custom && element["name"].is_string()) {
        out += "[name=" + element["name"].Dump() + "]";
      } else {
        out += path.substr(i, close - i + 1);
      }
      i = close;
    } else {
      out += path[i];
      pointer += path[i] == '.' ? '/' : path[i];
    }
  }
  return out;
}

Error TypedPatchError(const json::Value& object, const ServedVersion& version,
                      std::vector<std::string> problems) {
  std::string text = "failed to create typed patch object (" +
                     object.At("/metadata/namespace").StringOrEmpty() + "/" +
                     object.At("/metadata/name").StringOrEmpty() + "; " +
                     KindText(version.api_version, version.kind) + "): ";
  std::sort(problems.begin(), problems.end());
  if (problems.size() > 1) text += "errors:";
  for (const std::string& problem : problems) {
    text += (problems.size() > 1 ? "\n  " : "") + problem;
  }
  return Error(Reason::kUnknown, std::move(text)).WithHttpStatus(500);
}

// Names all that is wrong with lists, of which the merge has found the first one.
Error UnmergedError(const ResourceAt& at, const json::Value& declared, std::string first) {
  std::vector<std::string> problems = ListProblems(ValueShape::Of(*at.version), declared);
  if (problems.empty()) problems.push_back(std::move(first));
  return TypedPatchError(declared, *at.version, std::move(problems));
}

// Returns the warnings of a YAML decoder about repeated members.
std::vector<std::string> RepeatedKeys(const std::vector<std::string>& pointers,
                                      std::string_view body) {
  // If there is only one line, its number is known.
  const std::string_view line = body.find('\n') == std::string_view::npos ? "line 1: " : "";
  std::vector<std::string> out;
  out.reserve(pointers.size());
  for (const std::string& pointer : pointers) {
    out.push_back(std::string(line) + "key " + JsonString(pointer.substr(pointer.rfind('/') + 1)) +
                  " already set in map");
  }
  return out;
}

// `repeated` receives warnings about repeated keys.
Result<json::Value> Parse(std::string_view body, std::vector<std::string>& repeated) {
  // Programs send JSON, which its own parser reads much faster.
  std::vector<std::string> duplicates;
  if (Result<json::Value> value = json::Parse(body, {.duplicate_keys = &duplicates}); value.ok()) {
    repeated = RepeatedKeys(duplicates, body);
    return value;
  }
  Result<json::Value> value = yaml::Parse(body, {}, &repeated);
  if (!value) return BadRequestError("error decoding YAML: " + value.error().message());
  return value;
}

}  // namespace

Result<ApplyPatch> DecodeApplyPatch(const ResourceAt& at, std::string_view body,
                                    std::string_view mode) {
  std::vector<std::string> repeated;
  Result<json::Value> parsed = Parse(body, repeated);
  if (!parsed) return parsed.error();
  ApplyPatch patch{.object = *std::move(parsed)};
  const json::Value& object = patch.object;
  if (!object.is_object()) return BadRequestError("error decoding YAML: it is not an object");
  if (!object["metadata"]["managedFields"].is_null()) {
    return BadRequestError("metadata.managedFields must be nil");
  }
  const ServedVersion& version = *at.version;
  const std::string& api_version = object["apiVersion"].StringOrEmpty();
  const std::string& kind = object["kind"].StringOrEmpty();
  if (api_version != version.api_version || kind != version.kind) {
    return BadRequestError("invalid object type: " + KindText(api_version, kind));
  }

  std::vector<std::string> unknown;
  if (version.message != nullptr) {
    internal::FieldProblems found;
    const auto typed = internal::JsonToProtobuf(*version.message, object.Dump(), &found);
    if (!typed) return TypedPatchError(object, version, {typed.error().message()});
    unknown = std::move(found.unknown);
  }
  for (std::string& problem : UnknownFieldProblems(at, object, /*applies=*/true)) {
    unknown.push_back(std::move(problem));
  }
  for (std::string& problem : unknown) {
    problem = FieldPath(problem, object, at.resource->custom) + ": field not declared in schema";
  }
  if (!unknown.empty()) {
    std::vector<std::string> lists = ListProblems(ValueShape::Of(version), object);
    unknown.insert(unknown.end(), lists.begin(), lists.end());
    return TypedPatchError(object, version, std::move(unknown));
  }

  if (mode == "Ignore" || repeated.empty()) return patch;
  patch.warnings = std::move(repeated);
  if (mode == "Strict") {
    std::string text =
        "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:";
    for (const std::string& key : patch.warnings) text += "\n  " + key;
    return BadRequestError(std::move(text));
  }
  return patch;
}

Result<void> MergeApplied(const ResourceAt& at, const json::Value& declared, json::Value& object) {
  if (!at.resource->custom) {
    const Result<void> applied = ApplyDeclaredObject(declared, at.version->message, object);
    if (applied) return {};
    return UnmergedError(at, declared, std::string(applied.error().message()));
  }
  std::string problem = ApplyDeclared(at.version->schema->root(), declared, object);
  if (problem.empty()) return {};
  return UnmergedError(at, declared, std::move(problem));
}

Result<void> CheckAppliedCreate(const ResourceAt& at, const json::Value& object,
                                std::string_view namespace_, std::string_view name) {
  const json::Value& metadata = object["metadata"];
  if (Result<void> named = CheckSentName(metadata, name); !named) return named;
  if (at.resource->namespaced) {
    if (Result<void> placed = CheckSentNamespace(metadata, namespace_); !placed) return placed;
  }
  if (const std::string& uid = metadata["uid"].StringOrEmpty(); !uid.empty()) {
    return ConflictError(at.resource->Subject(name),
                         "uid mismatch: the provided object specified uid " + uid +
                             ", and no existing object was found");
  }
  return {};
}

}  // namespace kinformer::apiserver
