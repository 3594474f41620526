#include "apiserver/admission/admission_review.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/built_in_conversion.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

json::Value KindOf(const AdmissionAttributes& attributes, const ResourceAt& at) {
  const auto& own = attributes.kind;
  return json::Value::MakeObject({{"group", own ? own->group : at.resource->group},
                                  {"version", own ? own->version : at.version->version},
                                  {"kind", own ? own->kind : at.version->kind}});
}

json::Value ResourceOf(const ResourceAt& at) {
  return json::Value::MakeObject({{"group", at.resource->group},
                                  {"version", at.version->version},
                                  {"resource", at.resource->plural}});
}

std::string ApiVersionOf(const AdmissionKind& kind) {
  return kind.group.empty() ? kind.version : kind.group + "/" + kind.version;
}

// Returns the conversion between the stored form and that of `at`; null: none is needed.
const Conversion* ConversionOf(const AdmissionAttributes& attributes, const ResourceAt& at) {
  return attributes.kind ? nullptr : at.version->conversion;
}

Error Invalid(const std::string& why) {
  return Error(Reason::kInternalError, "received invalid webhook response: " + why);
}

// The response is no readable AdmissionReview.
Error Unreadable(const std::string& why) {
  return Error(Reason::kInternalError, "failed to call webhook: " + why);
}

// Returns the problem of the response; empty if there is none. v1beta1 reviews are checked less
// strictly, as on a real server.
std::string ProblemOf(const json::Value& review, std::string_view api_version, std::string_view uid,
                      bool mutates) {
  const json::Value& response = review["response"];
  if (!response.is_object()) return "webhook response was absent";
  if (!api_version.ends_with("/v1")) return {};
  const std::string& answered = response["uid"].StringOrEmpty();
  if (answered != uid) {
    return "expected response.uid=" + JsonString(uid) + ", got " + JsonString(answered);
  }
  const std::string& version = review["apiVersion"].StringOrEmpty();
  const std::string& kind = review["kind"].StringOrEmpty();
  if (kind != "AdmissionReview" || version != api_version) {
    return "expected webhook response of " + std::string(api_version) +
           ", Kind=AdmissionReview, got " + version + ", Kind=" + kind;
  }
  const bool patches = !response["patch"].StringOrEmpty().empty();
  const json::Value& type = response["patchType"];
  if (!mutates && patches) return "validating webhook may not return response.patch";
  if (!mutates && !type.is_null()) return "validating webhook may not return response.patchType";
  if (patches && type.is_null()) {
    return "webhook returned response.patch but not response.patchType";
  }
  if (!patches && !type.is_null()) {
    return "webhook returned response.patchType but not response.patch";
  }
  if (!type.is_null() && type.StringOrEmpty().empty()) {
    return "webhook returned invalid response.patchType of \"\"";
  }
  return {};
}

Result<json::Value> ReadPatch(const json::Value& response, std::string_view api_version) {
  const std::optional<std::string> bytes =
      internal::Base64Decode(response["patch"].StringOrEmpty());
  if (!bytes) return Unreadable("response.patch is no base64");
  Result<json::Value> patch = json::Parse(*bytes);
  if (!patch || !patch->is_array()) {
    return Error(Reason::kInternalError,
                 "received undecodable patch in webhook response: " +
                     (patch ? "it is no list of operations" : patch.error().message()));
  }
  const std::string& type = response["patchType"].StringOrEmpty();
  if (api_version.ends_with("/v1") && type != "JSONPatch" && patch->size() > 0) {
    return Error(Reason::kInternalError, "unsupported patch type " + JsonString(type));
  }
  return patch;
}

}  // namespace

json::Value ShownIn(const AdmissionAttributes& attributes, const ResourceAt& at,
                    const json::Value& object) {
  if (!object.is_object()) return nullptr;
  const ServedVersion& version = *at.version;
  const auto& own = attributes.kind;
  json::Value out =
      json::Value::MakeObject({{"kind", own ? own->kind : version.kind},
                               {"apiVersion", own ? ApiVersionOf(*own) : version.api_version}});
  const Conversion* const conversion = ConversionOf(attributes, at);
  const json::Value converted =
      conversion == nullptr ? json::Value() : conversion->from_stored(object);
  for (const auto& [name, value] : (converted.is_null() ? object : converted).members()) {
    if (name != "kind" && name != "apiVersion") out.Set(name, value);
  }
  return out;
}

json::Value TakenFrom(const AdmissionAttributes& attributes, const ResourceAt& at,
                      json::Value shown) {
  const Conversion* const conversion = ConversionOf(attributes, at);
  return conversion == nullptr ? std::move(shown) : conversion->to_stored(shown);
}

json::Value RequestShown(const AdmissionAttributes& attributes, const ResourceAt& at) {
  json::Value request =
      json::Value::MakeObject({{"kind", KindOf(attributes, at)}, {"resource", ResourceOf(at)}});
  const std::string& subresource = attributes.subresource;
  if (!subresource.empty()) request.Set("subResource", subresource);
  request.Set("requestKind", KindOf(attributes, attributes.at));
  request.Set("requestResource", ResourceOf(attributes.at));
  if (!subresource.empty()) request.Set("requestSubResource", subresource);
  if (!attributes.name.empty()) request.Set("name", attributes.name);
  if (!attributes.namespace_.empty()) request.Set("namespace", attributes.namespace_);
  request.Set("operation", attributes.operation);
  request.Set("userInfo",
              attributes.user == nullptr ? json::Value::MakeObject() : ToJson(*attributes.user));
  request.Set("dryRun", attributes.dry_run);
  request.Set("options", attributes.options);
  return request;
}

std::string AdmissionReviewText(const AdmissionAttributes& attributes,
                                const AdmissionQuestion& question) {
  json::Value request = json::Value::MakeObject({{"uid", question.uid}});
  const json::Value shown = RequestShown(attributes, question.at);
  for (const auto& [name, value] : shown.members()) {
    request.Set(name, value);
  }
  request.Set("object", question.object);
  request.Set("oldObject", question.old);
  return json::Value::MakeObject({{"kind", "AdmissionReview"},
                                  {"apiVersion", question.api_version},
                                  {"request", std::move(request)}})
      .Dump();
}

Result<AdmissionAnswer> ReadAdmissionAnswer(std::string_view body, std::string_view api_version,
                                            std::string_view uid, bool mutates) {
  const Result<json::Value> review = json::Parse(body);
  if (!review) return Unreadable(review.error().message());
  if (const std::string problem = ProblemOf(*review, api_version, uid, mutates); !problem.empty()) {
    return Invalid(problem);
  }
  const json::Value& response = std::as_const(*review)["response"];
  AdmissionAnswer answer{.allowed = response["allowed"].AsBool().value_or(false),
                         .status = response["status"],
                         .annotations = response["auditAnnotations"]};
  for (const json::Value& warning : response["warnings"].items()) {
    answer.warnings.push_back(warning.StringOrEmpty());
  }
  if (!mutates || !answer.allowed || response["patch"].StringOrEmpty().empty()) return answer;
  Result<json::Value> patch = ReadPatch(response, api_version);
  if (!patch) return std::move(patch).error();
  answer.patch = *std::move(patch);
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
