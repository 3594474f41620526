#include "kinformer/apiserver/faults.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {

FaultPlan::RuleId FaultPlan::Add(FaultRule rule) {
  rules_.push_back({.id = next_id_, .rule = std::move(rule), .seen = 0, .hits = 0});
  return next_id_++;
}

void FaultPlan::Remove(RuleId id) {
  std::erase_if(rules_, [id](const Entry& entry) { return entry.id == id; });
}

std::uint64_t FaultPlan::hits(RuleId id) const {
  for (const Entry& entry : rules_) {
    if (entry.id == id) return entry.hits;
  }
  return 0;
}

double FaultPlan::Unit() {
  if (!seed_) return RandomUnit(env_);
  // SplitMix64: one addition per number, and every seed is as good as any other.
  *seed_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = *seed_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

std::optional<FaultRule> FaultPlan::Draw(const Request& request) {
  const auto fits = [](const std::string& wanted, std::string_view is) {
    return wanted.empty() || wanted == is;
  };
  for (Entry& entry : rules_) {
    const FaultRule& rule = entry.rule;
    if (!fits(rule.verb, request.verb) || !fits(rule.resource, request.resource) ||
        !fits(rule.namespace_, request.namespace_) ||
        request.user_agent.find(rule.user_agent) == std::string_view::npos ||
        (rule.only_continue && !request.continues) ||
        (rule.only_initial_events && !request.initial_events)) {
      continue;
    }
    ++entry.seen;
    if (entry.seen <= static_cast<std::uint64_t>(std::max<std::int64_t>(rule.skip, 0))) continue;
    if (rule.count &&
        entry.hits >= static_cast<std::uint64_t>(std::max<std::int64_t>(*rule.count, 0))) {
      continue;
    }
    if (rule.probability < 1 && Unit() >= rule.probability) continue;
    ++entry.hits;
    ++hits_;
    return rule;
  }
  return std::nullopt;
}

}  // namespace kinformer::apiserver
