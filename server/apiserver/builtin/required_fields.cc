#include "apiserver/builtin/required_fields.h"

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

#include "apiserver/builtin/required_table.h"
#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;
using internal::MessageDescriptor;

// ---- The table as a tree of messages, so that only messages with rules are visited.

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
  std::vector<Child> children{};
};

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    out.push_back(word);
  }
  return out;
}

Need ParseNeed(const MessageDescriptor& message, const RequiredRow& row) {
  Need need{.row = &row};
  for (const std::string_view name : Split(row.members)) {
    if (const FieldDescriptor* field = FindJsonMember(message, name)) need.members.push_back(field);
  }
  const std::size_t end = row.when.find('=');
  if (end == std::string_view::npos) return need;
  need.key = row.when.substr(0, end);
  for (const std::string_view quoted : Split(row.when.substr(end + 1))) {
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
      if (!child.needs.empty() || !child.children.empty()) {
        node.children.push_back({.field = &field, .node = &child});
      }
    }
  }

  std::mutex mutex_;
  std::unordered_map<std::string_view, std::vector<const RequiredRow*>> rows_{};  // by message
  std::unordered_set<std::string_view> sites_{};  // the places named in the table
  std::map<std::string, std::unique_ptr<Node>, std::less<>> nodes_{};
  std::unordered_map<const MessageDescriptor*, const Node*> roots_{};
};

// ---- Objects

// Path of a message in an object. Converted to text only for errors.
struct Place {
  const Place* parent = nullptr;
  std::string_view member{};
  std::optional<std::size_t> index{};

  [[nodiscard]] std::string Text() const {
    if (parent == nullptr) return {};
    std::string out = parent->Text();
    if (!out.empty()) out += '.';
    out += member;
    return out + Index();
  }
  [[nodiscard]] std::string Index() const {
    return index ? "[" + std::to_string(*index) + "]" : std::string();
  }
};

// Returns the path of a field of the table, relative to the place.
std::string FieldAt(const Place& place, std::string_view field) {
  std::string base = place.Text();
  while (field.starts_with("../")) {
    field.remove_prefix(3);
    const std::size_t dot = base.rfind('.');
    base.resize(dot == std::string::npos ? 0 : dot);
  }
  if (field == ".") return base;
  std::string rest(field);
  constexpr std::string_view kOwn = "[*]";
  if (const std::size_t at = rest.find(kOwn); at != std::string::npos) {
    rest.replace(at, kOwn.size(), place.Index());
  }
  if (!base.empty() && !rest.starts_with('[')) base += '.';
  return base + rest;
}

// Returns whether the field is absent in Go's sense: it has its zero value, unless it is a pointer.
bool Lacks(const json::Value& object, const FieldDescriptor& field) {
  const json::Value* value = object.Find(field.json_name);
  if (value == nullptr || value->is_null()) return true;
  if (field.repeated || field.map) return value->size() == 0;
  if (field.pointer) return false;
  if (value->is_string()) return value->StringOrEmpty().empty();
  if (value->is_object()) return value->size() == 0;
  if (const auto number = value->AsDouble()) return *number == 0;
  return !value->AsBool().value_or(true);
}

bool IsMet(const Need& need, const json::Value& object) {
  if (!need.key.empty()) {
    const std::string& value = object[need.key].StringOrEmpty();
    if (std::find(need.values.begin(), need.values.end(), value) == need.values.end()) return true;
  }
  return std::any_of(need.members.begin(), need.members.end(),
                     [&](const FieldDescriptor* field) { return !Lacks(object, *field); });
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the messages of a kind.
void Check(const Node& node, const json::Value& object, const Place& place,
           std::vector<StatusCause>& causes) {
  for (const Need& need : node.needs) {
    if (IsMet(need, object)) continue;
    if (AreEnough(causes)) return;
    causes.push_back({.reason = std::string(need.row->reason),
                      .message = std::string(need.row->text),
                      .field = FieldAt(place, need.row->field)});
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

void ValidateRequired(const MessageDescriptor& message, const json::Value& object,
                      std::vector<StatusCause>& causes) {
  static Nodes nodes;
  Check(nodes.Of(message), object, {}, causes);
}

}  // namespace kinformer::apiserver
