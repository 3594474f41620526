#include "apiserver/authorization/policy_rule.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

using Strings = std::vector<std::string>;

constexpr std::string_view kAll = "*";

bool Has(const Strings& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool HasOrAll(const Strings& texts, std::string_view text) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& has) { return has == kAll || has == text; });
}

bool AllowsResource(const Strings& resources, std::string_view resource, std::string_view sub) {
  for (const std::string& has : resources) {
    if (has == kAll) return true;
    if (sub.empty()) {
      if (has == resource) return true;
      continue;
    }
    const std::size_t slash = has.find('/');
    if (slash == std::string::npos || std::string_view(has).substr(slash + 1) != sub) continue;
    const std::string_view of = std::string_view(has).substr(0, slash);
    if (of == resource || of == kAll) return true;
  }
  return false;
}

bool CoversPath(std::string_view pattern, std::string_view path) {
  if (pattern == kAll || pattern == path) return true;
  if (!pattern.ends_with('*')) return false;
  return path.starts_with(pattern.substr(0, pattern.find_last_not_of('*') + 1));
}

bool AllowsPath(const Strings& patterns, std::string_view path) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return CoversPath(pattern, path); });
}

Strings StringsOf(const json::Value& list) {
  Strings out;
  for (const json::Value& item : list.items()) out.push_back(item.StringOrEmpty());
  return out;
}

void SetStrings(json::Value& object, std::string_view member, const Strings& texts) {
  if (texts.empty()) return;
  json::Value list = json::Value::MakeArray();
  for (const std::string& text : texts) list.Append(text);
  object.Set(member, std::move(list));
}

void AppendStrings(std::string_view member, const Strings& texts, std::string& out) {
  if (texts.empty()) return;
  if (out.size() > 1) out += ", ";
  out += member;
  out += ":[";
  for (const std::string& text : texts) {
    if (&text != &texts.front()) out += ' ';
    out += JsonString(text);
  }
  out += ']';
}

// Returns the smallest rules that the rule is made of.
PolicyRules PartsOf(const PolicyRule& rule) {
  PolicyRules parts;
  for (const std::string& group : rule.groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        const PolicyRule part{.verbs = {verb}, .groups = {group}, .resources = {resource}};
        if (rule.names.empty()) parts.push_back(part);
        for (const std::string& name : rule.names) {
          parts.push_back(part);
          parts.back().names = {name};
        }
      }
    }
  }
  for (const std::string& path : rule.paths) {
    for (const std::string& verb : rule.verbs) {
      parts.push_back({.verbs = {verb}, .paths = {path}});
    }
  }
  return parts;
}

}  // namespace

bool PolicyRule::Allows(const AccessAttributes& attributes) const {
  if (!HasOrAll(verbs, attributes.verb)) return false;
  if (!attributes.is_resource) return AllowsPath(paths, attributes.path);
  return HasOrAll(groups, attributes.group) &&
         AllowsResource(resources, attributes.resource, attributes.subresource) &&
         (names.empty() || Has(names, attributes.name));
}

bool PolicyRule::Covers(const PolicyRule& part) const {
  if (!HasOrAll(verbs, part.verbs.front())) return false;
  if (!part.paths.empty()) return AllowsPath(paths, part.paths.front());
  if (!HasOrAll(groups, part.groups.front())) return false;
  const std::string_view resource = part.resources.front();
  const std::size_t slash = resource.find('/');
  const std::string_view sub =
      slash == std::string_view::npos ? std::string_view() : resource.substr(slash + 1);
  if (!Has(resources, resource) && !AllowsResource(resources, resource.substr(0, slash), sub)) {
    return false;
  }
  if (names.empty()) return true;
  return !part.names.empty() && Has(names, part.names.front());
}

std::string PolicyRule::Text() const {
  std::string out = "{";
  AppendStrings("APIGroups", groups, out);
  AppendStrings("Resources", resources, out);
  AppendStrings("NonResourceURLs", paths, out);
  AppendStrings("ResourceNames", names, out);
  AppendStrings("Verbs", verbs, out);
  return out + "}";
}

PolicyRules RulesOf(const json::Value& role) {
  PolicyRules rules;
  for (const json::Value& rule : role["rules"].items()) {
    rules.push_back({.verbs = StringsOf(rule["verbs"]),
                     .groups = StringsOf(rule["apiGroups"]),
                     .resources = StringsOf(rule["resources"]),
                     .names = StringsOf(rule["resourceNames"]),
                     .paths = StringsOf(rule["nonResourceURLs"])});
  }
  return rules;
}

json::Value ToJson(const PolicyRule& rule) {
  json::Value out = json::Value::MakeObject();
  SetStrings(out, "verbs", rule.verbs);
  SetStrings(out, "apiGroups", rule.groups);
  SetStrings(out, "resources", rule.resources);
  SetStrings(out, "resourceNames", rule.names);
  SetStrings(out, "nonResourceURLs", rule.paths);
  return out;
}

std::vector<std::string> MissingRights(const PolicyRules& held, const PolicyRules& wanted) {
  // By group, resource and name, which are empty for paths.
  std::map<std::pair<std::string, std::pair<std::string, Strings>>, PolicyRule> by_resource;
  std::set<std::string> texts;
  for (const PolicyRule& rule : wanted) {
    for (const PolicyRule& part : PartsOf(rule)) {
      const bool covered = std::any_of(held.begin(), held.end(),
                                       [&](const PolicyRule& has) { return has.Covers(part); });
      if (covered) continue;
      if (!part.paths.empty()) {
        texts.insert(part.Text());
        continue;
      }
      const auto [at, made] = by_resource.try_emplace(
          {part.groups.front(), {part.resources.front(), part.names}}, part);
      if (!made) at->second.verbs.push_back(part.verbs.front());
    }
  }
  for (const auto& [resource, rule] : by_resource) texts.insert(rule.Text());
  return {texts.begin(), texts.end()};
}

}  // namespace kinformer::apiserver
