#include "controller/webhook/review_request.h"

namespace kinformer::internal::webhook {

Result<void> CheckBody(const HttpRequest& request, std::size_t max_bytes) {
  if (request.body.empty()) return Error(Reason::kBadRequest, "request body is empty");
  if (request.body.size() >= max_bytes) {
    return Error(Reason::kRequestEntityTooLarge,
                 "request entity is too large; limit is " + std::to_string(max_bytes) + " bytes");
  }
  return CheckHead(request);
}

Result<void> CheckHead(const HttpRequest& head) {
  const std::string type(head.headers.Get("Content-Type"));
  if (type == "application/json") return {};
  return Error(Reason::kBadRequest, "contentType=" + type + ", expected application/json");
}

Result<std::string> AnswerVersion(const json::Value& review, std::string_view group,
                                  std::string_view kind) {
  const std::string v1 = std::string(group) + "/v1";
  const std::string& its_kind = review["kind"].StringOrEmpty();
  const std::string& its_version = review["apiVersion"].StringOrEmpty();
  const bool of_the_kind = its_kind.empty() || its_kind == kind;
  const bool of_the_group =
      its_version.empty() || its_version.starts_with(std::string(group) + "/");
  if (!review.is_object() || !of_the_kind || !of_the_group) {
    return Error(Reason::kBadRequest, "expected kind " + std::string(kind) + " of " + v1 +
                                          " and got kind " + its_kind + " of " + its_version);
  }
  return its_version == v1 + "beta1" ? its_version : v1;
}

WebhookCall CallOf(const HttpRequest& request, const std::stop_token& stop) {
  return {.target = request.target, .headers = request.headers, .user = request.user, .stop = stop};
}

std::vector<std::string> TextsIn(const json::Value& value) {
  std::vector<std::string> out;
  for (const json::Value& item : value.items()) out.push_back(item.StringOrEmpty());
  return out;
}

}  // namespace kinformer::internal::webhook
