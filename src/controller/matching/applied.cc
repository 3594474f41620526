#include "controller/matching/applied.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "controller/matching/value_type.h"

namespace kinformer::internal::matching {
namespace {

// Members of the metadata that nobody owns. If they are given, they must be what is there.
constexpr std::array<std::string_view, 7> kUnowned = {
    "creationTimestamp", "generation", "name", "namespace", "resourceVersion", "selfLink", "uid"};

bool IsUnowned(std::string_view member) {
  return std::find(kUnowned.begin(), kUnowned.end(), member) != kUnowned.end();
}

// Returns the number of steps of a set of fields, without the set's own place.
std::size_t StepsOf(const json::Value& fields) {
  return fields.size() - (fields.contains(".") ? 1 : 0);
}

// Whether the item has these keys. One that lacks a key may have it by default, and so fits too.
bool MayFit(const json::Value& item, const json::Value& keys) {
  return item.is_object() &&
         std::all_of(keys.members().begin(), keys.members().end(), [&](const auto& key) {
           const json::Value* const value = item.Find(key.first);
           return value == nullptr || *value == key.second;
         });
}
bool Fits(const json::Value& item, const json::Value& keys) {
  return item.is_object() &&
         std::all_of(keys.members().begin(), keys.members().end(), [&](const auto& key) {
           const json::Value* const value = item.Find(key.first);
           return value != nullptr && *value == key.second;
         });
}

// Returns the position of the only item for which `fits` holds.
template <class F>
std::optional<std::size_t> Only(const json::Array& items, const F& fits) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!fits(items[i])) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

// Compares a configuration with an object along the set of fields of the manager.
class Walk {
 public:
  explicit Walk(std::vector<std::string>& wholes) : wholes_(wholes) {}

  // Whether `applied` is in `there`, and owns `fields` there.
  bool Owns(const json::Value& applied, const json::Value& there, const json::Value& fields,
            const ValueType& type, const std::string& place) {
    if (!fields.is_object() || applied.is_null()) return false;
    if (StepsOf(fields) == 0) {
      if (!SameValue(type, applied, there)) return false;
      if (applied.size() > 0) wholes_.push_back(place);
      return true;
    }
    if (applied.is_object()) return OwnsMembers(applied, there, fields, type, place);
    return applied.is_array() && there.is_array() &&
           OwnsItems(applied.items(), there.items(), fields, type.Item(), place + "[]");
  }

  bool OwnsMembers(const json::Value& applied, const json::Value& there, const json::Value& fields,
                   const ValueType& type, const std::string& place) {
    for (const auto& [name, value] : applied.members()) {
      const json::Value* const step = fields.Find("f:" + name);
      const json::Value* const member = there.Find(name);
      if (step == nullptr || member == nullptr) return false;
      const std::string inner = place.empty() ? name : place + '.' + name;
      if (!Owns(value, *member, *step, type.Member(name), inner)) return false;
    }
    return applied.size() == StepsOf(fields);
  }

 private:
  bool OwnsItems(const json::Array& applied, const json::Array& there, const json::Value& fields,
                 const ValueType& type, const std::string& place) {
    if (applied.size() != StepsOf(fields)) return false;
    std::vector<std::pair<std::size_t, std::size_t>> keyed;
    for (const auto& [step, below] : fields.members()) {
      if (step == ".") continue;
      const bool by_key = step.starts_with("k:");
      if (!by_key && !step.starts_with("v:")) return false;
      const Result<json::Value> content = json::Parse(std::string_view(step).substr(2));
      if (!content) return false;
      const auto is_value = [&](const json::Value& item) { return item == *content; };
      const auto is_item = [&](const json::Value& item) { return Fits(item, *content); };
      const auto may_be = [&](const json::Value& item) { return MayFit(item, *content); };
      if (!by_key) {
        if (!Only(applied, is_value) || !Only(there, is_value)) return false;
        continue;
      }
      std::optional<std::size_t> mine = Only(applied, is_item);
      if (!mine) mine = Only(applied, may_be);
      const auto its = Only(there, is_item);
      if (!mine || !its || !Owns(applied[*mine], there[*its], below, type, place)) return false;
      keyed.emplace_back(*mine, *its);
    }
    // Applying would put the items into the order of the configuration.
    std::sort(keyed.begin(), keyed.end());
    return std::adjacent_find(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
             return a.first == b.first || a.second >= b.second;
           }) == keyed.end();
  }

  std::vector<std::string>& wholes_;
};

const json::Value* EntryOf(const json::Value& object, const AppliedBy& by) {
  for (const json::Value& entry : object["metadata"]["managedFields"].items()) {
    if (entry["operation"].StringOrEmpty() == "Apply" &&
        entry["manager"].StringOrEmpty() == by.manager &&
        entry["subresource"].StringOrEmpty() == by.subresource) {
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace

bool IsApplied(const KindInfo& kind, const json::Value& object, const json::Value& applied,
               const AppliedBy& by, std::vector<std::string>& wholes) {
  const json::Value* const entry = EntryOf(object, by);
  if (entry == nullptr || !applied.is_object()) return false;
  if ((*entry)["apiVersion"] != applied["apiVersion"]) return false;
  // The configuration without what nobody owns.
  json::Value owned = json::Value::MakeObject();
  for (const auto& [name, value] : applied.members()) {
    const json::Value& there = object[name];
    if (name == "apiVersion" || name == "kind") {
      if (value != there) return false;
      continue;
    }
    if (name != "metadata") {
      owned.Set(name, value);
      continue;
    }
    for (const auto& [member, given] : value.members()) {
      if (!IsUnowned(member)) {
        owned.Ensure("metadata").Set(member, given);
      } else if (given != there[member]) {
        return false;
      }
    }
  }
  return Walk(wholes).OwnsMembers(owned, object, (*entry)["fieldsV1"], ValueType(kind), "");
}

}  // namespace kinformer::internal::matching
