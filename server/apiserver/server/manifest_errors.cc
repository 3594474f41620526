#include "apiserver/server/manifest_errors.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "base/text/edit_distance.h"

namespace kinformer::apiserver {
namespace {

bool SameLetters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

// apiVersions ("apps/v1") that serve the kind, compared without regard to case, and its exact
// spelling.
struct Served {
  std::set<std::string> api_versions{};
  std::string kind{};
};

Served Find(const ResourceTable& resources, std::string_view kind) {
  Served found;
  for (const auto& resource : resources.all()) {
    for (const auto& version : resource->versions) {
      if (!version->served || !SameLetters(version->kind, kind)) continue;
      found.api_versions.insert(version->api_version);
      found.kind = version->kind;
    }
  }
  return found;
}

// Group of an apiVersion, as known to the server.
struct Group {
  bool built_in = false;  // no CustomResourceDefinition can add a kind to it
  std::string nearest{};  // the most similar kind in it; empty: none
};

Group GroupOf(const ResourceTable& resources, std::string_view api_version, std::string_view kind) {
  Group found;
  const std::size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  std::size_t best = std::string::npos;
  for (const auto& resource : resources.all()) {
    if (resource->group != group) continue;
    if (!resource->custom) found.built_in = true;
    for (const auto& version : resource->versions) {
      if (!version->served || !internal::base::IsNear(version->kind, kind)) continue;
      const std::size_t distance = internal::base::EditDistance(version->kind, kind);
      if (distance >= best) continue;
      best = distance;
      found.nearest = version->kind;
    }
  }
  return found;
}

std::string_view RemedyOf(std::string_view message) {
  const auto has = [&](std::string_view part) { return message.find(part) != std::string::npos; };
  if (has("expected a string, got a ")) {
    return "; in YAML a text that looks like a number or a boolean stands in quotes";
  }
  if (has("expected an integer, got a string") || has("expected a boolean, got a string")) {
    return "; write it without quotes";
  }
  if (has("expected an array, got an object")) return "; in YAML each item begins with \"- \"";
  return {};
}

}  // namespace

std::string DocumentName(const json::Value& document, std::size_t number, std::size_t count) {
  const std::string& kind = document["kind"].StringOrEmpty();
  std::string name = document.At("/metadata/name").StringOrEmpty();
  if (name.empty()) name = document.At("/metadata/generateName").StringOrEmpty();
  std::string what = kind.empty() ? "object without a kind" : kind;
  if (!name.empty()) what += " " + name;
  return count == 1 ? what : "document " + std::to_string(number) + " (" + what + ")";
}

Error UnknownKind(const ResourceTable& resources, const json::Value& document) {
  const std::string& kind = document["kind"].StringOrEmpty();
  const std::string& api_version = document["apiVersion"].StringOrEmpty();
  if (kind.empty() || api_version.empty()) {
    const std::string_view missing = !kind.empty()          ? "apiVersion"
                                     : !api_version.empty() ? "kind"
                                                            : "apiVersion and kind";
    return {Reason::kNotFound, "it has no " + std::string(missing) +
                                   "; each document begins like \"apiVersion: v1\" and \"kind: "
                                   "Pod\""};
  }
  std::string text =
      "no resource serves kind \"" + kind + "\" in version \"" + api_version + "\"; ";
  const Served served = Find(resources, kind);
  if (served.api_versions.empty()) {
    const Group group = GroupOf(resources, api_version, kind);
    if (!group.nearest.empty()) {
      text += "did you mean \"" + group.nearest + "\"?";
    } else if (group.built_in) {
      text += "the group is built in, and has no such kind; is the apiVersion right?";
    } else {
      text += "load the CustomResourceDefinition of a custom kind before its objects";
    }
    return {Reason::kNotFound, std::move(text)};
  }
  text += "write kind: " + served.kind + " and apiVersion: ";
  std::string versions;
  for (const std::string& version : served.api_versions) {
    versions += (versions.empty() ? "" : " or ") + version;
  }
  return {Reason::kNotFound, text + versions};
}

Error OfManifest(const Error& error) {
  std::string text = error.message();
  if (IsNotFound(error) && error.details().kind == "namespaces") {
    text += "; load a document of kind Namespace with that name, too, or use another namespace";
  } else {
    text += RemedyOf(error.message());
  }
  Error out(error.reason(), std::move(text));
  out.WithHttpStatus(error.http_status()).WithDetails(error.details());
  return out;
}

}  // namespace kinformer::apiserver
