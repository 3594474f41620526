#include "apiserver/admission/admission_review.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/conversion.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

json::Value KindOf(const ResourceAt& at) {
  return json::Value::MakeObject({{"group", at.resource->group},
                                  {"version", at.version->version},
                                  {"kind", at.version->kind}});
}

json::Value ResourceOf(const ResourceAt& at) {
  return json::Value::MakeObject({{"group", at.resource->group},
                                  {"version", at.version->version},
                                  {"resource", at.resource->plural}});
}

Error Invalid(std::string why) { return Error(Reason::kInternalError, std::move(why)); }

}  // namespace

json::Value ShownIn(const ResourceAt& at, const json::Value& object) {
  if (!object.is_object()) return nullptr;
  const ServedVersion& version = *at.version;
  json::Value out =
      json::Value::MakeObject({{"kind", version.kind}, {"apiVersion", version.api_version}});
  const json::Value converted =
      version.conversion == nullptr ? json::Value() : version.conversion->from_stored(object);
  for (const auto& [name, value] : (converted.is_null() ? object : converted).members()) {
    if (name != "kind" && name != "apiVersion") out.Set(name, value);
  }
  return out;
}

json::Value TakenFrom(const ResourceAt& at, json::Value shown) {
  const ServedVersion& version = *at.version;
  return version.conversion == nullptr ? std::move(shown) : version.conversion->to_stored(shown);
}

std::string AdmissionQuestion(const AdmissionAttributes& attributes, const ResourceAt& at,
                              std::string_view api_version, std::string_view uid) {
  json::Value request =
      json::Value::MakeObject({{"uid", uid}, {"kind", KindOf(at)}, {"resource", ResourceOf(at)}});
  const std::string& subresource = attributes.subresource;
  if (!subresource.empty()) request.Set("subResource", subresource);
  request.Set("requestKind", KindOf(attributes.at));
  request.Set("requestResource", ResourceOf(attributes.at));
  if (!subresource.empty()) request.Set("requestSubResource", subresource);
  if (!attributes.name.empty()) request.Set("name", attributes.name);
  if (!attributes.namespace_.empty()) request.Set("namespace", attributes.namespace_);
  request.Set("operation", attributes.operation);
  request.Set("userInfo",
              attributes.user == nullptr ? json::Value::MakeObject() : ToJson(*attributes.user));
  request.Set("object", ShownIn(at, attributes.object));
  request.Set("oldObject", ShownIn(at, attributes.old));
  request.Set("dryRun", attributes.dry_run);
  request.Set("options", attributes.options);
  return json::Value::MakeObject({{"kind", "AdmissionReview"},
                                  {"apiVersion", api_version},
                                  {"request", std::move(request)}})
      .Dump();
}

Result<AdmissionAnswer> ReadAdmissionAnswer(std::string_view body, std::string_view api_version,
                                            std::string_view uid) {
  const Result<json::Value> review = json::Parse(body);
  if (!review) return Invalid(review.error().message());
  const json::Value& read = *review;
  if (read["kind"].StringOrEmpty() != "AdmissionReview" ||
      read["apiVersion"].StringOrEmpty() != api_version) {
    return Invalid("expected webhook response of " + std::string(api_version) +
                   ", Kind=AdmissionReview, got " + read["apiVersion"].StringOrEmpty() +
                   ", Kind=" + read["kind"].StringOrEmpty());
  }
  const json::Value& response = read["response"];
  if (!response.is_object()) return Invalid("webhook response was absent");
  if (response["uid"].StringOrEmpty() != uid) {
    return Invalid("expected response.uid=" + JsonString(uid) + ", got " +
                   JsonString(response["uid"].StringOrEmpty()));
  }
  AdmissionAnswer answer{.allowed = response["allowed"].AsBool().value_or(false),
                         .status = response["status"]};
  for (const json::Value& warning : response["warnings"].items()) {
    answer.warnings.push_back(warning.StringOrEmpty());
  }
  const std::string& patch = response["patch"].StringOrEmpty();
  if (patch.empty()) return answer;
  if (response["patchType"].StringOrEmpty() != "JSONPatch") {
    return Invalid("webhook returned response.patch but not response.patchType=JSONPatch");
  }
  const std::optional<std::string> bytes = internal::Base64Decode(patch);
  if (!bytes) return Invalid("webhook returned a response.patch that is no base64");
  Result<json::Value> parsed = json::Parse(*bytes);
  if (!parsed) return Invalid(parsed.error().message());
  answer.patch = *std::move(parsed);
  return answer;
}

Error RefusedByWebhook(std::string_view webhook, const json::Value& status) {
  std::string message = "admission webhook " + JsonString(webhook) + " denied the request";
  const std::string& said = status["message"].StringOrEmpty();
  const std::string& reason = status["reason"].StringOrEmpty();
  if (!said.empty()) {
    message += ": " + said;
  } else if (!reason.empty()) {
    message += ": " + reason;
  } else {
    message += " without explanation";
  }
  const std::int64_t code = status["code"].AsInt64().value_or(0);
  Error error(ReasonFromName(reason), std::move(message));
  error.WithHttpStatus(static_cast<int>(std::clamp<std::int64_t>(code, 400, 599)));
  const json::Value& told = status["details"];
  StatusDetails details{.name = told["name"].StringOrEmpty(),
                        .group = told["group"].StringOrEmpty(),
                        .kind = told["kind"].StringOrEmpty(),
                        .uid = told["uid"].StringOrEmpty()};
  for (const json::Value& cause : told["causes"].items()) {
    details.causes.push_back({.reason = cause["reason"].StringOrEmpty(),
                              .message = cause["message"].StringOrEmpty(),
                              .field = cause["field"].StringOrEmpty()});
  }
  return error.WithDetails(std::move(details));
}

}  // namespace kinformer::apiserver
