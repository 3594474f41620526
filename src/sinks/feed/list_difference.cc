#include "sinks/feed/list_difference.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

namespace kinformer::internal::sinks {

std::vector<SinkChange> ListDifference(std::vector<HeldObject> held, std::vector<SinkChange> listed,
                                       const std::vector<ObjectName>& unreadable) {
  std::unordered_map<ObjectName, HeldObject*> by_name;
  by_name.reserve(held.size());
  for (HeldObject& object : held) by_name.emplace(object.name, &object);
  std::vector<SinkChange> removals;
  std::vector<SinkChange> upserts;
  for (SinkChange& change : listed) {
    const auto it =
        by_name.find(ObjectName{std::string(change.namespace_()), std::string(change.name())});
    if (it == by_name.end()) {
      upserts.push_back(std::move(change));
      continue;
    }
    HeldObject& before = *it->second;
    const bool made_anew = before.uid != change.uid();
    if (made_anew || before.resourceVersion != change.resourceVersion()) {
      upserts.push_back(std::move(change));
    }
    if (made_anew) removals.push_back(SinkChange::Remove(std::move(before)));
    by_name.erase(it);
  }
  for (const ObjectName& name : unreadable) by_name.erase(name);
  for (HeldObject& object : held) {
    const auto it = by_name.find(object.name);
    if (it != by_name.end() && it->second == &object) {
      by_name.erase(it);
      removals.push_back(SinkChange::Remove(std::move(object)));
    }
  }
  std::move(upserts.begin(), upserts.end(), std::back_inserter(removals));
  return removals;
}

}  // namespace kinformer::internal::sinks
