#include "kinformer/internal/resource_core.h"

#include <deque>
#include <utility>

#include "kinformer/json/json.h"

#include "base/core/user_call.h"
#include "client/blocking.h"
#include "client/client_core.h"
#include "client/list_pager.h"
#include "client/list_watch.h"
#include "client/object_codec.h"
#include "client/patience.h"
#include "client/request_path.h"
#include "client/status.h"
#include "object/transcode/transcode.h"
#include "wire/envelope.h"

namespace kinformer::internal {
namespace {

// Limit of events that wait for a slow caller of Watch. Programs with more need an informer.
constexpr std::size_t kMaxWaitingEvents = 100'000;

// One page of a list, for a waiting thread.
class ListPageCall final : public client::BlockingCall, public ListReceiver {
 public:
  ListPageCall(std::unique_ptr<ListerWatcher> source, Env& env, ListOptions options,
               ListedObjects& out)
      : client::BlockingCall(env),
        source_(std::move(source)),
        options_(std::move(options)),
        out_(out) {}

 private:
  void Begin() override { call_ = source_->List(options_, *this); }
  void End() override {
    call_.reset();
    source_.reset();
  }
  void OnItem(AnyRef object) override { out_.items.push_back(std::move(object).object()); }
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& error) override {
    ++out_.unreadable;
    env().log().Log(LogLevel::kWarning, "an object of a list is unreadable and left out",
                    {{"namespace", std::string(namespace_)},
                     {"name", std::string(name)},
                     {"err", error.ToString()}});
  }
  void OnDone(Result<ListMeta> result) override {
    if (!result) {
      Complete(std::move(result).error());
      return;
    }
    out_.metadata = *std::move(result);
    Complete({});
  }

  std::unique_ptr<ListerWatcher> source_;
  const ListOptions options_;
  ListedObjects& out_;  // owned by the waiting thread
  std::unique_ptr<ListWatchCall> call_;
};

// A watch that passes its events to a waiting thread.
class WatchCall final : public client::BlockingCall, public WatchReceiver {
 public:
  WatchCall(std::unique_ptr<ListerWatcher> source, Env& env, ListOptions options)
      : client::BlockingCall(env), source_(std::move(source)), options_(std::move(options)) {}

  std::deque<OwnedWatchEvent> Take() {
    MonitorLock lock(monitor());
    return std::exchange(events_, {});
  }

 private:
  void Begin() override { call_ = source_->Watch(options_, *this); }
  void End() override {
    call_.reset();
    source_.reset();
  }
  void OnStarted() override {}
  void OnEvent(const WatchEvent& event) override {
    if (event.unreadable) {
      env().log().Log(LogLevel::kWarning, "an object of a watch is unreadable and left out",
                      {{"namespace", std::string(event.namespace_)},
                       {"name", std::string(event.name)},
                       {"err", event.why != nullptr ? event.why->ToString() : "not said"}});
      return;
    }
    MonitorLock lock(monitor());
    if (overflow_) return;
    if (events_.size() >= kMaxWaitingEvents) {
      overflow_ = true;
      // The stream must not be ended inside its own callback.
      env().loop().Post([self = shared_from_this()] {
        static_cast<WatchCall&>(*self).Complete(
            Error(Reason::kOverLimit,
                  "events of a watch arrive faster than they are taken: use an informer"));
      });
      return;
    }
    events_.push_back({event.type, event.object.object(), std::string(event.resourceVersion),
                       event.initial_events_end});
  }
  void OnChunkEnd() override { Wake(); }
  void OnDone(Result<void> result) override { Complete(std::move(result)); }

  std::unique_ptr<ListerWatcher> source_;
  const ListOptions options_;
  std::unique_ptr<ListWatchCall> call_;
  // Guarded by monitor().
  std::deque<OwnedWatchEvent> events_;
  bool overflow_ = false;
};

void AddWriteOptions(client::Query& query, const std::vector<std::string>& dry_run,
                     const std::string& field_manager, const std::string& field_validation) {
  for (const std::string& value : dry_run) query.Add("dryRun", value);
  query.AddIfSet("fieldManager", field_manager);
  query.AddIfSet("fieldValidation", field_validation);
}

// Requests for leases bypass the rate limit and other requests' connections: a late renewal would
// end the leadership.
bool IsLease(const KindInfo& type) {
  return type.group == "coordination.k8s.io" && type.resource == "leases";
}

std::string DeleteOptionsJson(const DeleteOptions& options) {
  json::Value body = json::Value::MakeObject({{"kind", "DeleteOptions"}, {"apiVersion", "v1"}});
  if (options.gracePeriodSeconds) body.Set("gracePeriodSeconds", *options.gracePeriodSeconds);
  if (!options.uid.empty()) body.Ensure("preconditions", "uid") = options.uid;
  if (!options.resourceVersion.empty()) {
    body.Ensure("preconditions", "resourceVersion") = options.resourceVersion;
  }
  if (!options.propagationPolicy.empty()) body.Set("propagationPolicy", options.propagationPolicy);
  for (const std::string& value : options.dryRun) body.Ensure("dryRun").Append(value);
  return body.Dump();
}

}  // namespace

ResourceCore::ResourceCore(std::shared_ptr<ClientCore> client, const KindInfo& type,
                           std::string namespace_)
    : client_(std::move(client)), type_(&type), scope_(std::move(namespace_)) {}

ResourceCore ResourceCore::InNamespace(std::string namespace_) const {
  return ResourceCore(client_, *type_, std::move(namespace_));
}

Result<std::string> ResourceCore::Path(std::string_view namespace_, std::string_view name,
                                       std::string_view subresource) const {
  if (type_->resource.empty()) {
    return Error(Reason::kInvalidArgument,
                 "kind " + std::string(type_->kind) + " is not served as a resource");
  }
  return client::BuildPath({type_->group, type_->version, type_->resource,
                            type_->namespaced ? namespace_ : std::string_view(), name,
                            subresource});
}

Result<std::string> ResourceCore::ItemPath(std::string_view namespace_, std::string_view name,
                                           std::string_view subresource) const {
  if (name.empty()) {
    return Error(Reason::kInvalidArgument, "a request for one of the " +
                                               client::ResourceName(*type_) +
                                               " needs its name, which is empty");
  }
  if (type_->namespaced && namespace_.empty()) {
    return Error(Reason::kInvalidArgument,
                 "a request for " + client::ResourceName(*type_) + " \"" + std::string(name) +
                     "\" needs a namespace: give it to Client::For or Dynamic");
  }
  return Path(namespace_, name, subresource);
}

Result<ObjectRef> ResourceCore::Send(ExchangeRequest request, const CallOptions& call,
                                     client::Answers answers) const {
  client::SetAccept(*type_, client::Shape::kObject, request);
  if (IsLease(*type_)) {
    request.pool = ConnectionPool::kLease;
    request.throttled = false;
  }
  const std::string where = request.method + " " + request.target;
  Result<client::RawResponse> response = client_->Call(std::move(request), call);
  if (!response) return std::move(response).error();
  Result<ObjectRef> object =
      client::DecodeObject(*type_, response->headers.Get("Content-Type"), response->body, answers);
  if (!object) base::ReportCarried(client_->env(), object.error());
  if (!object && object.error().reason() == Reason::kDecode) {
    return std::move(Error(std::move(object).error()).WithContext(where));
  }
  return object;
}

Result<ObjectRef> ResourceCore::SendObject(std::string method, std::string target,
                                           const RequestObject& object, const CallOptions& call,
                                           client::Answers answers) const {
  ExchangeRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.content_type = client::kJsonMediaType;
  // Both run before Call returns, so they may refer to the caller's object.
  request.body = [&object] { return object.json(); };
  if (type_->encoding() == Encoding::kProtobuf && !object.protobuf.empty()) {
    const bool json_only = HasKeptMembers(object.protobuf);
    if (!json_only) {
      request.protobuf_body = [this, &object] {
        return wire::SealEnvelope(type_->apiVersion(), type_->kind, object.protobuf);
      };
    }
    if (HasUnknownFields(*type_->message, object.protobuf)) {
      Error refusal(Reason::kInvalidArgument,
                    request.method + " of " + object.name + " of the " +
                        client::ResourceName(*type_) +
                        ": it has fields of a later release that are known in protobuf only and "
                        "would be lost in JSON, in which this request must go" +
                        (json_only ? ", since it has members that are known in JSON only, too"
                                   : ", since the server does not take protobuf") +
                        "; send a Patch of what has changed");
      if (json_only) return refusal;
      request.no_json = std::move(refusal);
    }
  }
  return Send(std::move(request), call, answers);
}

Result<ObjectRef> ResourceCore::OfPart(Result<ObjectRef> answer, std::string_view namespace_,
                                       std::string_view name, std::string_view subresource,
                                       const client::Patience& patience) const {
  if (answer || subresource.empty() || !IsNotFound(answer.error())) return answer;
  // Another object may be missing: the Secret that a token is to be bound to, for example.
  const StatusDetails& about = answer.error().details();
  if (!about.name.empty() && about.name != name) return answer;
  if (!about.kind.empty() && about.kind != type_->resource && about.kind != type_->kind) {
    return answer;
  }
  Result<std::string> path = ItemPath(namespace_, name, "");
  const Result<CallOptions> left = patience.Left();
  if (!path || !left) return answer;
  ExchangeRequest request;
  request.target = *std::move(path);
  request.ignore_body = true;
  client::SetAccept(*type_, client::Shape::kObject, request);
  if (!client_->Call(std::move(request), *left)) return answer;
  const std::string part(subresource);
  const std::string remedy = part == "status" || part == "scale"
                                 ? "of a custom resource, its CustomResourceDefinition must say so "
                                   "(versions[].subresources." +
                                       part + "); without it, the whole object is written by Update"
                                 : "is the server too old for it, or its name misspelt?";
  Error error(Reason::kMethodNotAllowed,
              client::ResourceName(*type_) + " \"" + std::string(name) +
                  "\" is there, but the server has no \"" + part + "\" of it: " + remedy +
                  " (the server's answer: " + answer.error().message() + ")");
  error.WithHttpStatus(answer.error().http_status());
  error.WithDetails(about);
  return error;
}

Result<ObjectRef> ResourceCore::Get(std::string_view name, const GetOptions& options,
                                    const CallOptions& call) const {
  Result<std::string> path = ItemPath(scope_, name, "");
  if (!path) return std::move(path).error();
  client::Query query;
  query.AddIfSet("resourceVersion", options.resourceVersion);
  ExchangeRequest request;
  request.target = *path + query.Text();
  return Send(std::move(request), call, client::Answers::kOwnKind);
}

Env& ResourceCore::env() const { return client_->env(); }

Result<ListedObjects> ResourceCore::ListPage(const ListOptions& options,
                                             const CallOptions& call) const {
  if (Result<std::string> path = Path(scope_, "", ""); !path) return std::move(path).error();
  ListedObjects page;
  const Result<void> done = client::BlockingCall::Run(
      std::make_shared<ListPageCall>(
          client::NewEngineListWatch(client_->engine(), *type_, scope_, {}, /*throttled=*/true),
          client_->env(), options, page),
      call);
  if (!done) return done.error();
  return page;
}

Result<ListedObjects> ResourceCore::List(const ListOptions& options,
                                         const CallOptions& call) const {
  const client::Patience patience(client_->env(), call, "the list");
  ListedObjects all;
  client::ListPager pager(options);
  bool more = true;
  while (more) {
    const Result<CallOptions> left = patience.Left();
    if (!left) return left.error();
    Result<ListedObjects> page = ListPage(pager.request(), *left);
    if (page) {
      const Result<bool> took = pager.Took(page->metadata);
      if (!took.ok()) return took.error();
      more = *took;
      client::AppendPage(*std::move(page), all);
    } else {
      if (!pager.StartsOver(page.error())) return std::move(page).error();
      all = ListedObjects();
    }
  }
  all.metadata.resourceVersion = pager.resourceVersion();
  return all;
}

Result<ObjectRef> ResourceCore::Create(const RequestObject& object, const CreateOptions& options,
                                       const CallOptions& call) const {
  const std::string& target_namespace = scope_.empty() ? object.namespace_ : scope_;
  if (type_->namespaced && target_namespace.empty()) {
    return Error(
        Reason::kInvalidArgument,
        "creating one of the " + client::ResourceName(*type_) +
            " needs a namespace: set metadata.namespace, or give one to Client::For or Dynamic");
  }
  Result<std::string> path = Path(target_namespace, "", "");
  if (!path) return std::move(path).error();
  client::Query query;
  AddWriteOptions(query, options.dryRun, options.fieldManager, options.fieldValidation);
  return SendObject("POST", *path + query.Text(), object, call, client::Answers::kOwnKind);
}

Result<ObjectRef> ResourceCore::Update(const RequestObject& object, std::string_view subresource,
                                       const UpdateOptions& options,
                                       const CallOptions& call) const {
  if (object.is_partial) {
    return Error(Reason::kInvalidArgument,
                 "updating " + object.name + " of the " + client::ResourceName(*type_) +
                     ": it is a copy of a partial object (one that a projection cut, that has only "
                     "its metadata, or that has members which the program's struct has no place "
                     "for), and the server would delete the fields that it lacks; change a whole "
                     "one (Get), or send a Patch");
  }
  const std::string& namespace_ = scope_.empty() ? object.namespace_ : scope_;
  Result<std::string> path = ItemPath(namespace_, object.name, subresource);
  if (!path) return std::move(path).error();
  client::Query query;
  AddWriteOptions(query, options.dryRun, options.fieldManager, options.fieldValidation);
  const client::Patience patience(client_->env(), call, "the request");
  return OfPart(SendObject("PUT", *path + query.Text(), object, call, client::Answers::kOwnKind),
                namespace_, object.name, subresource, patience);
}

Result<ObjectRef> ResourceCore::GetPart(std::string_view name, std::string_view subresource,
                                        const KindInfo& part, const CallOptions& call) const {
  Result<std::string> path = ItemPath(scope_, name, subresource);
  if (!path) return std::move(path).error();
  ExchangeRequest request;
  request.target = *std::move(path);
  const client::Patience patience(client_->env(), call, "the request");
  return OfPart(
      ResourceCore(client_, part, scope_).Send(std::move(request), call, client::Answers::kOwnKind),
      scope_, name, subresource, patience);
}

Result<ObjectRef> ResourceCore::SendPart(std::string method, std::string_view name,
                                         std::string_view subresource, const KindInfo& part,
                                         const RequestObject& object, const CreateOptions& options,
                                         const CallOptions& call) const {
  Result<std::string> path = ItemPath(scope_, name, subresource);
  if (!path) return std::move(path).error();
  client::Query query;
  AddWriteOptions(query, options.dryRun, options.fieldManager, options.fieldValidation);
  const client::Patience patience(client_->env(), call, "the request");
  return OfPart(ResourceCore(client_, part, scope_)
                    .SendObject(std::move(method), *path + query.Text(), object, call,
                                client::Answers::kOwnKindOrStatus),
                scope_, name, subresource, patience);
}

Result<ObjectRef> ResourceCore::CreatePart(std::string_view name, std::string_view subresource,
                                           const KindInfo& part, const RequestObject& object,
                                           const CreateOptions& options,
                                           const CallOptions& call) const {
  return SendPart("POST", name, subresource, part, object, options, call);
}

Result<ObjectRef> ResourceCore::UpdatePart(std::string_view name, std::string_view subresource,
                                           const KindInfo& part, const RequestObject& object,
                                           const UpdateOptions& options,
                                           const CallOptions& call) const {
  return SendPart("PUT", name, subresource, part, object, options, call);
}

Result<ObjectRef> ResourceCore::Patch(std::string_view name, const kinformer::Patch& patch,
                                      std::string_view subresource, const PatchOptions& options,
                                      const CallOptions& call) const {
  if (patch.type == PatchType::kApply && options.fieldManager.empty()) {
    return Error(Reason::kInvalidArgument,
                 "server-side apply needs PatchOptions::fieldManager: who owns the fields");
  }
  Result<std::string> path = ItemPath(scope_, name, subresource);
  if (!path) return std::move(path).error();
  client::Query query;
  AddWriteOptions(query, options.dryRun, options.fieldManager, options.fieldValidation);
  if (options.force) query.Add("force", *options.force ? "true" : "false");
  ExchangeRequest request;
  request.method = "PATCH";
  request.target = *path + query.Text();
  request.content_type = PatchContentType(patch.type);
  request.body = [&patch] { return patch.body; };
  const bool itself = subresource.empty() || subresource == "status";
  const client::Patience patience(client_->env(), call, "the request");
  return OfPart(Send(std::move(request), call,
                     itself ? client::Answers::kOwnKind : client::Answers::kAnyKind),
                scope_, name, subresource, patience);
}

Result<std::string> ResourceCore::SendDelete(std::string target, const DeleteOptions& options,
                                             const CallOptions& call, bool wants_answer) const {
  ExchangeRequest request;
  request.method = "DELETE";
  request.target = std::move(target);
  request.ignore_body = !wants_answer;
  request.content_type = client::kJsonMediaType;
  request.body = [&options] { return DeleteOptionsJson(options); };
  Result<client::RawResponse> response = client_->Call(std::move(request), call);
  if (!response) return std::move(response).error();
  return std::move(response->body);
}

Result<void> ResourceCore::Delete(std::string_view name, const DeleteOptions& options,
                                  const CallOptions& call) const {
  Result<std::string> path = ItemPath(scope_, name, "");
  if (!path) return std::move(path).error();
  const Result<std::string> done =
      SendDelete(*std::move(path), options, call, /*wants_answer=*/false);
  if (!done) return done.error();
  return {};
}

Result<std::string> ResourceCore::DeleteForAnswer(std::string_view name,
                                                  const DeleteOptions& options,
                                                  const CallOptions& call) const {
  Result<std::string> path = ItemPath(scope_, name, "");
  if (!path) return std::move(path).error();
  return SendDelete(*std::move(path), options, call, /*wants_answer=*/true);
}

Result<void> ResourceCore::DeleteCollection(const DeleteOptions& options, const ListOptions& list,
                                            const CallOptions& call) const {
  if (type_->namespaced && scope_.empty()) {
    return Error(Reason::kInvalidArgument,
                 "deleting all " + client::ResourceName(*type_) +
                     " needs a namespace: give it to Client::For or Dynamic");
  }
  Result<std::string> path = Path(scope_, "", "");
  if (!path) return std::move(path).error();
  client::Query query;
  query.AddListOptions(list, /*watch=*/false);
  const Result<std::string> done =
      SendDelete(*path + query.Text(), options, call, /*wants_answer=*/false);
  if (!done) return done.error();
  return {};
}

Result<void> ResourceCore::Watch(const ListOptions& options,
                                 const std::function<bool(const OwnedWatchEvent&)>& on_event,
                                 const CallOptions& call) const {
  if (Result<std::string> path = Path(scope_, "", ""); !path) return std::move(path).error();
  auto watch = std::make_shared<WatchCall>(
      client::NewEngineListWatch(client_->engine(), *type_, scope_, {}, /*throttled=*/true),
      client_->env(), options);
  return client::BlockingCall::Run(watch, call, [&] {
    for (const OwnedWatchEvent& event : watch->Take()) {
      if (!on_event(event)) return false;
    }
    return true;
  });
}

}  // namespace kinformer::internal
