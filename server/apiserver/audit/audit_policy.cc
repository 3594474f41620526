#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/apiserver/audit_log.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

std::optional<AuditLevel> LevelOf(std::string_view text) {
  if (text == "None") return AuditLevel::kNone;
  if (text == "Metadata") return AuditLevel::kMetadata;
  if (text == "Request") return AuditLevel::kRequest;
  if (text == "RequestResponse") return AuditLevel::kRequestResponse;
  return std::nullopt;
}

// Reads a policy. The first problem stays.
class PolicyReader {
 public:
  explicit PolicyReader(std::string_view file) : file_(file) {}

  Result<AuditPolicy> Read(const json::Value& policy) {
    AuditPolicy out;
    if (policy["kind"].StringOrEmpty() != "Policy" ||
        policy["apiVersion"].StringOrEmpty() != "audit.k8s.io/v1") {
      Refuse("",
             "is no Policy of audit.k8s.io/v1: it needs `apiVersion: audit.k8s.io/v1` and "
             "`kind: Policy`");
    }
    CheckMembers(policy, "",
                 {"apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"});
    AuditStages stages;
    Omit(policy["omitStages"], "omitStages", stages);
    const bool omits_owners = BoolIn(policy["omitManagedFields"], "omitManagedFields", false);
    const json::Value& rules = policy["rules"];
    if (!rules.is_null() && !rules.is_array()) Refuse("rules", "is no list");
    for (std::size_t i = 0; i < rules.size(); ++i) {
      AuditRule rule{.stages = stages, .omit_managed_fields = omits_owners};
      ReadRule(rules[i], "rules[" + std::to_string(i) + "]", rule);
      out.rules.push_back(std::move(rule));
    }
    if (!problem_.empty()) return Error(Reason::kConfig, problem_);
    if (out.rules.empty()) {
      return Error(Reason::kConfig, Place("rules") +
                                        " is empty, so nothing would be written: add "
                                        "`rules: [{level: Metadata}]`");
    }
    return out;
  }

 private:
  [[nodiscard]] std::string Place(std::string_view field) const {
    std::string out(file_);
    if (!out.empty() && !field.empty()) out += ": ";
    out += field;
    return out.empty() ? "the audit policy" : out;
  }
  void Refuse(const std::string& field, std::string_view why) {
    if (problem_.empty()) problem_ = Place(field) + " " + std::string(why);
  }

  void CheckMembers(const json::Value& object, const std::string& at,
                    std::initializer_list<std::string_view> known) {
    if (!object.is_object()) return Refuse(at, "is no object");
    for (const auto& [name, value] : object.members()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      Refuse(at.empty() ? name : at + "." + name, "is no field of a Policy");
    }
  }

  bool BoolIn(const json::Value& value, const std::string& at, bool usual) {
    if (value.is_null()) return usual;
    if (!value.AsBool()) Refuse(at, "is neither true nor false");
    return value.AsBool().value_or(usual);
  }

  std::vector<std::string> TextsIn(const json::Value& list, const std::string& at) {
    std::vector<std::string> out;
    if (!list.is_null() && !list.is_array()) Refuse(at, "is no list");
    for (const json::Value& item : list.items()) {
      if (!item.AsString()) Refuse(at, "has an item that is no text");
      out.push_back(item.StringOrEmpty());
    }
    return out;
  }

  void Omit(const json::Value& list, const std::string& at, AuditStages& stages) {
    for (const std::string& stage : TextsIn(list, at)) {
      if (stage == "RequestReceived") {
        stages.request_received = false;
      } else if (stage == "ResponseStarted") {
        stages.response_started = false;
      } else if (stage == "ResponseComplete") {
        stages.response_complete = false;
      } else if (stage != "Panic") {
        Refuse(at, "has " + JsonString(stage) +
                       ": it may have RequestReceived, ResponseStarted, ResponseComplete and "
                       "Panic");
      }
    }
  }

  void ReadRule(const json::Value& said, const std::string& at, AuditRule& rule) {
    CheckMembers(said, at,
                 {"level", "users", "userGroups", "verbs", "resources", "namespaces",
                  "nonResourceURLs", "omitStages", "omitManagedFields"});
    const auto level = LevelOf(said["level"].StringOrEmpty());
    if (!level) Refuse(at + ".level", "must be None, Metadata, Request or RequestResponse");
    rule.level = level.value_or(AuditLevel::kNone);
    rule.users = TextsIn(said["users"], at + ".users");
    rule.groups = TextsIn(said["userGroups"], at + ".userGroups");
    rule.verbs = TextsIn(said["verbs"], at + ".verbs");
    rule.namespaces = TextsIn(said["namespaces"], at + ".namespaces");
    rule.paths = TextsIn(said["nonResourceURLs"], at + ".nonResourceURLs");
    for (const std::string& path : rule.paths) CheckPath(path, at + ".nonResourceURLs");
    const json::Value& resources = said["resources"];
    if (!resources.is_null() && !resources.is_array()) Refuse(at + ".resources", "is no list");
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const std::string place = at + ".resources[" + std::to_string(i) + "]";
      CheckMembers(resources[i], place, {"group", "resources", "resourceNames"});
      AuditResources group{
          .group = resources[i]["group"].StringOrEmpty(),
          .resources = TextsIn(resources[i]["resources"], place + ".resources"),
          .names = TextsIn(resources[i]["resourceNames"], place + ".resourceNames")};
      if (group.group.find('/') != std::string::npos) {
        Refuse(place + ".group", "is a group without its version, such as apps");
      }
      if (!group.names.empty() && group.resources.empty()) {
        Refuse(place + ".resourceNames", "needs at least one of `resources`");
      }
      rule.resources.push_back(std::move(group));
    }
    if (!rule.paths.empty() && (!rule.resources.empty() || !rule.namespaces.empty())) {
      Refuse(at + ".nonResourceURLs", "does not go with resources and namespaces: write two rules");
    }
    Omit(said["omitStages"], at + ".omitStages", rule.stages);
    rule.omit_managed_fields =
        BoolIn(said["omitManagedFields"], at + ".omitManagedFields", rule.omit_managed_fields);
  }

  void CheckPath(std::string_view path, const std::string& at) {
    if (path == "*") return;
    if (!path.starts_with('/')) Refuse(at, "has a path that does not begin with /");
    if (path.substr(0, path.empty() ? 0 : path.size() - 1).find('*') != std::string_view::npos) {
      Refuse(at, "has a path with * before its end");
    }
  }

  const std::string_view file_;
  std::string problem_;
};

}  // namespace

Result<AuditPolicy> ParseAuditPolicy(std::string_view text, std::string_view file) {
  const Result<json::Value> parsed = yaml::Parse(text, file);
  if (!parsed) return Error(Reason::kConfig, parsed.error().message());
  return PolicyReader(file).Read(*parsed);
}

}  // namespace kinformer::apiserver
