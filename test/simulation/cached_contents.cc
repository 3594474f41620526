#include "simulation/cached_contents.h"

#include <charconv>

namespace kinformer::testing {

std::int64_t NumberOf(std::string_view resourceVersion) {
  std::int64_t number = 0;
  std::from_chars(resourceVersion.data(), resourceVersion.data() + resourceVersion.size(), number);
  return number;
}

std::string KeyOf(const corev1::ConfigMap& object) {
  return std::string(object.metadata().namespace_()) + "/" + std::string(object.metadata().name());
}

ObjectState StateOf(const corev1::ConfigMap& object) {
  return {NumberOf(object.metadata().resourceVersion()), std::string(object.metadata().uid()),
          std::string(object.data()["value"]), std::string(object.metadata().labels()[kTier])};
}

Contents ContentsOf(const Snapshot<corev1::ConfigMap>& snapshot) {
  Contents contents;
  for (const corev1::ConfigMap map : snapshot) contents[KeyOf(map)] = StateOf(map);
  return contents;
}

std::string DifferenceOf(const Contents& has, const Contents& wanted) {
  std::string text;
  for (const auto& [key, state] : wanted) {
    const auto it = has.find(key);
    if (it == has.end()) {
      text += " lacks " + key;
    } else if (it->second != state) {
      text += " has " + key + " at " + std::to_string(it->second.version) + " for " +
              std::to_string(state.version);
    }
  }
  for (const auto& [key, state] : has) {
    if (!wanted.contains(key)) text += " still has " + key;
  }
  return text;
}

}  // namespace kinformer::testing
