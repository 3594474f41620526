#include "apiserver/server/request_router.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/faults/fault_injection.h"
#include "apiserver/node/pod_socket.h"
#include "apiserver/registry/custom_resource_definition.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/server/access.h"
#include "apiserver/server/caller.h"
#include "apiserver/server/debug_endpoints.h"
#include "apiserver/write/request/request_body.h"
#include "base/text/bool_in.h"
#include "base/text/uuid.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxAuditId = 64;

// Returns the Accept header, with other requests for line breaks added to it.
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
  if (const std::string_view said = query.Get("pretty"); !said.empty()) {
    return internal::base::BoolIn(said).value_or(false);
  }
  const std::string_view agent = request.headers.Get("User-Agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

ResponsePtr NoSuchPage() {
  return WholeResponse(404, "text/plain; charset=utf-8", "404 page not found\n");
}

Result<void> CheckTimeout(const RequestInfo& info) {
  // A stream has no such timeout.
  if (info.verb == Verb::kWatch || PodConnector::Serves(info.subresource)) return {};
  const std::string_view timeout = info.query.Get("timeout");
  if (timeout.empty()) return {};
  const std::string problem = GoDurationProblem(timeout);
  if (problem.empty()) return {};
  return BadRequestError("invalid timeout specified in the request URL - " + problem);
}

// Checks that the path has a namespace and a name where the resource and the verb require them, and
// has none where they do not.
Result<void> CheckPlace(const ServedResource& resource, const RequestInfo& info) {
  const bool collection = info.name.empty();
  const bool creates = info.verb == Verb::kCreate;
  const bool across_namespaces =
      collection && (info.verb == Verb::kList || info.verb == Verb::kWatch);
  const bool review = creates && resource.plural.ends_with("reviews");
  if (resource.namespaced && info.namespace_.empty() && !across_namespaces && !review) {
    const bool routed = creates || info.verb == Verb::kDeleteCollection;
    return routed && !resource.custom ? MethodNotAllowedError() : NoSuchResourceError();
  }
  const bool needs_name = info.verb == Verb::kGet || info.verb == Verb::kUpdate ||
                          info.verb == Verb::kPatch || info.verb == Verb::kDelete;
  if ((needs_name && collection) || (creates && !collection && info.subresource.empty())) {
    return MethodNotAllowedError();
  }
  if (resource.custom && !resource.namespaced && !info.namespace_.empty()) {
    return NoSuchResourceError();
  }
  return {};
}

// Rejects names that would escape from their path. The real server detects those of namespaces in
// the storage key.
Result<void> CheckSegments(const ServedResource& resource, const RequestInfo& info) {
  for (const std::string_view name : {"..", "."}) {
    if (info.name == name) {
      return BadRequestError("Name parameter invalid: " + JsonString(info.name) + ": may not be '" +
                             std::string(name) + "'");
    }
    if (!resource.namespaced || info.namespace_ != name) continue;
    if (info.verb == Verb::kCreate) {
      return Error(Reason::kUnknown, "Internal error occurred: invalid resource name " +
                                         JsonString(name) + ": [may not be '" + std::string(name) +
                                         "']")
          .WithHttpStatus(500);
    }
    return Error(Reason::kUnknown,
                 "invalid key: " + JsonString("/" + resource.plural + "/" + std::string(name) +
                                              (info.name.empty() ? "" : "/" + info.name)))
        .WithHttpStatus(500);
  }
  if (info.name.find('%') == std::string::npos) return {};
  return BadRequestError("Name parameter invalid: " + JsonString(info.name) +
                         ": may not contain '%'");
}

// Checks that the resource or its subresource has the verb.
Result<void> CheckVerb(const ResourceAt& at, const RequestInfo& info) {
  const ServedResource& resource = *at.resource;
  if (info.subresource.empty()) {
    if (resource.HasVerb(VerbName(info.verb))) return {};
    return MethodNotAllowedError();
  }
  const Subresource* sub = at.FindSubresource(info.subresource);
  if (sub == nullptr) {
    return resource.custom ? NotFoundError(resource.Subject(info.name)) : NoSuchResourceError();
  }
  if (!sub->HasVerb(VerbName(info.verb))) return MethodNotAllowedError();
  // Other subresources with a kind of their own need a node.
  const bool served = sub->kind == resource.kind || PodConnector::Serves(sub->name) ||
                      sub->name == "scale" || sub->name == "binding" || sub->name == "eviction" ||
                      sub->name == "token";
  if (!served) return MethodNotAllowedError();
  return {};
}

Result<OutputFormat> FormatOf(const ResourceAt& at, const RequestInfo& info,
                              const std::string& accept) {
  const bool watches = info.verb == Verb::kWatch;
  const bool scale = info.subresource == "scale";
  // Kinds that are never listed have no columns: reviews, tokens, bindings, evictions.
  const Subresource* const sub = at.FindSubresource(info.subresource);
  const bool answer_only =
      info.verb == Verb::kCreate &&
      (!at.resource->HasVerb("get") || (sub != nullptr && sub->kind != at.resource->kind));
  auto format =
      Negotiate(accept, {.protobuf = at.version->message != nullptr || scale,
                         .list = info.verb == Verb::kList || info.verb == Verb::kDeleteCollection,
                         .watch = watches,
                         .transforms = info.verb != Verb::kDelete,
                         .table = !answer_only});
  if (!format) return format;
  if (watches) format->pretty = false;
  const std::string_view include = info.query.Get("includeObject");
  if (include == "Object") format->include = IncludeObject::kObject;
  if (include == "None") format->include = IncludeObject::kNone;
  return format;
}

}  // namespace

ResponsePtr RequestRouter::Handle(HttpRequest request) {
  ++requests_;
  std::string id(request.headers.Get("Audit-ID"));
  if (id.empty() || id.size() > kMaxAuditId) id = NextAuditId();
  if (auditor_ == nullptr) return Audited(Answer(std::move(request), nullptr), std::move(id));
  AuditRecordPtr record = BeginAudit(request, id);
  AuditTrailPtr trail = record == nullptr ? nullptr : record->trail;
  return auditor_->Observe(std::move(record),
                           Audited(Answer(std::move(request), trail), std::move(id)));
}

AuditRecordPtr RequestRouter::BeginAudit(const HttpRequest& request, const std::string& id) {
  const auto info = ParseRequest(request.method, request.target);
  if (!info) return nullptr;
  const Result<UserInfoPtr> sender = SenderOf(request, tokens_, state_.authorizer);
  return auditor_->Begin(request, *info, id, sender.ok() ? *sender : nullptr);
}

ResponsePtr RequestRouter::JudgeHead(const HttpRequest& head) {
  if (state_.authorizer == nullptr) return nullptr;
  const auto info = ParseRequest(head.method, head.target);
  if (!info) return nullptr;  // Handle says why
  const std::string_view accept = head.headers.Get("Accept");
  const Result<UserInfoPtr> user = CallerOf(head, *info, tokens_, state_.authorizer);
  Result<void> may;
  if (!user) {
    may = user.error();
  } else {
    may = CheckAccess(*state_.authorizer, **user, head.method, *info);
  }
  if (may) return nullptr;
  // The audit log has the request as if its body had come.
  return auditor_ == nullptr ? ErrorResponse(may.error(), accept) : Handle(head);
}

void RequestRouter::OnWrite(const ServedResource& resource) {
  if (resource.group == "flowcontrol.apiserver.k8s.io") flows_.Forget();
  if (!resource.converted.empty()) return caches_.OnWrite(resource);
  // Waiters of an ended cache continue in a later turn, and not from inside the write.
  if (IsDefinition(resource)) EndOutdatedConversions();
}

// Returns a UUID whose last part is a counter, as requests are many and random numbers are slow.
std::string RequestRouter::NextAuditId() {
  if (audit_prefix_.empty()) audit_prefix_ = internal::base::NewUuid(state_.env).substr(0, 24);
  const std::string count = "000000000000" + std::to_string(requests_);
  return audit_prefix_ + count.substr(count.size() - 12);
}

ResponsePtr RequestRouter::Answer(HttpRequest&& request, const AuditTrailPtr& audit) {
  const std::string accept(request.headers.Get("Accept"));
  auto info = ParseRequest(request.method, request.target);
  if (!info) return ErrorResponse(info.error(), accept);
  info->audit = audit;
  // A snapshot is as large as what is stored.
  const bool debugs = state_.options.debug_endpoints && request.target.starts_with("/debug/");
  if (request.body.size() > state_.options.max_body_bytes && !debugs) {
    Error error(Reason::kRequestEntityTooLarge, "Request entity too large: limit is " +
                                                    std::to_string(state_.options.max_body_bytes));
    return ErrorResponse(error.WithHttpStatus(413), accept);
  }
  if (Result<void> timeout = CheckTimeout(*info); !timeout) {
    return ErrorResponse(timeout.error(), accept);
  }
  const Result<UserInfoPtr> user = CallerOf(request, *info, tokens_, state_.authorizer);
  if (!user) return ErrorResponse(user.error(), accept);
  if (!state_.options.cluster_details || PodConnector::Serves(info->subresource)) {
    return AnswerTo(*user, std::move(request), *std::move(info), accept);
  }
  FlowSchemas::Flow flow = flows_.FlowOf(**user, request.method, *info);
  return FlowSchemas::Named(AnswerTo(*user, std::move(request), *std::move(info), accept),
                            std::move(flow));
}

ResponsePtr RequestRouter::AnswerTo(const UserInfoPtr& user, HttpRequest&& request,
                                    RequestInfo&& info, const std::string& accept) {
  if (state_.authorizer != nullptr) {
    Result<void> may = CheckAccess(*state_.authorizer, *user, request.method, info);
    if (!may) return ErrorResponse(may.error(), accept);
  } else if (info.audit != nullptr) {
    AnnotateDecision(*info.audit, {.allowed = true});
  }
  if (!info.is_resource_request) return AnswerOther(request, info, accept);
  if (state_.shared != nullptr && MustBeFresh(info)) {
    return Respond(state_.env, AnswerFresh(std::move(request), user, std::move(info)));
  }
  return AnswerResource(request, user, std::move(info), accept);
}

bool RequestRouter::MustBeFresh(const RequestInfo& info) const {
  const bool reads =
      info.verb == Verb::kGet || info.verb == Verb::kList || info.verb == Verb::kWatch;
  if (!reads || info.query.Get("resourceVersion").empty()) return true;
  // Its definition may be new.
  return !state_.resources.Find(info.group, info.version, info.resource);
}

Task<ResponsePtr> RequestRouter::AnswerFresh(HttpRequest request, UserInfoPtr user,
                                             RequestInfo info) {
  Called<Result<void>> freshened(
      [&](Called<Result<void>>::Done done) { return state_.shared->Freshen(std::move(done)); });
  const Result<void> fresh = co_await freshened;
  const std::string accept(request.headers.Get("Accept"));
  if (!fresh) co_return ErrorResponse(fresh.error(), accept);
  co_return AnswerResource(request, user, std::move(info), accept);
}

ResponsePtr RequestRouter::AnswerResource(HttpRequest& request, const UserInfoPtr& user,
                                          RequestInfo&& info, const std::string& accept) {
  const auto fault =
      faults_.Draw({.verb = VerbName(info.verb),
                    .resource = info.resource,
                    .namespace_ = info.namespace_,
                    .user_agent = request.headers.Get("User-Agent"),
                    .continues = !info.query.Get("continue").empty(),
                    .initial_events = info.query.GetBool("sendInitialEvents").value_or(false)});
  if (!fault) return Route(request, user, std::move(info), {});
  return InjectFault(state_, *fault, accept,
                     [this, request, user, info = std::move(info)](ReadView view) {
                       HttpRequest again(request);
                       return Route(again, user, RequestInfo(info), std::move(view));
                     });
}

ResponsePtr RequestRouter::AnswerOther(const HttpRequest& request, const RequestInfo& info,
                                       std::string_view accept) {
  if (info.empty_part) {
    const bool of_group = info.parts.size() > 1 && info.parts[0] == "apis";
    const bool known = of_group || (!info.parts.empty() && info.parts[0] == "api");
    return known ? NoSuchPath(of_group ? info.parts[1] : "", accept) : NoSuchPage();
  }
  if (state_.options.debug_endpoints) {
    if (auto answer = AnswerDebug(server_, request, info)) return answer;
  }
  if (auto answer = discovery_.Answer(info, accept, request.headers.Get("If-None-Match"))) {
    return answer;
  }
  if (info.parts.size() > 1 && info.parts[0].starts_with("api")) {
    return NoSuchPath(info.parts[0] == "api" ? "" : info.parts[1], accept);
  }
  return NoSuchPage();
}

ResponsePtr RequestRouter::Route(HttpRequest& request, const UserInfoPtr& user, RequestInfo&& info,
                                 ReadView view) {
  const std::string accept = AcceptOf(request, AsksPretty(request, info.query));
  const auto fail = [&](const Error& error) { return ErrorResponse(error, accept); };
  ResourceRequest out{.at = state_.resources.Find(info.group, info.version, info.resource),
                      .accept = accept,
                      .content_type = std::string(request.headers.Get("Content-Type")),
                      .user_agent = std::string(request.headers.Get("User-Agent")),
                      .user = user,
                      .body = std::move(request.body),
                      .view = std::move(view)};
  if (!out.at) return NoSuchPath(info.group, accept);
  if (Result<void> placed = CheckPlace(*out.at.resource, info); !placed) {
    return fail(placed.error());
  }
  if (Result<void> verb = CheckVerb(out.at, info); !verb) return fail(verb.error());
  if (Result<void> clean = CheckSegments(*out.at.resource, info); !clean) {
    return fail(clean.error());
  }
  if (PodConnector::Serves(info.subresource)) {
    out.info = std::move(info);
    return pods_.Answer(std::move(out), UpgradeOfferOf(request));
  }
  Result<OutputFormat> format = FormatOf(out.at, info, accept);
  if (!format) return fail(format.error());
  out.format = *std::move(format);
  out.info = std::move(info);

  const std::string warning = out.at.version->deprecation_warning;
  if (AuditTrail* const audit = out.info.audit.get(); audit != nullptr) {
    audit->served = true;
    if (!warning.empty()) audit->Annotate("k8s.io/deprecated", "true");
  }
  ResponsePtr answer = Serve(std::move(out));
  return warning.empty() ? std::move(answer) : Warning(std::move(answer), warning);
}

ResponsePtr RequestRouter::Serve(ResourceRequest out) {
  if (out.info.subresource == "scale") return mutations_.Answer(std::move(out));
  switch (out.info.verb) {
    case Verb::kGet:
      return reader_.Get(std::make_shared<const ResourceRequest>(std::move(out)));
    case Verb::kList:
      return reader_.List(std::make_shared<const ResourceRequest>(std::move(out)));
    case Verb::kWatch:
      return reader_.Watch(std::make_shared<const ResourceRequest>(std::move(out)));
    case Verb::kOther:
      return ErrorResponse(MethodNotAllowedError(), out.accept);
    default:
      return mutations_.Answer(std::move(out));
  }
}

ResponsePtr RequestRouter::NoSuchPath(std::string_view group, std::string_view accept) const {
  for (const auto& resource : state_.resources.all()) {
    if (!resource->custom && resource->group == group) {
      return ErrorResponse(NoSuchResourceError(), accept);
    }
  }
  return NoSuchPage();
}

}  // namespace kinformer::apiserver
