#include "apiserver/builtin/field_checks.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "apiserver/builtin/field_place.h"
#include "apiserver/builtin/required_table.h"
#include "apiserver/builtin/table_cells.h"
#include "apiserver/builtin/value_rule.h"
#include "apiserver/builtin/value_table.h"
#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;
using internal::MessageDescriptor;

// ---- The tables as a tree of messages, so that only messages with rules are visited.

// One of the members is required.
struct Need {
  std::vector<const FieldDescriptor*> members{};
  // Applies only if the member `key` has one of `values`; empty: always.
  std::string_view key{};
  std::vector<std::string_view> values{};
  const RequiredRow* row = nullptr;
};

struct Node;

struct Child {
  const FieldDescriptor* field = nullptr;
  const Node* node = nullptr;
};

struct Node {
  std::vector<Need> needs{};
  std::vector<ValueRule> rules{};  // by the name of their member
  std::vector<Child> children{};

  // Checks the value of the member `name` of a message at `place`.
  void CheckValue(std::string_view name, const json::Value& value, const FieldPlace& place,
                  std::vector<StatusCause>& causes) const {
    auto rule = std::lower_bound(rules.begin(), rules.end(), name,
                                 [](const ValueRule& other, std::string_view wanted) {
                                   return other.field().json_name < wanted;
                                 });
    for (; rule != rules.end() && rule->field().json_name == name; ++rule) {
      rule->Check(value, place, causes);
    }
  }
};

Need ParseNeed(const MessageDescriptor& message, const RequiredRow& row) {
  Need need{.row = &row};
  for (const std::string_view name : WordsOf(row.members)) {
    if (const FieldDescriptor* field = FindJsonMember(message, name)) need.members.push_back(field);
  }
  const std::size_t end = row.when.find('=');
  if (end == std::string_view::npos) return need;
  need.key = row.when.substr(0, end);
  for (const std::string_view quoted : WordsOf(row.when.substr(end + 1))) {
    need.values.push_back(quoted.substr(1, quoted.size() - 2));
  }
  return need;
}

// Makes trees on first use, and caches them. Thread-safe.
class Nodes {
 public:
  Nodes() {
    for (const RequiredRow& row : RequiredRows()) {
      rows_[row.message].push_back(&row);
      if (row.where != "*") sites_.insert(row.where);
    }
    for (const ValueRow& row : ValueRows()) {
      values_[row.message].push_back(&row);
      if (row.where != "*") sites_.insert(row.where);
    }
  }

  const Node& Of(const MessageDescriptor& message) {
    const std::lock_guard lock(mutex_);
    const Node*& root = roots_[&message];
    if (root == nullptr) root = &Make(message, {});
    return *root;
  }

 private:
  const Node& Make(const MessageDescriptor& message, const std::string& site) {
    const std::string place = sites_.contains(site) ? site : std::string();
    std::unique_ptr<Node>& made = nodes_[std::string(message.name) + "|" + place];
    if (made != nullptr) return *made;
    made = std::make_unique<Node>();
    Node& node = *made;
    if (const auto rows = rows_.find(message.name); rows != rows_.end()) {
      for (const RequiredRow* row : rows->second) {
        if (row->where == "*" || row->where == place)
          node.needs.push_back(ParseNeed(message, *row));
      }
    }
    if (const auto rows = values_.find(message.name); rows != values_.end()) {
      for (const ValueRow* row : rows->second) {
        if (row->where == "*" || row->where == place) node.rules.emplace_back(message, *row);
      }
      std::stable_sort(node.rules.begin(), node.rules.end(),
                       [](const ValueRule& a, const ValueRule& b) {
                         return a.field().json_name < b.field().json_name;
                       });
    }
    AddChildren(message, std::string(message.name) + ".", node);
    return node;
  }

  void AddChildren(const MessageDescriptor& message, const std::string& site, Node& node) {
    for (const std::uint16_t index : message.json_order) {
      const FieldDescriptor& field = message.fields[index];
      const bool status = field.json_name == "status";  // set by the server
      if (field.kind != FieldKind::kMessage || field.map || status) continue;
      if (field.inlined) {
        AddChildren(*field.message, site, node);
        continue;
      }
      const Node& child = Make(*field.message, site + std::string(field.json_name));
      if (!child.needs.empty() || !child.rules.empty() || !child.children.empty()) {
        node.children.push_back({.field = &field, .node = &child});
      }
    }
  }

  std::mutex mutex_;
  std::unordered_map<std::string_view, std::vector<const RequiredRow*>> rows_{};  // by message
  std::unordered_map<std::string_view, std::vector<const ValueRow*>> values_{};   // by message
  std::unordered_set<std::string_view> sites_{};  // the places named in the tables
  std::map<std::string, std::unique_ptr<Node>, std::less<>> nodes_{};
  std::unordered_map<const MessageDescriptor*, const Node*> roots_{};
};

// ---- Objects

bool IsMet(const Need& need, const json::Value& object) {
  if (!need.key.empty()) {
    const std::string& value = object[need.key].StringOrEmpty();
    if (std::find(need.values.begin(), need.values.end(), value) == need.values.end()) return true;
  }
  return std::any_of(need.members.begin(), need.members.end(),
                     [&](const FieldDescriptor* field) { return !IsAbsent(object, *field); });
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the messages of a kind.
void Check(const Node& node, const json::Value& object, const FieldPlace& place,
           std::vector<StatusCause>& causes) {
  for (const Need& need : node.needs) {
    if (IsMet(need, object)) continue;
    if (AreEnough(causes)) return;
    causes.push_back({.reason = std::string(need.row->reason),
                      .message = std::string(need.row->text),
                      .field = place.FieldAt(need.row->field)});
  }
  if (!node.rules.empty()) {
    for (const auto& [name, value] : object.members()) node.CheckValue(name, value, place, causes);
  }
  for (const Child& child : node.children) {
    const FieldDescriptor& field = *child.field;
    const json::Value& value = object[field.json_name];
    if (field.repeated) {
      const json::Array& items = value.items();
      for (std::size_t i = 0; i < items.size() && !AreEnough(causes); ++i) {
        Check(*child.node, items[i], {.parent = &place, .member = field.json_name, .index = i},
              causes);
      }
    } else if (!value.is_null() || !field.pointer) {
      Check(*child.node, value, {.parent = &place, .member = field.json_name}, causes);
    }
  }
}

}  // namespace

void ValidateFields(const MessageDescriptor& message, const json::Value& object,
                    std::vector<StatusCause>& causes) {
  static Nodes nodes;
  Check(nodes.Of(message), object, {}, causes);
}

}  // namespace kinformer::apiserver
