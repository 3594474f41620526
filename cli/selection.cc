#include "cli/selection.h"

#include <algorithm>
#include <utility>

#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"

#include "cli/arguments.h"
#include "cli/kubectl_habits.h"
#include "cli/report.h"
#include "table/custom_columns.h"

namespace kinformer::cli {

void AddSelectionFlags(Command& command, SelectionFlags& flags) {
  command.Positionals("RESOURCE", flags.arguments,
                      "what to look at: pods, deployments.apps, po,svc; then names: pod a b; "
                      "or RESOURCE/NAME: pod/web-0 cm/settings");
  command.Option("-n,--namespace", flags.namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Flag("-A,--all-namespaces", flags.all_namespaces, "all namespaces, whatever -n says");
  command.Option("-l,--selector", flags.label_selector, "SELECTOR",
                 "only objects with these labels: app=web,tier in (front,back)");
  command.Option("--field-selector", flags.field_selector, "SELECTOR",
                 "only objects with these fields: spec.nodeName=node-7");
  command.Choice("-o,--output", flags.output, {"wide", "name", "json", "yaml"},
                 "what to print of each object", OutputHabit);
  command.Flag("--show-managed-fields", flags.show_managed_fields,
               "print metadata.managedFields, too");
}

namespace {

// Returns the columns of a custom kind. Users who may not read definitions, and kinds of an
// aggregated API, get the default columns.
internal::table::Columns ColumnsOfDefinition(const Client& client,
                                             const GroupVersionResource& served,
                                             const CallOptions& call) {
  const Result<std::string> text =
      client.GetRaw("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + served.resource +
                        "." + served.group,
                    call);
  const Result<json::Value> definition =
      text ? json::Parse(*text) : Result<json::Value>(text.error());
  return definition ? internal::table::CustomColumns(*definition, served.version)
                    : internal::table::ColumnsFor(served.group, "");
}

// Reads name and selectors of one requested resource from the flags, without the server.
Result<Selection> ReadFlags(const SelectionFlags& flags, const Asked& asked) {
  Selection selection;
  selection.name = asked.name;
  if (!selection.name.empty() && flags.all_namespaces) {
    return Error(Reason::kInvalidArgument,
                 "a name belongs to one namespace: give -n in place of -A");
  }
  // The server would refuse them too, but later and with a less clear error.
  if (Result<LabelSelector> parsed = LabelSelector::Parse(flags.label_selector); !parsed) {
    return Error(Reason::kInvalidArgument, "-l: " + parsed.error().message());
  }
  if (Result<FieldSelector> parsed = FieldSelector::Parse(flags.field_selector); !parsed) {
    return Error(Reason::kInvalidArgument, "--field-selector: " + parsed.error().message());
  }
  selection.label_selector = flags.label_selector;
  selection.field_selector = flags.field_selector;
  selection.show_managed_fields = flags.show_managed_fields;
  if (selection.name.empty()) return selection;
  const Result<FieldSelector> named =
      FieldSelector::Of({{.field = "metadata.name", .value = selection.name}});
  if (!named) return named.error();
  if (!selection.field_selector.empty()) selection.field_selector += ",";
  selection.field_selector += named->ToString();
  return selection;
}

// `error`: from discovery.
Error NoSuchResource(const Error& error, const Asked& asked) {
  std::string words = ResourceHabit(asked.resource);
  // Unless discovery suggests something itself.
  if (words.empty() && error.message().find('?') == std::string::npos) {
    words = "`kinformer api-resources` lists what this server has";
  }
  if (words.empty()) return error;
  return Error(Reason::kNotFound, error.message() + "; " + words);
}

Result<Selection> SelectOne(const Connection& connection, const SelectionFlags& flags,
                            const Asked& asked, const CallOptions& call) {
  Result<Selection> read = ReadFlags(flags, asked);
  if (!read) return std::move(read).error();
  Selection selection = *std::move(read);
  Result<RestMapping> mapping = connection.client.Discovery().MappingFor(asked.resource, call);
  if (!mapping && IsNotFound(mapping.error())) return NoSuchResource(mapping.error(), asked);
  if (!mapping) return std::move(mapping).error();
  selection.mapping = *std::move(mapping);
  if (selection.mapping.namespaced && !flags.all_namespaces) {
    selection.namespace_ =
        flags.namespace_.empty() ? connection.config.namespace_ : flags.namespace_;
    if (selection.namespace_.empty()) selection.namespace_ = "default";
  }
  // Kinds known to this program use protobuf; the others use JSON.
  const GroupVersionKind& kind = selection.mapping.kind;
  const GroupVersionResource& served = selection.mapping.resource;
  const internal::ResourceInfo* const known =
      internal::FindResource(served.group, served.version, served.resource);
  selection.type = known != nullptr && known->type != nullptr && known->type->kind == kind.kind
                       ? known->type
                       : &selection.mapping.dynamic_type();
  const bool table = flags.output.empty() || flags.output == "wide";
  if (known != nullptr || served.group.empty() || !table) {
    selection.columns = internal::table::ColumnsFor(served.group, kind.kind);
  } else {
    selection.columns = ColumnsOfDefinition(connection.client, served, call);
  }
  return selection;
}

}  // namespace

Result<std::vector<Selection>> Select(const Connection& connection, const SelectionFlags& flags,
                                      const CallOptions& call) {
  const Result<std::vector<Asked>> asked = ReadArguments(flags.arguments);
  if (!asked) return asked.error();
  std::vector<Selection> selections;
  for (const Asked& one : *asked) {
    Result<Selection> selection = SelectOne(connection, flags, one, call);
    if (!selection) return std::move(selection).error();
    // po,pods: the same list only once.
    const bool is_repeated =
        std::any_of(selections.begin(), selections.end(), [&](const Selection& before) {
          return one.name.empty() && before.mapping.resource == selection->mapping.resource;
        });
    if (!is_repeated) selections.push_back(*std::move(selection));
  }
  return selections;
}

int FailToRead(const Error& error, const std::vector<Selection>& selections,
               const std::string& origin) {
  const bool everywhere =
      std::any_of(selections.begin(), selections.end(),
                  [](const Selection& selection) { return selection.shows_namespaces(); });
  if (!everywhere || !IsForbidden(error)) return Fail(error, origin);
  Error wider =
      Error(error.reason(),
            error.message() + "; it may be allowed in one namespace: -n NS in place of -A");
  wider.WithHttpStatus(error.http_status()).WithDetails(error.details());
  return Fail(wider, origin);
}

bool OfSeveralResources(const std::vector<const Selection*>& selections) {
  return std::any_of(selections.begin(), selections.end(), [&](const Selection* selection) {
    return !(selection->mapping.resource == selections.front()->mapping.resource);
  });
}

std::string Selection::Description() const {
  const GroupVersionResource& resource = mapping.resource;
  std::string text = resource.resource;
  if (!resource.group.empty()) text += "." + resource.group;
  if (!name.empty()) text += " \"" + name + "\"";
  return text;
}

std::string Selection::QualifiedName(std::string_view object_name) const {
  std::string text;
  for (const char c : mapping.kind.kind) {
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!mapping.resource.group.empty()) text += "." + mapping.resource.group;
  return text + "/" + std::string(object_name);
}

std::unique_ptr<ListerWatcher> Selection::NewListWatch(const Client& client) const {
  return internal::NewListWatch(
      client, *type, namespace_,
      [labels = label_selector, fields = field_selector](ListOptions& options) {
        options.labelSelector = labels;
        options.fieldSelector = fields;
      });
}

}  // namespace kinformer::cli
