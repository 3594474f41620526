// The tasks that send a RestRequest.

#include <algorithm>
#include <string>
#include <utility>

#include "kinformer/client/rest_request.h"
#include "kinformer/internal/request_parts.h"

#include "base/core/mutex.h"
#include "client/body_feed.h"
#include "client/client_core.h"
#include "client/exchange_call.h"
#include "client/loop_call.h"
#include "client/object_codec.h"
#include "client/request_path.h"
#include "client/rest_exchange.h"
#include "client/trace_context.h"
#include "object/values/text_forms.h"

namespace kinformer::internal {
namespace {

// Bytes of a stream that may wait for the function that takes them. With more, the server is not
// read before that has taken them.
constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

// Refuses what would be a request for all objects, or for a namespace, by mistake.
Result<void> CheckNamespace(const RequestParts& parts) {
  if (!parts.namespace_ || !parts.namespace_->empty()) return {};
  if (parts.method == "POST") {
    return Error(Reason::kInvalidArgument,
                 "an empty namespace may not be set during creation: leave Namespace out, or name "
                 "one");
  }
  const bool one = parts.method == "GET" || parts.method == "PUT" || parts.method == "DELETE";
  if (one && !parts.name.empty()) {
    return Error(Reason::kInvalidArgument,
                 "an empty namespace may not be set when an object is named: leave Namespace out, "
                 "or name one");
  }
  return {};
}

CallOptions Limited(CallOptions call, TimeSpan timeout) {
  const Duration limit = timeout;
  const Duration own = call.timeout;
  if (limit > Duration::zero() && (own <= Duration::zero() || limit < own)) call.timeout = timeout;
  return call;
}

// Passes the body of an answer to a task, piece by piece.
class BodyCall final : public client::ExchangeCall {
 public:
  BodyCall(std::shared_ptr<client::Engine> engine, ExchangeRequest&& request)
      : client::ExchangeCall(std::move(engine), std::move(request)) {}

  // Takes what has come since the last time.
  std::string Take() {
    std::string data;
    bool resumes = false;
    {
      const base::MutexLock lock(mutex_);
      data.swap(waiting_);
      resumes = std::exchange(paused_, false);
    }
    if (resumes) {
      env().loop().Post([self = shared_from_this()] { static_cast<BodyCall&>(*self).Resume(); });
    }
    return data;
  }

 private:
  void OnHeaders(int /*status*/, const HttpHeaders& /*headers*/) override {}
  void OnData(std::string_view data) override {
    bool full = false;
    {
      const base::MutexLock lock(mutex_);
      waiting_.append(data);
      full = waiting_.size() > kMostWaiting && !paused_;
      if (full) paused_ = true;
    }
    if (full) exchange()->SetPaused(true);
    Wake();
  }
  void Resume() {
    if (exchange() != nullptr) exchange()->SetPaused(false);
  }

  base::Mutex mutex_;
  std::string waiting_ KINFORMER_GUARDED_BY(mutex_);
  bool paused_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace

Result<ExchangeRequest> client::ExchangeOf(RequestParts parts) {
  Result<std::string> target = TargetOf(parts);
  if (!target) return std::move(target).error();
  ExchangeRequest request;
  if (const std::shared_ptr<BodySource> source = std::move(parts.body_source)) {
    const std::string name = parts.method + " " + *target;
    if (source->stream.read && source->begun.exchange(true)) {
      return Error(Reason::kInvalidArgument,
                   name +
                       ": its body was sent before, and can be read only once; give it a "
                       "BodyStream::open, or a body for each request");
    }
    request.feed = std::make_shared<client::BodyFeed>(parts.client->env(), parts.client->engine(),
                                                      source, name);
    request.pool = ConnectionPool::kStream;  // where a slow body delays nobody
  }
  request.method = std::move(parts.method);
  request.target = *std::move(target);
  request.accept = "application/json, */*";
  request.headers = std::move(parts.headers);
  request.max_retries = parts.max_retries;
  request.limiter = std::move(parts.limiter);
  request.body = std::move(parts.body);
  request.content_type =
      parts.content_type.empty() ? std::string(client::kJsonMediaType) : parts.content_type;
  if (parts.protobuf_body && parts.content_type.empty()) {
    request.protobuf_body = std::move(parts.protobuf_body);
  }
  request.resource_key = parts.resource.empty() ? parts.prefix : parts.resource.substr(1);
  if (!parts.protobuf_key.empty()) request.resource_key += "." + parts.protobuf_key;
  return request;
}

Result<std::string> TargetOf(const RequestParts& parts) {
  if (parts.mistake) return *parts.mistake;
  if (Result<void> checked = CheckNamespace(parts); !checked) return std::move(checked).error();
  std::string rest;
  if (parts.namespace_ && !parts.namespace_->empty()) rest = "/namespaces" + *parts.namespace_;
  rest += parts.resource + parts.name + parts.subresource + parts.suffix;
  if (parts.prefix.empty() && !parts.resource.empty()) {
    return Error(Reason::kInvalidArgument,
                 "a request for " + parts.resource.substr(1) +
                     " needs the version of a group: give one to RestClient, or an AbsPath");
  }
  std::string path = parts.prefix;
  if (!rest.empty() && path.ends_with('/')) path.pop_back();
  path += rest;
  if (path.empty()) path = "/";
  client::Query query;
  for (const auto& [name, value] : parts.query) query.Add(name, value);
  if (const Duration timeout = parts.timeout; timeout > Duration::zero()) {
    std::string text;
    AppendGoDuration(timeout.count(), text);
    query.Add("timeout", text);
  }
  return path + query.Text();
}

Task<Result<RestResponse>> SendForResponse(RequestParts parts, CallOptions call) {
  call = Limited(std::move(call), parts.timeout);
  const std::shared_ptr<ClientCore> core = parts.client;
  Result<ExchangeRequest> request = client::ExchangeOf(std::move(parts));
  if (!request) co_return std::move(request).error();
  Result<client::RawResponse> response =
      co_await ClientCore::Call(core, *std::move(request), std::move(call));
  if (!response) co_return std::move(response).error();
  RestResponse answer;
  answer.status = response->status;
  answer.headers = std::move(response->headers);
  answer.body = std::move(response->body);
  co_return answer;
}

Task<Result<ObjectRef>> SendForObject(RequestParts parts, const KindInfo& type, CallOptions call) {
  call = Limited(std::move(call), parts.timeout);
  const std::shared_ptr<ClientCore> core = parts.client;
  Result<ExchangeRequest> request = client::ExchangeOf(std::move(parts));
  if (!request) co_return std::move(request).error();
  client::SetAccept(type, client::Shape::kObject, *request);
  Result<client::RawResponse> response =
      co_await ClientCore::Call(core, *std::move(request), std::move(call));
  if (!response) co_return std::move(response).error();
  co_return DecodeResponse(type, response->headers, response->body);
}

Task<Result<void>> SendForStream(RequestParts parts, std::function<bool(std::string_view)> on_data,
                                 CallOptions call) {
  const std::shared_ptr<ClientCore> core = parts.client;
  Result<ExchangeRequest> request = client::ExchangeOf(std::move(parts));
  if (!request) co_return std::move(request).error();
  const Result<void> traced = client::AddTraceHeaders(call, request->headers);
  if (!traced) co_return traced.error();
  request->pool = ConnectionPool::kStream;
  request->unlimited = true;
  const std::shared_ptr<client::BodyFeed> feed = request->feed;
  const auto stream = std::make_shared<BodyCall>(core->engine(), *std::move(request));
  std::function<bool()> on_wake = [&stream, &on_data, &feed] {
    const std::string data = stream->Take();
    if (!data.empty() && !on_data(data)) return false;
    if (feed != nullptr) feed->Pump();
    return true;
  };
  co_return co_await client::LoopCall::Run(stream, std::move(call), std::move(on_wake));
}

Result<ObjectRef> DecodeResponse(const KindInfo& type, const HttpHeaders& headers,
                                 std::string_view body) {
  return client::DecodeObject(type, headers.Get("Content-Type"), body, client::Answers::kOwnKind);
}

}  // namespace kinformer::internal
