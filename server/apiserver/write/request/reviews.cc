#include "apiserver/write/request/reviews.h"

#include <string>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver {
namespace {

// Returns a validation error of these kinds, which names no kind.
Error InvalidReview(std::string field, std::string_view value, std::string_view detail) {
  return InvalidError({.group = "authorization.k8s.io"},
                      {InvalidValue(std::move(field), value, detail)});
}

json::Value Rule(std::string_view verb, std::string_view groups, std::string_view resources) {
  return json::Value::MakeObject({{"verbs", json::Value::MakeArray({verb})},
                                  {"apiGroups", json::Value::MakeArray({groups})},
                                  {"resources", json::Value::MakeArray({resources})}});
}

Result<void> CheckAccessReview(const std::string& plural, std::string_view ns,
                               const json::Value& review) {
  const json::Value& spec = review["spec"];
  if (spec["resourceAttributes"].is_null() == spec["nonResourceAttributes"].is_null()) {
    return InvalidReview("spec.resourceAttributes", spec["resourceAttributes"].Dump(),
                         "exactly one of nonResourceAttributes or resourceAttributes must be "
                         "specified");
  }
  if (plural != "selfsubjectaccessreviews" && spec["user"].StringOrEmpty().empty() &&
      spec["groups"].size() == 0) {
    return InvalidReview("spec.user", "\"\"", "at least one of user or group must be specified");
  }
  if (plural == "localsubjectaccessreviews") {
    const std::string& asked = spec.At("/resourceAttributes/namespace").StringOrEmpty();
    if (asked != ns) {
      return InvalidReview("spec.resourceAttributes.namespace", JsonString(asked),
                           "must match metadata.namespace");
    }
  }
  return {};
}

}  // namespace

Result<json::Value> Reviews::Answer(const ResourceAt& at, std::string_view namespace_,
                                    const UserInfo& user, json::Value review) const {
  const std::string& plural = at.resource->plural;
  const json::Value& given = review;
  json::Value status = json::Value::MakeObject();
  if (plural == "tokenreviews") {
    if (given.At("/spec/token").StringOrEmpty().empty()) {
      return BadRequestError("token is required for TokenReview in authentication");
    }
    status = ReviewToken(given["spec"]);
  } else if (plural == "selfsubjectreviews") {
    review.Ensure("metadata").Set("creationTimestamp", FormatTime(state_.env.WallNow()));
    status.Set("userInfo", ToJson(user));
  } else if (plural == "selfsubjectrulesreviews") {
    if (given.At("/spec/namespace").StringOrEmpty().empty()) {
      return BadRequestError("no namespace on request");
    }
    status.Set("resourceRules", json::Value::MakeArray({Rule("*", "*", "*")}));
    status.Set("nonResourceRules", json::Value::MakeArray({json::Value::MakeObject(
                                       {{"verbs", json::Value::MakeArray({"*"})},
                                        {"nonResourceURLs", json::Value::MakeArray({"*"})}})}));
    status.Set("incomplete", false);
  } else {
    if (Result<void> valid = CheckAccessReview(plural, namespace_, given); !valid) {
      return valid.error();
    }
    status.Set("allowed", true);
  }
  review.Set("status", std::move(status));
  return review;
}

json::Value Reviews::ReviewToken(const json::Value& spec) const {
  std::vector<std::string> wanted;
  for (const json::Value& audience : spec["audiences"].items()) {
    wanted.push_back(audience.StringOrEmpty());
  }
  json::Value status = json::Value::MakeObject();
  const auto known = tokens_.Authenticate(spec["token"].StringOrEmpty(), wanted);
  if (!known) {
    status.Set("user", json::Value::MakeObject());
    status.Set("error", known.error().message());
    return status;
  }
  status.Set("authenticated", true);
  status.Set("user", ToJson(*known->user));
  json::Value audiences = json::Value::MakeArray();
  for (const std::string& audience : known->audiences) audiences.Append(audience);
  status.Set("audiences", std::move(audiences));
  return status;
}

}  // namespace kinformer::apiserver
