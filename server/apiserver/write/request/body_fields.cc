#include "apiserver/write/request/body_fields.h"

#include <algorithm>
#include <utility>

#include "apiserver/errors/decode_error.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/custom_object.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/schema/schema_validation.h"
#include "apiserver/write/request/field_order.h"
#include "object/transcode/drop_unknown.h"
#include "object/transcode/transcode.h"

namespace kinformer::apiserver {
namespace {

bool IsJson(std::string_view content_type) {
  return content_type.empty() || IsMediaType(content_type, "application/json");
}

// Restores kind and apiVersion, which a patch of a built-in kind may remove. With a strategic merge
// patch, other values are ignored, too.
void RestoreType(const ResourceRequest& request, json::Value& object) {
  if (request.at.resource->custom || !object.is_object()) return;
  const ServedVersion& version = *request.at.version;
  const bool any = IsMediaType(request.content_type, "application/strategic-merge-patch+json");
  for (const auto& [name, right] :
       {std::pair("kind", &version.kind), std::pair("apiVersion", &version.api_version)}) {
    const json::Value& said = std::as_const(object)[name];
    if (said.is_null() || (any && said.is_string() && said.StringOrEmpty() != *right)) {
      object.Set(name, *right);
    }
  }
}

}  // namespace

Result<std::vector<std::string>> ValidateFields(ObjectWriter& writer,
                                                const ResourceRequest& request,
                                                std::string_view mode, json::Value& object,
                                                const std::vector<std::string>& duplicates) {
  std::vector<std::string> problems;
  problems = duplicates;
  if (const auto* message = request.at.version->message;
      message != nullptr && !writer.Fits(*request.at.version, object)) {
    internal::FieldProblems found;
    const auto typed = internal::JsonToProtobuf(*message, object.Dump(), &found);
    if (!typed) return BadRequestError(std::string(WithoutOffset(typed.error().message())));
    problems.insert(problems.end(), found.unknown.begin(), found.unknown.end());
    if (found.more > 0) problems.push_back(std::to_string(found.more) + " more unknown fields");
    if (!found.unknown.empty()) internal::DropUnknownMembers(*message, object);
  }
  for (std::string& problem : UnknownFieldProblems(request.at, object)) {
    problems.push_back(std::move(problem));
  }
  if (mode == "Ignore") return std::vector<std::string>();
  const bool yaml = IsMediaType(request.content_type, "application/yaml");
  if (yaml) {
    // A real server first converts YAML to JSON, with sorted members.
    std::sort(problems.begin() + static_cast<std::ptrdiff_t>(duplicates.size()), problems.end());
  } else if (problems.size() > 1 && IsJson(request.content_type)) {
    SortByText(request.body, problems);
  }
  if (mode != "Strict" || problems.empty()) return problems;
  std::string text = yaml && !duplicates.empty() ? "yaml: unmarshal errors:" : "";
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const bool line = yaml && i < duplicates.size();
    text += (line ? "\n  " : text.empty() ? "" : ", ") + problems[i];
  }
  return BadRequestError("strict decoding error: " + text);
}

Result<std::vector<std::string>> CheckPatched(ObjectWriter& writer, const ResourceRequest& request,
                                              std::string_view mode, const std::string& uid,
                                              json::Value& object) {
  const auto invalid = [&](const std::string& why) {
    return InvalidError({},
                        {InvalidValue("patch", GoQuoted(object.Dump({.sort_keys = true})), why)});
  };
  RestoreType(request, object);
  const json::Value& patched = object;
  if (const std::string& sent = patched.At("/metadata/uid").StringOrEmpty();
      !sent.empty() && sent != uid) {
    return InvalidError(request.at.resource->KindSubject(request.info.name),
                        {InvalidValue("metadata.uid", JsonString(sent), "field is immutable")});
  }
  if (patched["kind"].StringOrEmpty() != request.at.version->kind ||
      patched["apiVersion"].StringOrEmpty() != request.at.version->api_version) {
    return invalid("the result of the patch must be a " + request.at.version->kind + " of " +
                   request.at.version->api_version);
  }
  auto warnings = ValidateFields(writer, request, mode, object, {});
  if (!warnings) return invalid(warnings.error().message());
  return warnings;
}

}  // namespace kinformer::apiserver
