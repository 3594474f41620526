#include "apiserver/builtin/fill_in.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "apiserver/builtin/defaults_scalars.h"
#include "wire/json_cost.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;

constexpr std::size_t kMostFields = 64;

using Member = json::Object::Member;
using Members = std::vector<Member>;

// Value sent for each field of a plan; null: none.
using Sent = std::array<json::Value*, kMostFields>;

bool Holds(const DefaultCondition& condition, const Sent& sent) {
  return std::any_of(condition.members.begin(), condition.members.end(), [&](std::size_t at) {
    if (sent[at] == nullptr) return false;
    switch (condition.test) {
      case DefaultCondition::Test::kPresent:
        return true;
      case DefaultCondition::Test::kEquals:
        return *sent[at] == condition.value;
      case DefaultCondition::Test::kLatest:
        break;
    }
    return IsLatestImage(sent[at]->StringOrEmpty());
  });
}

const DefaultRule* RuleFor(const FieldPlan& field, const Sent& sent) {
  for (const DefaultRule& rule : field.rules) {
    if (std::all_of(rule.when.begin(), rule.when.end(),
                    [&](const DefaultCondition& condition) { return Holds(condition, sent); })) {
      return &rule;
    }
  }
  return nullptr;
}

// Returns the value that the rules give to a field; null: none. `own`: the field's present value.
json::Value ByRule(const FieldPlan& field, const Sent& sent, const json::Value* own) {
  if (own != nullptr &&
      (field.rules.empty() || field.rules[0].gives != DefaultRule::Gives::kMissingEntries)) {
    return {};
  }
  const DefaultRule* rule = RuleFor(field, sent);
  if (rule == nullptr || rule->gives == DefaultRule::Gives::kNothing) return {};
  if (rule->gives == DefaultRule::Gives::kValue) return rule->value;
  const json::Value* other = sent[rule->other];
  if (other == nullptr) return {};
  if (own == nullptr) return *other;
  json::Value merged = *own;
  for (const auto& [name, value] : other->members()) {
    if (!merged.contains(name)) merged.Set(name, value);
  }
  return merged;
}

// Fills in a value that may be an object, a list of objects, or something else.
bool FillInUnion(const MessagePlan& plan, json::Value& value, Added& added) {
  if (value.is_object()) return FillIn(plan, value, added);
  bool usual = true;
  if (json::Array* const items = value.IfArray()) {
    for (json::Value& item : *items) {
      usual = (!item.is_object() || FillIn(plan, item, added)) && usual;
    }
  }
  return usual;
}

bool One(const FieldPlan& plan, json::Value& value, Added& added) {
  if (plan.child != nullptr) {
    return plan.field->kind == FieldKind::kJsonUnion ? FillInUnion(*plan.child, value, added)
                                                     : FillIn(*plan.child, value, added);
  }
  return CanonicalScalar(*plan.field, value);
}

// Returns Go's zero value for a null in a map of that type; null for types without one.
json::Value ZeroEntryOf(const FieldDescriptor& field) {
  switch (field.kind) {
    case FieldKind::kString:
    case FieldKind::kBytes:
      return "";
    case FieldKind::kQuantity:
      return "0";
    default:
      return {};
  }
}

bool IsSorted(const json::Object& entries) {
  return std::is_sorted(entries.begin(), entries.end(),
                        [](const auto& a, const auto& b) { return a.first < b.first; });
}

bool FillInField(const FieldPlan& plan, json::Value& value, Added& added) {
  bool usual = true;
  if (plan.field->repeated) {
    json::Array* items = value.IfArray();
    if (items == nullptr) return false;
    for (json::Value& item : *items) usual = One(plan, item, added) && usual;
    return usual;
  }
  if (plan.field->map) {
    json::Object* entries = value.IfObject();
    if (entries == nullptr) return false;
    if (!IsSorted(*entries)) entries->SortByName();
    for (std::size_t i = 0; i < entries->size(); ++i) {
      json::Value& entry = entries->value(i);
      if (entry.is_null()) entry = ZeroEntryOf(*plan.field);
      usual = One(plan, entry, added) && usual;
    }
    return usual;
  }
  return One(plan, value, added);
}

// Members of an object, assigned to the fields of a plan.
struct Sorted {
  Sent sent{};
  // The member that holds the value; null: the value comes from a rule.
  std::array<Member*, kMostFields> from{};
  // Members in front of the fields: kind and apiVersion.
  Members head{};
  // Whether the members can stay in place: all known, none missing, and in order.
  bool in_place = false;
};

void SortMembers(const MessagePlan& plan, Members& members, Sorted& sorted) {
  sorted.in_place = plan.type_meta.empty();
  std::size_t next = 0;
  for (Member& member : members) {
    const std::size_t expected = next;
    const std::size_t at = plan.FindNext(member.first, next);
    const bool there = at != MessagePlan::kNone && !IsAbsent(*plan.fields[at].field, member.second);
    sorted.in_place = sorted.in_place && there && at >= expected;
    if (there) {
      sorted.sent[at] = &member.second;
      sorted.from[at] = &member;
    }
    if (at != MessagePlan::kNone) continue;
    if (plan.message->type_meta && (member.first == "kind" || member.first == "apiVersion")) {
      sorted.head.push_back(std::move(member));
    }
  }
  for (const auto& [name, value] : plan.type_meta) {
    const auto has = [&, given_name = name](const Member& m) { return m.first == given_name; };
    if (std::none_of(sorted.head.begin(), sorted.head.end(), has)) {
      sorted.head.emplace_back(name, value);
    }
  }
}

using Filled = std::vector<std::pair<std::size_t, json::Value>>;

// Computes the values that rules give, and lets `sorted` refer to them. Rules read the values as
// sent, so all are computed before any is inserted.
Filled ApplyRules(const MessagePlan& plan, Sorted& sorted, Added& added) {
  Filled filled;
  filled.reserve(plan.ruled.size());
  for (const std::size_t at : plan.ruled) {
    json::Value value = ByRule(plan.fields[at], sorted.sent, sorted.sent[at]);
    if (value.is_null()) continue;
    added.bytes += json::CostOf(value);
    filled.emplace_back(at, std::move(value));
  }
  for (auto& [at, value] : filled) {
    sorted.sent[at] = &value;
    sorted.from[at] = nullptr;
    sorted.in_place = false;
  }
  return filled;
}

// Value of a field that was not sent, but is always written.
json::Value EmptyOf(const FieldPlan& plan) {
  const FieldDescriptor& field = *plan.field;
  const bool message = plan.child != nullptr && !field.repeated && !field.map && !field.pointer;
  return message ? plan.child->empty : ZeroOf(field);
}

// Appends all fields in order, after the head. Returns false if a value is unusual.
bool AppendFields(const MessagePlan& plan, const Sorted& sorted, Members& out, Added& added) {
  bool usual = true;
  for (std::size_t i = 0; i < plan.fields.size(); ++i) {
    const FieldPlan& field = plan.fields[i];
    if (json::Value* value = sorted.sent[i]) {
      usual = FillInField(field, *value, added) && usual;
      if (sorted.from[i] != nullptr) {
        out.push_back(std::move(*sorted.from[i]));
      } else {
        out.emplace_back(field.field->json_name, std::move(*value));
      }
    } else if (!field.field->omitempty) {
      out.emplace_back(field.field->json_name, EmptyOf(field));
      added.bytes += json::CostOf(out.back().second);
    }
  }
  return usual;
}

}  // namespace

bool FillIn(const MessagePlan& plan, json::Value& object, Added& added) {
  if (added.full()) return true;
  json::Object* given = object.IfObject();
  if (given == nullptr || plan.fields.size() > kMostFields) return false;
  if (plan.prepare != nullptr) plan.prepare(*given);
  Members members = std::move(*given).Release();
  Sorted sorted;
  SortMembers(plan, members, sorted);
  Filled filled = ApplyRules(plan, sorted, added);
  const bool complete = std::all_of(plan.always.begin(), plan.always.end(),
                                    [&](std::size_t at) { return sorted.sent[at] != nullptr; });
  if (sorted.in_place && complete) {
    bool usual = true;
    for (std::size_t i = 0; i < plan.fields.size(); ++i) {
      if (sorted.sent[i] != nullptr) {
        usual = FillInField(plan.fields[i], *sorted.sent[i], added) && usual;
      }
    }
    *given = json::Object(std::move(members));
    return usual;
  }
  Members out = std::move(sorted.head);
  out.reserve(out.size() + members.size() + filled.size() + plan.always.size());
  const bool usual = AppendFields(plan, sorted, out, added);
  *given = json::Object(std::move(out));
  return usual;
}

}  // namespace kinformer::apiserver
