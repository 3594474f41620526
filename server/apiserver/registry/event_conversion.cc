// Events of events.k8s.io, which are stored as Events of the core group.

#include <array>
#include <string>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/built_in_conversion.h"

namespace kinformer::apiserver {
namespace {

struct FieldName {
  std::string_view here;
  std::string_view stored;
  bool written_empty;  // written even if empty
};

// In the order of this form.
constexpr auto kFields = std::to_array<FieldName>({
    {"eventTime", "eventTime", true},
    {"series", "series", true},
    {"reportingController", "reportingComponent", false},
    {"reportingInstance", "reportingInstance", false},
    {"action", "action", false},
    {"reason", "reason", false},
    {"regarding", "involvedObject", true},
    {"related", "related", true},
    {"note", "message", false},
    {"type", "type", false},
    {"deprecatedSource", "source", true},
    {"deprecatedFirstTimestamp", "firstTimestamp", true},
    {"deprecatedLastTimestamp", "lastTimestamp", true},
    {"deprecatedCount", "count", false},
});

bool IsEmpty(const json::Value& value) {
  return value.is_null() || (value.is_string() && value.StringOrEmpty().empty()) ||
         (value.is_object() && value.size() == 0);
}

json::Value FromStored(const json::Value& stored) {
  json::Value object = json::Value::MakeObject({{"metadata", stored["metadata"]}});
  for (const FieldName& field : kFields) {
    const json::Value* value = stored.Find(field.stored);
    if (value == nullptr || (!field.written_empty && IsEmpty(*value))) continue;
    object.Set(field.here, *value);
  }
  // The count is always written in this form.
  if (json::Value* series = object.Find("series"); series != nullptr && series->is_object()) {
    json::Value counted = json::Value::MakeObject({{"count", 0}});
    for (const auto& [name, value] : std::as_const(*series).members()) counted.Set(name, value);
    *series = std::move(counted);
  }
  return object;
}

json::Value ToStored(const json::Value& object) {
  json::Value stored = json::Value::MakeObject({{"metadata", object["metadata"]}});
  for (const FieldName& field : kFields) {
    if (const json::Value* value = object.Find(field.here)) stored.Set(field.stored, *value);
  }
  return stored;
}

// Returns a struct as Go prints it in errors: all members, with their Go names.
json::Value GoStruct(const json::Value& value,
                     std::initializer_list<std::pair<const char*, const char*>> names) {
  json::Value out = json::Value::MakeObject();
  for (const auto& [go, json] : names) out.Set(go, value[json].StringOrEmpty());
  return out;
}

json::Value Reference(const json::Value& value) {
  return GoStruct(value, {{"Kind", "kind"},
                          {"Namespace", "namespace"},
                          {"Name", "name"},
                          {"UID", "uid"},
                          {"APIVersion", "apiVersion"},
                          {"ResourceVersion", "resourceVersion"},
                          {"FieldPath", "fieldPath"}});
}

json::Value AsGoPrints(std::string_view field, const json::Value& value) {
  if (field == "involvedObject") return Reference(value);
  if (field == "related") return value.is_null() ? value : Reference(value);
  if (field == "source") return GoStruct(value, {{"Component", "component"}, {"Host", "host"}});
  if (field == "count" && value.is_null()) return 0;
  const bool text = !field.ends_with("Time") && !field.ends_with("Timestamp");
  return text && value.is_null() ? json::Value("") : value;
}

// An Event of this group is immutable, except for its series. Checks are in the real server's
// order, which checks `reason` twice.
std::vector<StatusCause> ValidateChange(const json::Value& old, const json::Value& object) {
  constexpr auto kFixed = std::to_array<std::pair<std::string_view, const char*>>({
      {"involvedObject", "involvedObject"},
      {"reason", "reason"},
      {"message", "message"},
      {"source", "source"},
      {"firstTimestamp", "firstTimestamp"},
      {"lastTimestamp", "lastTimestamp"},
      {"count", "count"},
      {"reason", "reason"},
      {"type", "type"},
      {"eventTime", "eventTime"},
      {"action", "action"},
      {"related", "related"},
      {"reportingComponent", "reportingController"},
      {"reportingInstance", "reportingInstance"},
  });
  std::vector<StatusCause> causes;
  for (const auto& [field, name] : kFixed) {
    const json::Value& before = old[field];
    const json::Value& after = object[field];
    if (before == after || (IsEmpty(before) && IsEmpty(after))) continue;
    causes.push_back(InvalidValue(name, AsGoPrints(field, after).Dump(), "field is immutable"));
  }
  return causes;
}

}  // namespace

const Conversion kEventConversion = {.group = "events.k8s.io",
                                     .version = "v1",
                                     .plural = "events",
                                     .stored_group = "",
                                     .stored_version = "v1",
                                     .from_stored = FromStored,
                                     .to_stored = ToStored,
                                     .validate_change = ValidateChange};

}  // namespace kinformer::apiserver
