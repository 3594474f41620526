#include "kinformer/client/api_resource.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <tuple>
#include <utility>

namespace kinformer {
namespace {

// The parts of "v2beta3": stages are 0 alpha, 1 beta, 2 stable.
struct KubeVersion {
  int stage = 0;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
};

// Takes a number without leading zeros from the front; false: there is none.
bool TakeNumber(std::string_view& text, std::uint32_t& out) {
  if (text.empty() || text.front() < '1' || text.front() > '9') return false;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (failure != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<KubeVersion> ParseKubeVersion(std::string_view text) {
  KubeVersion out;
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  if (!TakeNumber(text, out.major)) return std::nullopt;
  if (text.empty()) {
    out.stage = 2;
    return out;
  }
  for (const auto& [word, stage] : {std::pair{"alpha", 0}, std::pair{"beta", 1}}) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(std::string_view(word).size());
    out.stage = stage;
    return TakeNumber(text, out.minor) && text.empty() ? std::optional(out) : std::nullopt;
  }
  return std::nullopt;
}

int Sign(bool below, bool above) { return static_cast<int>(above) - static_cast<int>(below); }

}  // namespace

bool ApiResource::Supports(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

std::string ApiGroupVersion::groupVersion() const {
  return group.empty() ? version : group + "/" + version;
}

std::map<std::string, Error> GroupDiscoveryFailedErrorGroups(
    const std::vector<ApiGroupVersion>& groups) {
  std::map<std::string, Error> out;
  for (const ApiGroupVersion& version : groups) {
    if (!version.error.empty()) {
      out.emplace(version.groupVersion(), Error(version.reason, version.error));
    }
  }
  return out;
}

std::optional<Error> ErrGroupDiscoveryFailed(const std::vector<ApiGroupVersion>& groups) {
  std::string names;
  for (const auto& [name, why] : GroupDiscoveryFailedErrorGroups(groups)) {
    names += (names.empty() ? "" : ", ") + name + ": " + why.message();
  }
  if (names.empty()) return std::nullopt;
  return Error(Reason::kServiceUnavailable, "the resources of some groups are unknown: " + names);
}

bool SupportsAllVerbs::operator()(const ApiResource& resource) const {
  return std::ranges::all_of(verbs_,
                             [&](const std::string& verb) { return resource.Supports(verb); });
}

std::vector<GroupVersionResource> GroupVersionResources(
    const std::vector<ApiGroupVersion>& groups) {
  std::vector<GroupVersionResource> out;
  for (const ApiGroupVersion& version : groups) {
    for (const ApiResource& resource : version.resources) out.push_back(resource.resource);
  }
  return out;
}

int CompareKubeAwareVersionStrings(std::string_view a, std::string_view b) {
  const std::optional<KubeVersion> left = ParseKubeVersion(a);
  const std::optional<KubeVersion> right = ParseKubeVersion(b);
  if (!left && !right) return Sign(b < a, a < b);
  if (!left || !right) return left ? 1 : -1;
  const auto rank = [](const KubeVersion& version) {
    return std::tuple(version.stage, version.major, version.minor);
  };
  return Sign(rank(*left) < rank(*right), rank(*right) < rank(*left));
}

}  // namespace kinformer
