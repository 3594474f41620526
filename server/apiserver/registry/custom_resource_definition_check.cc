#include "apiserver/registry/custom_resource_definition_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/definition_facts.h"
#include "apiserver/registry/served_resource.h"
#include "apiserver/registry/webhook_client_check.h"
#include "apiserver/schema/name_rules.h"
#include "apiserver/schema/schema_check.h"
#include "apiserver/schema/schema_validation.h"
#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

constexpr std::size_t kMaxWarning = 256;
constexpr std::size_t kMaxSelectableFields = 8;
constexpr std::string_view kClientField = "spec.conversion.webhookClientConfig";
constexpr std::string_view kReviewsField = "spec.conversion.conversionReviewVersions";
constexpr std::string_view kApproval = "api-approved.kubernetes.io";

const std::string& Text(const Value& value, std::string_view name) {
  return value[name].StringOrEmpty();
}

class Checker {
 public:
  Checker(const Value& definition, const Value* old)
      : definition_(definition), spec_(definition["spec"]), old_(old) {}

  std::vector<StatusCause> Run() {
    CheckName();
    CheckGroup();
    CheckScope();
    CheckVersions();
    CheckConversion();
    CheckNames();
    for (std::size_t i = 0; i < Versions().size() && !AreEnough(causes_); ++i) CheckVersion(i);
    if (old_ != nullptr) CheckChange();
    return std::move(causes_);
  }

 private:
  [[nodiscard]] const json::Array& Versions() const { return spec_["versions"].items(); }

  void Add(StatusCause cause) {
    if (!AreEnough(causes_)) causes_.push_back(std::move(cause));
  }
  void Invalid(std::string field, std::string_view value, std::string_view rule) {
    Add(InvalidValue(std::move(field), value, rule));
  }

  void CheckName() {
    const std::string& name = definition_.At("/metadata/name").StringOrEmpty();
    if (name != Text(spec_["names"], "plural") + "." + Text(spec_, "group")) {
      Invalid("metadata.name", GoQuoted(name), R"(must be spec.names.plural+"."+spec.group)");
    }
  }

  void CheckGroup() {
    const std::string& group = Text(spec_, "group");
    if (group.empty()) {
      Add(Required("spec.group"));
    } else if (const std::string rule = BrokenRule(NameRule::kSubdomain, group); !rule.empty()) {
      Invalid("spec.group", GoQuoted(group), rule);
    } else if (group.find('.') == std::string::npos) {
      Invalid("spec.group", GoQuoted(group), "should be a domain with at least one dot");
    }
    if (!IsProtectedGroup(group)) return;
    const std::string field = "metadata.annotations[" + std::string(kApproval) + "]";
    const std::string& approval = Text(definition_["metadata"]["annotations"], kApproval);
    const std::string rule =
        "protected groups must have approval annotation \"" + std::string(kApproval) + "\"";
    constexpr std::string_view kSee = ", see https://github.com/kubernetes/enhancements/pull/1111";
    if (approval.empty()) {
      Add(Required(field, rule + std::string(kSee)));
    } else if (!approval.starts_with("unapproved") && approval.find("://") == std::string::npos) {
      Invalid(
          field, GoQuoted(approval),
          rule + " with either a URL or a reason starting with \"unapproved\"" + std::string(kSee));
    }
  }

  void CheckScope() {
    const std::string& scope = Text(spec_, "scope");
    if (scope.empty()) {
      Add(Required("spec.scope"));
    } else if (scope != "Namespaced" && scope != "Cluster") {
      Add(NotSupported("spec.scope", scope, R"("Cluster", "Namespaced")"));
    }
    if (spec_["preserveUnknownFields"].AsBool().value_or(false)) {
      Invalid("spec.preserveUnknownFields", "true",
              "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
              "spec.versions[*].schema instead");
    }
  }

  // Returns the versions in the form used in messages.
  [[nodiscard]] std::string VersionsText() const {
    // An absent list is shown as empty: built-in kinds do not distinguish the two.
    std::string text;
    for (const Value& version : Versions()) {
      const auto flag = [&](const char* name) {
        return version[name].AsBool().value_or(false) ? "true" : "false";
      };
      text += (text.empty() ? "{" : ",{");
      text += "\"Name\":" + JsonString(Text(version, "name")) + ",\"Served\":" + flag("served") +
              ",\"Storage\":" + flag("storage") + ",\"Deprecated\":" + flag("deprecated") +
              ",\"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,"
              "\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}";
    }
    return "[" + text + "]";
  }

  void CheckVersions() {
    std::set<std::string> names;
    std::string storage;
    int stored = 0;
    for (std::size_t i = 0; i < Versions().size(); ++i) {
      const Value& version = Versions()[i];
      const std::string& name = Text(version, "name");
      names.insert(name);
      if (version["storage"].AsBool().value_or(false)) {
        ++stored;
        storage = name;
      }
      if (!IsDns1035Label(name)) {
        Invalid(VersionField(i) + ".name", GoQuoted(name), kDns1035LabelText);
        if (i == 0) Invalid("spec.version", GoQuoted(name), kDns1035LabelText);
      }
      const Value& warning = version["deprecationWarning"];
      if (!warning.is_string()) continue;
      const std::string field = VersionField(i) + ".deprecationWarning";
      const std::string shown = GoQuoted(warning.StringOrEmpty());
      if (!version["deprecated"].AsBool().value_or(false)) {
        Invalid(field, shown, "can only be set for deprecated versions");
      } else if (warning.StringOrEmpty().empty()) {
        Invalid(field, shown, "must not be an empty string");
      } else if (warning.StringOrEmpty().size() > kMaxWarning) {
        Invalid(field, shown, "must be <= 256 characters long");
      }
    }
    if (names.size() != Versions().size()) {
      Invalid("spec.versions", VersionsText(), "must contain unique version names");
    }
    if (stored != 1) {
      Invalid("spec.versions", VersionsText(),
              "must have exactly one version marked as storage version");
    }
    const Value& stored_versions = definition_["status"]["storedVersions"];
    if (stored_versions.size() == 0) {
      Invalid("status.storedVersions", "null", "must have at least one stored version");
      return;
    }
    const json::Array& all = stored_versions.items();
    if (!storage.empty() && std::find(all.begin(), all.end(), Value(storage)) == all.end()) {
      Invalid("status.storedVersions", stored_versions.Dump(),
              "must have the storage version " + storage);
    }
    for (std::size_t i = 0; i < all.size() && !AreEnough(causes_); ++i) {
      const std::string& name = all[i].StringOrEmpty();
      if (names.contains(name)) continue;
      Invalid("status.storedVersions[" + std::to_string(i) + "]", GoQuoted(name),
              "missing from spec.versions; " + name +
                  " was previously a storage version, and must remain in spec.versions until a "
                  "storage migration ensures no data remains persisted in " +
                  name + " and removes " + name + " from status.storedVersions");
    }
  }

  // Field names follow an older version of the kind, as on a real server.
  void CheckConversion() {
    const Value& conversion = spec_["conversion"];
    const std::string& strategy = Text(conversion, "strategy");
    if (strategy.empty()) {
      Add(Required("spec.conversion.strategy"));
    } else if (strategy != "Webhook" && strategy != "None") {
      Add(NotSupported("spec.conversion.strategy", strategy, R"("None", "Webhook")"));
    }
    const Value& webhook = conversion["webhook"];
    if (strategy == "Webhook") {
      CheckConversionClient(webhook["clientConfig"]);
      CheckReviewVersions(webhook["conversionReviewVersions"]);
      return;
    }
    constexpr std::string_view kWhy = "should not be set when strategy is not set to Webhook";
    if (!webhook["clientConfig"].is_null()) Add(ForbiddenField(std::string(kClientField), kWhy));
    if (webhook["conversionReviewVersions"].size() > 0) {
      Add(ForbiddenField(std::string(kReviewsField), kWhy));
    }
  }

  void CheckConversionClient(const Value& client) {
    const std::string field(kClientField);
    if (client.is_null()) {
      Add(Required(field, "required when strategy is set to Webhook"));
      return;
    }
    for (StatusCause& cause : CheckWebhookClient(client, field)) Add(std::move(cause));
    const std::string& bundle = Text(client, "caBundle");
    if (bundle.empty() || IsCertificateBundle(bundle) || MayHaveBadBundle()) return;
    Invalid(field + ".caBundle", GoQuoted(bundle),
            "unable to load root certificates: unable to parse bytes as PEM block");
  }

  // Allowed before it is established, or if it has one already: it may be corrected later.
  [[nodiscard]] bool MayHaveBadBundle() const {
    if (old_ == nullptr || !HasCondition(*old_, "Established")) return true;
    const std::string& before =
        old_->At("/spec/conversion/webhook/clientConfig/caBundle").StringOrEmpty();
    return !before.empty() && !IsCertificateBundle(before);
  }

  void CheckReviewVersions(const Value& versions) {
    const std::string field(kReviewsField);
    if (versions.size() == 0) {
      Add(Required(field));
      return;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < versions.items().size(); ++i) {
      const std::string& version = versions[i].StringOrEmpty();
      const std::string at = field + "[" + std::to_string(i) + "]";
      if (!seen.insert(version).second) {
        Invalid(at, GoQuoted(version), "duplicate version");
      } else if (!IsDns1035Label(version)) {
        Invalid(at, GoQuoted(version), kDns1035LabelText);
      }
    }
    if (!seen.contains("v1") && !seen.contains("v1beta1")) {
      Invalid(field, versions.Dump(), "must include at least one of v1, v1beta1");
    }
  }

  void CheckLabel(const std::string& field, const std::string& name, bool mixed_case) {
    if (name.empty()) {
      Add(Required(field));
    } else if (mixed_case && !IsDns1035Label(LowerCase(name))) {
      Invalid(field, GoQuoted(name),
              "may have mixed case, but should otherwise match: " + std::string(kDns1035LabelText));
    } else if (!mixed_case && !IsDns1035Label(name)) {
      Invalid(field, GoQuoted(name), kDns1035LabelText);
    }
  }

  void CheckNames() {
    const Value& names = spec_["names"];
    CheckLabel("spec.names.plural", Text(names, "plural"), false);
    CheckLabel("spec.names.singular", Text(names, "singular"), false);
    CheckLabel("spec.names.kind", Text(names, "kind"), true);
    CheckLabel("spec.names.listKind", Text(names, "listKind"), true);
    for (const char* list : {"shortNames", "categories"}) {
      for (std::size_t i = 0; i < names[list].items().size(); ++i) {
        CheckLabel("spec.names." + std::string(list) + "[" + std::to_string(i) + "]",
                   names[list][i].StringOrEmpty(), false);
      }
    }
    if (!Text(names, "kind").empty() && Text(names, "kind") == Text(names, "listKind")) {
      Invalid("spec.names.listKind", GoQuoted(Text(names, "listKind")),
              "kind and listKind may not be the same");
    }
  }

  static std::string VersionField(std::size_t index) {
    return "spec.versions[" + std::to_string(index) + "]";
  }

  // Returns whether all versions have an equal member; it is then reported once, under spec.
  [[nodiscard]] bool Common(std::string_view member) const {
    return std::all_of(Versions().begin(), Versions().end(), [&](const Value& version) {
      return version[member] == Versions().front()[member];
    });
  }
  [[nodiscard]] std::string FieldOf(std::size_t index, std::string_view member) const {
    return (Common(member) ? "spec" : VersionField(index)) + "." + std::string(member);
  }
  [[nodiscard]] bool Again(std::size_t index, std::string_view member) const {
    return index > 0 && Common(member);
  }

  // Returns whether the version had the same schema before the write.
  [[nodiscard]] bool IsAsBefore(const Value& version) const {
    return old_ != nullptr &&
           std::ranges::any_of((*old_)["spec"]["versions"].items(), [&](const Value& old) {
             return old["name"] == version["name"] && old["schema"] == version["schema"];
           });
  }

  void CheckVersion(std::size_t index) {
    const Value& version = Versions()[index];
    const Value& schema = version["schema"]["openAPIV3Schema"];
    if (!schema.is_object()) {
      Add(Required(VersionField(index) + ".schema.openAPIV3Schema"));
    } else if (!Again(index, "schema")) {
      const std::string field =
          Common("schema") ? "spec.validation" : VersionField(index) + ".schema";
      for (StatusCause& cause :
           CheckSchema(schema, field + ".openAPIV3Schema", !IsAsBefore(version))) {
        Add(std::move(cause));
      }
    }
    if (!Again(index, "additionalPrinterColumns")) CheckColumns(index);
    if (!Again(index, "subresources")) CheckScale(index);
    if (!Again(index, "selectableFields")) CheckSelectable(index, schema);
  }

  void CheckColumns(std::size_t index) {
    const Value& columns = Versions()[index]["additionalPrinterColumns"];
    for (std::size_t i = 0; i < columns.items().size() && !AreEnough(causes_); ++i) {
      const Value& column = columns[i];
      const std::string field =
          FieldOf(index, "additionalPrinterColumns") + "[" + std::to_string(i) + "]";
      if (Text(column, "name").empty()) Add(Required(field + ".name"));
      OneOf(field + ".type", Text(column, "type"), true,
            {"boolean", "date", "integer", "number", "string"});
      OneOf(field + ".format", Text(column, "format"), false,
            {"byte", "date", "date-time", "double", "float", "int32", "int64", "password"});
      CheckPath(field + ".JSONPath", Text(column, "jsonPath"), {}, {});
    }
  }

  void OneOf(const std::string& field, const std::string& value, bool required,
             const std::vector<std::string_view>& allowed) {
    if (value.empty()) {
      if (required) Add(Required(field));
      return;
    }
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    std::string texts;
    for (const std::string_view each : allowed) {
      texts += (texts.empty() ? "" : ",") + std::string(each);
    }
    Invalid(field, GoQuoted(value), "must be one of " + texts);
  }

  void CheckPath(const std::string& field, const std::string& path,
                 const std::vector<std::string_view>& roots, std::string_view rule) {
    if (path.empty()) {
      Add(Required(field));
    } else if (path.front() != '.') {
      Invalid(field, GoQuoted(path), "must be a simple json path starting with .");
    } else if (!roots.empty() &&
               std::none_of(roots.begin(), roots.end(),
                            [&](std::string_view root) { return path.starts_with(root); })) {
      Invalid(field, GoQuoted(path), rule);
    }
  }

  void CheckScale(std::size_t index) {
    const Value* const scale = Versions()[index]["subresources"].Find("scale");
    if (scale == nullptr) return;
    const std::string field = FieldOf(index, "subresources") + ".scale.";
    CheckPath(field + "specReplicasPath", Text(*scale, "specReplicasPath"), {".spec."},
              "should be a json path under .spec");
    CheckPath(field + "statusReplicasPath", Text(*scale, "statusReplicasPath"), {".status."},
              "should be a json path under .status");
    if (!Text(*scale, "labelSelectorPath").empty()) {
      CheckPath(field + "labelSelectorPath", Text(*scale, "labelSelectorPath"),
                {".spec.", ".status."}, "should be a json path under either .spec or .status");
    }
  }

  void CheckSelectable(std::size_t index, const Value& schema) {
    const Value& fields = Versions()[index]["selectableFields"];
    const std::string at = FieldOf(index, "selectableFields");
    std::set<std::string_view> named;
    for (std::size_t i = 0; i < fields.items().size() && !AreEnough(causes_); ++i) {
      const std::string field = at + "[" + std::to_string(i) + "].jsonPath";
      const std::string& path = Text(fields[i], "jsonPath");
      if (path.empty()) {
        Add(Required(field));
        continue;
      }
      if (!path.starts_with('.')) {
        Invalid(field, GoQuoted(path),
                "is an invalid path: expected [ or . but got: " +
                    path.substr(0, path.find_first_of(".[")));
        continue;
      }
      const Value* const target = FieldSchema(schema, path);
      if (target == nullptr) {
        Invalid(field, GoQuoted(path), "is an invalid path: does not refer to a valid field");
        continue;
      }
      if (path == ".metadata" || path.starts_with(".metadata.")) {
        Invalid(field, GoQuoted(path), "must not point to fields in metadata");
      }
      const std::string& type = Text(*target, "type");
      if (type != "string" && type != "boolean" && type != "integer") {
        Invalid(field, GoQuoted(path),
                "must point to a field of type string, boolean or integer. Enum string fields and "
                "strings with formats are allowed.");
      }
      if (!named.insert(path).second) {
        Add({.reason = "FieldValueDuplicate",
             .message = "Duplicate value: " + GoQuoted(path),
             .field = field});
      }
    }
    if (named.size() > kMaxSelectableFields) {
      Add({.reason = "FieldValueTooMany",
           .message = "Too many: " + std::to_string(named.size()) + ": must have at most " +
                      std::to_string(kMaxSelectableFields) + " items",
           .field = at});
    }
  }

  // Returns the schema of ".spec.color"; null where there is no such property.
  static const Value* FieldSchema(const Value& schema, std::string_view path) {
    const Value* at = &schema;
    while (!path.empty() && at != nullptr) {
      path.remove_prefix(1);
      const std::string_view name = path.substr(0, path.find('.'));
      at = (*at)["properties"].Find(name);
      path.remove_prefix(name.size());
    }
    return at;
  }

  void Immutable(const char* pointer, const char* field) {
    const std::string& now = definition_.At(pointer).StringOrEmpty();
    if (now == old_->At(pointer).StringOrEmpty()) return;
    Invalid(field, GoQuoted(now), "field is immutable");
  }

  void CheckChange() {
    // The object's name contains group and plural, and cannot change.
    std::erase_if(causes_, [](const StatusCause& cause) { return cause.field == "metadata.name"; });
    Immutable("/spec/group", "spec.group");
    Immutable("/spec/names/plural", "spec.names.plural");
    if (!HasCondition(*old_, "Established")) return;
    Immutable("/spec/scope", "spec.scope");
    Immutable("/spec/names/kind", "spec.names.kind");
  }

  const Value& definition_;
  const Value& spec_;
  const Value* old_;
  std::vector<StatusCause> causes_;
};

}  // namespace

std::vector<StatusCause> CheckDefinition(const Value& definition, const Value* old) {
  return Checker(definition, old).Run();
}

}  // namespace kinformer::apiserver
