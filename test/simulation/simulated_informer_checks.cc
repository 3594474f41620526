// Compares the content of a simulated informer's cache with the history of the server.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kinformer/cache/index.h"
#include "kinformer/cache/lister.h"

#include "simulation/cached_contents.h"
#include "simulation/simulated_informer.h"

namespace kinformer::testing {
namespace {

bool Shows(const corev1::ConfigMap& object, const ObjectState& state) {
  return StateOf(object) == state;
}

}  // namespace

void SimulatedInformer::CheckContents(const Snapshot<corev1::ConfigMap>& snapshot) const {
  if (scene_.trust != Trust::kHonest || scene_.history_lags) return;
  const std::int64_t version = NumberOf(snapshot.resourceVersion());
  if (version == 0 && exact()) {
    if (!snapshot.empty()) Problem("has objects, and no resourceVersion");
    return;
  }
  std::size_t found = 0;
  for (const auto& [key, changes] : history_.keys()) {
    const std::optional<corev1::ConfigMap> object = snapshot.GetByKey(key);
    if (object) ++found;
    if (!ServerHistory::InNamespace(key, namespace_)) {
      if (object) Problem("has " + key + ", which is out of scope");
      continue;
    }
    CheckKey(key, changes, object ? &*object : nullptr, version);
  }
  std::size_t walked = 0;
  for (const corev1::ConfigMap map : snapshot) walked += map.metadata().name().empty() ? 0 : 1;
  if (found != snapshot.size() || walked != found) {
    Problem("shows " + std::to_string(found) + " by key, " + std::to_string(walked) +
            " in a walk, and says that it has " + std::to_string(snapshot.size()));
  }
}

void SimulatedInformer::CheckKey(const std::string& key, const ServerHistory::Changes& changes,
                                 const corev1::ConfigMap* object, std::int64_t version) const {
  // If the cache is right, the object exists or existed.
  if (object == nullptr && limit_.bounded() && LeavesOut(*informer_, key)) return;
  const ObjectState* then = ServerHistory::At(changes, version);
  const auto fits = [object](const ObjectState* state) {
    return object == nullptr ? state == nullptr : state != nullptr && Shows(*object, *state);
  };
  if (fits(then)) return;
  const bool changed_since = !changes.empty() && changes.back().version > version;
  if (exact() || !changed_since) {
    return Problem("at version " + std::to_string(version) + " has " + key + " at " +
                   (object ? std::string(object->metadata().resourceVersion()) : "none") +
                   ", and the server had " + (then ? std::to_string(then->version) : "none"));
  }
  const bool fitted = std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
    return change.version > version && fits(change.state ? &*change.state : nullptr);
  });
  if (!fitted) Problem(key + " is what it never was since " + std::to_string(version));
}

void SimulatedInformer::CheckIndex(const Snapshot<corev1::ConfigMap>& snapshot) const {
  std::array<std::size_t, 26> counts{};
  for (const corev1::ConfigMap map : snapshot) {
    const std::string_view value = map.data()["value"];
    if (!value.empty()) ++counts[static_cast<std::size_t>(value.front() - 'a')];
  }
  if (counts != Letters(snapshot)) Problem("the index is not that of the objects");
  CheckOrder(snapshot);
}

void SimulatedInformer::CheckOrder(const Snapshot<corev1::ConfigMap>& snapshot) const {
  using Entry = std::tuple<std::string, std::string, std::string>;  // value, namespace, name
  std::vector<Entry> model;
  for (const corev1::ConfigMap map : snapshot) {
    const std::string_view value = map.data()["value"];
    if (value.empty()) continue;
    model.emplace_back(value, map.metadata().namespace_(), map.metadata().name());
  }
  std::sort(model.begin(), model.end());
  std::vector<std::string> wanted;
  for (const auto& [value, ns, name] : model) wanted.push_back(std::string(ns) + "/" + name);
  if (InOrder(snapshot) != wanted) Problem("the ordered index is not that of the objects");
  // Part of the index, in reverse order.
  const char letter = static_cast<char>('a' + static_cast<char>(looks_ % 26));
  std::vector<std::string> last;
  for (const corev1::ConfigMap map :
       snapshot.Prefix("ordered", {&letter, 1}, {.descending = true, .limit = 2})) {
    last.push_back(KeyOf(map));
  }
  std::vector<std::string> wanted_last;
  for (auto it = model.rbegin(); it != model.rend() && wanted_last.size() < 2; ++it) {
    const auto& [value, ns, name] = *it;
    if (value.front() == letter) wanted_last.push_back(std::string(ns) + "/" + name);
  }
  if (last != wanted_last) Problem("the end of a prefix is not that of the objects");
}

void SimulatedInformer::CheckHeld() const {
  for (const Held& held : held_) {
    bool same = ContentsOf(held.snapshot) == held.contents &&
                Letters(held.snapshot) == held.by_letter && InOrder(held.snapshot) == held.in_order;
    for (const auto& [key, changes] : history_.keys()) {
      const std::optional<corev1::ConfigMap> object = held.snapshot.GetByKey(key);
      const auto then = held.contents.find(key);
      same = same && (object ? then != held.contents.end() && Shows(*object, then->second)
                             : then == held.contents.end());
    }
    if (!same) Problem("a snapshot that was held has changed");
  }
}

}  // namespace kinformer::testing
