#include "kinformer/internal/async_resource_core.h"

#include <utility>

#include "base/core/user_call.h"
#include "client/applied_fields.h"
#include "client/client_core.h"
#include "client/deletion_codec.h"
#include "client/list_pager.h"
#include "client/list_watch.h"
#include "client/loop_call.h"
#include "client/object_codec.h"
#include "client/patience.h"
#include "client/request_path.h"
#include "client/resource_calls.h"
#include "client/status.h"
#include "client/trace_context.h"
#include "object/transcode/transcode.h"
#include "wire/envelope.h"

namespace kinformer::internal {
namespace {

// Requests for leases bypass the rate limit and other requests' connections: a late renewal would
// end the leadership.
bool IsLease(const KindInfo& type) {
  return type.group == "coordination.k8s.io" && type.resource == "leases";
}

}  // namespace

// `self` is a copy, so that a task does not depend on the handle that made it.
struct AsyncResourceCore::Requests {
  using Self = ResourceCore;

  // Returns the path of the collection, or of an item. Item paths need a name, and a namespace if
  // the resource has namespaces.
  static Result<std::string> Path(const Self& self, std::string_view namespace_,
                                  std::string_view name, std::string_view subresource) {
    const KindInfo& type = self.type();
    if (type.resource.empty()) {
      return Error(Reason::kInvalidArgument,
                   "kind " + std::string(type.kind) + " is not served as a resource");
    }
    return client::BuildPath({type.group, type.version, type.resource,
                              type.namespaced ? namespace_ : std::string_view(), name,
                              subresource});
  }
  static Result<std::string> ItemPath(const Self& self, std::string_view namespace_,
                                      std::string_view name, std::string_view subresource) {
    const KindInfo& type = self.type();
    if (name.empty()) {
      return Error(Reason::kInvalidArgument, "a request for one of the " +
                                                 client::ResourceName(type) +
                                                 " needs its name, which is empty");
    }
    if (type.namespaced && namespace_.empty()) {
      return Error(Reason::kInvalidArgument,
                   "a request for " + client::ResourceName(type) + " \"" + std::string(name) +
                       "\" needs a namespace: give it to Client::For or Dynamic");
    }
    return Path(self, namespace_, name, subresource);
  }

  static Task<Result<ObjectRef>> Send(std::shared_ptr<ClientCore> core, const KindInfo& type,
                                      ExchangeRequest request, CallOptions call,
                                      client::Answers answers) {
    client::SetAccept(type, client::Shape::kObject, request);
    if (IsLease(type)) {
      request.pool = ConnectionPool::kLease;
      request.throttled = false;
    }
    const std::string where = request.method + " " + request.target;
    Result<client::RawResponse> response =
        co_await ClientCore::Call(core, std::move(request), std::move(call));
    if (!response) co_return std::move(response).error();
    Result<ObjectRef> object =
        client::DecodeObject(type, response->headers.Get("Content-Type"), response->body, answers);
    if (!object) base::ReportCarried(core->env(), object.error());
    if (!object && object.error().reason() == Reason::kDecode) {
      co_return std::move(Error(std::move(object).error()).WithContext(where));
    }
    co_return object;
  }

  // Adds the object to the request. Returns an error if it cannot be sent.
  static Result<void> AddObject(const KindInfo& type,
                                const std::shared_ptr<const RequestObject>& object,
                                ExchangeRequest& request) {
    request.content_type = client::kJsonMediaType;
    request.body = [object] { return object->json(); };
    if (type.encoding() != Encoding::kProtobuf || object->protobuf.empty()) return {};
    const bool json_only = HasKeptMembers(object->protobuf);
    if (!json_only) {
      request.protobuf_body = [&type, object] {
        return wire::SealEnvelope(type.apiVersion(), type.kind, object->protobuf);
      };
    }
    if (HasUnknownFields(*type.message, object->protobuf)) {
      Error refusal(Reason::kInvalidArgument,
                    request.method + " of " + object->name + " of the " +
                        client::ResourceName(type) +
                        ": it has fields of a later release that are known in protobuf only and "
                        "would be lost in JSON, in which this request must go" +
                        (json_only ? ", since it has members that are known in JSON only, too"
                                   : ", since the server does not take protobuf") +
                        "; send a Patch of what has changed");
      if (json_only) return refusal;
      request.no_json = std::move(refusal);
    }
    return {};
  }
  static Task<Result<ObjectRef>> SendObject(std::shared_ptr<ClientCore> core, const KindInfo& type,
                                            ExchangeRequest request, RequestObject object,
                                            CallOptions call, client::Answers answers) {
    // Shared with the request, which may still run when this has been destroyed.
    const auto shared = std::make_shared<const RequestObject>(std::move(object));
    if (Result<void> added = AddObject(type, shared, request); !added) {
      co_return std::move(added).error();
    }
    co_return co_await Send(core, type, std::move(request), std::move(call), answers);
  }

  // Checks the answer to a request for a part. A server also says NotFound if it has the object,
  // but no such part: that becomes kMethodNotAllowed, so that callers do not take the object for
  // deleted. If in doubt, sends one request for the object.
  static Task<Result<ObjectRef>> OfPart(Self self, Result<ObjectRef> answer, std::string namespace_,
                                        std::string name, std::string part, CallOptions left) {
    const KindInfo& type = self.type();
    if (answer || part.empty() || !IsNotFound(answer.error())) co_return answer;
    // Another object may be missing: the Secret that a token is to be bound to, for example.
    const StatusDetails about = answer.error().details();
    if (!about.name.empty() && about.name != name) co_return answer;
    if (!about.kind.empty() && about.kind != type.resource && about.kind != type.kind) {
      co_return answer;
    }
    Result<std::string> path = ItemPath(self, namespace_, name, "");
    if (!path) co_return answer;
    ExchangeRequest request;
    request.target = *std::move(path);
    request.ignore_body = true;
    client::SetAccept(type, client::Shape::kObject, request);
    const Result<client::RawResponse> whole =
        co_await ClientCore::Call(self.client(), std::move(request), std::move(left));
    if (!whole) co_return answer;
    const std::string remedy =
        part == "status" || part == "scale"
            ? "of a custom resource, its CustomResourceDefinition must say so "
              "(versions[].subresources." +
                  part + "); without it, the whole object is written by Update"
            : "is the server too old for it, or its name misspelt?";
    Error error(Reason::kMethodNotAllowed,
                client::ResourceName(type) + " \"" + name +
                    "\" is there, but the server has no \"" + part + "\" of it: " + remedy +
                    " (the server's answer: " + answer.error().message() + ")");
    error.WithHttpStatus(answer.error().http_status());
    error.WithDetails(about);
    co_return error;
  }
  // Awaits an answer, and then judges it as one about a part.
  static Task<Result<ObjectRef>> Judged(Self self, Task<Result<ObjectRef>> sent,
                                        std::string namespace_, std::string name, std::string part,
                                        CallOptions call) {
    const client::Patience patience(self.env(), call, "the request");
    Result<ObjectRef> answer = co_await sent;
    Result<CallOptions> left = patience.Left();
    if (!left) co_return answer;
    co_return co_await OfPart(std::move(self), std::move(answer), std::move(namespace_),
                              std::move(name), std::move(part), *std::move(left));
  }

  static Task<Result<ObjectRef>> Get(Self self, std::string name, GetOptions options,
                                     CallOptions call) {
    Result<std::string> path = ItemPath(self, self.namespace_(), name, "");
    if (!path) co_return std::move(path).error();
    client::Query query;
    query.AddIfSet("resourceVersion", options.resourceVersion);
    ExchangeRequest request;
    request.target = *path + query.Text();
    co_return co_await Send(self.client(), self.type(), std::move(request), std::move(call),
                            client::Answers::kOwnKind);
  }

  static Task<Result<ListedObjects>> ListPage(Self self, ListOptions options, CallOptions call) {
    if (Result<std::string> path = Path(self, self.namespace_(), "", ""); !path) {
      co_return std::move(path).error();
    }
    HttpHeaders headers;
    const Result<void> traced = client::AddTraceHeaders(call, headers);
    if (!traced) co_return traced.error();
    ListedObjects page;
    const auto listing = std::make_shared<client::TaskPageCall>(
        client::NewEngineListWatch(self.client()->engine(), self.type(), self.namespace_(), {},
                                   /*throttled=*/true, std::move(headers)),
        self.env(), std::move(options), page);
    const Result<void> done = co_await client::LoopCall::Run(listing, std::move(call));
    if (!done) co_return done.error();
    co_return page;
  }

  static Task<Result<ListedObjects>> List(Self self, ListOptions options, CallOptions call) {
    const client::Patience patience(self.env(), call, "the list");
    ListedObjects all;
    client::ListPager pager(options);
    std::string shards;
    bool more = true;
    while (more) {
      const Result<CallOptions> left = patience.Left();
      if (!left) co_return left.error();
      Result<ListedObjects> page = co_await ListPage(self, pager.request(), *left);
      if (page) {
        shards = page->metadata.shardInfo;
        const Result<bool> took = pager.Took(page->metadata);
        if (!took.ok()) co_return took.error();
        more = *took;
        client::AppendPage(*std::move(page), all);
      } else {
        if (!pager.StartsOver(page.error())) co_return std::move(page).error();
        all = ListedObjects();
      }
    }
    all.metadata.resourceVersion = pager.resourceVersion();
    all.metadata.shardInfo = std::move(shards);
    co_return all;
  }

  static Task<Result<ObjectRef>> Create(Self self, RequestObject object, CreateOptions options,
                                        CallOptions call) {
    const KindInfo& type = self.type();
    const std::string namespace_ =
        self.namespace_().empty() ? object.namespace_ : self.namespace_();
    if (type.namespaced && namespace_.empty()) {
      co_return Error(
          Reason::kInvalidArgument,
          "creating one of the " + client::ResourceName(type) +
              " needs a namespace: set metadata.namespace, or give one to Client::For or Dynamic");
    }
    Result<std::string> path = Path(self, namespace_, "", "");
    if (!path) co_return std::move(path).error();
    ExchangeRequest request = WriteRequest("POST", *path, options);
    co_return co_await SendObject(self.client(), type, std::move(request), std::move(object),
                                  std::move(call), client::Answers::kOwnKind);
  }

  static Task<Result<ObjectRef>> Update(Self self, RequestObject object, std::string subresource,
                                        UpdateOptions options, CallOptions call) {
    const KindInfo& type = self.type();
    if (object.is_partial) {
      co_return Error(
          Reason::kInvalidArgument,
          "updating " + object.name + " of the " + client::ResourceName(type) +
              ": it is a copy of a partial object (one that a projection cut, that has only "
              "its metadata, or that has members which the program's struct has no place "
              "for), and the server would delete the fields that it lacks; change a whole "
              "one (Get), or send a Patch");
    }
    const std::string namespace_ =
        self.namespace_().empty() ? object.namespace_ : self.namespace_();
    const std::string name = object.name;
    Result<std::string> path = ItemPath(self, namespace_, name, subresource);
    if (!path) co_return std::move(path).error();
    ExchangeRequest request = WriteRequest("PUT", *path, options);
    Task<Result<ObjectRef>> sent = SendObject(self.client(), type, std::move(request),
                                              std::move(object), call, client::Answers::kOwnKind);
    co_return co_await Judged(std::move(self), std::move(sent), namespace_, name,
                              std::move(subresource), call);
  }

  static Task<Result<ObjectRef>> GetPart(Self self, std::string name, std::string subresource,
                                         const KindInfo& part, CallOptions call) {
    Result<std::string> path = ItemPath(self, self.namespace_(), name, subresource);
    if (!path) co_return std::move(path).error();
    ExchangeRequest request;
    request.target = *std::move(path);
    Task<Result<ObjectRef>> sent =
        Send(self.client(), part, std::move(request), call, client::Answers::kOwnKind);
    const std::string namespace_ = self.namespace_();
    co_return co_await Judged(std::move(self), std::move(sent), namespace_, std::move(name),
                              std::move(subresource), call);
  }

  static Task<Result<ObjectRef>> SendPart(Self self, std::string method, std::string name,
                                          std::string subresource, const KindInfo& part,
                                          RequestObject object, CreateOptions options,
                                          CallOptions call) {
    Result<std::string> path = ItemPath(self, self.namespace_(), name, subresource);
    if (!path) co_return std::move(path).error();
    ExchangeRequest request = WriteRequest(std::move(method), *path, options);
    Task<Result<ObjectRef>> sent =
        SendObject(self.client(), part, std::move(request), std::move(object), call,
                   client::Answers::kOwnKindOrStatus);
    const std::string namespace_ = self.namespace_();
    co_return co_await Judged(std::move(self), std::move(sent), namespace_, std::move(name),
                              std::move(subresource), call);
  }

  static Task<Result<ObjectRef>> Apply(Self self, std::string name, std::string subresource,
                                       const KindInfo& part, RequestObject object,
                                       ApplyOptions options, CallOptions call) {
    if (options.fieldManager.empty()) {
      co_return Error(Reason::kInvalidArgument,
                      "server-side apply needs ApplyOptions::fieldManager: who owns the fields");
    }
    Result<std::string> body = client::AppliedFields(part, object.json());
    if (!body) co_return std::move(body).error();
    const std::string namespace_ =
        self.namespace_().empty() ? object.namespace_ : self.namespace_();
    Result<std::string> path = ItemPath(self, namespace_, name, subresource);
    if (!path) co_return std::move(path).error();
    client::Query query;
    const PatchOptions write{
        .dryRun = options.dryRun, .force = options.force, .fieldManager = options.fieldManager};
    query.AddWriteOptions(write);
    ExchangeRequest request;
    request.method = "PATCH";
    request.target = *path + query.Text();
    request.content_type = PatchContentType(PatchType::kApply);
    request.body = [body = *std::move(body)] { return body; };
    Task<Result<ObjectRef>> sent =
        Send(self.client(), part, std::move(request), call, client::Answers::kOwnKind);
    co_return co_await Judged(std::move(self), std::move(sent), namespace_, std::move(name),
                              std::move(subresource), call);
  }

  static Task<Result<ObjectRef>> Patch(Self self, std::string name, kinformer::Patch patch,
                                       std::string subresource, PatchOptions options,
                                       CallOptions call) {
    if (patch.type == PatchType::kApply && options.fieldManager.empty()) {
      co_return Error(Reason::kInvalidArgument,
                      "server-side apply needs PatchOptions::fieldManager: who owns the fields");
    }
    Result<std::string> path = ItemPath(self, self.namespace_(), name, subresource);
    if (!path) co_return std::move(path).error();
    client::Query query;
    query.AddWriteOptions(options);
    ExchangeRequest request;
    request.method = "PATCH";
    request.target = *path + query.Text();
    request.content_type = PatchContentType(patch.type);
    request.body = [body = std::move(patch.body)] { return body; };
    const bool itself = subresource.empty() || subresource == "status";
    Task<Result<ObjectRef>> sent =
        Send(self.client(), self.type(), std::move(request), call,
             itself ? client::Answers::kOwnKind : client::Answers::kAnyKind);
    const std::string namespace_ = self.namespace_();
    co_return co_await Judged(std::move(self), std::move(sent), namespace_, std::move(name),
                              std::move(subresource), call);
  }

  static ExchangeRequest DeleteRequest(std::string target, DeleteOptions options) {
    ExchangeRequest request;
    request.method = "DELETE";
    request.target = std::move(target);
    request.content_type = client::kJsonMediaType;
    request.body = [options = std::move(options)] { return client::DeleteOptionsJson(options); };
    return request;
  }
  static Task<Result<void>> SendDelete(std::shared_ptr<ClientCore> core, ExchangeRequest request,
                                       CallOptions call) {
    request.ignore_body = true;
    const Result<client::RawResponse> response =
        co_await ClientCore::Call(core, std::move(request), std::move(call));
    if (!response) co_return response.error();
    co_return Result<void>();
  }
  static Task<Result<void>> Delete(Self self, std::string name, DeleteOptions options,
                                   CallOptions call) {
    Result<std::string> path = ItemPath(self, self.namespace_(), name, "");
    if (!path) co_return std::move(path).error();
    co_return co_await SendDelete(
        self.client(), DeleteRequest(*std::move(path), std::move(options)), std::move(call));
  }
  // Asks for JSON, in which the members that tell what happened are the same for all kinds.
  static Task<Result<DeletionAnswer>> DeleteForAnswer(Self self, std::string name,
                                                      DeleteOptions options, CallOptions call) {
    Result<std::string> path = ItemPath(self, self.namespace_(), name, "");
    if (!path) co_return std::move(path).error();
    ExchangeRequest request = DeleteRequest(*std::move(path), std::move(options));
    client::SetAccept(self.type(), client::Shape::kObject, request);
    request.accept_protobuf.clear();
    const std::string where = request.method + " " + request.target;
    const Result<client::RawResponse> response =
        co_await ClientCore::Call(self.client(), std::move(request), std::move(call));
    if (!response) co_return response.error();
    Result<DeletionAnswer> answer = client::DecodeDeletion(
        self.type(), response->status, response->headers.Get("Content-Type"), response->body);
    if (!answer) {
      base::ReportCarried(self.env(), answer.error());
      co_return std::move(Error(std::move(answer).error()).WithContext(where));
    }
    co_return answer;
  }
  static Task<Result<void>> DeleteCollection(Self self, DeleteOptions options, ListOptions list,
                                             CallOptions call) {
    if (self.type().namespaced && self.namespace_().empty()) {
      co_return Error(Reason::kInvalidArgument,
                      "deleting all " + client::ResourceName(self.type()) +
                          " needs a namespace: give it to Client::For or Dynamic");
    }
    Result<std::string> path = Path(self, self.namespace_(), "", "");
    if (!path) co_return std::move(path).error();
    client::Query query;
    query.AddListOptions(list, /*watch=*/false);
    co_return co_await SendDelete(
        self.client(), DeleteRequest(*path + query.Text(), std::move(options)), std::move(call));
  }

  static Task<Result<void>> Watch(Self self, ListOptions options,
                                  std::function<bool(const OwnedWatchEvent&)> on_event,
                                  CallOptions call) {
    if (Result<std::string> path = Path(self, self.namespace_(), "", ""); !path) {
      co_return std::move(path).error();
    }
    HttpHeaders headers;
    const Result<void> traced = client::AddTraceHeaders(call, headers);
    if (!traced) co_return traced.error();
    const auto watch = std::make_shared<client::TaskWatchCall>(
        client::NewEngineListWatch(self.client()->engine(), self.type(), self.namespace_(), {},
                                   /*throttled=*/true, std::move(headers)),
        self.env(), std::move(options));
    std::function<bool()> on_wake = [&watch, &on_event] {
      for (const OwnedWatchEvent& event : watch->Take()) {
        if (!on_event(event)) return false;
      }
      return true;
    };
    co_return co_await client::LoopCall::Run(watch, std::move(call), std::move(on_wake));
  }

 private:
  static ExchangeRequest WriteRequest(std::string method, const std::string& path,
                                      const CreateOptions& options) {
    client::Query query;
    query.AddWriteOptions(options);
    ExchangeRequest request;
    request.method = std::move(method);
    request.target = path + query.Text();
    return request;
  }
};

Task<Result<ObjectRef>> AsyncResourceCore::Get(std::string name, GetOptions options,
                                               CallOptions call) const {
  return Requests::Get(resource_, std::move(name), std::move(options), std::move(call));
}

Task<Result<ListedObjects>> AsyncResourceCore::ListPage(ListOptions options,
                                                        CallOptions call) const {
  return Requests::ListPage(resource_, std::move(options), std::move(call));
}

Task<Result<ListedObjects>> AsyncResourceCore::List(ListOptions options, CallOptions call) const {
  return Requests::List(resource_, std::move(options), std::move(call));
}

Task<Result<ObjectRef>> AsyncResourceCore::Create(RequestObject object, CreateOptions options,
                                                  CallOptions call) const {
  return Requests::Create(resource_, std::move(object), std::move(options), std::move(call));
}

Task<Result<ObjectRef>> AsyncResourceCore::Update(RequestObject object, std::string subresource,
                                                  UpdateOptions options, CallOptions call) const {
  return Requests::Update(resource_, std::move(object), std::move(subresource), std::move(options),
                          std::move(call));
}

Task<Result<ObjectRef>> AsyncResourceCore::Patch(std::string name, kinformer::Patch patch,
                                                 std::string subresource, PatchOptions options,
                                                 CallOptions call) const {
  return Requests::Patch(resource_, std::move(name), std::move(patch), std::move(subresource),
                         std::move(options), std::move(call));
}

Task<Result<ObjectRef>> AsyncResourceCore::GetPart(std::string name, std::string subresource,
                                                   const KindInfo& part, CallOptions call) const {
  return Requests::GetPart(resource_, std::move(name), std::move(subresource), part,
                           std::move(call));
}

Task<Result<ObjectRef>> AsyncResourceCore::SendPart(std::string method, std::string name,
                                                    std::string subresource, const KindInfo& part,
                                                    RequestObject object, CreateOptions options,
                                                    CallOptions call) const {
  return Requests::SendPart(resource_, std::move(method), std::move(name), std::move(subresource),
                            part, std::move(object), std::move(options), std::move(call));
}

Task<Result<ObjectRef>> AsyncResourceCore::Apply(std::string name, std::string subresource,
                                                 const KindInfo& part, RequestObject object,
                                                 ApplyOptions options, CallOptions call) const {
  return Requests::Apply(resource_, std::move(name), std::move(subresource), part,
                         std::move(object), std::move(options), std::move(call));
}

Task<Result<void>> AsyncResourceCore::Delete(std::string name, DeleteOptions options,
                                             CallOptions call) const {
  return Requests::Delete(resource_, std::move(name), std::move(options), std::move(call));
}

Task<Result<DeletionAnswer>> AsyncResourceCore::DeleteForAnswer(std::string name,
                                                                DeleteOptions options,
                                                                CallOptions call) const {
  return Requests::DeleteForAnswer(resource_, std::move(name), std::move(options), std::move(call));
}

Task<Result<void>> AsyncResourceCore::DeleteCollection(DeleteOptions options, ListOptions list,
                                                       CallOptions call) const {
  return Requests::DeleteCollection(resource_, std::move(options), std::move(list),
                                    std::move(call));
}

Task<Result<void>> AsyncResourceCore::Watch(ListOptions options,
                                            std::function<bool(const OwnedWatchEvent&)> on_event,
                                            CallOptions call) const {
  return Requests::Watch(resource_, std::move(options), std::move(on_event), std::move(call));
}

Task<Result<void>> WithoutObject(Task<Result<ObjectRef>> sent) {
  const Result<ObjectRef> answer = co_await sent;
  if (!answer) co_return answer.error();
  co_return Result<void>();
}

}  // namespace kinformer::internal
