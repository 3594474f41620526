#include "controller/delegating/selection.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object.h"

namespace kinformer::internal::delegating {
namespace {

// A field of a selector that is elsewhere in the object than its name says.
struct Renamed {
  std::string_view group;
  std::string_view resource;
  std::string_view field;
  std::string_view pointer;
};
constexpr std::array<Renamed, 4> kRenamed = {{
    {"", "pods", "spec.host", "/spec/nodeName"},
    {"", "pods", "status.podIPs", "/status/podIPs/0/ip"},
    {"", "events", "source", "/source/component"},
    {"batch", "jobs", "status.successful", "/status/succeeded"},
}};

// Returns the JSON Pointer of a field in objects of the type: "/spec/nodeName".
std::string PointerTo(std::string_view field, const TypeInfo& type) {
  for (const Renamed& renamed : kRenamed) {
    if (renamed.field == field && renamed.resource == type.resource && renamed.group == type.group)
      return std::string(renamed.pointer);
  }
  std::string pointer = "/" + std::string(field);
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  return pointer;
}

// Returns the value of a field; nullopt if it is absent.
std::optional<std::string> ValueAt(const json::Value& object, const std::string& pointer) {
  const json::Value& at = object.At(pointer);
  if (at.is_null()) return std::nullopt;
  if (const std::optional<std::string_view> text = at.AsString()) return std::string(*text);
  return at.Dump();
}

bool FieldMatches(const FieldSelector::Requirement& required,
                  const std::optional<std::string>& value) {
  const std::string& wanted = required.value;
  const bool equal =
      value ? *value == wanted : wanted.empty() || wanted == "false" || wanted == "0";
  return equal != required.negated;
}

bool FieldsMatch(const Block& object, const FieldSelector& fields) {
  std::optional<json::Value> whole;
  for (const FieldSelector::Requirement& required : fields.requirements()) {
    std::optional<std::string> value;
    if (required.field == "metadata.name") {
      value = object.name();
    } else if (required.field == "metadata.namespace") {
      value = object.namespace_();
    } else {
      if (!whole) whole = json::Parse(Object(&object).ToJson()).value_or(json::Value());
      value = ValueAt(*whole, PointerTo(required.field, object.type()));
    }
    if (!FieldMatches(required, value)) return false;
  }
  return true;
}

}  // namespace

bool Matches(const Block& object, const LabelSelector& labels, const FieldSelector& fields) {
  return labels.Matches(Object(&object).metadata().labels()) && FieldsMatch(object, fields);
}

bool Selects(const cache::Coverage* coverage, const Block& object) {
  if (coverage == nullptr) return true;
  if (!coverage->Includes(object.namespace_(), object.name())) return false;
  const cache::Scope& scope = coverage->ScopeOf(object.namespace_());
  const Result<LabelSelector> labels = LabelSelector::Parse(scope.label_selector);
  const Result<FieldSelector> fields = FieldSelector::Parse(scope.field_selector);
  return labels && fields && Matches(object, *labels, *fields);
}

}  // namespace kinformer::internal::delegating
