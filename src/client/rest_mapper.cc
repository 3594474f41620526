#include "kinformer/client/rest_mapper.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/core/printable.h"
#include "base/text/edit_distance.h"

namespace kinformer {
namespace {

using Groups = std::vector<ApiGroupVersion>;

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool Contains(const std::vector<std::string>& values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

// A resource, and where it is.
struct Place {
  const ApiGroupVersion* version;
  const ApiResource* resource;
};

RestMapping MappingOf(const Place& place) {
  return {place.resource->resource,
          {place.version->group, place.version->version, place.resource->kind},
          place.resource->namespaced};
}

// Returns the resources for which `matches` is true, in the order of their priority.
template <class Matches>
std::vector<Place> Collect(const Groups& groups, const Matches& matches) {
  std::vector<Place> out;
  for (const bool preferred : {true, false}) {
    for (const ApiGroupVersion& version : groups) {
      if (version.preferred != preferred) continue;
      for (const ApiResource& resource : version.resources) {
        if (matches(version, resource)) out.push_back({&version, &resource});
      }
    }
  }
  return out;
}

// One way to read a name.
struct Wanted {
  std::string name{};  // lower case
  std::string group{};
  std::string version{};
  bool any_group = true;
};

enum class NamedBy : std::uint8_t { kResource, kKind, kShortName };

bool IsCalled(const ApiResource& resource, const std::string& name, NamedBy by) {
  if (by == NamedBy::kShortName) return Contains(resource.shortNames, name);
  if (by == NamedBy::kKind) return Lower(resource.kind) == name;
  return resource.resource.resource == name || resource.singularName == name;
}

std::vector<Place> Find(const Groups& groups, const Wanted& wanted, NamedBy by, bool prefix) {
  return Collect(groups, [&](const ApiGroupVersion& version, const ApiResource& resource) {
    if (!wanted.any_group) {
      const bool fits =
          prefix ? version.group.starts_with(wanted.group) : version.group == wanted.group;
      if (!fits) return false;
    }
    if (!wanted.version.empty() && version.version != wanted.version) return false;
    return IsCalled(resource, wanted.name, by);
  });
}

// Full names win over short ones, and whole names of groups over beginnings.
std::vector<Place> FindPart(const Groups& groups, const GroupVersionResource& part) {
  const Wanted wanted{Lower(part.resource), part.group, part.version, part.group.empty()};
  for (const bool prefix : {false, true}) {
    if (prefix && (wanted.any_group || !wanted.version.empty())) break;
    for (const NamedBy by : {NamedBy::kResource, NamedBy::kShortName}) {
      std::vector<Place> found = Find(groups, wanted, by, prefix);
      if (found.empty()) continue;
      // A short name stands for the first resource that has it.
      const Place first = found.front();
      std::erase_if(found, [&](const Place& place) {
        return by == NamedBy::kShortName &&
               (place.version->group != first.version->group ||
                place.resource->resource.resource != first.resource->resource.resource);
      });
      return found;
    }
  }
  return {};
}

std::vector<Wanted> Readings(std::string_view typed) {
  const std::string name = Lower(typed);
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {{name, "", "", true}};
  std::vector<Wanted> readings;
  const std::string first = name.substr(0, dot);
  const std::string rest = name.substr(dot + 1);
  const std::size_t second = rest.find('.');
  if (second != std::string::npos) {
    readings.push_back({first, rest.substr(second + 1), rest.substr(0, second), false});
  }
  readings.push_back({first, rest, "", false});
  return readings;
}

std::string NearestName(const Groups& groups, const std::string& name) {
  std::string nearest;
  std::size_t best = 3;
  for (const ApiGroupVersion& group : groups) {
    for (const ApiResource& resource : group.resources) {
      for (const std::string& candidate : {resource.resource.resource, resource.singularName}) {
        if (candidate.empty() || !internal::base::IsNear(candidate, name)) continue;
        const std::size_t distance = internal::base::EditDistance(candidate, name);
        if (distance >= best) continue;
        best = distance;
        nearest = resource.resource.resource;
      }
    }
  }
  return nearest;
}

// Returns the group versions that have something of this name: "v1, metrics.k8s.io/v1beta1".
std::string VersionsWith(const Groups& groups, const std::string& name) {
  std::string versions;
  for (const ApiGroupVersion& group : groups) {
    const bool has = std::ranges::any_of(group.resources, [&](const ApiResource& resource) {
      return IsCalled(resource, name, NamedBy::kResource) ||
             IsCalled(resource, name, NamedBy::kKind) ||
             IsCalled(resource, name, NamedBy::kShortName);
    });
    if (!has) continue;
    if (!versions.empty()) versions += ", ";
    versions += (group.group.empty() ? "" : group.group + "/") + group.version;
  }
  return versions;
}

Error NoMatch(const Groups& groups, std::string_view typed) {
  std::string message = "the server doesn't have a resource type \"" + std::string(typed) + "\"";
  const std::string name = Lower(typed.substr(0, typed.find('.')));
  if (const std::string versions = VersionsWith(groups, name); !versions.empty()) {
    message += "; \"" + name + "\" is in " + versions;
  } else if (const std::string nearest = NearestName(groups, name); !nearest.empty()) {
    message += "; did you mean \"" + nearest + "\"?";
  }
  for (const ApiGroupVersion& group : groups) {
    if (group.error.empty()) continue;
    message +=
        " (" + group.group + "/" + group.version + " could not be read: " + group.error + ")";
    break;
  }
  return Error(Reason::kNotFound, std::move(message));
}

std::string TextOf(const GroupVersionResource& part) {
  std::string text = part.resource;
  if (!part.version.empty()) text += "." + part.version;
  if (!part.group.empty()) text += "." + part.group;
  return text;
}

// Returns `get` of each place, each value once.
template <class Get>
auto Values(const std::vector<Place>& places, const Get& get) {
  std::vector<decltype(get(places.front()))> out;
  for (const Place& place : places) {
    auto value = get(place);
    if (std::ranges::find(out, value) == out.end()) out.push_back(std::move(value));
  }
  return out;
}

GroupVersionKind KindOf(const Place& place) { return MappingOf(place).kind; }
GroupVersionResource ResourceOf(const Place& place) { return place.resource->resource; }

std::vector<Place> FindKind(const Groups& groups, const GroupKind& kind,
                            const std::vector<std::string>& versions) {
  const auto find = [&](const std::string* wanted) {
    return Collect(groups, [&](const ApiGroupVersion& version, const ApiResource& resource) {
      return version.group == kind.group && resource.kind == kind.kind &&
             (wanted == nullptr || version.version == *wanted);
    });
  };
  if (versions.empty()) return find(nullptr);
  std::vector<Place> out;
  for (const std::string& version : versions) {
    const std::vector<Place> found = find(&version);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

Error NoKind(const Groups& groups, const GroupKind& kind,
             const std::vector<std::string>& versions) {
  std::string text = kind.kind + (kind.group.empty() ? "" : "." + kind.group);
  Error error = NoMatch(groups, text);
  if (versions.empty()) return error;
  std::string names;
  for (const std::string& version : versions) names += (names.empty() ? "" : ", ") + version;
  return Error(Reason::kNotFound, error.message() + "; versions asked for: " + names);
}

std::optional<Place> FindExactly(const Groups& groups, const GroupVersionResource& wanted) {
  for (const ApiGroupVersion& version : groups) {
    for (const ApiResource& candidate : version.resources) {
      if (candidate.resource == wanted) return Place{&version, &candidate};
    }
  }
  return std::nullopt;
}

// Returns whether the group version exists, but its resources are unknown.
bool IsUnknown(const Groups& groups, const GroupVersionResource& wanted) {
  return std::ranges::any_of(groups, [&](const ApiGroupVersion& version) {
    return version.group == wanted.group && version.version == wanted.version &&
           !version.error.empty();
  });
}

}  // namespace

RestMapper::RestMapper(std::vector<ApiGroupVersion> groups)
    : groups_(std::make_shared<const Groups>(std::move(groups))) {}

Result<GroupVersionKind> RestMapper::KindFor(const GroupVersionResource& resource) const {
  const std::vector<Place> found = FindPart(*groups_, resource);
  if (found.empty()) return NoMatch(*groups_, TextOf(resource));
  return KindOf(found.front());
}

Result<std::vector<GroupVersionKind>> RestMapper::KindsFor(
    const GroupVersionResource& resource) const {
  const std::vector<Place> found = FindPart(*groups_, resource);
  if (found.empty()) return NoMatch(*groups_, TextOf(resource));
  return Values(found, KindOf);
}

Result<GroupVersionResource> RestMapper::ResourceFor(const GroupVersionResource& resource) const {
  const std::vector<Place> found = FindPart(*groups_, resource);
  if (found.empty()) return NoMatch(*groups_, TextOf(resource));
  return ResourceOf(found.front());
}

Result<std::vector<GroupVersionResource>> RestMapper::ResourcesFor(
    const GroupVersionResource& resource) const {
  const std::vector<Place> found = FindPart(*groups_, resource);
  if (found.empty()) return NoMatch(*groups_, TextOf(resource));
  return Values(found, ResourceOf);
}

Result<RestMapping> RestMapper::RESTMapping(const GroupKind& kind,
                                            const std::vector<std::string>& versions) const {
  const std::vector<Place> found = FindKind(*groups_, kind, versions);
  if (found.empty()) return NoKind(*groups_, kind, versions);
  return MappingOf(found.front());
}

Result<std::vector<RestMapping>> RestMapper::RESTMappings(
    const GroupKind& kind, const std::vector<std::string>& versions) const {
  const std::vector<Place> found = FindKind(*groups_, kind, versions);
  if (found.empty()) return NoKind(*groups_, kind, versions);
  std::vector<RestMapping> out;
  for (const Place& place : found) out.push_back(MappingOf(place));
  return out;
}

std::string RestMapper::ResourceSingularizer(std::string_view resource) const {
  const std::string name = Lower(resource);
  for (const ApiGroupVersion& version : *groups_) {
    for (const ApiResource& candidate : version.resources) {
      if (candidate.resource.resource == name && !candidate.singularName.empty()) {
        return candidate.singularName;
      }
    }
  }
  return std::string(resource);
}

GroupVersionResource RestMapper::ExpandResourceShortcut(const GroupVersionResource& resource,
                                                        std::vector<std::string>* warnings) const {
  const Wanted wanted{Lower(resource.resource), resource.group, "", resource.group.empty()};
  for (const bool prefix : {false, true}) {
    if (prefix && wanted.any_group) break;
    if (!Find(*groups_, wanted, NamedBy::kResource, prefix).empty()) return resource;
    const std::vector<Place> found = Find(*groups_, wanted, NamedBy::kShortName, prefix);
    if (found.empty()) continue;
    const auto named = Values(found, [](const Place& place) {
      return GroupResource{place.version->group, place.resource->resource.resource};
    });
    for (std::size_t i = 1; warnings != nullptr && i < named.size(); ++i) {
      warnings->push_back("the short name \"" + internal::base::Printable(resource.resource) +
                          "\" also stands for " + TextOf({named[i].group, "", named[i].resource}) +
                          ", which has less priority than " +
                          TextOf({named[0].group, "", named[0].resource}));
    }
    return {named[0].group, resource.version, named[0].resource};
  }
  return resource;
}

std::optional<std::vector<GroupResource>> RestMapper::Expand(std::string_view category) const {
  const std::vector<Place> found =
      Collect(*groups_, [&](const ApiGroupVersion& /*version*/, const ApiResource& resource) {
        return Contains(resource.categories, category);
      });
  if (found.empty()) return std::nullopt;
  return Values(found, [](const Place& place) {
    return GroupResource{place.version->group, place.resource->resource.resource};
  });
}

Result<RestMapping> RestMapper::MappingFor(std::string_view name) const {
  for (const Wanted& wanted : Readings(name)) {
    for (const NamedBy by : {NamedBy::kResource, NamedBy::kKind, NamedBy::kShortName}) {
      const std::vector<Place> found = Find(*groups_, wanted, by, /*prefix=*/false);
      if (!found.empty()) return MappingOf(found.front());
    }
  }
  return NoMatch(*groups_, name);
}

Result<RestMapping> RestMapper::MappingFor(const GroupVersionResource& resource) const {
  if (const std::optional<Place> found = FindExactly(*groups_, resource)) return MappingOf(*found);
  return NoMatch(*groups_, resource.resource);
}

Result<RestMapping> RestMapper::MappingFor(const GroupVersionKind& kind) const {
  const std::vector<Place> found = FindKind(*groups_, {kind.group, kind.kind}, {kind.version});
  if (found.empty()) return NoMatch(*groups_, kind.kind);
  return MappingOf(found.front());
}

Result<RestMapping> RestMapper::FirstServed(
    const std::vector<GroupVersionResource>& resources) const {
  if (resources.empty()) {
    return Error(Reason::kInvalidArgument, "FirstServed needs the resources to choose from");
  }
  std::string names;
  bool unknown = false;
  for (const GroupVersionResource& wanted : resources) {
    if (const std::optional<Place> found = FindExactly(*groups_, wanted)) return MappingOf(*found);
    unknown = unknown || IsUnknown(*groups_, wanted);
    names += (names.empty() ? "" : ", ") + TextOf(wanted);
  }
  const Error error = NoMatch(*groups_, names);
  return unknown ? Error(Reason::kServiceUnavailable, error.message()) : error;
}

}  // namespace kinformer
