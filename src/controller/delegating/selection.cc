#include "controller/delegating/selection.h"

#include <optional>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object.h"
#include "kinformer/object/shard_selector.h"

#include "object/values/field_pointer.h"

namespace kinformer::internal::delegating {
namespace {

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
      const KindInfo& type = object.type();
      value = ValueAt(*whole, FieldPointer(type.group, type.resource, required.field));
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
  const Result<ShardSelector> shards = ShardSelector::Parse(scope.shard_selector);
  return labels && fields && shards && Matches(object, *labels, *fields) &&
         shards->Matches(object.uid(), object.namespace_());
}

}  // namespace kinformer::internal::delegating
