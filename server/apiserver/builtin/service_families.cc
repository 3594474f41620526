#include "apiserver/builtin/service_families.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr const char* kPolicyField = "spec.ipFamilyPolicy";

// Returns whether an update drops the last families, and keeps the first ones.
bool Reduced(const json::Value& before, const json::Value& now) {
  const json::Array& old = before.items();
  const json::Array& given = now.items();
  return !given.empty() && given.size() < old.size() &&
         std::equal(given.begin(), given.end(), old.begin());
}

// Returns the problems that a dual-stack cluster would report, too.
std::vector<StatusCause> CheckTogether(const json::Value& before, const json::Value& given) {
  const std::string& policy = given["ipFamilyPolicy"].StringOrEmpty();
  const json::Value& families = given["ipFamilies"];
  std::string problem;
  if (policy == "SingleStack") {
    if (families.size() > 1) {
      problem =
          "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";
    }
  } else if (Reduced(before["ipFamilies"], families)) {
    problem = "must be 'SingleStack' to release the secondary IP family";
  }
  if (problem.empty()) return {};
  return {InvalidValue(kPolicyField, given["ipFamilyPolicy"].Dump(), problem)};
}

// Returns the problems of families and policies that this IPv4 cluster does not support.
std::vector<StatusCause> CheckConfigured(const json::Value& given) {
  std::vector<StatusCause> causes;
  if (const json::Value& policy = given["ipFamilyPolicy"];
      policy.StringOrEmpty() == "RequireDualStack") {
    causes.push_back(InvalidValue(kPolicyField, policy.Dump(),
                                  "this cluster is not configured for dual-stack services"));
  }
  std::size_t index = 0;
  for (const json::Value& family : given["ipFamilies"].items()) {
    std::string field = "spec.ipFamilies[" + std::to_string(index++) + "]";
    if (family.StringOrEmpty() == "IPv4") continue;
    causes.push_back(
        InvalidValue(std::move(field), family.Dump(), "not configured on this cluster"));
  }
  return causes;
}

}  // namespace

std::vector<StatusCause> SettleFamilies(const json::Value& before, json::Value& spec) {
  const json::Value& given = spec;
  const bool unattended =
      given["clusterIP"].StringOrEmpty() == "None" && given["selector"].size() == 0;
  if (given["ipFamilyPolicy"].is_null()) {
    const json::Value& old = before["ipFamilyPolicy"];
    spec.Set("ipFamilyPolicy",
             old.is_null() ? json::Value(unattended ? "RequireDualStack" : "SingleStack") : old);
  }
  const bool single = given["ipFamilyPolicy"].StringOrEmpty() == "SingleStack";
  if (single && given["ipFamilies"].size() > 1 && given["ipFamilies"] == before["ipFamilies"]) {
    // Asking for a single family releases the second one.
    spec.Set("ipFamilies", json::Value::MakeArray({given["ipFamilies"].items().front()}));
  }
  if (auto causes = CheckTogether(before, given); !causes.empty()) return causes;
  if (!unattended) {
    if (auto causes = CheckConfigured(given); !causes.empty()) return causes;
  }
  if (given["ipFamilies"].size() == 0) spec.Set("ipFamilies", json::Value::MakeArray({"IPv4"}));
  if (unattended && !single && given["ipFamilies"].size() == 1) {
    const bool four = given["ipFamilies"].items().front().StringOrEmpty() == "IPv4";
    spec.Find("ipFamilies")->Append(four ? "IPv6" : "IPv4");
  }
  return {};
}

}  // namespace kinformer::apiserver
