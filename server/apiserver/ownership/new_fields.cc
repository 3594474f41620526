#include "apiserver/ownership/new_fields.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

using json::Value;
using Members = std::vector<json::Object::Member>;

const FieldSet* Below(const FieldSet* set, std::string_view name) {
  return set == nullptr ? nullptr : set->Find(name);
}

// A field: whether it is in the set itself, and the fields below it.
struct Node {
  bool owned = false;
  Members below{};

  [[nodiscard]] bool empty() const { return !owned && below.empty(); }

  [[nodiscard]] Value ToJson() && {
    if (below.empty()) return Value::MakeObject();
    const auto by_name = [](const json::Object::Member& a, const json::Object::Member& b) {
      return a.first < b.first;
    };
    std::sort(below.begin(), below.end(), by_name);
    // Elements that share a name have one owner: that of the name alone.
    for (std::size_t i = 1; i < below.size(); ++i) {
      if (below[i].first == below[i - 1].first) {
        below[i].second = below[i - 1].second = Value::MakeObject();
      }
    }
    below.erase(std::unique(below.begin(), below.end(),
                            [](const auto& a, const auto& b) { return a.first == b.first; }),
                below.end());
    if (owned) below.emplace(below.begin(), ".", Value::MakeObject());
    return Value(json::Object(std::move(below)));
  }
};

// `there`: beside an empty object or list, and not beside nothing.
Node Visit(const ValueShape& shape, const Value& value, bool there, const LeftOut& left_out);

void VisitMember(const ValueShape& shape, std::string name, const Value& value, bool there,
                 const LeftOut& left_out, Members& out) {
  LeftOut below{};
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    below[i] = Below(left_out[i], name);
    if (below[i] != nullptr && below[i]->owned) return;
  }
  Node node = Visit(shape, value, there, below);
  if (!node.empty()) out.emplace_back(std::move(name), std::move(node).ToJson());
}

Node Visit(const ValueShape& shape, const Value& value, bool there, const LeftOut& left_out) {
  Node out{.owned = !there};
  if (value.size() == 0) return out;
  if (value.is_object() && !shape.IsAtomicObject()) {
    out.below.reserve(value.size() + 1);
    for (const auto& [member, part] : value.members()) {
      std::string name;
      name.reserve(member.size() + 2);
      name.append("f:").append(member);
      const ValueShape below = shape.Member(member);
      const bool container = part.is_object() || part.is_array();
      VisitMember(below, std::move(name), part, there && container && below.always_there(),
                  left_out, out.below);
    }
    return out;
  }
  auto names = value.is_array() ? shape.NamesOf(value.items()) : std::nullopt;
  if (!names) {
    out.owned = true;
    return out;
  }
  out.below.reserve(names->size() + 1);
  const ValueShape item = shape.Item();
  for (std::size_t i = 0; i < names->size(); ++i) {
    VisitMember(item, std::move((*names)[i]), value.items()[i], false, left_out, out.below);
  }
  return out;
}

}  // namespace

Value NewFieldsOf(const ValueShape& shape, const Value& object, const LeftOut& left_out) {
  Node all = Visit(shape, object, /*there=*/true, left_out);
  all.owned = false;
  return all.empty() ? Value() : std::move(all).ToJson();
}

}  // namespace kinformer::apiserver
