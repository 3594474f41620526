#include "apiserver/plugins/pod_security_policy.h"

#include "apiserver/errors/status.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver {
namespace {

std::optional<PodSecurityLevel> LevelOf(std::string_view text) {
  if (text == "privileged") return PodSecurityLevel::kPrivileged;
  if (text == "baseline") return PodSecurityLevel::kBaseline;
  if (text == "restricted") return PodSecurityLevel::kRestricted;
  return std::nullopt;
}

// Parses "latest" or "v1.25".
std::optional<int> MinorOf(std::string_view text) {
  if (text == "latest") return PodSecurityPolicy::kLatest;
  constexpr std::string_view kBegin = "v1.";
  if (!text.starts_with(kBegin)) return std::nullopt;
  text.remove_prefix(kBegin.size());
  constexpr std::size_t kMostDigits = 9;
  const bool digits = !text.empty() && text.size() <= kMostDigits &&
                      text.find_first_not_of("0123456789") == std::string_view::npos &&
                      (text.size() == 1 || text.front() != '0');
  if (!digits) return std::nullopt;
  return static_cast<int>(internal::base::NumberIn(text).value_or(0));
}

// The labels of one mode.
struct Mode {
  bool has_level = false;
  bool has_version = false;
  bool valid_level = false;
};

}  // namespace

std::string PodSecurityPolicy::ToString() const {
  const char* const name = level == PodSecurityLevel::kPrivileged ? "privileged"
                           : level == PodSecurityLevel::kBaseline ? "baseline"
                                                                  : "restricted";
  return std::string(name) + ":" + (minor == kLatest ? "latest" : "v1." + std::to_string(minor));
}

PodSecurityPolicies PodSecurityPolicies::Of(
    const std::function<std::optional<std::string_view>(std::string_view key)>& label,
    std::vector<StatusCause>& problems) {
  const auto read = [&](const char* mode, PodSecurityLevel fallback, PodSecurityPolicy& policy) {
    Mode found;
    const std::string key = std::string("pod-security.kubernetes.io/") + mode;
    const auto refuse = [&](const std::string& of, std::string_view value, const char* why) {
      problems.push_back(InvalidValue("metadata.labels[" + of + "]", JsonString(value), why));
    };
    if (const auto text = label(key)) {
      const auto level = LevelOf(*text);
      found.has_level = true;
      found.valid_level = level.has_value();
      policy.level = level.value_or(fallback);
      if (!level) refuse(key, *text, "must be one of privileged, baseline, restricted");
    }
    if (const auto text = label(key + "-version")) {
      const auto minor = MinorOf(*text);
      found.has_version = true;
      policy.minor = minor.value_or(PodSecurityPolicy::kLatest);
      if (!minor) refuse(key + "-version", *text, R"(must be "latest" or "v1.x")");
    }
    return found;
  };
  PodSecurityPolicies out;
  const Mode enforce = read("enforce", PodSecurityLevel::kRestricted, out.enforce);
  (void)read("audit", PodSecurityLevel::kPrivileged, out.audit);
  const Mode warn = read("warn", PodSecurityLevel::kPrivileged, out.warn);
  // Warn of the enforced level, too, unless the labels say otherwise.
  if (!warn.has_level && enforce.valid_level && out.enforce.level > out.warn.level) {
    out.warn.level = out.enforce.level;
    if (!warn.has_version) out.warn.minor = out.enforce.minor;
  }
  return out;
}

}  // namespace kinformer::apiserver
