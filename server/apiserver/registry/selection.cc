#include "apiserver/registry/selection.h"

#include <algorithm>
#include <map>
#include <optional>

#include "kinformer/object/field_selector.h"

namespace kinformer::apiserver {
namespace {

struct RecordLabels {
  const StoredObject& stored;
  [[nodiscard]] std::optional<std::string_view> Find(std::string_view key) const {
    return stored.Label(key);
  }
};

struct JsonLabels {
  const json::Value& labels;
  [[nodiscard]] std::optional<std::string_view> Find(std::string_view key) const {
    const json::Value* value = labels.Find(key);
    if (value == nullptr) return std::nullopt;
    return value->StringOrEmpty();
  }
};

Error UnknownField(const ServedResource& resource, const std::string& field) {
  if (!resource.fields.empty() || resource.custom) {
    return BadRequestError("field label not supported: " + field);
  }
  return BadRequestError("\"" + field +
                         "\" is not a known field selector: only \"metadata.name\", " +
                         "\"metadata.namespace\"");
}

}  // namespace

Result<Selection> Selection::Make(const ResourceAt& at, std::string_view namespace_,
                                  std::string_view label_selector, std::string_view field_selector,
                                  std::string_view shard_selector) {
  const ServedResource& resource = *at.resource;
  Selection selection;
  Result<LabelSelector> labels = LabelSelector::Parse(label_selector);
  if (!labels) return BadRequestError("unable to parse labelSelector: " + labels.error().message());
  selection.labels_ = *std::move(labels);
  Result<ShardSelector> shards = ShardSelector::Parse(shard_selector);
  if (!shards) return Error(Reason::kInternalError, shards.error().message()).WithHttpStatus(500);
  selection.shards_ = *std::move(shards);
  selection.selective_ =
      !selection.labels_.MatchesEverything() || !selection.shards_.MatchesEverything();

  Result<FieldSelector> fields = FieldSelector::Parse(field_selector);
  if (!fields) return BadRequestError(fields.error().message());
  std::string name;
  for (const FieldSelector::Requirement& requirement : fields->requirements()) {
    FieldTerm term{.kind = FieldTerm::Kind::kField,
                   .index = 0,
                   .negated = requirement.negated,
                   .value = requirement.value};
    if (requirement.field == "metadata.name") {
      term.kind = FieldTerm::Kind::kName;
      if (!requirement.negated) name = requirement.value;
    } else if (requirement.field == "metadata.namespace" && resource.namespaced) {
      term.kind = FieldTerm::Kind::kNamespace;
      selection.selective_ = true;
    } else {
      while (term.index < resource.fields.size() &&
             resource.fields[term.index].name != requirement.field) {
        ++term.index;
      }
      const auto& offered = at.version->selectable;
      if (term.index == resource.fields.size() ||
          (resource.custom &&
           std::find(offered.begin(), offered.end(), requirement.field) == offered.end())) {
        return UnknownField(resource, requirement.field);
      }
      selection.selective_ = true;
    }
    if (requirement.negated) selection.selective_ = true;
    selection.fields_.push_back(std::move(term));
  }

  if (resource.namespaced) selection.namespace_prefix_ = NamespacePrefix(namespace_);
  selection.prefix_ = selection.namespace_prefix_;
  if (!name.empty() && (!resource.namespaced || !namespace_.empty())) {
    selection.prefix_ += name;
    selection.single_ = true;
  }
  return selection;
}

bool MatchesLabels(const LabelSelector& selector, const StoredObject& stored) {
  return selector.Matches(RecordLabels{stored});
}

bool MatchesLabels(const LabelSelector& selector, const json::Value& labels) {
  return selector.Matches(JsonLabels{labels});
}

std::string SelectorText(const json::Value& selector) {
  if (selector.is_string()) return selector.StringOrEmpty();
  const bool structured = selector.contains("matchLabels") || selector.contains("matchExpressions");
  std::multimap<std::string, std::string> terms;
  for (const auto& [key, value] : (structured ? selector["matchLabels"] : selector).members()) {
    if (value.is_string()) terms.emplace(key, key + "=" + value.StringOrEmpty());
  }
  for (const json::Value& expression : selector["matchExpressions"].items()) {
    const std::string& key = expression["key"].StringOrEmpty();
    const std::string& op = expression["operator"].StringOrEmpty();
    std::vector<std::string> values;
    for (const json::Value& value : expression["values"].items()) {
      values.push_back(value.StringOrEmpty());
    }
    std::sort(values.begin(), values.end());
    std::string text = op == "DoesNotExist" ? "!" + key : key;
    if (op == "In" || op == "NotIn") {
      text += op == "In" ? " in (" : " notin (";
      for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + values[i];
      text += ")";
    }
    terms.emplace(key, std::move(text));
  }
  std::string out;
  for (const auto& [key, text] : terms) out += (out.empty() ? "" : ",") + text;
  return out;
}

bool Selection::InScope(const StoredObject& stored) const {
  return single_ ? stored.key() == prefix_ : stored.key().starts_with(prefix_);
}

bool Selection::Matches(const StoredObject& stored) const {
  for (const FieldTerm& term : fields_) {
    std::string_view value;
    switch (term.kind) {
      case FieldTerm::Kind::kName:
        value = stored.name();
        break;
      case FieldTerm::Kind::kNamespace:
        value = stored.namespace_();
        break;
      case FieldTerm::Kind::kField:
        value = stored.Field(term.index);
        break;
    }
    if ((value == term.value) == term.negated) return false;
  }
  if (!shards_.Matches(stored.uid(), stored.namespace_())) return false;
  return labels_.MatchesEverything() || labels_.Matches(RecordLabels{stored});
}

}  // namespace kinformer::apiserver
