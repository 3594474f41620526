#include "apiserver/workloads/object_parts.h"

#include <algorithm>
#include <utility>

#include "kinformer/object/time.h"

#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/selection.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver::workloads {
namespace {

// The letters of generated names: no vowels, so that they are no words.
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";

}  // namespace

const std::string& Text(const json::Value& object, std::string_view pointer) {
  return object.At(pointer).StringOrEmpty();
}

std::int64_t Number(const json::Value& object, std::string_view pointer, std::int64_t otherwise) {
  return object.At(pointer).AsInt64().value_or(otherwise);
}

bool Flag(const json::Value& object, std::string_view pointer) {
  return object.At(pointer).AsBool().value_or(false);
}

void SetCount(json::Value& status, std::string_view name, std::int64_t number) {
  if (number == 0) {
    status.Erase(name);
  } else {
    status.Set(name, number);
  }
}

const std::string& NameOf(const json::Value& object) {
  return object["metadata"]["name"].StringOrEmpty();
}
const std::string& NamespaceOf(const json::Value& object) {
  return object["metadata"]["namespace"].StringOrEmpty();
}
const std::string& UidOf(const json::Value& object) {
  return object["metadata"]["uid"].StringOrEmpty();
}

std::string JoinedKey(std::string_view namespace_, std::string_view name) {
  return namespace_.empty() ? std::string(name) : std::string(namespace_) + "/" + std::string(name);
}

std::string KeyOf(const json::Value& object) {
  return JoinedKey(NamespaceOf(object), NameOf(object));
}

const json::Value& LabelsOf(const json::Value& object) { return object["metadata"]["labels"]; }

const std::string& Label(const json::Value& object, std::string_view name) {
  return LabelsOf(object)[name].StringOrEmpty();
}

const std::string& Annotation(const json::Value& object, std::string_view name) {
  return object["metadata"]["annotations"][name].StringOrEmpty();
}

bool IsTerminating(const json::Value& object) {
  return !object["metadata"]["deletionTimestamp"].is_null();
}

void Erase(json::Value& object, std::string_view parent, std::string_view member) {
  json::Value* const found = object.FindPointer(parent);
  if (found != nullptr) found->Erase(member);
}

std::optional<WallTime> TimeAt(const json::Value& object, std::string_view pointer) {
  const auto time = metav1::Time::Parse(Text(object, pointer));
  if (!time) return std::nullopt;
  return std::chrono::time_point_cast<WallTime::duration>(time->ToTimePoint());
}

WallTime CreatedAt(const json::Value& object) {
  return TimeAt(object, "/metadata/creationTimestamp").value_or(WallTime());
}

const json::Value& ControllerOf(const json::Value& object) {
  static const json::Value kNone;
  for (const json::Value& owner : object["metadata"]["ownerReferences"].items()) {
    if (owner["controller"].AsBool().value_or(false)) return owner;
  }
  return kNone;
}

bool IsControlledBy(const json::Value& object, const json::Value& owner) {
  return ControllerOf(object)["uid"].StringOrEmpty() == UidOf(owner);
}

json::Value OwnersOf(Kind kind, const json::Value& owner) {
  const KindNames& names = NamesOf(kind);
  const std::string version =
      (names.group.empty() ? "" : std::string(names.group) + "/") + std::string(names.version);
  return json::Value::MakeArray({json::Value::MakeObject({{"apiVersion", version},
                                                          {"kind", names.kind},
                                                          {"name", NameOf(owner)},
                                                          {"uid", UidOf(owner)},
                                                          {"controller", true},
                                                          {"blockOwnerDeletion", true}})});
}

LabelSelector SelectorOf(const json::Value& selector) {
  const std::string text = SelectorText(selector);
  auto parsed = LabelSelector::Parse(text);
  return text.empty() || !parsed ? LabelSelector::Nothing() : *std::move(parsed);
}

bool Selects(const LabelSelector& selector, const json::Value& object) {
  return MatchesLabels(selector, LabelsOf(object));
}

const json::Value& ConditionOf(const json::Value& object, std::string_view type) {
  static const json::Value kNone;
  for (const json::Value& condition : object["status"]["conditions"].items()) {
    if (condition["type"].StringOrEmpty() == type) return condition;
  }
  return kNone;
}

bool IsTrue(const json::Value& object, std::string_view condition) {
  return ConditionOf(object, condition)["status"].StringOrEmpty() == "True";
}

bool SetCondition(json::Value& status, const NewCondition& condition, WallTime now) {
  const std::string_view holds = !condition.status.empty() ? condition.status
                                 : condition.holds         ? "True"
                                                           : "False";
  json::Array& all = status.Ensure("conditions").EnsureArray();
  const auto found = std::find_if(all.begin(), all.end(), [&](const json::Value& other) {
    return other["type"].StringOrEmpty() == condition.type;
  });
  json::Value made =
      found == all.end() ? json::Value::MakeObject({{"type", condition.type}}) : *found;
  const auto put = [&](const char* name, std::string_view text) {
    if (text.empty()) {
      made.Erase(name);
    } else {
      made.Set(name, text);
    }
  };
  const bool turns = std::as_const(made)["status"].StringOrEmpty() != holds;
  put("status", holds);
  put("reason", condition.reason);
  put("message", condition.message);
  if (found != all.end() && made == *found) return false;
  const std::string time = FormatTime(now);
  if (turns) made.Set("lastTransitionTime", time);
  if (condition.has_update_time) made.Set("lastUpdateTime", time);
  if (found == all.end()) {
    all.push_back(std::move(made));
  } else {
    *found = std::move(made);
  }
  return true;
}

void EraseCondition(json::Value& status, std::string_view type) {
  json::Value* const conditions = status.Find("conditions");
  if (conditions == nullptr || conditions->IfArray() == nullptr) return;
  std::erase_if(*conditions->IfArray(), [&](const json::Value& condition) {
    return condition["type"].StringOrEmpty() == type;
  });
}

std::int64_t PartOf(const json::Value& number_or_percent, std::int64_t total, bool round_up,
                    std::int64_t otherwise) {
  if (const auto number = number_or_percent.AsInt64()) return *number;
  std::string_view text = number_or_percent.StringOrEmpty();
  if (!text.ends_with('%')) return otherwise;
  text.remove_suffix(1);
  const auto percent = internal::base::NumberIn(text);
  if (!percent) return otherwise;
  constexpr std::int64_t kMost = 1'000'000;
  return (std::clamp<std::int64_t>(*percent, 0, kMost) * total + (round_up ? 99 : 0)) / 100;
}

std::string HashOf(const json::Value& value, std::int64_t collisions) {
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : value.Dump({.sort_keys = true}) + std::to_string(collisions)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  }
  std::string out = std::to_string(hash);
  for (char& c : out) c = kLetters[static_cast<unsigned char>(c) % kLetters.size()];
  return out;
}

json::Value PodOf(const json::Value& pod_template, Kind owner_kind, const json::Value& owner) {
  json::Value pod = json::Value::MakeObject();
  json::Value& metadata = pod.Ensure("metadata");
  metadata.Set("namespace", NamespaceOf(owner));
  for (const char* member : {"labels", "annotations", "finalizers"}) {
    const json::Value& value = pod_template["metadata"][member];
    if (!value.is_null()) metadata.Set(member, value);
  }
  metadata.Set("ownerReferences", OwnersOf(owner_kind, owner));
  pod.Set("spec", pod_template["spec"]);
  return pod;
}

}  // namespace kinformer::apiserver::workloads
