#include "cli/targets.h"

#include <iostream>
#include <utility>

#include "kinformer/base/stop.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/manifests.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"

#include "cli/arguments.h"
#include "cli/printable.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

constexpr std::int64_t kPage = 500;

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

std::string HomeOf(const Connection& connection, const TargetFlags& flags) {
  if (!flags.namespace_.empty()) return flags.namespace_;
  const std::string& home = connection.config.namespace_;
  return home.empty() ? "default" : home;
}

Result<void> CheckFlags(const TargetFlags& flags) {
  if (flags.arguments.empty() == flags.files.empty()) {
    return Invalid(flags.files.empty()
                       ? "no object is named: write RESOURCE/NAME, or -f FILE"
                       : "objects are in files or named as RESOURCE/NAME, not both");
  }
  // The server would refuse them too, but later and with a less clear error.
  if (Result<LabelSelector> parsed = LabelSelector::Parse(flags.label_selector); !parsed) {
    return Invalid("-l: " + parsed.error().message());
  }
  if (Result<FieldSelector> parsed = FieldSelector::Parse(flags.field_selector); !parsed) {
    return Invalid("--field-selector: " + parsed.error().message());
  }
  return {};
}

// Lists the objects of one resource that the selectors choose.
Result<void> AddSelected(const Connection& connection, const TargetFlags& flags,
                         const RestMapping& mapping, const CallOptions& call,
                         std::vector<Target>& targets) {
  const bool everywhere = flags.all_namespaces || !mapping.namespaced;
  const MetadataResourceClient objects =
      connection.client.Metadata(mapping, everywhere ? std::string() : HomeOf(connection, flags));
  const auto found = objects.List({.labelSelector = flags.label_selector,
                                   .fieldSelector = flags.field_selector,
                                   .limit = kPage},
                                  call);
  if (!found) return found.error();
  for (const metav1::PartialObjectMetadata object : *found) {
    const metav1::ObjectMeta metadata = object.metadata();
    targets.push_back({mapping, std::string(metadata.namespace_()), std::string(metadata.name()),
                       true, std::string(metadata.uid())});
  }
  return {};
}

Result<void> AddNamed(const Connection& connection, const TargetFlags& flags,
                      const CallOptions& call, bool without_names, std::vector<Target>& targets) {
  const Result<std::vector<Asked>> asked = ReadArguments(flags.arguments);
  if (!asked) return asked.error();
  const bool selects = flags.all || !flags.label_selector.empty() || !flags.field_selector.empty();
  for (const Asked& one : *asked) {
    const Result<RestMapping> mapping =
        connection.client.Discovery().MappingFor(one.resource, call);
    if (!mapping) return mapping.error();
    if (!one.name.empty()) {
      if (selects) return Invalid("a name and a selector exclude each other");
      if (flags.all_namespaces) {
        return Invalid("a name belongs to one namespace: give -n in place of -A");
      }
      targets.push_back({*mapping, mapping->namespaced ? HomeOf(connection, flags) : "", one.name});
      continue;
    }
    if (!selects && !without_names) {
      return Invalid(
          "resource(s) were provided, but no name was specified: name them, or give "
          "-l SELECTOR or --all");
    }
    Result<void> added = AddSelected(connection, flags, *mapping, call, targets);
    if (!added) return added;
  }
  return {};
}

Result<void> AddFromFiles(const Connection& connection, const TargetFlags& flags,
                          const CallOptions& call, std::vector<Target>& targets) {
  const ManifestList list = ReadManifests(flags.files, {.input = &std::cin});
  for (const std::string& warning : list.warnings) {
    std::cerr << "warning: " << Printable(warning) << '\n';
  }
  if (!list.errors.empty()) return list.errors.front();
  for (const Manifest& manifest : list.manifests) {
    const Result<RestMapping> mapping =
        connection.client.Discovery().MappingFor(manifest.kind(), call);
    if (!mapping) return Error(mapping.error()).WithContext(manifest.place());
    std::string home = manifest.namespace_();
    if (home.empty()) home = HomeOf(connection, flags);
    if (!mapping->namespaced) home.clear();
    targets.push_back({*mapping, std::move(home), manifest.name()});
  }
  return {};
}

}  // namespace

void AddTargetFlags(Command& command, TargetFlags& flags, const std::string& help) {
  command.Positionals("RESOURCE", flags.arguments, help, /*required=*/false);
  command.Options("-f,--filename", flags.files, "FILE",
                  "the objects in this file or folder, or - for standard input");
  command.Option("-n,--namespace", flags.namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Option("-l,--selector", flags.label_selector, "SELECTOR",
                 "objects with these labels: app=web,tier in (front,back)");
  command.Flag("--all", flags.all, "all objects of the resource in the namespace");
}

std::string Target::QualifiedName() const {
  std::string text;
  for (const char c : mapping.kind.kind) {
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!mapping.resource.group.empty()) text += "." + mapping.resource.group;
  return Printable(text + "/" + name);
}

std::string Target::ResourceName() const { return mapping.resource.resource + "/" + name; }

Result<std::vector<Target>> FindTargets(const Connection& connection, const TargetFlags& flags,
                                        const CallOptions& call, bool without_names) {
  if (Result<void> checked = CheckFlags(flags); !checked) return std::move(checked).error();
  std::vector<Target> targets;
  Result<void> added = flags.files.empty()
                           ? AddNamed(connection, flags, call, without_names, targets)
                           : AddFromFiles(connection, flags, call, targets);
  if (!added) return std::move(added).error();
  return targets;
}

int ForEachTarget(
    const ConnectionFlags& connection_flags, const TargetFlags& flags, bool without_names,
    const std::string& none,
    const std::function<Result<void>(const Connection& connection, const Target& target,
                                     const CallOptions& call)>& each) {
  if (Result<void> checked = CheckFlags(flags); !checked) {
    return UsageError(checked.error().message());
  }
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(connection_flags);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  const CallOptions call{.stop = stop.token()};
  const Result<std::vector<Target>> targets = FindTargets(*connection, flags, call, without_names);
  if (!targets && targets.error().reason() == Reason::kInvalidArgument) {
    return UsageError(targets.error().message());
  }
  if (!targets) return Fail(targets.error(), origin);
  if (targets->empty() && !none.empty()) return Fail(Error(Reason::kNotFound, none));
  int status = 0;
  for (const Target& target : *targets) {
    const Result<void> done = each(*connection, target, call);
    if (done) continue;
    status = kFailure;
    if (done.error().reason() == Reason::kCanceled) return status;
    Fail(done.error(), origin);
  }
  return status;
}

}  // namespace kinformer::cli
