// apiserver/workloads/object_parts.h
//
// Reads and makes the parts of objects that all controllers of simulated workloads need: names,
// owners, times, selectors, conditions, hashes.

#ifndef KINFORMER_APISERVER_WORKLOADS_OBJECT_PARTS_H_
#define KINFORMER_APISERVER_WORKLOADS_OBJECT_PARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/json/json.h"
#include "kinformer/object/label_selector.h"

#include "apiserver/workloads/kinds.h"

namespace kinformer::apiserver::workloads {

// ---- Fields. `pointer`: as of json::Value::At.
[[nodiscard]] const std::string& Text(const json::Value& object, std::string_view pointer);
[[nodiscard]] std::int64_t Number(const json::Value& object, std::string_view pointer,
                                  std::int64_t otherwise = 0);
[[nodiscard]] bool Flag(const json::Value& object, std::string_view pointer);
// Sets a number of a status; removes it if it is 0, as such fields are left out.
void SetCount(json::Value& status, std::string_view name, std::int64_t number);
[[nodiscard]] const std::string& NameOf(const json::Value& object);
[[nodiscard]] const std::string& NamespaceOf(const json::Value& object);
[[nodiscard]] const std::string& UidOf(const json::Value& object);
[[nodiscard]] std::string JoinedKey(std::string_view namespace_, std::string_view name);
[[nodiscard]] std::string KeyOf(const json::Value& object);
[[nodiscard]] const json::Value& LabelsOf(const json::Value& object);
[[nodiscard]] const std::string& Label(const json::Value& object, std::string_view name);
[[nodiscard]] const std::string& Annotation(const json::Value& object, std::string_view name);
[[nodiscard]] bool IsTerminating(const json::Value& object);
// Removes the member at a path, if it is there.
void Erase(json::Value& object, std::string_view parent, std::string_view member);

// ---- Times.
// Returns the time at a pointer; empty if there is none.
[[nodiscard]] std::optional<WallTime> TimeAt(const json::Value& object, std::string_view pointer);
[[nodiscard]] WallTime CreatedAt(const json::Value& object);

// ---- Owners.
// Returns the reference to the object's controller; null if it has none.
[[nodiscard]] const json::Value& ControllerOf(const json::Value& object);
[[nodiscard]] bool IsControlledBy(const json::Value& object, const json::Value& owner);
// Returns the metadata.ownerReferences of an object that `owner` controls.
[[nodiscard]] json::Value OwnersOf(Kind kind, const json::Value& owner);

// ---- Selectors.
// Returns what a selector of an object selects; nothing, if it is malformed or empty.
[[nodiscard]] LabelSelector SelectorOf(const json::Value& selector);
[[nodiscard]] bool Selects(const LabelSelector& selector, const json::Value& object);

// ---- Conditions.
// Returns null if it has no such condition.
[[nodiscard]] const json::Value& ConditionOf(const json::Value& object, std::string_view type);
[[nodiscard]] bool IsTrue(const json::Value& object, std::string_view condition);
struct NewCondition {
  std::string_view type{};
  bool holds = false;
  std::string_view reason{};
  std::string_view message{};
  std::string_view status{};     // if it is neither True nor False
  bool has_update_time = false;  // lastUpdateTime, which changes with reason and message
};
// Sets a condition of `status`; its lastTransitionTime changes with the status only. Returns
// whether anything has changed.
bool SetCondition(json::Value& status, const NewCondition& condition, WallTime now);
void EraseCondition(json::Value& status, std::string_view type);

// ---- Other values.
// Returns a number, or a part of `total` for a percentage.
[[nodiscard]] std::int64_t PartOf(const json::Value& number_or_percent, std::int64_t total,
                                  bool round_up, std::int64_t otherwise);
// Returns ten letters or so that change with the value, as the names of ReplicaSets end.
[[nodiscard]] std::string HashOf(const json::Value& value, std::int64_t collisions = 0);
// Returns a pod of a template, without a name.
[[nodiscard]] json::Value PodOf(const json::Value& pod_template, Kind owner_kind,
                                const json::Value& owner);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_OBJECT_PARTS_H_
