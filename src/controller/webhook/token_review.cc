#include "controller/webhook/token_review.h"

#include <utility>

#include "kinformer/json/json.h"

#include "controller/webhook/review_request.h"

namespace kinformer::internal::webhook {
namespace {

void SetTexts(std::string_view name, const std::vector<std::string>& texts, json::Value& object) {
  for (const std::string& text : texts) object.Ensure(name).Append(text);
}

json::Value UserOf(const authentication::UserInfo& user) {
  json::Value out = json::Value::MakeObject();
  if (!user.username.empty()) out.Set("username", user.username);
  if (!user.uid.empty()) out.Set("uid", user.uid);
  SetTexts("groups", user.groups, out);
  for (const auto& [key, values] : user.extra) {
    if (!values.empty()) SetTexts(key, values, out.Ensure("extra"));
  }
  return out;
}

json::Value StatusOf(const authentication::Response& response) {
  json::Value status = json::Value::MakeObject();
  if (response.authenticated) status.Set("authenticated", true);
  status.Set("user", UserOf(response.user));
  SetTexts("audiences", response.audiences, status);
  if (!response.error.empty()) status.Set("error", response.error);
  return status;
}

}  // namespace

Result<void> ReadTokenReview(std::string_view body, TokenQuestion& question) {
  const Result<json::Value> review = json::Parse(body);
  if (!review) return Error(Reason::kBadRequest, review.error().message());
  Result<std::string> version = AnswerVersion(*review, "authentication.k8s.io", "TokenReview");
  if (!version) return std::move(version).error();
  question.api_version = *std::move(version);
  question.request.uid = review->At("/metadata/uid").StringOrEmpty();
  question.request.token = review->At("/spec/token").StringOrEmpty();
  question.request.audiences = TextsIn(review->At("/spec/audiences"));
  if (question.request.token.empty()) return Error(Reason::kBadRequest, "token is empty");
  return {};
}

std::string WriteTokenReview(const TokenQuestion& question,
                             const authentication::Response& response) {
  json::Value metadata = json::Value::MakeObject();
  if (!question.request.uid.empty()) metadata.Set("uid", question.request.uid);
  return json::Value::MakeObject({{"kind", "TokenReview"},
                                  {"apiVersion", question.api_version},
                                  {"metadata", std::move(metadata)},
                                  {"spec", json::Value::MakeObject()},
                                  {"status", StatusOf(response)}})
      .Dump();
}

}  // namespace kinformer::internal::webhook
