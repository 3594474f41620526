#include "client/stream_call.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "client/object_codec.h"
#include "client/request_path.h"
#include "client/status.h"

namespace kinformer::internal::client {
namespace {

// Returns whether the server is busy or starting. A version that the server has not reached yet
// does not count: that request should ask for another version.
bool AsksToWait(const Error& error) {
  if (IsTooManyRequests(error)) return true;
  return error.http_status() >= 500 && error.retry_after() && !IsTooLargeResourceVersion(error);
}

}  // namespace

bool StreamCall::Prepare(const ListOptions& options, bool watch, Duration timeout) {
  if (!options.shardSelector.empty()) {
    Result<ShardSelector> shards = ShardSelector::Parse(options.shardSelector);
    if (!shards) {
      Refuse(std::move(shards).error());
      return false;
    }
    shards_ = *std::move(shards);
  }
  Query query;
  query.AddListOptions(options, watch);
  ExchangeRequest request;
  request.target = source_->path + query.Text();
  request.pool = watch ? ConnectionPool::kWatch : ConnectionPool::kList;
  request.watch = watch;
  request.once = true;
  request.timeout = timeout;
  // Lists of informers are not throttled, like watch-lists: both wait at the list gate.
  request.throttled = source_->throttled;
  request.headers = source_->headers;
  SetAccept(*source_->type, watch ? Shape::kObject : Shape::kList, request);
  ResponseReceiver& receiver = *this;
  exchange_ = std::make_unique<Exchange>(source_->engine, std::move(request), receiver);
  return true;
}

bool StreamCall::Selects(const Block& object) {
  if (shards_.Matches(object.uid(), object.namespace_())) return true;
  Refusals& refusals = source_->engine->shard_refusals();
  const std::string resource = ResourceName(*source_->type);
  if (!refusals.Has(resource)) {
    refusals.Add(resource);
    env().log().Log(LogLevel::kInfo,
                    "the server does not select by shardSelector: objects of other shards are "
                    "received, and left out here",
                    {{"resource", resource}, {"shardSelector", shards_.ToString()}});
  }
  return false;
}

void StreamCall::OnHeaders(int /*status*/, const HttpHeaders& headers) {
  const std::string_view content_type = headers.Get("Content-Type");
  const std::string_view media_type = MediaType(content_type);
  const bool protobuf = media_type == kProtobufMediaType;
  if (!protobuf && media_type != kJsonMediaType) {
    EndLater(
        Error(Reason::kDecode, "GET " + source_->path + ": the server answered with media type \"" +
                                   std::string(content_type) + "\", which cannot be read here"));
    return;
  }
  encoding_ = protobuf ? Encoding::kProtobuf : Encoding::kJson;
  if (ticket_ != nullptr) source_->engine->list_gate().Welcome();
  Accepted();
}

void StreamCall::OnData(std::string_view data) {
  if (ends_ || !encoding_) return;
  if (Result<void> fed = Feed(data); !fed) EndLater(std::move(fed).error());
  ChunkEnd();
}

void StreamCall::OnDone(Result<void> result) {
  // A refusal for another reason shows that the server accepts requests.
  const int status = result ? 0 : result.error().http_status();
  if (ticket_ != nullptr && !result && !AsksToWait(result.error()) && status >= 400 &&
      status < 500) {
    source_->engine->list_gate().Welcome();
  }
  if (ticket_ != nullptr && !result && AsksToWait(result.error())) {
    // In seconds: a Retry-After may be longer than a Duration can hold.
    constexpr std::chrono::seconds kLong = std::chrono::minutes(1);
    const std::chrono::seconds asked =
        result.error().retry_after().value_or(std::chrono::seconds(0));
    source_->engine->list_gate().AskedToWait(std::min(asked, kLong));
  }
  if (!ends_) End(Judge(std::move(result)));
}

void StreamCall::EndLater(Error error) {
  ends_ = true;
  ending_ = env().loop().RunAt(
      env().Now(), [this, error = std::move(error)]() mutable { End(std::move(error)); });
}

void StreamCall::End(Result<void> result) {
  exchange_.reset();
  ticket_.reset();
  ending_.Cancel();
  Ended(std::move(result));
}

}  // namespace kinformer::internal::client
