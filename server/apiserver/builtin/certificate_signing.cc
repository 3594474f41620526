#include "apiserver/builtin/certificate_signing.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "apiserver/errors/status.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

constexpr auto kDecisions = std::to_array<std::string_view>({"Approved", "Denied"});

json::Array Conditions(const json::Value& request, std::string_view type) {
  json::Array found;
  for (const json::Value& condition : request.At("/status/conditions").items()) {
    if (condition["type"].StringOrEmpty() == type) found.push_back(condition);
  }
  return found;
}

// Keeps the approval conditions: they are not written with the status.
void KeepDecisions(const json::Value& old, json::Value& request) {
  for (const std::string_view type : kDecisions) {
    const json::Array before = Conditions(old, type);
    if (before.empty() || before.size() != Conditions(request, type).size()) continue;
    auto next = before.begin();
    for (json::Value& condition : request.Ensure("status", "conditions").EnsureArray()) {
      if (std::as_const(condition)["type"].StringOrEmpty() == type) condition = *next++;
    }
  }
}

void SetTimes(const json::Value& old, std::string_view now, json::Value& request) {
  if (std::as_const(request).At("/status/conditions").size() == 0) return;
  for (json::Value& condition : request.Ensure("status", "conditions").EnsureArray()) {
    const json::Value& given = condition;
    if (given["lastUpdateTime"].is_null()) condition.Set("lastUpdateTime", now);
    if (!given["lastTransitionTime"].is_null()) continue;
    condition.Set("lastTransitionTime", now);
    for (const json::Value& before : Conditions(old, given["type"].StringOrEmpty())) {
      if (before["status"] == given["status"] && !before["lastTransitionTime"].is_null()) {
        condition.Set("lastTransitionTime", before["lastTransitionTime"]);
      }
    }
  }
}

void ValidateConditions(const json::Value& request, std::vector<StatusCause>& causes) {
  const json::Value& conditions = request.At("/status/conditions");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::string field = "status.conditions[" + std::to_string(i) + "]";
    const std::string& type = conditions[i]["type"].StringOrEmpty();
    const std::string& status = conditions[i]["status"].StringOrEmpty();
    if (type.empty()) causes.push_back(Required(field + ".type"));
    const bool final_one = type == "Approved" || type == "Denied" || type == "Failed";
    if (status.empty()) {
      causes.push_back(Required(field + ".status"));
    } else if (final_one && status != "True") {
      causes.push_back(NotSupported(field + ".status", status, R"("True")"));
    }
    if (!type.empty() && !seen.insert(type).second) {
      causes.push_back({.reason = "FieldValueDuplicate",
                        .message = "Duplicate value: " + JsonString(type),
                        .field = field + ".type"});
    }
  }
  if (seen.contains("Approved") && seen.contains("Denied")) {
    const std::string approved = R"(conditions[{"type": "Approved"}])";
    const std::string denied = R"(conditions[{"type": "Denied"}])";
    causes.push_back(
        InvalidValue("status.conditions", JsonString("{" + approved + ", " + denied + "}"),
                     "must specify at most one of: `" + approved + "`, `" + denied + "`"));
  }
}

}  // namespace

void SetRequester(const UserInfo& user, json::Value& request) {
  json::Value& spec = request.Ensure("spec");
  for (const char* member : {"username", "uid", "groups", "extra"}) spec.Erase(member);
  const json::Value who = ToJson(user);
  for (const auto& [name, value] : who.members()) spec.Set(name, value);
}

void MergeSigningStatus(std::string_view subresource, const json::Value& old, std::string_view now,
                        json::Value& request) {
  if (subresource == "approval") {
    if (const json::Value& certificate = old.At("/status/certificate"); !certificate.is_null()) {
      request.Ensure("status").Set("certificate", certificate);
    } else if (std::as_const(request)["status"].contains("certificate")) {
      request.Ensure("status").Erase("certificate");
    }
  } else {
    KeepDecisions(old, request);
  }
  SetTimes(old, now, request);
}

std::vector<StatusCause> ValidateSigningStatus(std::string_view subresource, const json::Value& old,
                                               const json::Value& request) {
  std::vector<StatusCause> causes;
  ValidateConditions(request, causes);
  const json::Value& before = old.At("/status/certificate");
  const json::Value& after = request.At("/status/certificate");
  if (!before.is_null() && !(before == after)) {
    causes.push_back(ForbiddenField("status.certificate",
                                    "updates may not modify existing certificate content"));
  } else if (!(before == after)) {
    const auto pem = internal::Base64Decode(after.StringOrEmpty());
    if (!pem || pem->find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
      causes.push_back(InvalidValue("status.certificate", R"("<certificate data>")",
                                    "must contain at least one CERTIFICATE PEM block"));
    }
  }
  for (const std::string_view type : {"Approved", "Denied", "Failed"}) {
    const bool was = !Conditions(old, type).empty();
    const bool is = !Conditions(request, type).empty();
    const bool decides = type != "Failed";
    if (was && !is) {
      causes.push_back(ForbiddenField(
          "status.conditions", "updates may not remove a condition of type " + JsonString(type)));
    } else if (!was && is && decides && subresource != "approval") {
      causes.push_back(ForbiddenField(
          "status.conditions", "updates may not add a condition of type " + JsonString(type)));
    }
  }
  return causes;
}

}  // namespace kinformer::apiserver
