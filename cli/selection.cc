#include "cli/selection.h"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <utility>

#include "kinformer/client/manifests.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"

#include "cli/arguments.h"
#include "cli/report.h"
#include "table/custom_columns.h"

namespace kinformer::cli {

void AddSelectionFlags(Command& command, SelectionFlags& flags) {
  command.Positionals("RESOURCE", flags.arguments,
                      "what to look at: pods, deployments.apps, po,svc; then names: pod a b; "
                      "or RESOURCE/NAME: pod/web-0 cm/settings; all: those that users mean by it",
                      /*required=*/false);
  command.Option("-n,--namespace", flags.namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Flag("-A,--all-namespaces", flags.all_namespaces, "all namespaces, whatever -n says");
  command.Option("-l,--selector", flags.label_selector, "SELECTOR",
                 "only objects with these labels: app=web,tier in (front,back)");
  command.Option("--field-selector", flags.field_selector, "SELECTOR",
                 "only objects with these fields: spec.nodeName=node-7");
  command.Each("-f,--filename", flags.files, "FILE",
               "the objects that this file or folder names; - is standard input");
  AddFormatFlags(command, flags.format);
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

// One resource, or one object of it.
struct Wanted {
  RestMapping mapping{};
  std::string name{};
  std::string namespace_{};  // of an object in a file
};

// Reads name and selectors of one requested resource from the flags, without the server.
Result<Selection> ReadFlags(const SelectionFlags& flags, const std::string& name) {
  Selection selection;
  selection.name = name;
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
  if (selection.name.empty()) return selection;
  const Result<FieldSelector> named =
      FieldSelector::Of({{.field = "metadata.name", .value = selection.name}});
  if (!named) return named.error();
  if (!selection.field_selector.empty()) selection.field_selector += ",";
  selection.field_selector += named->ToString();
  return selection;
}

// Returns the resources of a category such as "all", in the server's order.
Result<std::vector<RestMapping>> OfCategory(const Connection& connection,
                                            const std::string& category, const CallOptions& call) {
  const DiscoveryClient discovery = connection.client.Discovery();
  const Result<std::vector<ApiGroupVersion>> groups = discovery.ServerPreferredResources(call);
  if (!groups) return groups.error();
  std::vector<RestMapping> mappings;
  for (const ApiGroupVersion& group : *groups) {
    for (const ApiResource& resource : group.resources) {
      const auto& categories = resource.categories;
      if (std::find(categories.begin(), categories.end(), category) == categories.end()) continue;
      if (!resource.Supports("list")) continue;
      Result<RestMapping> mapping = discovery.MappingFor(resource.resource, call);
      if (!mapping) return std::move(mapping).error();
      mappings.push_back(*std::move(mapping));
    }
  }
  return mappings;
}

// `error`: from discovery.
Error NoSuchResource(const Error& error) {
  // Unless discovery suggests something itself.
  if (error.message().find('?') != std::string::npos) return error;
  return Error(Reason::kNotFound,
               error.message() + "; `kinformer api-resources` lists what this server has");
}

// Resolves the arguments.
Result<std::vector<Wanted>> WantedByName(const Connection& connection,
                                         const std::vector<std::string>& arguments,
                                         const CallOptions& call) {
  const Result<std::vector<Asked>> asked = ReadArguments(arguments);
  if (!asked) return asked.error();
  std::vector<Wanted> wanted;
  for (const Asked& one : *asked) {
    Result<RestMapping> mapping = connection.client.Discovery().MappingFor(one.resource, call);
    if (mapping) {
      wanted.push_back({*std::move(mapping), one.name});
      continue;
    }
    if (!IsNotFound(mapping.error())) return std::move(mapping).error();
    Result<std::vector<RestMapping>> members = OfCategory(connection, one.resource, call);
    if (!members) return std::move(members).error();
    if (members->empty()) return NoSuchResource(mapping.error());
    for (RestMapping& member : *members) wanted.push_back({std::move(member), one.name});
  }
  return wanted;
}

// Reads the names of the objects in files.
Result<std::vector<Wanted>> WantedByFile(const Connection& connection, const SelectionFlags& flags,
                                         const CallOptions& call) {
  const ManifestList list = ReadManifests(flags.files, {.input = &std::cin});
  if (!list.errors.empty()) return list.errors.front();
  std::vector<Wanted> wanted;
  for (const Manifest& manifest : list.manifests) {
    const std::string place = manifest.place();
    Result<RestMapping> mapping = connection.client.Discovery().MappingFor(manifest.kind(), call);
    if (!mapping) {
      return Error(mapping.error().reason(), place + ": " + mapping.error().message());
    }
    wanted.push_back({*std::move(mapping), manifest.name(), manifest.namespace_()});
    if (wanted.back().name.empty()) {
      return Error(Reason::kInvalidArgument, place + ": metadata.name is missing");
    }
    const std::string& namespace_ = wanted.back().namespace_;
    if (!flags.namespace_.empty() && !namespace_.empty() && namespace_ != flags.namespace_) {
      return Error(Reason::kInvalidArgument, place + ": its namespace is " + namespace_ +
                                                 ", but -n says " + flags.namespace_);
    }
  }
  return wanted;
}

Result<Selection> SelectOne(const Connection& connection, const SelectionFlags& flags,
                            const Format& format, const Wanted& wanted, const CallOptions& call) {
  Result<Selection> read = ReadFlags(flags, wanted.name);
  if (!read) return std::move(read).error();
  Selection selection = *std::move(read);
  selection.mapping = wanted.mapping;
  if (selection.mapping.namespaced && !flags.all_namespaces) {
    selection.namespace_ = wanted.namespace_;
    if (selection.namespace_.empty()) selection.namespace_ = flags.namespace_;
    if (selection.namespace_.empty()) selection.namespace_ = connection.config.namespace_;
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
  if (known != nullptr || served.group.empty() || !format.is_table()) {
    selection.columns = internal::table::ColumnsFor(served.group, kind.kind);
  } else {
    selection.columns = ColumnsOfDefinition(connection.client, served, call);
  }
  return selection;
}

}  // namespace

Result<std::vector<Selection>> Select(const Connection& connection, const SelectionFlags& flags,
                                      const Format& format, const CallOptions& call) {
  const bool by_file = !flags.files.empty();
  if (by_file != flags.arguments.empty()) {
    return Error(Reason::kInvalidArgument,
                 by_file ? "-f names the objects: leave out the RESOURCE"
                         : "which RESOURCE? Such as pods, or deployment/web; or -f FILE");
  }
  const Result<std::vector<Wanted>> wanted = by_file
                                                 ? WantedByFile(connection, flags, call)
                                                 : WantedByName(connection, flags.arguments, call);
  if (!wanted) return wanted.error();
  std::vector<Selection> selections;
  for (const Wanted& one : *wanted) {
    // po,pods: the same list only once.
    const bool is_repeated =
        std::any_of(selections.begin(), selections.end(), [&](const Selection& before) {
          return one.name.empty() && before.mapping.resource == one.mapping.resource;
        });
    if (is_repeated) continue;
    Result<Selection> selection = SelectOne(connection, flags, format, one, call);
    if (!selection) return std::move(selection).error();
    selections.push_back(*std::move(selection));
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
