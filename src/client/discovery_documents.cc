#include "client/discovery_documents.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kinformer::internal::client {
namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kMostWords = 64;  // verbs, short names, categories of a resource

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

Error TooMany(const char* what, std::size_t most) {
  return Error(Reason::kOverLimit, "the server has more than " + std::to_string(most) + " " + what +
                                       ", which is more than a Kubernetes API server has");
}

std::vector<std::string> Words(const json::Value& array) {
  std::vector<std::string> out;
  for (const json::Value& item : array.items()) {
    if (out.size() == kMostWords) break;
    // A verb may be "*".
    const std::string& word = item.StringOrEmpty();
    if (IsPlainName(word) || word == "*") out.push_back(word);
  }
  return out;
}

// Adds to groups, as long as they are not too many.
class Adder {
 public:
  explicit Adder(ApiGroupVersions& groups) : groups_(groups) {
    for (const ApiGroupVersion& there : groups) {
      known_.emplace(there.group, there.version);
      resources_ += there.resources.size();
    }
  }

  Result<void> Add(ApiGroupVersion version) {
    const bool named =
        (version.group.empty() || IsPlainName(version.group)) && IsPlainName(version.version);
    if (!named || !known_.emplace(version.group, version.version).second) return {};
    if (groups_.size() == kMostGroupVersions) return TooMany("group versions", kMostGroupVersions);
    resources_ += version.resources.size();
    if (resources_ > kMostResources) return TooMany("resources", kMostResources);
    groups_.push_back(std::move(version));
    return {};
  }

 private:
  ApiGroupVersions& groups_;
  std::set<std::pair<std::string, std::string>> known_{};
  std::size_t resources_ = 0;
};

GroupVersionKind KindIn(const json::Value& kind, const ApiGroupVersion& version) {
  GroupVersionKind out{kind["group"].StringOrEmpty(), kind["version"].StringOrEmpty(),
                       kind["kind"].StringOrEmpty()};
  // Without a version, both are those of the resource.
  if (out.version.empty()) {
    out.group = version.group;
    out.version = version.version;
  }
  return out;
}

std::vector<ApiSubresource> AggregatedSubresources(const json::Value& resource,
                                                   const ApiGroupVersion& version) {
  std::vector<ApiSubresource> out;
  for (const json::Value& part : resource["subresources"].items()) {
    if (out.size() == kMostWords) break;
    if (!IsPlainName(part["subresource"].StringOrEmpty())) continue;
    out.push_back({part["subresource"].StringOrEmpty(), KindIn(part["responseKind"], version),
                   Words(part["verbs"])});
  }
  return out;
}

std::vector<ApiResource> AggregatedResources(const json::Value& document,
                                             const ApiGroupVersion& version) {
  std::vector<ApiResource> out;
  for (const json::Value& resource : document["resources"].items()) {
    const std::string& kind = resource["responseKind"]["kind"].StringOrEmpty();
    const std::string& name = resource["resource"].StringOrEmpty();
    if (!IsPlainName(kind) || !IsPlainName(name)) continue;
    ApiResource item;
    item.resource = {version.group, version.version, name};
    item.kind = kind;
    item.singularName = resource["singularResource"].StringOrEmpty();
    item.namespaced = resource["scope"].StringOrEmpty() == "Namespaced";
    item.verbs = Words(resource["verbs"]);
    item.shortNames = Words(resource["shortNames"]);
    item.categories = Words(resource["categories"]);
    item.subresources = AggregatedSubresources(resource, version);
    out.push_back(std::move(item));
  }
  return out;
}

Result<void> AddVersion(Adder& adder, const std::string& group, const std::string& version,
                        bool preferred) {
  ApiGroupVersion out;
  out.group = group;
  out.version = version;
  out.preferred = preferred;
  return adder.Add(std::move(out));
}

json::Value ArrayOf(const std::vector<std::string>& words) {
  json::Value out = json::Value::MakeArray();
  for (const std::string& word : words) out.EnsureArray().emplace_back(word);
  return out;
}

std::string HashIn(std::string_view url) {
  const std::size_t at = url.find("hash=");
  if (at == std::string_view::npos || at == 0 || (url[at - 1] != '?' && url[at - 1] != '&')) {
    return {};
  }
  const std::string_view rest = url.substr(at + 5);
  return std::string(rest.substr(0, rest.find('&')));
}

// A path and a query of printable characters.
bool IsTarget(std::string_view url) {
  constexpr std::size_t kLongest = 2048;
  return url.starts_with('/') && url.size() <= kLongest &&
         std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
}

}  // namespace

bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && IsLetterOrDigit(name.front()) &&
         std::ranges::all_of(
             name, [](char c) { return IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.'; });
}

Result<void> AddAggregated(const json::Value& document, ApiGroupVersions& groups) {
  Adder adder(groups);
  for (const json::Value& group : document["items"].items()) {
    bool first = true;
    for (const json::Value& version : group["versions"].items()) {
      ApiGroupVersion out;
      out.group = group["metadata"]["name"].StringOrEmpty();
      out.version = version["version"].StringOrEmpty();
      if (version["freshness"].StringOrEmpty() == "Stale") {
        SetFailed(out, Error(Reason::kServiceUnavailable,
                             "the server has no current discovery document of this group version"));
        out.stale = true;
      } else {
        out.preferred = std::exchange(first, false);
      }
      out.resources = AggregatedResources(version, out);
      Result<void> added = adder.Add(std::move(out));
      if (!added) return added;
    }
  }
  return {};
}

Result<void> AddCoreVersions(const json::Value& document, ApiGroupVersions& groups) {
  Adder adder(groups);
  bool first = true;
  for (const json::Value& version : document["versions"].items()) {
    Result<void> added =
        AddVersion(adder, "", version.StringOrEmpty(), std::exchange(first, false));
    if (!added) return added;
  }
  return {};
}

Result<void> AddGroupList(const json::Value& document, ApiGroupVersions& groups) {
  Adder adder(groups);
  for (const json::Value& group : document["groups"].items()) {
    const std::string& preferred = group["preferredVersion"]["version"].StringOrEmpty();
    // Adds the preferred version first, so that it is the first match of a name.
    for (const bool wanted : {true, false}) {
      for (const json::Value& version : group["versions"].items()) {
        const std::string& text = version["version"].StringOrEmpty();
        if ((text == preferred) != wanted) continue;
        Result<void> added = AddVersion(adder, group["name"].StringOrEmpty(), text, wanted);
        if (!added) return added;
      }
    }
  }
  return {};
}

Result<void> FillFromResourceList(const json::Value& document, ApiGroupVersion& out) {
  std::map<std::string, std::vector<ApiSubresource>> parts;
  for (const json::Value& resource : document["resources"].items()) {
    const std::string& name = resource["name"].StringOrEmpty();
    const std::string& kind = resource["kind"].StringOrEmpty();
    if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
      std::string part = name.substr(slash + 1);
      std::vector<ApiSubresource>& of = parts[name.substr(0, slash)];
      if (!IsPlainName(part) || of.size() == kMostWords) continue;
      of.push_back({std::move(part), KindIn(resource, out), Words(resource["verbs"])});
      continue;
    }
    if (!IsPlainName(name) || !IsPlainName(kind)) continue;
    if (out.resources.size() == kMostResources) return TooMany("resources", kMostResources);
    ApiResource item;
    item.resource = {out.group, out.version, name};
    item.kind = kind;
    item.singularName = resource["singularName"].StringOrEmpty();
    item.namespaced = resource["namespaced"].AsBool().value_or(false);
    item.verbs = Words(resource["verbs"]);
    item.shortNames = Words(resource["shortNames"]);
    item.categories = Words(resource["categories"]);
    out.resources.push_back(std::move(item));
  }
  for (ApiResource& resource : out.resources) {
    const auto found = parts.find(resource.resource.resource);
    if (found != parts.end()) resource.subresources = std::move(found->second);
  }
  return {};
}

json::Value GroupListOf(const ApiGroupVersions& groups) {
  const auto version = [](const std::string& group, const std::string& name) {
    return json::Value::MakeObject(
        {{"groupVersion", group.empty() ? name : group + "/" + name}, {"version", name}});
  };
  json::Value list = json::Value::MakeArray();
  for (const ApiGroup& group : GroupsOf(groups)) {
    json::Value versions = json::Value::MakeArray();
    for (const std::string& name : group.versions) {
      versions.EnsureArray().push_back(version(group.name, name));
    }
    json::Value item = json::Value::MakeObject();
    item.Set("name", group.name);
    item.Set("versions", std::move(versions));
    item.Set("preferredVersion", version(group.name, group.preferredVersion));
    list.EnsureArray().push_back(std::move(item));
  }
  return json::Value::MakeObject(
      {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(list)}});
}

json::Value ResourceListOf(const ApiGroupVersion& version) {
  json::Value list = json::Value::MakeArray();
  for (const ApiResource& resource : version.resources) {
    json::Value item = json::Value::MakeObject({{"name", resource.resource.resource},
                                                {"singularName", resource.singularName},
                                                {"namespaced", resource.namespaced},
                                                {"kind", resource.kind},
                                                {"verbs", ArrayOf(resource.verbs)}});
    if (!resource.shortNames.empty()) item.Set("shortNames", ArrayOf(resource.shortNames));
    if (!resource.categories.empty()) item.Set("categories", ArrayOf(resource.categories));
    list.EnsureArray().push_back(std::move(item));
    for (const ApiSubresource& part : resource.subresources) {
      json::Value about =
          json::Value::MakeObject({{"name", resource.resource.resource + "/" + part.name},
                                   {"singularName", ""},
                                   {"namespaced", resource.namespaced}});
      if (part.kind.group != version.group || part.kind.version != version.version) {
        about.Set("group", part.kind.group);
        about.Set("version", part.kind.version);
      }
      about.Set("kind", part.kind.kind);
      about.Set("verbs", ArrayOf(part.verbs));
      list.EnsureArray().push_back(std::move(about));
    }
  }
  return json::Value::MakeObject({{"kind", "APIResourceList"},
                                  {"apiVersion", "v1"},
                                  {"groupVersion", version.groupVersion()},
                                  {"resources", std::move(list)}});
}

Result<OpenApiPaths> ReadOpenApiPaths(const json::Value& document) {
  OpenApiPaths out;
  for (const auto& [path, place] : document["paths"].members()) {
    const std::string& url = place["serverRelativeURL"].StringOrEmpty();
    if (!IsTarget(url)) continue;
    if (out.size() == kMostGroupVersions) return TooMany("OpenAPI documents", kMostGroupVersions);
    out[path] = {url, HashIn(url)};
  }
  return out;
}

std::vector<ApiGroup> GroupsOf(const ApiGroupVersions& groups) {
  std::vector<ApiGroup> out;
  std::map<std::string_view, std::size_t> places;
  for (const ApiGroupVersion& version : groups) {
    const auto [place, added] = places.emplace(version.group, out.size());
    if (added) out.push_back({version.group, {}, {}});
    ApiGroup& group = out[place->second];
    if (version.preferred) {
      group.preferredVersion = version.version;
      group.versions.insert(group.versions.begin(), version.version);
    } else {
      group.versions.push_back(version.version);
    }
  }
  // All versions may be stale.
  for (ApiGroup& group : out) {
    if (group.preferredVersion.empty()) group.preferredVersion = group.versions.front();
  }
  return out;
}

ApiGroupVersions PreferredOf(const ApiGroupVersions& groups) {
  std::map<std::pair<std::string_view, std::string_view>, const ApiGroupVersion*> chosen;
  for (const bool preferred : {true, false}) {
    for (const ApiGroupVersion& version : groups) {
      if (version.preferred != preferred) continue;
      for (const ApiResource& resource : version.resources) {
        chosen.emplace(std::pair<std::string_view, std::string_view>(version.group,
                                                                     resource.resource.resource),
                       &version);
      }
    }
  }
  ApiGroupVersions out;
  for (const ApiGroupVersion& version : groups) {
    ApiGroupVersion part = version;
    std::erase_if(part.resources, [&](const ApiResource& resource) {
      return chosen.at({version.group, resource.resource.resource}) != &version;
    });
    if (!part.resources.empty() || !part.error.empty()) out.push_back(std::move(part));
  }
  return out;
}

void SetFailed(ApiGroupVersion& version, const Error& why) {
  version.error = why.message().empty() ? std::string(ReasonName(why.reason())) : why.message();
  version.reason = why.reason();
}

bool MayPass(const ApiGroupVersion& version) {
  if (version.error.empty() || version.stale) return false;
  switch (version.reason) {
    case Reason::kConnectionRefused:
    case Reason::kTransport:
    case Reason::kUnexpectedEof:
    case Reason::kTooManyRequests:
    case Reason::kInternalError:
    case Reason::kServiceUnavailable:
    case Reason::kServerTimeout:
    case Reason::kTimeout:
      return true;
    default:
      return false;
  }
}

}  // namespace kinformer::internal::client
