#include "cli/api_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kinformer::cli {
namespace {

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

std::string GroupVersionOf(const GroupVersionResource& resource) {
  return resource.group.empty() ? resource.version : resource.group + "/" + resource.version;
}

bool IsChosen(const ApiResource& resource, const ApiChoice& choice) {
  if (choice.group && resource.resource.group != *choice.group) return false;
  if (choice.namespaced && resource.namespaced != *choice.namespaced) return false;
  if (!SupportsAllVerbs(choice.verbs)(resource)) return false;
  return std::all_of(
      choice.categories.begin(), choice.categories.end(), [&](const std::string& category) {
        return std::find(resource.categories.begin(), resource.categories.end(), category) !=
               resource.categories.end();
      });
}

json::Value Texts(const std::vector<std::string>& texts) {
  json::Value array = json::Value::MakeArray();
  for (const std::string& text : texts) array.Append(json::Value(text));
  return array;
}

}  // namespace

std::vector<ApiResource> ChooseResources(const std::vector<ApiGroupVersion>& groups,
                                         const ApiChoice& choice) {
  std::vector<ApiResource> chosen;
  for (const ApiGroupVersion& version : groups) {
    for (const ApiResource& resource : version.resources) {
      if (IsChosen(resource, choice)) chosen.push_back(resource);
    }
  }
  std::stable_sort(chosen.begin(), chosen.end(), [&](const ApiResource& a, const ApiResource& b) {
    if (choice.sort_by == "name") return a.resource.resource < b.resource.resource;
    if (choice.sort_by == "kind") return a.kind < b.kind;
    return std::tie(a.resource.group, a.resource.resource) <
           std::tie(b.resource.group, b.resource.resource);
  });
  return chosen;
}

std::vector<std::vector<std::string>> ResourceRows(const std::vector<ApiResource>& resources,
                                                   bool wide) {
  std::vector<std::vector<std::string>> rows{
      {"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"}};
  if (wide) rows.front().insert(rows.front().end(), {"VERBS", "CATEGORIES"});
  for (const ApiResource& resource : resources) {
    std::vector<std::string> row{resource.resource.resource, Joined(resource.shortNames),
                                 GroupVersionOf(resource.resource),
                                 resource.namespaced ? "true" : "false", resource.kind};
    if (wide) {
      row.push_back(Joined(resource.verbs));
      row.push_back(Joined(resource.categories));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string ResourceName(const ApiResource& resource) {
  const GroupVersionResource& names = resource.resource;
  return names.group.empty() ? names.resource : names.resource + "." + names.group;
}

json::Value ResourceDocument(const std::vector<ApiResource>& resources) {
  json::Value list = json::Value::MakeArray();
  for (const ApiResource& resource : resources) {
    json::Value one = json::Value::MakeObject({{"kind", resource.kind},
                                               {"name", resource.resource.resource},
                                               {"namespaced", resource.namespaced},
                                               {"singularName", resource.singularName},
                                               {"verbs", Texts(resource.verbs)},
                                               {"version", resource.resource.version}});
    if (!resource.resource.group.empty()) one.Ensure("group") = resource.resource.group;
    if (!resource.shortNames.empty()) one.Ensure("shortNames") = Texts(resource.shortNames);
    if (!resource.categories.empty()) one.Ensure("categories") = Texts(resource.categories);
    list.Append(std::move(one));
  }
  return json::Value::MakeObject({{"apiVersion", "v1"},
                                  {"groupVersion", ""},
                                  {"kind", "APIResourceList"},
                                  {"resources", std::move(list)}});
}

std::vector<std::string> VersionLines(const std::vector<ApiGroup>& groups) {
  std::vector<std::string> lines;
  for (const ApiGroup& group : groups) {
    for (const std::string& version : group.versions) {
      lines.push_back(group.name.empty() ? version : group.name + "/" + version);
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace kinformer::cli
