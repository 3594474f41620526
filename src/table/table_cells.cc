#include "table/table_cells.h"

#include <map>
#include <utility>

#include "table/age.h"

namespace kinformer::internal::table::cells {

using json::Value;

std::string Name(const Value& o) { return o["metadata"]["name"].StringOrEmpty(); }

std::string Age(const Value& o, WallTime now) {
  return AgeOf(o["metadata"]["creationTimestamp"].StringOrEmpty(), now);
}

std::string Number(const Value& v) { return std::to_string(v.AsInt64().value_or(0)); }

std::string Scalar(const Value& v) {
  if (v.is_string()) return v.StringOrEmpty();
  return v.is_number() ? v.NumberText() : std::string();
}

std::string TrueFalse(const Value& v) { return v.AsBool().value_or(false) ? "true" : "false"; }

std::string OrNone(std::string text, const char* none) {
  return text.empty() ? std::string(none) : std::move(text);
}

void Join(std::string& list, const std::string& item) {
  if (!list.empty()) list += ',';
  list += item;
}

std::string Joined(const Value& strings) {
  std::string out;
  for (const Value& item : strings.items()) Join(out, item.StringOrEmpty());
  return out;
}

std::string Labels(const Value& labels) {
  std::string out;
  for (const auto& [key, value] : labels.members()) Join(out, key + "=" + value.StringOrEmpty());
  return OrNone(std::move(out));
}

std::string Selector(const Value& selector) {
  std::string out;
  for (const auto& [key, value] : selector["matchLabels"].members()) {
    Join(out, key + "=" + value.StringOrEmpty());
  }
  for (const Value& term : selector["matchExpressions"].items()) {
    const std::string& key = term["key"].StringOrEmpty();
    const std::string& op = term["operator"].StringOrEmpty();
    if (op == "Exists") {
      Join(out, key);
    } else if (op == "DoesNotExist") {
      Join(out, "!" + key);
    } else {
      Join(out, key + (op == "NotIn" ? " notin (" : " in (") + Joined(term["values"]) + ")");
    }
  }
  return OrNone(std::move(out));
}

std::string ContainerField(const Value& pod_spec, const char* field) {
  std::string out;
  for (const Value& container : pod_spec["containers"].items()) {
    Join(out, container[field].StringOrEmpty());
  }
  return out;
}

std::string AccessModes(const Value& modes) {
  static const std::map<std::string, std::string, std::less<>> kShort = {
      {"ReadWriteOnce", "RWO"},
      {"ReadOnlyMany", "ROX"},
      {"ReadWriteMany", "RWX"},
      {"ReadWriteOncePod", "RWOP"}};
  std::string out;
  for (const Value& mode : modes.items()) {
    const auto found = kShort.find(mode.StringOrEmpty());
    Join(out, found == kShort.end() ? mode.StringOrEmpty() : found->second);
  }
  return out;
}

}  // namespace kinformer::internal::table::cells
