#include "apiserver/ownership/value_fields.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kinformer::apiserver {
namespace {

using json::Value;

// Values below a value, by their names in a FieldSet.
using Parts = std::map<std::string, std::pair<const Value*, const Value*>, std::less<>>;

void Attach(const std::string& name, FieldChanges changes, FieldChanges& out) {
  out.added.Put(name, std::move(changes.added));
  out.modified.Put(name, std::move(changes.modified));
  out.removed.Put(name, std::move(changes.removed));
}

FieldChanges Whole(const Value* before, const Value* after) {
  FieldChanges out;
  if (before == nullptr) {
    out.added.owned = true;
  } else if (after == nullptr) {
    out.removed.owned = true;
  } else {
    out.modified.owned = !(*before == *after);
  }
  return out;
}

// null: absent.
FieldChanges Difference(const ValueShape& shape, const Value* before, const Value* after);

// Go's form of an object has some members even if JSON lacks them.
const Value* AsInGo(const ValueShape& shape, const Value* value, const Value* other) {
  static const Value kEmptyObject = Value::MakeObject();
  static const Value kEmptyList = Value::MakeArray({});
  if (value != nullptr || !shape.always_there() || other == nullptr) return value;
  if (other->is_object()) return &kEmptyObject;
  return other->is_array() ? &kEmptyList : value;
}

FieldChanges MemberDifference(const ValueShape& shape, const Value* before, const Value* after) {
  Parts parts;
  if (before != nullptr) {
    for (const auto& [name, value] : before->members()) parts["f:" + name].first = &value;
  }
  if (after != nullptr) {
    for (const auto& [name, value] : after->members()) parts["f:" + name].second = &value;
  }
  FieldChanges out;
  for (const auto& [name, values] : parts) {
    const ValueShape member = shape.Member(std::string_view(name).substr(2));
    const Value* const old =
        before == nullptr ? values.first : AsInGo(member, values.first, values.second);
    const Value* const now =
        after == nullptr ? values.second : AsInGo(member, values.second, values.first);
    Attach(name, Difference(member, old, now), out);
  }
  return out;
}

// Returns nullopt if the lists are to be compared as wholes.
std::optional<FieldChanges> ItemDifference(const ValueShape& shape, const Value* before,
                                           const Value* after) {
  Parts parts;
  for (const bool old : {true, false}) {
    const Value* const list = old ? before : after;
    if (list == nullptr) continue;
    const auto names = shape.NamesOf(list->items());
    if (!names) return std::nullopt;
    for (std::size_t i = 0; i < names->size(); ++i) {
      (old ? parts[(*names)[i]].first : parts[(*names)[i]].second) = &list->items()[i];
    }
  }
  FieldChanges out;
  for (const auto& [name, values] : parts) {
    Attach(name, Difference(shape.Item(), values.first, values.second), out);
  }
  return out;
}

FieldChanges Difference(const ValueShape& shape, const Value* before, const Value* after) {
  const auto is = [&](auto type) {
    return (before == nullptr || type(*before)) && (after == nullptr || type(*after));
  };
  const bool empty =
      (before == nullptr || before->size() == 0) && (after == nullptr || after->size() == 0);
  FieldChanges out;
  if (empty) return Whole(before, after);
  if (is([](const Value& value) { return value.is_object(); }) && !shape.IsAtomicObject()) {
    out = MemberDifference(shape, before, after);
  } else if (is([](const Value& value) { return value.is_array(); })) {
    std::optional<FieldChanges> items = ItemDifference(shape, before, after);
    if (!items) return Whole(before, after);
    out = *std::move(items);
  } else {
    return Whole(before, after);
  }
  if (before == nullptr) out.added.owned = true;
  if (after == nullptr) out.removed.owned = true;
  return out;
}

// Returns the fields of a value that was absent or, `there`, an empty object or list.
FieldSet NewFields(const ValueShape& shape, const Value& value, bool there) {
  FieldSet out{.owned = !there};
  if (value.size() == 0) return out;
  if (value.is_object() && !shape.IsAtomicObject()) {
    std::string name = "f:";
    for (const auto& [member, part] : value.members()) {
      const ValueShape below = shape.Member(member);
      const bool container = part.is_object() || part.is_array();
      FieldSet fields = NewFields(below, part, there && container && below.always_there());
      if (fields.empty()) continue;
      name.resize(2);
      name += member;
      out.children.emplace(name, std::move(fields));
    }
    return out;
  }
  const auto names = value.is_array() ? shape.NamesOf(value.items()) : std::nullopt;
  if (!names) {
    out.owned = true;
    return out;
  }
  for (std::size_t i = 0; i < names->size(); ++i) {
    out.children.emplace((*names)[i], NewFields(shape.Item(), value.items()[i], false));
  }
  return out;
}

// Returns the sets below a name, of those that have any.
std::vector<const FieldSet*> Below(const std::vector<const FieldSet*>& sets,
                                   std::string_view name) {
  std::vector<const FieldSet*> out;
  for (const FieldSet* const set : sets) {
    if (const FieldSet* const child = set->Find(name)) out.push_back(child);
  }
  return out;
}

// Prunes a part, or returns true if it has to go.
bool PrunePart(const ValueShape& shape, const std::string& name, const FieldSet& last,
               const std::vector<const FieldSet*>& kept, Value& part) {
  const std::vector<const FieldSet*> below = Below(kept, name);
  // Whoever owns something in a member that the schema names, keeps it. An element of a list or a
  // map stays only for an owner of its own.
  const bool member = shape.named() && name.starts_with("f:");
  const auto owned = [](const FieldSet* set) { return set->owned; };
  if (member ? below.empty() : last.owned && std::none_of(below.begin(), below.end(), owned)) {
    return true;
  }
  Prune(shape, last, below, part);
  return false;
}

}  // namespace

FieldSet FieldsOf(const ValueShape& shape, const Value& value) {
  FieldSet out;
  if (value.is_object() && !shape.IsAtomicObject()) {
    for (const auto& [name, part] : value.members()) {
      const ValueShape member = shape.Member(name);
      FieldSet fields = FieldsOf(member, part);
      const bool nothing = part.is_null() || (part.is_object() && part.size() == 0);
      if (nothing || !member.named()) fields.owned = true;
      out.Put("f:" + name, std::move(fields));
    }
    return out;
  }
  if (value.is_array()) {
    if (const auto names = shape.NamesOf(value.items())) {
      for (std::size_t i = 0; i < names->size(); ++i) {
        FieldSet fields = FieldsOf(shape.Item(), value.items()[i]);
        fields.owned = true;
        out.Put((*names)[i], std::move(fields));
      }
      return out;
    }
  }
  out.owned = true;
  return out;
}

FieldSet NewFieldsOf(const ValueShape& shape, const Value& value) {
  return NewFields(shape, value, /*there=*/true);
}

FieldChanges Compare(const ValueShape& shape, const Value& before, const Value& after) {
  return Difference(shape, &before, &after);
}

void Prune(const ValueShape& shape, const FieldSet& last, const std::vector<const FieldSet*>& kept,
           Value& value) {
  if (value.is_object() && !shape.IsAtomicObject()) {
    for (const auto& [name, child] : last.children) {
      const std::string member(std::string_view(name).substr(2));
      Value* const part = value.Find(member);
      if (part == nullptr || !name.starts_with("f:")) continue;
      if (PrunePart(shape.Member(member), name, child, kept, *part)) value.Erase(member);
    }
  } else if (value.is_array()) {
    const auto names = shape.NamesOf(std::as_const(value).items());
    if (!names) return;
    json::Array left;
    json::Array& items = value.EnsureArray();
    for (std::size_t i = 0; i < names->size(); ++i) {
      const FieldSet* const child = last.Find((*names)[i]);
      const bool goes =
          child != nullptr && PrunePart(shape.Item(), (*names)[i], *child, kept, items[i]);
      if (!goes) left.push_back(std::move(items[i]));
    }
    items = std::move(left);
  }
}

}  // namespace kinformer::apiserver
