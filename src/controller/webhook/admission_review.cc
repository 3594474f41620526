#include "controller/webhook/admission_review.h"

#include <utility>

#include "kinformer/json/json.h"

#include "controller/webhook/review_request.h"
#include "object/values/text_forms.h"

namespace kinformer::internal::webhook {
namespace {

GroupVersionKind KindIn(const json::Value& value) {
  return {.group = value["group"].StringOrEmpty(),
          .version = value["version"].StringOrEmpty(),
          .kind = value["kind"].StringOrEmpty()};
}

GroupVersionResource ResourceIn(const json::Value& value) {
  return {.group = value["group"].StringOrEmpty(),
          .version = value["version"].StringOrEmpty(),
          .resource = value["resource"].StringOrEmpty()};
}

admission::UserInfo UserIn(const json::Value& value) {
  admission::UserInfo user{.username = value["username"].StringOrEmpty(),
                           .uid = value["uid"].StringOrEmpty(),
                           .groups = TextsIn(value["groups"])};
  for (const auto& [key, values] : value["extra"].members()) user.extra[key] = TextsIn(values);
  return user;
}

void ReadRequest(const json::Value& sent, admission::Request& request) {
  request.kind = KindIn(sent["kind"]);
  request.resource = ResourceIn(sent["resource"]);
  request.subResource = sent["subResource"].StringOrEmpty();
  if (sent["requestKind"].is_object()) request.requestKind = KindIn(sent["requestKind"]);
  if (sent["requestResource"].is_object()) {
    request.requestResource = ResourceIn(sent["requestResource"]);
  }
  request.requestSubResource = sent["requestSubResource"].StringOrEmpty();
  request.name = sent["name"].StringOrEmpty();
  request.namespace_ = sent["namespace"].StringOrEmpty();
  request.operation = sent["operation"].StringOrEmpty();
  request.userInfo = UserIn(sent["userInfo"]);
  request.object = sent["object"];
  request.oldObject = sent["oldObject"];
  request.options = sent["options"];
  request.dryRun = sent["dryRun"].AsBool().value_or(false);
}

json::Value DetailsOf(const StatusDetails& details) {
  json::Value out = json::Value::MakeObject();
  for (const auto& [name, text] :
       {std::pair<std::string_view, const std::string&>("name", details.name),
        {"group", details.group},
        {"kind", details.kind},
        {"uid", details.uid}}) {
    if (!text.empty()) out.Set(name, text);
  }
  for (const StatusCause& cause : details.causes) {
    out.Ensure("causes").Append(json::Value::MakeObject(
        {{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}}));
  }
  return out;
}

json::Value StatusOf(const admission::Response& response) {
  json::Value status = json::Value::MakeObject({{"metadata", json::Value::MakeObject()}});
  if (!response.message.empty()) status.Set("message", response.message);
  if (!response.reason.empty()) status.Set("reason", response.reason);
  if (json::Value details = DetailsOf(response.details); details.size() > 0) {
    status.Set("details", std::move(details));
  }
  status.Set("code", response.code);
  return status;
}

}  // namespace

Result<void> ReadAdmissionReview(std::string_view body, ReviewQuestion& question) {
  const Result<json::Value> review = json::Parse(body);
  if (!review) return Error(Reason::kBadRequest, review.error().message());
  Result<std::string> version = AnswerVersion(*review, "admission.k8s.io", "AdmissionReview");
  if (!version) return std::move(version).error();
  question.api_version = *std::move(version);
  const json::Value& sent = (*review)["request"];
  if (!sent.is_object()) {
    return Error(Reason::kBadRequest, "the AdmissionReview has no request");
  }
  question.request.uid = sent["uid"].StringOrEmpty();
  ReadRequest(sent, question.request);
  return {};
}

std::string WriteAdmissionReview(const ReviewQuestion& question,
                                 const admission::Response& response) {
  json::Value answer = json::Value::MakeObject({{"uid", question.request.uid},
                                                {"allowed", response.allowed},
                                                {"status", StatusOf(response)}});
  if (response.patch.size() > 0) {
    std::string patch;
    AppendBase64(response.patch.Dump(), patch);
    answer.Set("patch", std::move(patch));
    answer.Set("patchType", "JSONPatch");
  }
  for (const auto& [key, value] : response.auditAnnotations) {
    answer.Ensure("auditAnnotations").Set(key, value);
  }
  for (const std::string& warning : response.warnings) answer.Ensure("warnings").Append(warning);
  return json::Value::MakeObject({{"kind", "AdmissionReview"},
                                  {"apiVersion", question.api_version},
                                  {"response", std::move(answer)}})
      .Dump();
}

}  // namespace kinformer::internal::webhook
