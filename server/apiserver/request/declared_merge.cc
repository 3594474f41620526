// Merges the declarations of a server-side apply of a built-in kind into the object.

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/descriptor.h"

#include "apiserver/errors/status.h"
#include "apiserver/request/atomic_fields.h"
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
                 json::Value& document);

std::vector<std::string> IdentitiesOf(const ElementKey& key, const json::Array& elements) {
  std::vector<std::string> identities;
  identities.reserve(elements.size());
  for (const json::Value& element : elements) identities.push_back(IdentityOf(key, element));
  return identities;
}

// Returns `=1`, or `k="x",n=1`.
std::string ShownKey(const ElementKey& key, const json::Value& element) {
  if (key.members.empty()) return "=" + element.Dump();
  std::vector<std::string_view> members = key.members;
  std::sort(members.begin(), members.end());
  std::string out;
  for (const std::string_view member : members) {
    const json::Value& part = element[member];
    const bool is_default = part.is_null() && member == "protocol";
    out.append(out.empty() ? "" : ",").append(member).append("=");
    out += is_default ? "\"TCP\"" : part.Dump();
  }
  return out;
}

std::string DuplicateIn(const json::Value& declared, const MessageDescriptor* message,
                        const std::string& path);

// Returns where two declared elements of a list have the same key, in the list or below it; empty:
// nowhere.
std::string DuplicateIn(const json::Array& declared, const FieldDescriptor* field,
                        const std::string& path) {
  const ListRule rule = RuleOf(field);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const json::Value& element = declared[i];
    std::string place = path + "[" + std::to_string(i) + "]";
    if (rule.merges) {
      const std::string key = ShownKey(rule.key, element);
      if (!seen.insert(IdentityOf(rule.key, element)).second) {
        return path + ": duplicate entries for key [" + key + "]";
      }
      place = path + "[" + key + "]";
    }
    std::string below = DuplicateIn(element, MessageOf(field), place);
    if (!below.empty()) return below;
  }
  return {};
}

std::string DuplicateIn(const json::Value& declared, const MessageDescriptor* message,
                        const std::string& path) {
  if (message == nullptr) return {};
  for (const auto& [name, value] : declared.members()) {
    const FieldDescriptor* const field = internal::FindJsonMember(*message, name);
    const std::string place = path + "." + name;
    std::string found;
    if (value.is_array()) {
      found = DuplicateIn(value.items(), field, place);
    } else if (value.is_object()) {
      found = DuplicateIn(value, MessageOf(field), place);
    }
    if (!found.empty()) return found;
  }
  return {};
}

void MergeList(const ListRule& rule, const MessageDescriptor* message, const json::Array& declared,
               json::Array& list) {
  const std::vector<std::string> old = IdentitiesOf(rule.key, list);
  // Elements with equal identities are ambiguous, and match none.
  std::map<std::string_view, json::Value*> known;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const auto [at, fresh] = known.emplace(old[i], &list[i]);
    if (!fresh) at->second = nullptr;
  }
  json::Array merged;
  for (const AppliedElement& element : OrderOfApply(old, IdentitiesOf(rule.key, declared))) {
    if (!element.declared) {
      merged.push_back(std::move(list[element.index]));
      continue;
    }
    const json::Value& wanted = declared[element.index];
    const auto found = known.find(IdentityOf(rule.key, wanted));
    if (found == known.end() || found->second == nullptr) {
      merged.push_back(wanted);
      json::DropNulls(merged.back());
      continue;
    }
    json::Value& there = merged.emplace_back(std::move(*found->second));
    if (!rule.key.members.empty()) MergeObject(wanted, message, there);
  }
  list = std::move(merged);
}

void MergeMember(const json::Value& value, const MessageDescriptor* message,
                 const FieldDescriptor* field, json::Value& target) {
  if (value.is_array()) {
    const ListRule rule = RuleOf(field);
    if (target.is_array() && rule.merges) {
      MergeList(rule, MessageOf(field), value.items(), target.EnsureArray());
      return;
    }
  } else if (value.is_object() && !(message != nullptr && IsAtomic(*message, field))) {
    MergeObject(value, MessageOf(field), target);
    return;
  }
  target = value;
  json::DropNulls(target);
}

void MergeObject(const json::Value& declared, const MessageDescriptor* message,
                 json::Value& document) {
  MemberChanges changes;
  for (const auto& [name, value] : declared.members()) {
    const FieldDescriptor* const field =
        message == nullptr ? nullptr : internal::FindJsonMember(*message, name);
    json::Value* const there = document.Find(name);
    if (value.is_null()) {
      changes.Erase(name);
    } else if (there != nullptr) {
      MergeMember(value, message, field, *there);
    } else {
      MergeMember(value, message, field, changes.Add(name, {}));
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
  std::string problem = DuplicateIn(declared, message, "");
  if (!problem.empty()) return BadRequestError(std::move(problem));
  MergeObject(declared, message, document);
  return {};
}

}  // namespace kinformer::apiserver
