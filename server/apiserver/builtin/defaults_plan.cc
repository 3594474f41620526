#include "apiserver/builtin/defaults_plan.h"

#include <algorithm>

#include "apiserver/builtin/defaults_computed.h"
#include "apiserver/builtin/fill_in.h"

namespace kinformer::apiserver {
namespace {

json::Value ParseCell(std::string_view text) { return json::Parse(text).value_or(json::Value()); }

// Parses one term of a condition: `a|b`, `a="x"`, `a~latest`.
DefaultCondition ParseCondition(const MessagePlan& plan, std::string_view term) {
  DefaultCondition out;
  const std::size_t end = term.find_first_of("=~");
  if (end != std::string_view::npos) {
    out.test = term[end] == '~' ? DefaultCondition::Test::kLatest : DefaultCondition::Test::kEquals;
    if (term[end] == '=') out.value = ParseCell(term.substr(end + 1));
    term = term.substr(0, end);
  }
  while (!term.empty()) {
    const std::string_view name = term.substr(0, term.find('|'));
    term.remove_prefix(std::min(term.size(), name.size() + 1));
    if (const std::size_t at = plan.Find(name); at != MessagePlan::kNone) out.members.push_back(at);
  }
  return out;
}

// Returns the message of a field's objects; for fields that may hold other types, that of objects.
const internal::MessageDescriptor* ChildOf(const internal::FieldDescriptor& field) {
  if (field.kind == internal::FieldKind::kMessage) return field.message;
  if (field.kind != internal::FieldKind::kJsonUnion) return nullptr;
  for (const internal::FieldDescriptor& form : field.message->fields) {
    if (form.kind == internal::FieldKind::kMessage) return form.message;
  }
  return nullptr;
}

}  // namespace

DefaultPlans::DefaultPlans() {
  for (const DefaultRow& row : DefaultRows()) {
    rows_[row.message].push_back(&row);
    if (row.where != "*") special_.insert(row.where);
  }
}

const MessagePlan& DefaultPlans::For(const internal::MessageDescriptor& message,
                                     std::string_view kind) {
  const std::lock_guard lock(mutex_);
  Known& known = known_[&message];
  if (known.plan == nullptr || known.kind != kind) {
    known.kind = kind;
    known.plan = &Make(message, special_.contains(kind) ? std::string(kind) : std::string(), {});
  }
  return *known.plan;
}

const MessagePlan& DefaultPlans::Make(const internal::MessageDescriptor& message,
                                      const std::string& kind, const std::string& parent) {
  const std::string place = special_.contains(parent) ? parent : std::string();
  const std::string key = std::string(message.name).append("|").append(kind) + "|" + place;
  std::unique_ptr<MessagePlan>& made = plans_[key];
  if (made != nullptr) return *made;
  made = std::make_unique<MessagePlan>();
  MessagePlan& plan = *made;
  plan.message = &message;
  plan.prepare = ComputedDefaultsOf(message.name, kind);
  AddFields(plan, message);
  for (std::size_t i = 0; i < plan.fields.size(); ++i) {
    plan.by_name.emplace_back(plan.fields[i].field->json_name, i);
    if (!plan.fields[i].field->omitempty) plan.always.push_back(i);
  }
  std::sort(plan.by_name.begin(), plan.by_name.end());
  for (FieldPlan& field : plan.fields) {
    if (const internal::MessageDescriptor* const child = ChildOf(*field.field)) {
      field.child =
          &Make(*child, kind, std::string(message.name).append(".").append(field.field->json_name));
    }
  }
  AddRules(plan, kind, place);
  plan.empty = json::Value::MakeObject();
  Added added;
  (void)FillIn(plan, plan.empty, added);
  return plan;
}

void DefaultPlans::AddFields(MessagePlan& plan, const internal::MessageDescriptor& message) const {
  for (const std::uint16_t index : message.json_order) {
    const internal::FieldDescriptor& field = message.fields[index];
    if (field.inlined) {
      AddFields(plan, *field.message);
    } else {
      plan.fields.push_back({.name = field.json_name, .field = &field});
    }
  }
}

void DefaultPlans::AddRules(MessagePlan& plan, const std::string& kind,
                            const std::string& parent) const {
  const auto found = rows_.find(plan.message->name);
  if (found == rows_.end()) return;
  const Rows& rows = found->second;
  for (const DefaultRow* row : rows) {
    // Rows for this place, or else for this kind, replace rows for all.
    const auto said = [&](std::string_view where) {
      return !where.empty() && std::any_of(rows.begin(), rows.end(), [&](const DefaultRow* other) {
        return other->where == where && other->member == row->member;
      });
    };
    const std::string_view counts = said(parent) ? std::string_view(parent)
                                    : said(kind) ? std::string_view(kind)
                                                 : std::string_view("*");
    if (row->where == counts) AddRule(plan, *row);
  }
}

void DefaultPlans::AddRule(MessagePlan& plan, const DefaultRow& row) const {
  const std::size_t at = plan.Find(row.member);
  if (at == MessagePlan::kNone) {
    if (row.member == "kind" || row.member == "apiVersion") {
      plan.type_meta.emplace_back(row.member, ParseCell(row.value));
    }
    return;
  }
  FieldPlan& field = plan.fields[at];
  DefaultRule rule;
  std::string_view when = row.when == "-" ? std::string_view() : row.when;
  while (!when.empty()) {
    const std::string_view term = when.substr(0, when.find(','));
    when.remove_prefix(std::min(when.size(), term.size() + 1));
    rule.when.push_back(ParseCondition(plan, term));
  }
  if (row.value[0] == '=' || row.value[0] == '+') {
    rule.gives =
        row.value[0] == '=' ? DefaultRule::Gives::kCopy : DefaultRule::Gives::kMissingEntries;
    rule.other = plan.Find(row.value.substr(1));
    if (rule.other == MessagePlan::kNone) return;
  } else if (row.value != "-") {
    rule.gives = DefaultRule::Gives::kValue;
    rule.value = ParseCell(row.value);
    Added added;
    if (field.child != nullptr && !field.field->map && !field.field->repeated) {
      (void)FillIn(*field.child, rule.value, added);
    } else if (field.child != nullptr && field.field->repeated) {
      for (json::Value& item : rule.value.EnsureArray()) {
        (void)FillIn(*field.child, item, added);
      }
    }
  }
  if (field.rules.empty()) plan.ruled.push_back(at);
  field.rules.push_back(std::move(rule));
}

}  // namespace kinformer::apiserver
