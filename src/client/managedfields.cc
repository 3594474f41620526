#include "kinformer/client/managedfields.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text/number_in.h"

namespace kinformer::managedfields {
namespace {

using Node = FieldSet::Node;
using Nodes = FieldSet::Nodes;

constexpr std::string_view kSteps = "fkvi";

// Returns the content of a step: "name" of "f:name".
std::string_view ContentOf(std::string_view step) { return step.substr(2); }

std::optional<std::int64_t> Position(std::string_view step) {
  const auto number = internal::base::NumberIn(ContentOf(step));
  return number && *number >= 0 ? number : std::nullopt;
}

// Returns whether a step has one of the four forms.
bool IsStep(std::string_view step) {
  if (step.size() < 2 || step[1] != ':' || kSteps.find(step[0]) == std::string_view::npos) {
    return false;
  }
  if (step[0] == 'i') return Position(step).has_value();
  if (step[0] == 'f') return true;
  const Result<json::Value> value = json::Parse(ContentOf(step));
  return value.ok() && (step[0] == 'v' || value->is_object());
}

Error Malformed(const std::string& what) {
  return Error(Reason::kDecode, "malformed fieldsV1: " + what);
}

Result<Nodes> Read(const json::Value& fields, bool* member) {
  const json::Object* object = fields.IfObject();
  if (object == nullptr) {
    return Malformed("a " + std::string(json::TypeName(fields.type())) + " instead of an object");
  }
  Nodes nodes;
  for (const auto& [step, below] : *object) {
    if (step == "." && member != nullptr) {
      *member = true;
      continue;
    }
    if (!IsStep(step)) return Malformed("the step \"" + step + "\"");
    Node node;
    Result<Nodes> children = Read(below, &node.member);
    if (!children) return std::move(children).error();
    node.children = *std::move(children);
    if (node.children.empty()) node.member = true;
    nodes.insert_or_assign(step, std::move(node));
  }
  return nodes;
}

json::Value Written(const Nodes& nodes) {
  json::Value out = json::Value::MakeObject();
  for (const auto& [step, node] : nodes) {
    json::Value below = Written(node.children);
    if (node.member && !node.children.empty()) {
      json::Value with_self = json::Value::MakeObject({{".", json::Value::MakeObject()}});
      for (const auto& [name, value] : below.members()) with_self.Set(name, value);
      below = std::move(with_self);
    }
    out.Set(step, std::move(below));
  }
  return out;
}

void Unite(Nodes& into, const Nodes& other) {
  for (const auto& [step, node] : other) {
    Node& here = into[step];
    here.member = here.member || node.member;
    Unite(here.children, node.children);
  }
}

Nodes Common(const Nodes& a, const Nodes& b) {
  Nodes common;
  for (const auto& [step, node] : a) {
    const auto other = b.find(step);
    if (other == b.end()) continue;
    Node both;
    both.member = node.member && other->second.member;
    both.children = Common(node.children, other->second.children);
    if (both.member || !both.children.empty()) common.emplace(step, std::move(both));
  }
  return common;
}

Nodes LeavesOf(const Nodes& nodes) {
  Nodes leaves;
  for (const auto& [step, node] : nodes) {
    Node leaf;
    leaf.children = LeavesOf(node.children);
    leaf.member = node.member && leaf.children.empty();
    if (leaf.member || !leaf.children.empty()) leaves.emplace(step, std::move(leaf));
  }
  return leaves;
}

// A step into an item of a list, read once.
struct ItemStep {
  ItemStep(const std::string& step, const Node& at) : form(step[0]), node(&at) {
    if (form == 'i') {
      position = Position(step);
    } else if (Result<json::Value> value = json::Parse(ContentOf(step)); value) {
      content = *std::move(value);
    }
  }
  [[nodiscard]] bool Fits(const json::Value& item, std::size_t index) const {
    if (form == 'i') return position == static_cast<std::int64_t>(index);
    if (form == 'v') return item == content;
    return std::all_of(content.members().begin(), content.members().end(), [&](const auto& key) {
      const json::Value* value = item.Find(key.first);
      return value != nullptr && *value == key.second;
    });
  }

  char form;
  const Node* node;
  std::optional<std::int64_t> position{};
  json::Value content{};
};

json::Value Part(const json::Value& value, const Node& node);

json::Value PartOfArray(const json::Array& items, const Nodes& nodes) {
  std::vector<ItemStep> steps;
  for (const auto& [step, node] : nodes) {
    if (step[0] != 'f') steps.emplace_back(step, node);
  }
  json::Value out = json::Value::MakeArray();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto step = std::find_if(steps.begin(), steps.end(),
                                   [&](const ItemStep& s) { return s.Fits(items[i], i); });
    if (step == steps.end()) continue;
    json::Value part = Part(items[i], *step->node);
    if (step->form == 'k') {
      for (const auto& [name, value] : step->content.members()) part.Set(name, value);
    }
    out.Append(std::move(part));
  }
  return out;
}

json::Value PartOfObject(const json::Value& object, const Nodes& nodes) {
  json::Value out = json::Value::MakeObject();
  for (const auto& [step, node] : nodes) {
    if (step[0] != 'f') continue;
    const std::string_view name = ContentOf(step);
    const json::Value* value = object.Find(name);
    if (value != nullptr) out.Set(name, Part(*value, node));
  }
  return out;
}

// Returns the value, or what the set has of it.
json::Value Part(const json::Value& value, const Node& node) {
  if (node.member) return value;
  if (const json::Array* items = value.IfArray()) return PartOfArray(*items, node.children);
  return PartOfObject(value, node.children);
}

}  // namespace

bool FieldSet::StepOrder::operator()(const std::string& a, const std::string& b) const {
  const std::size_t rank_a = kSteps.find(a.empty() ? ' ' : a[0]);
  const std::size_t rank_b = kSteps.find(b.empty() ? ' ' : b[0]);
  if (rank_a != rank_b) return rank_a < rank_b;
  if (!a.empty() && a[0] == 'i' && a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

Result<FieldSet> FieldSet::FromFieldsV1(const json::Value& fields) {
  FieldSet set;
  Result<Nodes> nodes = Read(fields, nullptr);
  if (!nodes) return std::move(nodes).error();
  set.nodes_ = *std::move(nodes);
  return set;
}

json::Value FieldSet::ToFieldsV1() const { return Written(nodes_); }

FieldSet FieldSet::Union(const FieldSet& other) const {
  FieldSet out = *this;
  Unite(out.nodes_, other.nodes_);
  return out;
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet out;
  out.nodes_ = Common(nodes_, other.nodes_);
  return out;
}

FieldSet FieldSet::Leaves() const {
  FieldSet out;
  out.nodes_ = LeavesOf(nodes_);
  return out;
}

json::Value Extracted(const json::Value& object, const FieldSet& fields) {
  return PartOfObject(object, fields.nodes());
}

Result<json::Value> Extract(const json::Value& object, std::string_view field_manager,
                            std::string_view subresource) {
  json::Value out = json::Value::MakeObject();
  for (const json::Value& entry : object["metadata"]["managedFields"].items()) {
    if (entry["manager"].StringOrEmpty() != field_manager ||
        entry["operation"].StringOrEmpty() != "Apply" ||
        entry["subresource"].StringOrEmpty() != subresource) {
      continue;
    }
    Result<FieldSet> fields = FieldSet::FromFieldsV1(entry["fieldsV1"]);
    if (!fields) {
      return std::move(fields).error().WithContext("fields of " + std::string(field_manager));
    }
    out = Extracted(object, fields->Leaves());
    break;
  }
  for (const char* name : {"apiVersion", "kind"}) {
    if (const json::Value* value = object.Find(name)) out.Set(name, *value);
  }
  for (const char* name : {"name", "namespace"}) {
    const json::Value* value = object["metadata"].Find(name);
    if (value != nullptr) out.Ensure("metadata", name) = *value;
  }
  return out;
}

}  // namespace kinformer::managedfields
