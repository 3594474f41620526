#include "cli/explain_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text/edit_distance.h"
#include "cli/printable.h"

namespace kinformer::cli {
namespace {

constexpr std::size_t kWidth = 76;       // of descriptions, without their indent
constexpr std::size_t kShownInList = 4;  // values of an enum in a list of fields
constexpr char kIndent[] = "    ";

// A schema, with the name by which others refer to it.
struct Schema {
  const json::Value* value = nullptr;
  std::string name{};         // "PodSpec"; empty: it stands where it is used
  std::string description{};  // of its place, or else its own
};

class Explainer {
 public:
  explicit Explainer(const json::Value& document) : schemas_(document["components"]["schemas"]) {}

  // Returns the schema of a kind; a null value if there is none.
  [[nodiscard]] Schema OfKind(const GroupVersionKind& kind) const {
    const json::Object* const all = schemas_.IfObject();
    if (all == nullptr) return {};
    for (const auto& [name, schema] : *all) {
      const json::Array* const kinds = schema["x-kubernetes-group-version-kind"].IfArray();
      if (kinds == nullptr) continue;
      for (const json::Value& one : *kinds) {
        if (one["group"].StringOrEmpty() == kind.group &&
            one["version"].StringOrEmpty() == kind.version &&
            one["kind"].StringOrEmpty() == kind.kind) {
          return {&schema, kind.kind, std::string(schema["description"].StringOrEmpty())};
        }
      }
    }
    return {};
  }

  // Follows references. The description beside a reference wins.
  [[nodiscard]] Schema Resolve(const json::Value& at) const {
    Schema schema{&at, "", std::string(at["description"].StringOrEmpty())};
    // As many references as a document can sensibly chain.
    for (int hops = 0; hops < 16; ++hops) {
      std::string_view reference = (*schema.value)["$ref"].StringOrEmpty();
      const json::Array* const all = (*schema.value)["allOf"].IfArray();
      if (reference.empty() && all != nullptr && all->size() == 1) {
        reference = all->front()["$ref"].StringOrEmpty();
      }
      if (reference.empty()) break;
      const std::string_view path = reference.substr(reference.rfind('/') + 1);
      schema.value = &schemas_[path];
      schema.name = path.substr(path.rfind('.') + 1);
      if (schema.description.empty()) {
        schema.description = (*schema.value)["description"].StringOrEmpty();
      }
    }
    return schema;
  }

  // Returns the values of a map; null for other schemas.
  static const json::Value* ValuesOf(const json::Value& schema) {
    const json::Value& values = schema["additionalProperties"];
    return values.IfObject() != nullptr ? &values : nullptr;
  }

  // Returns "string", "[]Container", "map[string]Quantity", "PodSpec" or "Object".
  [[nodiscard]] std::string TypeOf(const Schema& schema) const {
    const std::string& type = (*schema.value)["type"].StringOrEmpty();
    if (type == "array") return "[]" + TypeOf(Resolve((*schema.value)["items"]));
    if (const json::Value* const values = ValuesOf(*schema.value)) {
      return "map[string]" + TypeOf(Resolve(*values));
    }
    if (!type.empty() && type != "object") return type;
    return schema.name.empty() ? "Object" : schema.name;
  }

  // Returns the schema of the elements of lists and maps, or `schema` itself.
  [[nodiscard]] Schema Inner(Schema schema) const {
    for (int depth = 0; depth < 16; ++depth) {
      const json::Value* next = ValuesOf(*schema.value);
      if ((*schema.value)["type"].StringOrEmpty() == "array") next = &(*schema.value)["items"];
      if (next == nullptr) break;
      schema = Resolve(*next);
    }
    return schema;
  }

  // Appends the descriptions of a place, its elements and what it refers to.
  void AddDescriptions(const Schema& schema, std::vector<std::string>& texts) const {
    const auto add = [&](std::string text) {
      if (!text.empty() && (texts.empty() || texts.back() != text))
        texts.push_back(std::move(text));
    };
    add(schema.description);
    add(std::string((*schema.value)["description"].StringOrEmpty()));
    const Schema inner = Inner(schema);
    if (inner.value == schema.value) return;
    add(inner.description);
    add(std::string((*inner.value)["description"].StringOrEmpty()));
  }

 private:
  const json::Value& schemas_;
};

// Returns one line for a terminal; of control characters, tabs alone have a meaning.
std::string LineText(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\t', at), text.size());
    out += (at == 0 ? "" : "\t") + Printable(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Appends lines of at most kWidth columns, broken between words, each with an indent.
void AddWrapped(std::string& out, std::string_view text, const std::string& indent) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    while (line.size() > kWidth) {
      std::size_t cut = line.rfind(' ', kWidth);
      if (cut == std::string_view::npos || cut == 0) cut = line.find(' ', kWidth);
      if (cut == std::string_view::npos) break;
      out += indent + LineText(line.substr(0, cut)) + "\n";
      line.remove_prefix(cut + 1);
    }
    out += (line.empty() ? "" : indent + LineText(line)) + "\n";
    at = end + 1;
  }
}

std::vector<std::string> EnumOf(const json::Value& schema) {
  std::vector<std::string> values;
  const json::Array* const all = schema["enum"].IfArray();
  if (all == nullptr) return values;
  for (const json::Value& value : *all) {
    const std::string& text = value.StringOrEmpty();
    values.push_back(!value.is_string() ? value.Dump() : text.empty() ? "\"\"" : text);
  }
  return values;
}

bool Requires(const json::Value& schema, std::string_view field) {
  const json::Array* const required = schema["required"].IfArray();
  return required != nullptr &&
         std::any_of(required->begin(), required->end(),
                     [&](const json::Value& one) { return one.StringOrEmpty() == field; });
}

// Returns the names of the fields, sorted.
std::vector<std::string> FieldsOf(const json::Value& schema) {
  std::vector<std::string> names;
  const json::Object* const fields = schema["properties"].IfObject();
  if (fields == nullptr) return names;
  for (const auto& field : *fields) names.push_back(field.first);
  std::sort(names.begin(), names.end());
  return names;
}

// Appends a list of fields: with descriptions, or with the fields below each one.
class FieldList {
 public:
  FieldList(const Explainer& explainer, bool recursive, std::string& out)
      : explainer_(explainer), recursive_(recursive), out_(out) {}

  void Add(const Schema& parent, const std::string& indent) {
    above_.push_back(parent.value);
    for (const std::string& name : FieldsOf(*parent.value)) {
      const Schema field = explainer_.Resolve((*parent.value)["properties"][name]);
      out_ += indent + Printable(name) + "\t<" + explainer_.TypeOf(field) + ">";
      out_ += Requires(*parent.value, name) ? " -required-\n" : "\n";
      AddEnum(*field.value, indent);
      if (recursive_) {
        const Schema inner = explainer_.Inner(field);
        // A kind that contains itself is shown once.
        const bool repeated = std::find(above_.begin(), above_.end(), inner.value) != above_.end();
        if (!repeated) Add(inner, indent + "  ");
      } else {
        AddWrapped(out_, field.description.empty() ? "<no description>" : field.description,
                   kIndent);
        out_ += "\n";
      }
    }
    above_.pop_back();
  }

 private:
  void AddEnum(const json::Value& schema, const std::string& indent) {
    const std::vector<std::string> values = EnumOf(schema);
    if (values.empty()) return;
    out_ += indent + "enum: ";
    for (std::size_t i = 0; i < std::min(values.size(), kShownInList); ++i) {
      out_ += (i == 0 ? "" : ", ") + Printable(values[i]);
    }
    out_ += values.size() > kShownInList ? ", ....\n" : "\n";
  }

  const Explainer& explainer_;
  const bool recursive_;
  std::string& out_;
  std::vector<const json::Value*> above_;
};

Error NoField(const std::vector<std::string>& fields, std::size_t at, const Schema& parent) {
  std::string text = "field \"" + fields[at] + "\" does not exist";
  for (std::size_t i = 0; i < at; ++i) text += (i == 0 ? " in " : ".") + fields[i];
  for (const std::string& name : FieldsOf(*parent.value)) {
    if (!internal::base::IsNear(name, fields[at])) continue;
    text += "; did you mean \"" + name + "\"?";
    break;
  }
  return Error(Reason::kNotFound, text);
}

std::string Head(const GroupVersionKind& kind) {
  return (kind.group.empty() ? "" : "GROUP:      " + Printable(kind.group) + "\n") +
         "KIND:       " + Printable(kind.kind) + "\nVERSION:    " + Printable(kind.version) +
         "\n\n";
}

}  // namespace

Result<Explained> ReadExplained(std::string_view argument, const std::vector<ApiGroup>& groups) {
  std::string_view rest = argument.substr(std::min(argument.find('.'), argument.size()));
  Explained explained;
  explained.resource = argument.substr(0, argument.size() - rest.size());
  if (!rest.empty()) rest.remove_prefix(1);
  // The longest group that stands in front of the rest.
  std::string_view found;
  for (const ApiGroup& group : groups) {
    const std::string_view name = group.name;
    const bool stands = !name.empty() && rest.starts_with(name) &&
                        (rest.size() == name.size() || rest[name.size()] == '.');
    if (stands && name.size() > found.size()) found = name;
  }
  if (!found.empty()) {
    explained.resource += "." + std::string(found);
    rest.remove_prefix(std::min(found.size() + 1, rest.size()));
  }
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = std::min(rest.find('.', at), rest.size());
    explained.fields.emplace_back(rest.substr(at, end - at));
    at = end + 1;
  }
  const bool incomplete = explained.resource.empty() || argument.ends_with('.') ||
                          std::any_of(explained.fields.begin(), explained.fields.end(),
                                      [](const std::string& field) { return field.empty(); });
  if (incomplete) {
    return Error(Reason::kInvalidArgument,
                 "\"" + std::string(argument) + "\" is no RESOURCE, and no RESOURCE.FIELD.FIELD");
  }
  return explained;
}

Result<std::string> ExplainText(const json::Value& document, const GroupVersionKind& kind,
                                const std::vector<std::string>& fields, bool recursive) {
  const Explainer explainer(document);
  Schema schema = explainer.OfKind(kind);
  if (schema.value == nullptr) {
    return Error(Reason::kNotFound, "the server's OpenAPI has no schema of " + kind.kind +
                                        " in version " + kind.version);
  }
  bool required = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Schema parent = explainer.Inner(schema);
    const json::Value& field = (*parent.value)["properties"][fields[i]];
    if (field.IfObject() == nullptr) return NoField(fields, i, parent);
    required = Requires(*parent.value, fields[i]);
    schema = explainer.Resolve(field);
  }
  std::string out = Head(kind);
  if (!fields.empty()) {
    out += "FIELD: " + Printable(fields.back()) + " <" + explainer.TypeOf(schema) + ">";
    out += required ? " -required-\n" : "\n";
    const std::vector<std::string> values = EnumOf(*schema.value);
    if (!values.empty()) out += "ENUM:\n";
    for (const std::string& value : values) out += kIndent + Printable(value) + "\n";
    out += values.empty() ? "\n\n" : "\n";
  }
  out += "DESCRIPTION:\n";
  std::vector<std::string> descriptions;
  explainer.AddDescriptions(schema, descriptions);
  for (const std::string& text : descriptions) AddWrapped(out, text, kIndent);
  out += descriptions.empty() ? "    <empty>\n" : "\n";
  const Schema inner = explainer.Inner(schema);
  if (!FieldsOf(*inner.value).empty()) {
    out += "FIELDS:\n";
    FieldList(explainer, recursive, out).Add(inner, "  ");
  }
  return out + "\n";
}

}  // namespace kinformer::cli
