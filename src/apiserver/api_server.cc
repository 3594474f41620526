#include "kinformer/apiserver/api_server.h"

#include <utility>

#include "kinformer/log.h"
#include "kinformer/yaml.h"

#include "apiserver/conversion.h"
#include "apiserver/debug_endpoints.h"
#include "apiserver/discovery.h"
#include "apiserver/fault_injection.h"
#include "apiserver/mutations.h"
#include "apiserver/object_rules.h"
#include "apiserver/object_writer.h"
#include "apiserver/reader.h"
#include "apiserver/request_body.h"
#include "apiserver/responses.h"
#include "apiserver/server_state.h"
#include "apiserver/service_addresses.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxAuditId = 64;

// A resource that requests name but nobody serves, in the words of in-process callers.
Error UnknownResource(const GroupVersionResource& resource) {
  return Error(Reason::kNotFound, "the server does not serve " + resource.resource + " in \"" +
                                      (resource.group.empty() ? "" : resource.group + "/") +
                                      resource.version + "\"")
      .WithHttpStatus(404);
}

// The Accept header, with what else asks for line breaks put into it.
std::string AcceptOf(const HttpRequest& request, bool pretty) {
  const std::string_view accept = request.headers.Get("Accept");
  if (!pretty) return std::string(accept);
  std::string out;
  for (const char c : accept.empty() ? std::string_view("*/*") : accept) {
    out += c == ',' ? ";pretty=1," : std::string(1, c);
  }
  return out + ";pretty=1";
}

bool AsksPretty(const HttpRequest& request, const Query& query) {
  if (query.Has("pretty")) return query.GetBool("pretty").value_or(false);
  const std::string_view agent = request.headers.Get("User-Agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

// The plural under which manifests of a kind are stored.
ResourceAt FindKind(const ResourceTable& resources, std::string_view api_version,
                    std::string_view kind) {
  for (const auto& resource : resources.all()) {
    for (const auto& version : resource->versions) {
      if (version->served && version->kind == kind && version->api_version == api_version) {
        return {.resource = resource, .version = version};
      }
    }
  }
  return {};
}

}  // namespace

struct ApiServer::Impl {
  Impl(ApiServer& self, Env& env, ApiServerOptions options)
      : server(self),
        state(env, std::move(options)),
        writer(state),
        reader(state),
        mutations(state, writer),
        discovery(state),
        faults(env) {
    for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
      const ResourceAt namespaces = state.resources.Find("", "v1", "namespaces");
      if (!namespaces) break;
      (void)writer
          .Create(
              {.at = namespaces, .name = name, .keep_status = true},
              json::Value::MakeObject({{"metadata", json::Value::MakeObject({{"name", name}})}}))
          .ok();
    }
  }

  ResponsePtr Handle(HttpRequest request) {
    ++requests;
    std::string id(request.headers.Get("Audit-ID"));
    if (id.empty() || id.size() > kMaxAuditId) id = NextAuditId();
    return Audited(Answer(std::move(request)), std::move(id));
  }

  // A UUID, but for its end counted: requests are many, and randomness has its price.
  std::string NextAuditId() {
    if (audit_prefix.empty()) audit_prefix = NewUid(state.env).substr(0, 24);
    std::string count = std::to_string(requests);
    return audit_prefix + std::string(count.size() < 12 ? 12 - count.size() : 0, '0') + count;
  }

  ResponsePtr Answer(HttpRequest request) {
    const std::string accept(request.headers.Get("Accept"));
    auto info = ParseRequest(request.method, request.target);
    if (!info) return ErrorResponse(info.error(), accept);
    if (request.body.size() > state.options.max_body_bytes) {
      Error error(Reason::kRequestEntityTooLarge, "Request entity too large: limit is " +
                                                      std::to_string(state.options.max_body_bytes));
      return ErrorResponse(error.WithHttpStatus(413), accept);
    }
    if (!info->is_resource_request) {
      if (state.options.debug_endpoints) {
        if (auto answer = AnswerDebug(server, request, *info)) return answer;
      }
      if (auto answer = discovery.Answer(*info, accept, request.headers.Get("If-None-Match")))
        return answer;
      if (info->parts.size() > 1 && info->parts[0].starts_with("api")) {
        return NoSuchPath(info->parts[0] == "api" ? "" : info->parts[1], accept);
      }
      return NoSuchPage();
    }
    const auto fault =
        faults.Draw({.verb = VerbName(info->verb),
                     .resource = info->resource,
                     .namespace_ = info->namespace_,
                     .user_agent = request.headers.Get("User-Agent"),
                     .continues = !info->query.Get("continue").empty(),
                     .initial_events = info->query.GetBool("sendInitialEvents").value_or(false)});
    if (!fault) return Route(std::move(request), *std::move(info), std::nullopt);
    return InjectFault(state, *fault, accept,
                       [this, request, info = *std::move(info)](std::optional<FaultRule> rule) {
                         return Route(request, info, std::move(rule));
                       });
  }

  ResponsePtr Route(HttpRequest request, RequestInfo info, std::optional<FaultRule> fault) {
    const std::string accept = AcceptOf(request, AsksPretty(request, info.query));
    const auto fail = [&](const Error& error) { return ErrorResponse(error, accept); };
    ResourceRequest out{.at = state.resources.Find(info.group, info.version, info.resource),
                        .accept = accept,
                        .content_type = std::string(request.headers.Get("Content-Type")),
                        .user_agent = std::string(request.headers.Get("User-Agent")),
                        .user = std::move(request.user),
                        .body = std::move(request.body),
                        .fault = std::move(fault)};
    if (!out.at) return NoSuchPath(info.group, accept);
    const ServedResource& resource = *out.at.resource;
    if (const std::string_view timeout = info.query.Get("timeout");
        !timeout.empty() && !IsGoDuration(timeout)) {
      return fail(BadRequestError("invalid timeout \"" + std::string(timeout) +
                                  "\": it must be a duration such as 30s"));
    }
    const bool collection = info.name.empty();
    if (resource.namespaced && info.namespace_.empty() &&
        (!collection || (info.verb != Verb::kList && info.verb != Verb::kWatch))) {
      if (!(resource.plural.ends_with("reviews") && info.verb == Verb::kCreate)) {
        const bool routed = info.verb == Verb::kDeleteCollection || info.verb == Verb::kCreate;
        return fail(routed && !resource.custom ? MethodNotAllowedError() : NoSuchResourceError());
      }
    }
    const bool creates = info.verb == Verb::kCreate;
    const bool needs_name = info.verb == Verb::kGet || info.verb == Verb::kUpdate ||
                            info.verb == Verb::kPatch || info.verb == Verb::kDelete;
    if ((needs_name && collection) || (creates && !collection && info.subresource.empty())) {
      return fail(MethodNotAllowedError());
    }
    if (resource.custom && !resource.namespaced && !info.namespace_.empty()) {
      return fail(NoSuchResourceError());
    }
    if (info.subresource.empty()) {
      if (!resource.HasVerb(VerbName(info.verb))) return fail(MethodNotAllowedError());
    } else {
      const Subresource* sub = out.at.FindSubresource(info.subresource);
      if (sub == nullptr) {
        return fail(resource.custom ? NotFoundError(resource.Subject(info.name))
                                    : NoSuchResourceError());
      }
      if (!sub->HasVerb(VerbName(info.verb))) return fail(MethodNotAllowedError());
      if (sub->name == "log") return Log(out, info);
      // The others of a kind of their own need a node behind them.
      if (sub->kind != resource.kind && sub->name != "scale" && sub->name != "binding" &&
          sub->name != "eviction" && sub->name != "token") {
        return fail(MethodNotAllowedError());
      }
    }

    const bool lists = info.verb == Verb::kList || info.verb == Verb::kDeleteCollection;
    const bool watches = info.verb == Verb::kWatch;
    const bool scale = info.subresource == "scale";
    auto format = Negotiate(accept, {.protobuf = out.at.version->message != nullptr && !scale,
                                     .list = lists,
                                     .watch = watches,
                                     .transforms = info.verb != Verb::kDelete});
    if (!format) return fail(format.error());
    out.format = *std::move(format);
    if (watches) out.format.pretty = false;
    const std::string_view include = info.query.Get("includeObject");
    if (include == "Object") out.format.include = IncludeObject::kObject;
    if (include == "None") out.format.include = IncludeObject::kNone;
    out.info = std::move(info);

    const std::string warning = out.at.version->deprecation_warning;
    ResponsePtr answer = scale ? mutations.Scale(out) : Serve(std::move(out));
    return warning.empty() ? std::move(answer) : Warning(std::move(answer), warning);
  }

  ResponsePtr Serve(ResourceRequest out) {
    switch (out.info.verb) {
      case Verb::kGet:
        return reader.Get(std::make_shared<const ResourceRequest>(std::move(out)));
      case Verb::kList:
        return reader.List(std::make_shared<const ResourceRequest>(std::move(out)));
      case Verb::kWatch:
        return reader.Watch(std::make_shared<const ResourceRequest>(std::move(out)));
      case Verb::kCreate:
        return mutations.Create(out);
      case Verb::kUpdate:
        return mutations.Update(out);
      case Verb::kPatch:
        return mutations.Patch(out);
      case Verb::kDelete:
        return mutations.Delete(out);
      case Verb::kDeleteCollection:
        return mutations.DeleteCollection(out);
      case Verb::kOther:
        break;
    }
    return ErrorResponse(MethodNotAllowedError(), out.accept);
  }

  static ResponsePtr NoSuchPage() {
    return WholeResponse(404, "text/plain; charset=utf-8", "404 page not found\n");
  }

  // A Status below the groups that are always there; below others nobody knows that this is about resources.
  [[nodiscard]] ResponsePtr NoSuchPath(std::string_view group, std::string_view accept) const {
    for (const auto& resource : state.resources.all()) {
      if (!resource->custom && resource->group == group) {
        return ErrorResponse(NoSuchResourceError(), accept);
      }
    }
    return NoSuchPage();
  }

  // No container runs here, but who asks shall see that the request came through.
  static ResponsePtr Log(const ResourceRequest& request, const RequestInfo& info) {
    const ServedResource& resource = *request.at.resource;
    if (resource.store->Get(StorageKey(info.namespace_, info.name)) == nullptr) {
      return ErrorResponse(NotFoundError(resource.Subject(info.name)), request.accept);
    }
    return WholeResponse(200, "text/plain; charset=utf-8",
                         "no container runs behind this API server\n");
  }

  // ---- in-process calls

  Result<WriteTarget> TargetFor(const GroupVersionResource& resource, const json::Value& object,
                                WriteOptions options) const {
    const ResourceAt at = state.resources.Find(resource.group, resource.version, resource.resource);
    if (!at) return UnknownResource(resource);
    return WriteTarget{.at = at,
                       .namespace_ = object.At("/metadata/namespace").StringOrEmpty(),
                       .name = object.At("/metadata/name").StringOrEmpty(),
                       .keep_status = options.keep_status};
  }

  static Result<json::Value> ValueOf(const ResourceAt& at, const Result<WriteOutcome>& outcome) {
    if (!outcome) return outcome.error();
    return ObjectIn(at, *outcome->record);
  }

  [[nodiscard]] RecordPtr Find(const ResourceAt& at, const ObjectName& name) const {
    return at.resource->store->Get(
        StorageKey(at.resource->namespaced ? name.namespace_ : "", name.name));
  }

  ApiServer& server;
  ServerState state;
  ObjectWriter writer;
  Reader reader;
  Mutations mutations;
  Discovery discovery;
  FaultPlan faults;
  std::uint64_t requests = 0;
  std::string audit_prefix;
};

std::int64_t FirstResourceVersionAt(WallTime now) {
  return std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
}

ApiServer::ApiServer(Env& env, ApiServerOptions options)
    : impl_(std::make_unique<Impl>(*this, env, std::move(options))) {
  const std::string& range = impl_->state.options.service_cluster_ip_range;
  if (range.empty() || ServiceAddresses::IsRange(range)) return;
  env.log().Log(LogLevel::kError,
                "service_cluster_ip_range is not a range of IPv4 addresses such as 10.96.0.0/12: "
                "Services get no addresses",
                {{"range", range}});
}

ApiServer::~ApiServer() = default;

std::unique_ptr<ResponseStream> ApiServer::Handle(HttpRequest request) {
  return impl_->Handle(std::move(request));
}

Result<json::Value> ApiServer::Create(const GroupVersionResource& resource, json::Value object,
                                      WriteOptions options) {
  auto target = impl_->TargetFor(resource, object, options);
  if (!target) return target.error();
  return Impl::ValueOf(target->at, impl_->writer.Create(*target, std::move(object)));
}

Result<json::Value> ApiServer::Update(const GroupVersionResource& resource, json::Value object,
                                      WriteOptions options) {
  auto target = impl_->TargetFor(resource, object, options);
  if (!target) return target.error();
  return Impl::ValueOf(target->at, impl_->writer.Update(*target, std::move(object)));
}

Result<json::Value> ApiServer::UpdateStatus(const GroupVersionResource& resource,
                                            json::Value object) {
  auto target = impl_->TargetFor(resource, object, {.keep_status = true});
  if (!target) return target.error();
  target->subresource = "status";
  return Impl::ValueOf(target->at, impl_->writer.Update(*target, std::move(object)));
}

Result<json::Value> ApiServer::Patch(const GroupVersionResource& resource, const ObjectName& name,
                                     const json::Value& patch, WriteOptions options) {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return UnknownResource(resource);
  return Impl::ValueOf(at, impl_->writer.Modify({.at = at,
                                                 .namespace_ = name.namespace_,
                                                 .name = name.name,
                                                 .keep_status = options.keep_status},
                                                [&](json::Value& object) -> Result<void> {
                                                  object.MergePatch(patch);
                                                  return {};
                                                }));
}

Result<void> ApiServer::Delete(const GroupVersionResource& resource, const ObjectName& name) {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return UnknownResource(resource);
  const auto outcome =
      impl_->writer.Delete({.at = at, .namespace_ = name.namespace_, .name = name.name}, {});
  if (!outcome) return outcome.error();
  return {};
}

Result<json::Value> ApiServer::Get(const GroupVersionResource& resource,
                                   const ObjectName& name) const {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return UnknownResource(resource);
  const RecordPtr record = impl_->Find(at, name);
  if (record == nullptr) return NotFoundError(at.resource->Subject(name.name));
  return ObjectIn(at, *record);
}

Result<std::vector<json::Value>> ApiServer::List(const GroupVersionResource& resource,
                                                 std::string_view namespace_) const {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return UnknownResource(resource);
  std::vector<json::Value> out;
  const std::string prefix = namespace_.empty() ? std::string() : std::string(namespace_) + "/";
  at.resource->store->Walk(prefix, {}, impl_->state.resource_version, [&](const RecordPtr& record) {
    out.push_back(ObjectIn(at, *record));
    return true;
  });
  return out;
}

Result<std::size_t> ApiServer::Load(std::string_view manifests, WriteOptions options) {
  const auto documents = yaml::ParseAll(manifests);
  if (!documents) return documents.error();
  std::size_t count = 0;
  for (const json::Value& document : *documents) {
    ++count;
    const std::string& kind = document["kind"].StringOrEmpty();
    const std::string& name = document.At("/metadata/name").StringOrEmpty();
    const auto fail = [&](Error error) {
      return error.WithContext("document " + std::to_string(count) + " (" + kind + " " + name +
                               ")");
    };
    const std::string& api_version = document["apiVersion"].StringOrEmpty();
    const ResourceAt at = FindKind(impl_->state.resources, api_version, kind);
    if (!at) {
      return fail(Error(Reason::kNotFound, "no resource serves kind \"" + kind +
                                               "\" in version \"" + api_version + "\""));
    }
    json::Value object = document;
    if (at.resource->namespaced && object.At("/metadata/namespace").StringOrEmpty().empty()) {
      object["metadata"].Set("namespace", "default");
    }
    WriteTarget target{
        .at = at,
        .namespace_ = std::as_const(object).At("/metadata/namespace").StringOrEmpty(),
        .name = name,
        .keep_status = options.keep_status};
    auto written = impl_->writer.Create(target, object);
    if (!written && IsAlreadyExists(written.error())) {
      const RecordPtr there = impl_->Find(at, {.namespace_ = target.namespace_, .name = name});
      if (there != nullptr) {
        object["metadata"].Set("resourceVersion", std::to_string(there->resource_version()));
      }
      written = impl_->writer.Update(target, std::move(object));
    }
    if (!written) return fail(written.error());
  }
  return count;
}

std::int64_t ApiServer::current_resource_version() const { return impl_->state.resource_version; }

std::map<std::string, std::string> ApiServer::DumpState(
    const GroupVersionResource& resource) const {
  std::map<std::string, std::string> out;
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return out;
  at.resource->store->Walk({}, {}, impl_->state.resource_version, [&](const RecordPtr& record) {
    out.emplace(record->key(), std::to_string(record->resource_version()));
    return true;
  });
  return out;
}

std::size_t ApiServer::ObjectCount(const GroupVersionResource& resource) const {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  return at ? at.resource->store->size() : 0;
}

ApiServerStats ApiServer::Stats() const {
  ApiServerStats stats{.requests = impl_->requests, .events = impl_->state.writes};
  for (const auto& resource : impl_->state.resources.all()) {
    if (resource->stored != nullptr) continue;
    stats.objects += resource->store->size();
    stats.watches += resource->watchers->size();
    stats.stored_bytes += resource->store->bytes();
  }
  return stats;
}

void ApiServer::Compact(std::int64_t resource_version) {
  const std::int64_t version = std::min(resource_version, impl_->state.resource_version);
  for (const auto& resource : impl_->state.resources.all()) resource->store->Compact(version);
}

Result<void> ApiServer::Restore(std::int64_t resource_version) {
  ServerState& state = impl_->state;
  const std::int64_t first = state.options.first_resource_version.value_or(1);
  if (resource_version < first || resource_version > state.resource_version) {
    return Error(Reason::kInvalidArgument, "cannot restore resourceVersion " +
                                               std::to_string(resource_version) +
                                               ": it must be from " + std::to_string(first) +
                                               " to " + std::to_string(state.resource_version));
  }
  for (const auto& resource : state.resources.all()) {
    if (resource_version < resource->store->floor()) {
      return Error(Reason::kExpired, "cannot restore resourceVersion " +
                                         std::to_string(resource_version) + ": the history of " +
                                         resource->plural + " begins at " +
                                         std::to_string(resource->store->floor()));
    }
  }
  CloseWatches();
  for (const auto& resource : state.resources.all()) {
    if (resource->stored != nullptr) continue;
    resource->store = resource->store->RestoredTo(resource_version, state.env.Now());
  }
  state.resources.ShareStores();
  state.resource_version = resource_version;
  return {};
}

void ApiServer::CloseWatches() {
  for (const auto& resource : impl_->state.resources.all()) resource->watchers->Close();
}

FaultPlan& ApiServer::faults() { return impl_->faults; }

}  // namespace kinformer::apiserver
