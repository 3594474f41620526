// Merges the declarations of a server-side apply of a built-in kind into the object.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/descriptor.h"

#include "apiserver/errors/status.h"
#include "apiserver/request/list_order.h"
#include "apiserver/request/list_rule.h"
#include "apiserver/request/member_changes.h"
#include "apiserver/request/patch.h"
#include "apiserver/schema/apply_order.h"
#include "wire/json_nulls.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;
using internal::MergeRule;
using internal::MessageDescriptor;

const MessageDescriptor* MessageOf(const FieldDescriptor* field) {
  const bool known = field != nullptr && field->kind == FieldKind::kMessage && !field->map;
  return known ? field->message : nullptr;
}

void MergeObject(const json::Value& declared, const MessageDescriptor* message,
                 json::Value& document, std::string& problem);

std::vector<std::string> IdentitiesOf(const ElementKey& key, const json::Array& elements) {
  std::vector<std::string> identities;
  identities.reserve(elements.size());
  for (const json::Value& element : elements) identities.push_back(IdentityOf(key, element));
  return identities;
}

// Checks that no two declared elements of a list have the same key.
void CheckDistinct(std::string_view name, const ListRule& rule, const json::Array& declared,
                   std::string& problem) {
  if (!rule.merges || PlacesOf(rule.key, declared).size() == declared.size()) return;
  problem = "apply: two elements of the list \"" + std::string(name) + "\" have the same key";
}

void MergeList(const ListRule& rule, const MessageDescriptor* message, const json::Array& declared,
               json::Array& list, std::string& problem) {
  const std::vector<std::string> old = IdentitiesOf(rule.key, list);
  const Places places = PlacesOf(rule.key, list);
  json::Array merged;
  for (const AppliedElement& element : OrderOfApply(old, IdentitiesOf(rule.key, declared))) {
    if (!element.declared) {
      merged.push_back(std::move(list[element.index]));
      continue;
    }
    const json::Value& wanted = declared[element.index];
    const auto found = places.find(IdentityOf(rule.key, wanted));
    if (found == places.end()) {
      merged.push_back(wanted);
      json::DropNulls(merged.back());
      continue;
    }
    json::Value& there = merged.emplace_back(std::move(list[found->second]));
    if (!rule.key.members.empty()) MergeObject(wanted, message, there, problem);
  }
  list = std::move(merged);
}

void MergeMember(const json::Value& value, std::string_view name, const FieldDescriptor* field,
                 json::Value& target, std::string& problem) {
  if (value.is_array()) {
    const ListRule rule = RuleOf(field);
    CheckDistinct(name, rule, value.items(), problem);
    if (target.is_array() && rule.merges) {
      MergeList(rule, MessageOf(field), value.items(), target.EnsureArray(), problem);
      return;
    }
  } else if (value.is_object()) {
    MergeObject(value, MessageOf(field), target, problem);
    return;
  }
  target = value;
  json::DropNulls(target);
}

// `problem`: the last one found, if any.
void MergeObject(const json::Value& declared, const MessageDescriptor* message,
                 json::Value& document, std::string& problem) {
  MemberChanges changes;
  for (const auto& [name, value] : declared.members()) {
    const FieldDescriptor* const field =
        message == nullptr ? nullptr : internal::FindJsonMember(*message, name);
    json::Value* const there = document.Find(name);
    if (value.is_null()) {
      changes.Erase(name);
    } else if (there != nullptr) {
      MergeMember(value, name, field, *there, problem);
    } else {
      MergeMember(value, name, field, changes.Add(name, {}), problem);
    }
  }
  std::move(changes).ApplyTo(document);
}

}  // namespace

ListRule RuleOf(const FieldDescriptor* field) {
  if (field == nullptr || field->merge_rule == nullptr) return {};
  const MergeRule& rule = *field->merge_rule;
  if (rule.list_type == internal::ListType::kSet) return {.merges = true};
  if (rule.list_type == internal::ListType::kMap) {
    ListRule out{.merges = true};
    std::string_view rest = rule.list_map_keys;
    while (!rest.empty()) {
      const std::string_view member = rest.substr(0, rest.find(','));
      out.key.members.push_back(member);
      rest.remove_prefix(std::min(member.size() + 1, rest.size()));
    }
    return out;
  }
  if (rule.list_type == internal::ListType::kAtomic || !rule.merge) return {};
  ListRule out{.merges = true};
  if (!rule.merge_key.empty()) out.key.members.push_back(rule.merge_key);
  return out;
}

Result<void> ApplyDeclaredObject(const json::Value& declared, const MessageDescriptor* message,
                                 json::Value& document) {
  if (!declared.is_object()) return BadRequestError("a merge patch must be an object");
  std::string problem;
  MergeObject(declared, message, document, problem);
  if (!problem.empty()) return BadRequestError(std::move(problem));
  return {};
}

}  // namespace kinformer::apiserver
