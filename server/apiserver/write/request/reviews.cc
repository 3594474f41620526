#include "apiserver/write/request/reviews.h"

#include <string>
#include <utility>
#include <vector>

#include "apiserver/authorization/authorizer.h"
#include "apiserver/authorization/selected_node.h"
#include "apiserver/errors/status.h"
#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver {
namespace {

AccessRules AllRules() {
  AccessRules all;
  all.rules = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}},
               {.verbs = {"*"}, .paths = {"*"}}};
  return all;
}

// Returns the status of a SelfSubjectRulesReview.
json::Value RulesStatus(const AccessRules& held) {
  json::Value resources = json::Value::MakeArray();
  json::Value paths = json::Value::MakeArray();
  for (const PolicyRule& rule : held.rules) {
    PolicyRule part = rule;
    part.paths.clear();
    if (!rule.resources.empty()) resources.Append(ToJson(part));
    if (!rule.paths.empty()) paths.Append(ToJson({.verbs = rule.verbs, .paths = rule.paths}));
  }
  json::Value status = json::Value::MakeObject();
  status.Set("resourceRules", std::move(resources));
  status.Set("nonResourceRules", std::move(paths));
  status.Set("incomplete", held.incomplete);
  if (!held.error.empty()) status.Set("evaluationError", held.error);
  return status;
}

// Returns the user that an access review is about.
UserInfo ReviewedUser(const json::Value& spec) {
  UserInfo user{.name = spec["user"].StringOrEmpty(), .uid = spec["uid"].StringOrEmpty()};
  for (const json::Value& group : spec["groups"].items()) {
    user.groups.push_back(group.StringOrEmpty());
  }
  return user;
}

// Returns the status of an access review. Without an authorizer everything is allowed.
json::Value Decide(const Authorizer* authorizer, const UserInfo& user, const json::Value& spec) {
  json::Value status = json::Value::MakeObject();
  if (authorizer == nullptr) {
    status.Set("allowed", true);
    return status;
  }
  const json::Value& resource = spec["resourceAttributes"];
  const json::Value& path = spec["nonResourceAttributes"];
  const std::string selected_node = SelectedNode(resource);
  AccessAttributes attributes;
  if (resource.is_null()) {
    attributes = {.is_resource = false,
                  .verb = path["verb"].StringOrEmpty(),
                  .path = path["path"].StringOrEmpty()};
  } else {
    attributes = {.verb = resource["verb"].StringOrEmpty(),
                  .group = resource["group"].StringOrEmpty(),
                  .resource = resource["resource"].StringOrEmpty(),
                  .subresource = resource["subresource"].StringOrEmpty(),
                  .namespace_ = resource["namespace"].StringOrEmpty(),
                  .name = resource["name"].StringOrEmpty(),
                  .selected_node = selected_node};
  }
  const AccessDecision decision = authorizer->Decide(user, attributes);
  status.Set("allowed", decision.allowed);
  if (!decision.reason.empty()) status.Set("reason", decision.reason);
  return status;
}

// Returns the attributes of a path as Go shows them.
std::string ShownPath(const json::Value& attributes) {
  if (attributes.is_null()) return "null";
  return json::Value::MakeObject({{"Path", attributes["path"].StringOrEmpty()},
                                  {"Verb", attributes["verb"].StringOrEmpty()}})
      .Dump();
}

Result<void> CheckAccessReview(const std::string& plural, std::string_view ns,
                               const json::Value& review) {
  const json::Value& spec = review["spec"];
  const json::Value& resource = spec["resourceAttributes"];
  const json::Value& path = spec["nonResourceAttributes"];
  std::vector<StatusCause> causes;
  if (resource.is_null() == path.is_null()) {
    causes.push_back(InvalidValue("spec", ShownPath(path),
                                  "exactly one of nonResourceAttributes or resourceAttributes must "
                                  "be specified"));
  }
  if (plural != "selfsubjectaccessreviews" && spec["user"].StringOrEmpty().empty() &&
      spec["groups"].size() == 0) {
    causes.push_back(
        InvalidValue("spec.user", "\"\"", "at least one of user or group must be specified"));
  }
  if (plural == "localsubjectaccessreviews") {
    const std::string& asked = resource["namespace"].StringOrEmpty();
    if (!resource.is_null() && asked != ns) {
      causes.push_back(InvalidValue("spec.resourceAttributes.namespace", JsonString(asked),
                                    "must match metadata.namespace"));
    }
    if (!path.is_null()) {
      causes.push_back(InvalidValue("spec.nonResourceAttributes", ShownPath(path),
                                    "disallowed on this kind of request"));
    }
  }
  if (causes.empty()) return {};
  return InvalidError({.group = "authorization.k8s.io"}, std::move(causes));
}

// Removes members that Go's form of the review does not show.
void DropEmptyTexts(json::Value& object) {
  std::vector<std::string> empty;
  for (const auto& [name, value] : std::as_const(object).members()) {
    if (value.is_string() && value.StringOrEmpty().empty()) empty.push_back(name);
  }
  for (const std::string& name : empty) object.Erase(name);
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
    const std::string& asked = given.At("/spec/namespace").StringOrEmpty();
    status = RulesStatus(state_.authorizer == nullptr ? AllRules()
                                                      : state_.authorizer->RulesFor(user, asked));
    // The answer does not repeat what was asked.
    review.Set("spec", json::Value::MakeObject());
  } else {
    if (Result<void> valid = CheckAccessReview(plural, namespace_, given); !valid) {
      return valid.error();
    }
    status = Decide(state_.authorizer,
                    plural == "selfsubjectaccessreviews" ? user : ReviewedUser(given["spec"]),
                    given["spec"]);
    for (const char* const part : {"resourceAttributes", "nonResourceAttributes"}) {
      if (json::Value* const attributes = review.Ensure("spec").Find(part)) {
        DropEmptyTexts(*attributes);
      }
    }
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
