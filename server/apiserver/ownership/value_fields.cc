#include "apiserver/ownership/value_fields.h"

#include <algorithm>
#include <cstddef>
#include <functional>
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

// Elements of two lists that have the same name.
struct Elements {
  std::vector<const Value*> before{};
  std::vector<const Value*> after{};
};

bool AreEqual(const std::vector<const Value*>& a, const std::vector<const Value*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Value* x, const Value* y) { return *x == *y; });
}

// Elements that share a name have one owner: that of the name alone.
FieldChanges ElementDifference(const ValueShape& shape, const Elements& elements) {
  const bool several_before = elements.before.size() > 1;
  const bool several_after = elements.after.size() > 1;
  FieldChanges out;
  if (several_before && several_after) {
    out.modified.owned = !AreEqual(elements.before, elements.after);
    return out;
  }
  const auto single = [](const std::vector<const Value*>& values) {
    return values.size() == 1 ? values.front() : nullptr;
  };
  const Value* const before = single(elements.before);
  const Value* const after = single(elements.after);
  if (before != nullptr || after != nullptr) out = Difference(shape, before, after);
  if (several_before) out.removed.owned = true;
  if (several_after) out.added.owned = true;
  return out;
}

// Returns nullopt if the lists are to be compared as wholes.
std::optional<FieldChanges> ItemDifference(const ValueShape& shape, const Value* before,
                                           const Value* after) {
  std::map<std::string, Elements, std::less<>> parts;
  for (const bool old : {true, false}) {
    const Value* const list = old ? before : after;
    if (list == nullptr) continue;
    auto names = shape.NamesOf(list->items());
    if (!names) return std::nullopt;
    for (std::size_t i = 0; i < names->size(); ++i) {
      Elements& same = parts[std::move((*names)[i])];
      (old ? same.before : same.after).push_back(&list->items()[i]);
    }
  }
  FieldChanges out;
  for (const auto& [name, elements] : parts) {
    Attach(name, ElementDifference(shape.Item(), elements), out);
  }
  return out;
}

// Compares values as those of one type. Null has each type.
FieldChanges DifferenceAs(json::Type type, const ValueShape& shape, const Value* before,
                          const Value* after) {
  const auto of_type = [&](const Value* value) {
    return value != nullptr && value->type() == type ? value : nullptr;
  };
  const auto is_empty = [](const Value* value) { return value == nullptr || value->size() == 0; };
  const Value* const old = of_type(before);
  const Value* const now = of_type(after);
  if (is_empty(old) && is_empty(now)) return Whole(before, after);
  if (type == json::Type::kObject) {
    return shape.IsAtomicObject() ? Whole(before, after) : MemberDifference(shape, old, now);
  }
  std::optional<FieldChanges> items = ItemDifference(shape, old, now);
  return items ? *std::move(items) : Whole(before, after);
}

FieldChanges Difference(const ValueShape& shape, const Value* before, const Value* after) {
  const auto type_of = [](const Value* value) {
    return value == nullptr ? json::Type::kNull : value->type();
  };
  const auto container = [](json::Type type) {
    return type == json::Type::kObject || type == json::Type::kArray;
  };
  const json::Type old = type_of(before);
  const json::Type now = type_of(after);
  FieldChanges out;
  if (container(old)) out = DifferenceAs(old, shape, before, after);
  if (container(now) && now != old) out.Add(DifferenceAs(now, shape, before, after));
  const bool scalar = !container(old) && old != json::Type::kNull;
  const bool becomes_scalar = !container(now) && now != json::Type::kNull;
  if (scalar || becomes_scalar || (!container(old) && !container(now))) {
    out.Add(Whole(before, after));
  }
  if (before == nullptr) out.added.owned = true;
  if (after == nullptr) out.removed.owned = true;
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
        const auto [at, fresh] = out.children.try_emplace((*names)[i]);
        at->second = fresh ? FieldsOf(shape.Item(), value.items()[i]) : FieldSet{};
        at->second.owned = true;
      }
      return out;
    }
  }
  out.owned = true;
  return out;
}

void FitTo(const ValueShape& shape, FieldSet& fields) {
  bool members = false;
  bool items = false;
  for (const auto& [name, child] : fields.children) {
    (name.starts_with("f:") ? members : items) = true;
  }
  if ((members && shape.IsAtomicObject()) || (items && !shape.MergesItems())) {
    fields = {.owned = true};
    return;
  }
  for (auto& [name, child] : fields.children) {
    const bool member = name.starts_with("f:");
    FitTo(member ? shape.Member(std::string_view(name).substr(2)) : shape.Item(), child);
  }
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
