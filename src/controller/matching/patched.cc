#include "controller/matching/patched.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "kinformer/json/json_diff.h"

#include "controller/matching/value_type.h"

namespace kinformer::internal::matching {
namespace {

// A merge patch, or a strategic one, beside the object that it is laid over.
class Overlay {
 public:
  explicit Overlay(bool strategic) : strategic_(strategic) {}

  // `object`: the value at the patch's place; null: there is none.
  [[nodiscard]] bool Leaves(const json::Value& patch, const json::Value* object,
                            const ValueType& type) const {
    if (patch.is_null()) return object == nullptr;
    if (object == nullptr) return false;
    if (patch.is_object()) return object->is_object() && LeavesMembers(patch, *object, type);
    if (const json::Array* const items = patch.IfArray()) {
      const MergeRule* const rule = strategic_ ? type.RuleOfList() : nullptr;
      if (rule != nullptr && rule->merge) {
        return object->is_array() && LeavesItems(*items, object->items(), *rule, type.Item());
      }
    }
    return SameValue(type, patch, *object);
  }

 private:
  [[nodiscard]] bool LeavesMembers(const json::Value& patch, const json::Value& object,
                                   const ValueType& type) const {
    return std::all_of(patch.members().begin(), patch.members().end(),
                       [&](const json::Object::Member& member) {
                         const auto& [name, value] = member;
                         if (strategic_ && name.starts_with('$')) return false;
                         return Leaves(value, object.Find(name), type.Member(name));
                       });
  }

  // The server puts items of the patch into the patch's order, so they must have it already.
  [[nodiscard]] bool LeavesItems(const json::Array& patch, const json::Array& object,
                                 const MergeRule& rule, const ValueType& type) const {
    std::size_t next = 0;
    for (const json::Value& item : patch) {
      std::size_t at = object.size();
      for (std::size_t i = 0; i < object.size(); ++i) {
        if (!IsSameItem(item, object[i], rule)) continue;
        if (at != object.size()) return false;  // two with one key
        at = i;
      }
      if (at == object.size() || at < next) return false;
      next = at + 1;
      if (!rule.merge_key.empty() && !Leaves(item, &object[at], type)) return false;
    }
    return true;
  }

  static bool IsSameItem(const json::Value& patch, const json::Value& item, const MergeRule& rule) {
    if (rule.merge_key.empty()) return patch == item;
    const json::Value* const wanted = patch.Find(rule.merge_key);
    const json::Value* const there = item.Find(rule.merge_key);
    return wanted != nullptr && there != nullptr && *wanted == *there;
  }

  const bool strategic_;
};

bool OperationsChangeNothing(const json::Value& operations, const json::Value& object) {
  if (!operations.is_array()) return false;
  const bool tests =
      std::any_of(operations.items().begin(), operations.items().end(),
                  [](const json::Value& one) { return one["op"].StringOrEmpty() == "test"; });
  if (tests) return false;
  json::Value changed = object;
  return json::ApplyPatch(operations, changed).ok() && changed == object;
}

}  // namespace

bool PatchChangesNothing(const KindInfo& kind, const json::Value& object,
                         const kinformer::Patch& patch) {
  const bool strategic = patch.type == PatchType::kStrategicMerge;
  if (patch.type == PatchType::kApply || (strategic && kind.message == nullptr)) return false;
  const Result<json::Value> body = json::Parse(patch.body);
  if (!body) return false;
  if (patch.type == PatchType::kJsonPatch) return OperationsChangeNothing(*body, object);
  return body->is_object() && Overlay(strategic).Leaves(*body, &object, ValueType(kind));
}

}  // namespace kinformer::internal::matching
