#include "kinformer/apiserver/faults.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {

FaultPlan::RuleId FaultPlan::Add(FaultRule rule) {
  const SteadyTime now = env_.Now();
  const std::lock_guard lock(mutex_);
  rules_.push_back({.id = next_id_, .rule = std::move(rule), .added = now, .seen = 0, .hits = 0});
  return next_id_++;
}

bool FaultPlan::Remove(RuleId id) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(rules_, [id](const Entry& entry) { return entry.id == id; }) != 0;
}

void FaultPlan::Clear() {
  const std::lock_guard lock(mutex_);
  rules_.clear();
}

void FaultPlan::Seed(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  seed_ = seed;
}

std::uint64_t FaultPlan::hits(RuleId id) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : rules_) {
    if (entry.id == id) return entry.hits;
  }
  return 0;
}

std::uint64_t FaultPlan::hits() const {
  const std::lock_guard lock(mutex_);
  return hits_;
}

std::vector<FaultPlan::Listed> FaultPlan::Rules() const {
  const std::lock_guard lock(mutex_);
  std::vector<Listed> rules;
  rules.reserve(rules_.size());
  for (const Entry& entry : rules_) {
    rules.push_back({.id = entry.id, .rule = entry.rule, .hits = entry.hits});
  }
  return rules;
}

double FaultPlan::Unit() {
  if (!seed_) return RandomUnit(env_);
  // SplitMix64: one addition per number, and all seeds are equally good.
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
  const std::lock_guard lock(mutex_);
  for (Entry& entry : rules_) {
    const FaultRule& rule = entry.rule;
    if (!fits(rule.verb, request.verb) || !fits(rule.resource, request.resource) ||
        !fits(rule.namespace_, request.namespace_) ||
        request.user_agent.find(rule.user_agent) == std::string_view::npos ||
        (rule.only_continue && !request.continues) ||
        (rule.only_initial_events && !request.initial_events)) {
      continue;
    }
    if (rule.lasts > Duration::zero() && env_.Now() >= entry.added + rule.lasts) continue;
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
