#include "apiserver/write/background/role_keeper.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/object/label_selector.h"

#include "apiserver/registry/selection.h"

namespace kinformer::apiserver {
namespace {

constexpr int kMaxRounds = 16;

bool IsSame(const PolicyRules& a, const PolicyRules& b) {
  return std::is_permutation(a.begin(), a.end(), b.begin(), b.end());
}

bool Aggregates(const json::Value& role) {
  return role["aggregationRule"]["clusterRoleSelectors"].size() > 0;
}

json::Value ToJson(const PolicyRules& rules) {
  json::Value out = json::Value::MakeArray();
  for (const PolicyRule& rule : rules) out.Append(apiserver::ToJson(rule));
  return out;
}

}  // namespace

RoleKeeper::RoleKeeper(ServerState& state, ObjectWriter& writer, Authorizer& authorizer)
    : state_(state), writer_(writer), policy_(authorizer.policy()) {
  writer.AddObserver(*this);
}

void RoleKeeper::AfterPut(const ObjectPut& put) {
  const ServedResource& resource = *put.at.resource;
  if (resource.custom || resource.group != kRbacGroup) return;
  const json::Value object = put.stored->Parse();
  policy_.Put(resource.plural, object);
  if (resource.plural != "clusterroles") return;
  const std::string name(put.stored->name());
  if (Aggregates(object)) {
    aggregated_.insert(name);
  } else {
    aggregated_.erase(name);
  }
  AggregateLater();
}

void RoleKeeper::AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) {
  const ServedResource& resource = *at.resource;
  if (resource.custom || resource.group != kRbacGroup) return;
  policy_.Remove(resource.plural, old->namespace_(), old->name());
  if (resource.plural != "clusterroles") return;
  aggregated_.erase(std::string(old->name()));
  AggregateLater();
}

void RoleKeeper::AggregateLater() {
  // The maker of the bootstrap roles aggregates when they are complete.
  if (state_.authorizer == nullptr || aggregated_.empty() || std::exchange(posted_, true)) return;
  state_.Post([this] { Aggregate(); });
}

void RoleKeeper::Aggregate() {
  const ResourceAt at = state_.resources.Find(kRbacGroup, "v1", "clusterroles");
  posted_ = true;  // its own writes ask for no more
  // An aggregated role may select another one; each round reaches those that are one step further.
  // Roles that select each other in a circle may never come to rest.
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (const std::string& name :
         std::vector<std::string>(aggregated_.begin(), aggregated_.end())) {
      const StoredObjectPtr stored = at.resource->Find({}, name);
      if (stored == nullptr) continue;
      const json::Value role = stored->Parse();
      const PolicyRules rules = Gathered(role);
      if (IsSame(rules, RulesOf(role))) continue;
      changed = writer_
                    .Modify({.at = at, .name = name, .keep_status = true},
                            [&](json::Value& object) -> Result<void> {
                              object.Set("rules", ToJson(rules));
                              return {};
                            })
                    .ok() ||
                changed;
    }
  }
  posted_ = false;
}

PolicyRules RoleKeeper::Gathered(const json::Value& role) const {
  const ResourceAt at = state_.resources.Find(kRbacGroup, "v1", "clusterroles");
  const std::string& self = role["metadata"]["name"].StringOrEmpty();
  PolicyRules rules;
  for (const json::Value& selector : role["aggregationRule"]["clusterRoleSelectors"].items()) {
    const Result<LabelSelector> labels = LabelSelector::Parse(SelectorText(selector));
    if (!labels) continue;
    at.resource->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& other) {
      if (other->name() == self || !MatchesLabels(*labels, *other)) return true;
      const PolicyRules* const theirs = policy_.Find({}, other->name());
      if (theirs == nullptr) return true;
      for (const PolicyRule& rule : *theirs) {
        if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
      }
      return true;
    });
  }
  return rules;
}

void RoleKeeper::Reload() {
  policy_.Clear();
  aggregated_.clear();
  for (const std::string_view plural : std::array<std::string_view, 4>{
           "clusterroles", "clusterrolebindings", "roles", "rolebindings"}) {
    const ResourceAt at = state_.resources.Find(kRbacGroup, "v1", plural);
    at.resource->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
      const json::Value object = stored->Parse();
      policy_.Put(plural, object);
      if (plural == "clusterroles" && Aggregates(object)) {
        aggregated_.insert(std::string(stored->name()));
      }
      return true;
    });
  }
}

}  // namespace kinformer::apiserver
