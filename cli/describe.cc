#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/object/unstructured.h"

#include "cli/commands.h"
#include "cli/description.h"
#include "cli/event_rows.h"
#include "cli/format.h"
#include "cli/pod_target.h"
#include "cli/report.h"
#include "cli/selection.h"

namespace kinformer::cli {
namespace {

struct DescribeFlags {
  ConnectionFlags connection{};
  SelectionFlags selection{};
  bool shows_events = true;
};

// Lists objects as JSON. What cannot be read is left out of the description: a user may see a
// Deployment and not its pods.
std::vector<json::Value> ListOrNothing(const Client& client, const RestMapping& mapping,
                                       const std::string& namespace_, const ListOptions& options,
                                       const CallOptions& call) {
  std::vector<json::Value> objects;
  const auto listed = client.Dynamic(mapping, namespace_).List(options, call);
  if (!listed) return objects;
  for (const Unstructured object : *listed) {
    Result<json::Value> value = json::Parse(object.ToJson());
    if (value) objects.push_back(*std::move(value));
  }
  return objects;
}

// Reads what an object's description needs beside it.
class RelatedReader {
 public:
  RelatedReader(const Client& client, CallOptions call) : client_(client), call_(std::move(call)) {}

  Related Read(const json::Value& object, bool events) {
    const json::Value& meta = object["metadata"];
    const std::string& kind = object["kind"].StringOrEmpty();
    const std::string& name = meta["name"].StringOrEmpty();
    const std::string& namespace_ = meta["namespace"].StringOrEmpty();
    Related related;
    related.shows_events = events;
    if (events) related.events = Events(object);
    if (kind == "Node") {
      related.pods = List("pods", "",
                          {.fieldSelector = "spec.nodeName=" + name +
                                            ",status.phase!=Succeeded,"
                                            "status.phase!=Failed"});
      related.lease =
          Get("leases.coordination.k8s.io", "kube-node-lease", name, related.lease_error);
    } else if (kind == "ReplicaSet" || kind == "StatefulSet" || kind == "DaemonSet") {
      const Result<std::string> selector = PodSelectorOf(object);
      if (selector) related.pods = List("pods", namespace_, {.labelSelector = *selector});
      std::erase_if(related.pods, [&](const json::Value& pod) { return !Owns(object, pod); });
    } else if (kind == "Deployment") {
      const Result<std::string> selector = PodSelectorOf(object);
      if (selector) {
        related.replica_sets = List("replicasets.apps", namespace_, {.labelSelector = *selector});
      }
      std::erase_if(related.replica_sets,
                    [&](const json::Value& set) { return !Owns(object, set); });
    } else if (kind == "Ingress") {
      ReadBackends(object, related);
    } else if (kind == "PersistentVolumeClaim") {
      related.pods = List("pods", namespace_, {});
      std::erase_if(related.pods, [&](const json::Value& pod) { return !Uses(pod, name); });
    } else if (kind == "Service") {
      related.slices = Slices(namespace_, name);
    } else if (kind == "Namespace") {
      related.quotas = List("resourcequotas", name, {});
      related.limits = List("limitranges", name, {});
    }
    return related;
  }

 private:
  static bool Uses(const json::Value& pod, const std::string& claim) {
    for (const json::Value& volume : pod["spec"]["volumes"].items()) {
      if (volume["persistentVolumeClaim"]["claimName"].StringOrEmpty() == claim) return true;
    }
    return false;
  }
  static bool Owns(const json::Value& owner, const json::Value& object) {
    for (const json::Value& reference : object["metadata"]["ownerReferences"].items()) {
      if (!reference["controller"].AsBool().value_or(false)) continue;
      return reference["uid"] == owner["metadata"]["uid"];
    }
    return false;
  }
  // Returns null if the object cannot be read, and why.
  json::Value Get(const std::string& resource, const std::string& namespace_,
                  const std::string& name, std::string& error) {
    const Result<RestMapping> mapping = client_.Discovery().MappingFor(resource, call_);
    if (!mapping) {
      error = mapping.error().message();
      return {};
    }
    const auto object = client_.Dynamic(*mapping, namespace_).Get(name, {}, call_);
    Result<json::Value> value =
        object ? json::Parse((*object)->ToJson()) : Result<json::Value>(object.error());
    if (value) return *std::move(value);
    error = value.error().message();
    return {};
  }
  std::vector<json::Value> Slices(const std::string& namespace_, const std::string& service) {
    return List("endpointslices.discovery.k8s.io", namespace_,
                {.labelSelector = "kubernetes.io/service-name=" + service});
  }
  void ReadBackends(const json::Value& ingress, Related& related) {
    const std::string& namespace_ = ingress["metadata"]["namespace"].StringOrEmpty();
    const auto read = [&](const json::Value& backend) {
      const std::string& name = backend["service"]["name"].StringOrEmpty();
      if (name.empty() || related.backends.contains(name)) return;
      Backend& behind = related.backends[name];
      behind.service = Get("services", namespace_, name, behind.error);
      if (behind.error.empty()) behind.slices = Slices(namespace_, name);
    };
    read(ingress["spec"]["defaultBackend"]);
    for (const json::Value& rule : ingress["spec"]["rules"].items()) {
      for (const json::Value& path : rule["http"]["paths"].items()) read(path["backend"]);
    }
  }
  std::vector<json::Value> List(const std::string& resource, const std::string& namespace_,
                                const ListOptions& options) {
    const Result<RestMapping> mapping = client_.Discovery().MappingFor(resource, call_);
    if (!mapping) return {};
    return ListOrNothing(client_, *mapping, namespace_, options, call_);
  }
  std::vector<EventRow> Events(const json::Value& object) {
    const json::Value& meta = object["metadata"];
    EventFilter filter;
    filter.kind = object["kind"].StringOrEmpty();
    filter.name = meta["name"].StringOrEmpty();
    // Kubelets write a node's name in place of its uid.
    if (filter.kind != "Node") filter.uid = meta["uid"].StringOrEmpty();
    std::vector<EventRow> rows;
    for (const json::Value& event : List("events", meta["namespace"].StringOrEmpty(),
                                         {.fieldSelector = "involvedObject.name=" + filter.name})) {
      if (filter.Has(event)) rows.push_back(RowOf(event));
    }
    return rows;
  }

  const Client& client_;
  const CallOptions call_;
};

bool IsWithoutEvents(const std::string& kind) {
  return kind == "Secret" || kind == "Namespace" || kind == "Role" || kind == "ClusterRole" ||
         kind == "RoleBinding" || kind == "ClusterRoleBinding" || kind == "ResourceQuota";
}

// Returns the objects of a selection. A name that is missing stands for the beginning of names.
Result<std::vector<json::Value>> Find(const Client& client, const Selection& selection,
                                      const CallOptions& call) {
  std::vector<json::Value> objects;
  if (!selection.name.empty()) {
    const auto object =
        client.Dynamic(selection.mapping, selection.namespace_).Get(selection.name, {}, call);
    if (object) {
      Result<json::Value> value = json::Parse((*object)->ToJson());
      if (!value) return std::move(value).error();
      objects.push_back(*std::move(value));
      return objects;
    }
    if (!IsNotFound(object.error())) return object.error();
  }
  ListOptions options;
  options.labelSelector = selection.label_selector;
  const auto listed = client.Dynamic(selection.mapping, selection.namespace_).List(options, call);
  if (!listed) return listed.error();
  for (const Unstructured object : *listed) {
    Result<json::Value> value = json::Parse(object.ToJson());
    if (!value) return std::move(value).error();
    if ((*value)["metadata"]["name"].StringOrEmpty().starts_with(selection.name)) {
      objects.push_back(*std::move(value));
    }
  }
  if (objects.empty() && !selection.name.empty()) {
    return Error(Reason::kNotFound, selection.Description() + " not found");
  }
  return objects;
}

int RunDescribe(const DescribeFlags& flags) {
  const StopSource stop = StopOnSignals();
  const CallOptions call{.stop = stop.token()};
  const Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  const Result<std::vector<Selection>> selections =
      Select(*connection, flags.selection, {.form = Format::Form::kName}, call);
  if (!selections && selections.error().reason() == Reason::kInvalidArgument) {
    return UsageError(selections.error().message());
  }
  if (!selections) return Fail(selections.error(), origin);
  RelatedReader reader(connection->client, call);
  int status = 0;
  bool printed = false;
  for (const Selection& selection : *selections) {
    const Result<std::vector<json::Value>> objects = Find(connection->client, selection, call);
    if (!objects) {
      status = Fail(objects.error(), origin);
      continue;
    }
    for (const json::Value& object : *objects) {
      const bool without = IsWithoutEvents(object["kind"].StringOrEmpty());
      const Related related = reader.Read(object, flags.shows_events && !without);
      if (std::exchange(printed, true)) std::cout << "\n\n";
      std::cout << Describe(object, related, connection->client.env().WallNow());
    }
  }
  std::cout.flush();
  if (!printed && status == 0) std::cerr << "No resources found.\n";
  return status;
}

}  // namespace

void RegisterDescribe(CommandLine& line) {
  auto flags = std::make_shared<DescribeFlags>();
  Command& command =
      line.Add("describe", "Print objects in words: their state, and what happened to them");
  command.Positionals("RESOURCE", flags->selection.arguments,
                      "what to describe: pod web-0, deployment/web, nodes; a name that is missing "
                      "is the beginning of names");
  command.Option("-n,--namespace", flags->selection.namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Flag("-A,--all-namespaces", flags->selection.all_namespaces,
               "all namespaces, whatever -n says");
  command.Option("-l,--selector", flags->selection.label_selector, "SELECTOR",
                 "only objects with these labels: app=web,tier in (front,back)");
  command.Flag("--show-events", flags->shows_events,
               "print events, too; --show-events=false leaves them out");
  AddConnectionFlags(command, flags->connection);
  command.Run([flags] { return RunDescribe(*flags); });
}

}  // namespace kinformer::cli
