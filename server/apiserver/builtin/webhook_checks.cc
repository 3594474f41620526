#include "apiserver/builtin/webhook_checks.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/builtin/match_checks.h"
#include "apiserver/errors/status.h"
#include "apiserver/expressions/match_condition.h"
#include "apiserver/registry/webhook_client_check.h"

namespace kinformer::apiserver {
namespace {

using Causes = std::vector<StatusCause>;

constexpr std::int64_t kMaxSeconds = 30;

bool KnowsAReview(const json::Value& versions) {
  for (const json::Value& version : versions.items()) {
    const std::string& text = version.StringOrEmpty();
    if (text == "v1" || text == "v1beta1") return true;
  }
  return false;
}

void CheckRules(const json::Value& rules, const std::string& field, Causes& causes) {
  std::size_t index = 0;
  for (const json::Value& rule : rules.items()) {
    if (AreEnough(causes)) return;
    CheckRule(rule, field + "[" + std::to_string(index++) + "]", causes);
  }
}

}  // namespace

std::vector<StatusCause> ValidateWebhooks(const json::Value& configuration) {
  Causes causes;
  std::size_t index = 0;
  for (const json::Value& webhook : configuration["webhooks"].items()) {
    if (AreEnough(causes)) break;
    const std::string field = "webhooks[" + std::to_string(index++) + "]";
    Causes client = CheckWebhookClient(webhook["clientConfig"], field + ".clientConfig");
    causes.insert(causes.end(), client.begin(), client.end());
    if (const json::Value& versions = webhook["admissionReviewVersions"];
        versions.size() > 0 && !KnowsAReview(versions)) {
      causes.push_back(InvalidValue(field + ".admissionReviewVersions", versions.Dump(),
                                    "must include at least one of v1, v1beta1"));
    }
    const std::string& effects = webhook["sideEffects"].StringOrEmpty();
    if (!effects.empty() && effects != "None" && effects != "NoneOnDryRun") {
      causes.push_back(NotSupported(field + ".sideEffects", effects, R"("None", "NoneOnDryRun")"));
    }
    const std::int64_t seconds = webhook["timeoutSeconds"].AsInt64().value_or(1);
    if (seconds < 1 || seconds > kMaxSeconds) {
      causes.push_back(InvalidValue(field + ".timeoutSeconds", std::to_string(seconds),
                                    "the timeout value must be between 1 and 30 seconds"));
    }
    CheckRules(webhook["rules"], field + ".rules", causes);
    CheckMatchConditions(webhook["matchConditions"], /*params=*/false, field + ".matchConditions",
                         causes);
  }
  return causes;
}

}  // namespace kinformer::apiserver
