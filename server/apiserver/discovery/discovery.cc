#include "apiserver/discovery/discovery.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"

#include "apiserver/discovery/health.h"
#include "apiserver/discovery/issuer.h"
#include "apiserver/discovery/kubernetes_version.h"
#include "apiserver/discovery/storage_version_hash.h"
#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/errors/status.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/request/object_encoder.h"
#include "object/transcode/transcode.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kVersions = "APIVersions";
constexpr std::string_view kResourceList = "APIResourceList";

json::Value StringArray(const std::vector<std::string>& texts) {
  json::Value out = json::Value::MakeArray();
  for (const std::string& text : texts) out.Append(text);
  return out;
}

json::Value Kind(std::string_view group, std::string_view version, std::string_view kind) {
  return json::Value::MakeObject({{"group", group}, {"version", version}, {"kind", kind}});
}

// Returns "v1" for "apps/v1".
std::string_view VersionOf(std::string_view api_version) {
  return api_version.substr(api_version.find('/') + 1);
}
std::string_view GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

// As on real servers, group and version of a built-in kind are omitted if they equal those of the
// resource.
json::Value ResponseKind(const ServedResource& resource, const ServedVersion& version,
                         std::string_view group, std::string_view kind_version,
                         std::string_view kind) {
  const bool own = group == resource.group && kind_version == version.version;
  return own && !resource.custom ? Kind({}, {}, kind) : Kind(group, kind_version, kind);
}

json::Value AggregatedResource(const ServedResource& resource, const ServedVersion& version) {
  json::Value out = json::Value::MakeObject(
      {{"resource", resource.plural},
       {"responseKind", ResponseKind(resource, version, GroupOf(version.api_version),
                                     VersionOf(version.api_version), version.kind)},
       {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
       {"singularResource", resource.singular},
       {"verbs", StringArray(resource.verbs)}});
  if (!resource.short_names.empty()) out.Set("shortNames", StringArray(resource.short_names));
  if (!resource.categories.empty()) out.Set("categories", StringArray(resource.categories));
  json::Value subresources = json::Value::MakeArray();
  for (const Subresource& sub : resource.subresources) {
    if (!sub.IsIn(version.version)) continue;
    subresources.Append(json::Value::MakeObject(
        {{"subresource", sub.name},
         {"responseKind", ResponseKind(resource, version, sub.group, sub.version, sub.kind)},
         {"verbs", StringArray(sub.verbs)}}));
  }
  if (subresources.size() > 0) out.Set("subresources", std::move(subresources));
  return out;
}

json::Value ClassicResource(const ServedResource& resource, const ServedVersion& version) {
  json::Value out = json::Value::MakeObject({{"name", resource.plural},
                                             {"singularName", resource.singular},
                                             {"namespaced", resource.namespaced},
                                             {"kind", version.kind},
                                             {"verbs", StringArray(resource.verbs)}});
  if (!resource.short_names.empty()) out.Set("shortNames", StringArray(resource.short_names));
  if (!resource.categories.empty()) out.Set("categories", StringArray(resource.categories));
  if (std::string hash = StorageVersionHash(resource); !hash.empty()) {
    out.Set("storageVersionHash", std::move(hash));
  }
  return out;
}

// Returns the oldest version that a server of `minor` can emulate: the previous one.
std::string MinorBefore(const std::string& minor) {
  int number = 0;
  std::from_chars(minor.data(), minor.data() + minor.size(), number);
  return std::to_string(std::max(0, number - 1));
}

std::string PrefixOf(const GroupVersionEntry& gv) {
  return gv.group.empty() ? "api/" + gv.version : "apis/" + gv.group + "/" + gv.version;
}

// Returns `json`, of that kind, in a protobuf envelope. APIVersions has no version there, as on
// real servers.
std::string InProtobuf(std::string_view group, std::string_view version, std::string_view kind,
                       std::string_view json) {
  const KindInfo* type = internal::FindType(group, version, kind);
  const std::string message = internal::JsonToProtobuf(*type->message, json).value_or("");
  const std::string prefix = group.empty() ? std::string() : std::string(group) + "/";
  return Envelope(kind == kVersions ? std::string() : prefix + std::string(version), kind, message);
}

// Responds with a document of the older formats, in the encoding that the client requests.
ResponsePtr Document(std::string_view accept, std::string_view kind, std::string json) {
  const Result<OutputFormat> format = Negotiate(accept, {.protobuf = true, .transforms = false});
  if (!format) return ErrorResponse(format.error(), accept);
  const std::string_view type = ContentTypeOf(*format, false);
  if (format->media != MediaType::kProtobuf) {
    return WholeResponse(200, type, Render(*format, std::move(json)));
  }
  return WholeResponse(200, type, InProtobuf("", "v1", kind, json));
}

}  // namespace

ResponsePtr Discovery::Answer(const RequestInfo& info, std::string_view accept,
                              std::string_view if_none_match) {
  const std::string& path = info.path;
  const auto& parts = info.parts;
  if (ResponsePtr health = AnswerHealth(info)) return health;
  if (path == "/metrics") return Metrics();
  if (ResponsePtr document = AnswerIssuer(state_.options, info)) return document;
  if (path == "/version") {
    constexpr std::string_view git = kKubernetesVersion;
    const std::string minor(git.substr(3, git.find('.', 3) - 3));
    return WholeResponse(200, kJson,
                         json::Value::MakeObject({{"major", "1"},
                                                  {"minor", minor},
                                                  {"emulationMajor", "1"},
                                                  {"emulationMinor", minor},
                                                  {"minCompatibilityMajor", "1"},
                                                  {"minCompatibilityMinor", MinorBefore(minor)},
                                                  {"gitVersion", git},
                                                  {"gitCommit", "none"},
                                                  {"gitTreeState", "clean"},
                                                  {"buildDate", "1970-01-01T00:00:00Z"},
                                                  {"goVersion", "none"},
                                                  {"compiler", "none"},
                                                  {"platform", "linux/amd64"}})
                                 .Dump() +
                             "\n");
  }
  if (path == "/") {
    json::Value paths =
        json::Value::MakeArray({"/api", "/apis", "/healthz", "/livez", "/metrics", "/openapi/v2",
                                "/openapi/v3", "/readyz", "/version"});
    if (state_.options.service_account_keys != nullptr) {
      paths.Append(std::string(kIssuerPath));
      paths.Append(std::string(kKeysPath));
    }
    for (const GroupVersionEntry& gv : state_.resources.GroupVersions())
      paths.Append("/" + PrefixOf(gv));
    return WholeResponse(200, kJson, json::Value::MakeObject({{"paths", paths}}).Dump() + "\n");
  }
  if (path == "/api" || path == "/apis") return Roots(path == "/api", accept, if_none_match);
  if (!parts.empty() && parts[0] == "openapi") {
    return openapi_.Answer(info, accept, if_none_match);
  }
  if (parts.size() == 2 && parts[0] == "api" && Serves("", parts[1])) {
    return Document(accept, kResourceList, Resources("", parts[1]));
  }
  if (parts.size() == 2 && parts[0] == "apis") {
    if (auto group = Group(parts[1], true)) {
      return Document(accept, "APIGroup", *std::move(group));
    }
  }
  if (parts.size() == 3 && parts[0] == "apis" && Serves(parts[1], parts[2])) {
    return Document(accept, kResourceList, Resources(parts[1], parts[2]));
  }
  return nullptr;
}

// Responds in the text format of Prometheus, with the metric names of the real server.
ResponsePtr Discovery::Metrics() {
  std::string objects;
  std::string watches;
  for (const auto& resource : state_.resources.all()) {
    if (resource->stored != nullptr) continue;  // counted there
    const std::string labels =
        "{group=\"" + resource->group + "\",resource=\"" + resource->plural + "\"} ";
    if (resource->store->size() > 0) {
      objects +=
          "apiserver_resource_objects" + labels + std::to_string(resource->store->size()) + "\n";
    }
    if (resource->watchers->size() > 0) {
      watches += "apiserver_longrunning_requests" + labels +
                 std::to_string(resource->watchers->size()) + "\n";
    }
  }
  return WholeResponse(200, "text/plain; version=0.0.4; charset=utf-8",
                       "# HELP apiserver_resource_objects Objects stored, by resource.\n"
                       "# TYPE apiserver_resource_objects gauge\n" +
                           objects +
                           "# HELP apiserver_longrunning_requests Watches open, by resource.\n"
                           "# TYPE apiserver_longrunning_requests gauge\n" +
                           watches +
                           "# HELP apiserver_storage_events_total Writes since the start.\n"
                           "# TYPE apiserver_storage_events_total counter\n"
                           "apiserver_storage_events_total " +
                           std::to_string(state_.writes) + "\n");
}

bool Discovery::Serves(std::string_view group, std::string_view version) const {
  const auto all = state_.resources.GroupVersions();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& gv) { return gv.group == group && gv.version == version; });
}

ResponsePtr Discovery::Roots(bool core, std::string_view accept, std::string_view if_none_match) {
  for (const AcceptClause& clause : ParseAccept(accept)) {
    if (clause.as.empty() && Negotiate(clause.type, {.protobuf = true}).ok()) break;
    const bool protobuf = clause.type == kProtobuf;
    if (!protobuf && clause.type != kJson && clause.type != "*/*") continue;
    if (clause.as != "APIGroupDiscoveryList" || clause.group != "apidiscovery.k8s.io" ||
        (clause.version != "v2" && clause.version != "v2beta1")) {
      continue;
    }
    HttpHeaders headers;
    const std::string tag = "\"" + std::to_string(state_.resources.revision()) +
                            (core ? "a" : "b") + clause.version + (protobuf ? "p\"" : "\"");
    headers.Add("Content-Type", std::string(protobuf ? kProtobuf : kJson) +
                                    ";g=apidiscovery.k8s.io;v=" + clause.version +
                                    ";as=APIGroupDiscoveryList");
    headers.Add("ETag", tag);
    headers.Add("Vary", "Accept");
    if (if_none_match == tag) return WholeResponse(304, std::move(headers), {});
    std::string body = Aggregated(core, clause.version);
    if (protobuf) body = InProtobuf("apidiscovery.k8s.io", clause.version, clause.as, body);
    return WholeResponse(200, std::move(headers), std::move(body));
  }
  if (core) {
    const json::Value address = json::Value::MakeObject(
        {{"clientCIDR", "0.0.0.0/0"},
         {"serverAddress",
          state_.options.advertise_address + ":" + std::to_string(state_.options.advertise_port)}});
    return Document(accept, kVersions,
                    R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[)" +
                        address.Dump() + "]}");
  }
  std::string groups;
  std::string last;
  for (const GroupVersionEntry& gv : state_.resources.GroupVersions()) {
    if (gv.group.empty() || gv.group == last) continue;
    last = gv.group;
    groups += (groups.empty() ? "" : ",") + Group(gv.group, false).value_or("");
  }
  return Document(accept, "APIGroupList",
                  R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)" + groups + "]}");
}

std::string Discovery::Aggregated(bool core, std::string_view version) const {
  json::Value items = json::Value::MakeArray();
  for (const GroupVersionEntry& gv : state_.resources.GroupVersions()) {
    if (gv.group.empty() != core) continue;
    json::Value resources = json::Value::MakeArray();
    for (const auto& resource : state_.resources.all()) {
      if (resource->group != gv.group) continue;
      if (const auto served = resource->FindVersion(gv.version)) {
        resources.Append(AggregatedResource(*resource, *served));
      }
    }
    json::Array& all = items.EnsureArray();
    const auto same = std::find_if(all.begin(), all.end(), [&](const json::Value& item) {
      return item.At("/metadata/name").StringOrEmpty() == gv.group;
    });
    json::Value entry = json::Value::MakeObject(
        {{"version", gv.version}, {"resources", std::move(resources)}, {"freshness", "Current"}});
    if (same != all.end()) {
      same->Ensure("versions").Append(std::move(entry));
    } else {
      json::Value metadata = json::Value::MakeObject();
      if (!gv.group.empty()) metadata.Set("name", gv.group);
      all.push_back(
          json::Value::MakeObject({{"metadata", std::move(metadata)},
                                   {"versions", json::Value::MakeArray({std::move(entry)})}}));
    }
  }
  return json::Value::MakeObject({{"kind", "APIGroupDiscoveryList"},
                                  {"apiVersion", "apidiscovery.k8s.io/" + std::string(version)},
                                  {"metadata", json::Value::MakeObject()},
                                  {"items", std::move(items)}})
             .Dump() +
         "\n";
}

std::string Discovery::Resources(std::string_view group, std::string_view version) const {
  json::Value list = json::Value::MakeArray();
  for (const auto& resource : state_.resources.all()) {
    if (resource->group != group) continue;
    const auto served = resource->FindVersion(version);
    if (served == nullptr) continue;
    list.Append(ClassicResource(*resource, *served));
    for (const Subresource& sub : resource->subresources) {
      if (!sub.IsIn(version)) continue;
      json::Value entry = json::Value::MakeObject({{"name", resource->plural + "/" + sub.name},
                                                   {"singularName", ""},
                                                   {"namespaced", resource->namespaced}});
      if (sub.group != group || sub.version != version) {
        entry.Set("group", sub.group);
        entry.Set("version", sub.version);
      }
      entry.Set("kind", sub.kind);
      entry.Set("verbs", StringArray(sub.verbs));
      list.Append(std::move(entry));
    }
  }
  const std::string group_version =
      (group.empty() ? "" : std::string(group) + "/") + std::string(version);
  json::Value out = json::Value::MakeObject({{"kind", "APIResourceList"}});
  // The list of the core group has no apiVersion.
  if (!group.empty()) out.Set("apiVersion", "v1");
  out.Set("groupVersion", group_version);
  out.Set("resources", std::move(list));
  return out.Dump();
}

std::optional<std::string> Discovery::Group(std::string_view group, bool standalone) const {
  json::Value versions = json::Value::MakeArray();
  for (const GroupVersionEntry& gv : state_.resources.GroupVersions()) {
    if (gv.group != group) continue;
    versions.Append(json::Value::MakeObject(
        {{"groupVersion", gv.group + "/" + gv.version}, {"version", gv.version}}));
  }
  if (versions.size() == 0) return std::nullopt;
  json::Value out = json::Value::MakeObject();
  if (standalone) {
    out.Set("kind", "APIGroup");
    out.Set("apiVersion", "v1");
  }
  out.Set("name", group);
  const json::Value preferred = std::as_const(versions)[0];
  out.Set("versions", std::move(versions));
  out.Set("preferredVersion", preferred);
  return out.Dump();
}

}  // namespace kinformer::apiserver
