#include "client/client_core.h"

#include "base/core/real_thread.h"
#include "base/loop/own_work.h"
#include "client/discovery_cache.h"
#include "client/exchange_call.h"
#include "client/loop_call.h"
#include "client/trace_context.h"

namespace kinformer::internal {
namespace {

// Limit of responses that are held as a whole, and not read as a stream. No object or document of a
// server is nearly as large.
constexpr std::size_t kMaxWholeAnswer = std::size_t{128} << 20;

// Collects one response.
class RawCall final : public client::ExchangeCall {
 public:
  RawCall(std::shared_ptr<client::Engine> engine, ExchangeRequest&& request)
      : client::ExchangeCall(std::move(engine), std::move(request)) {}

  client::RawResponse& response() { return response_; }

 private:
  void OnHeaders(int status, const HttpHeaders& headers) override {
    response_.status = status;
    response_.headers = headers;
  }
  void OnData(std::string_view data) override {
    const ExchangeRequest& request = exchange()->request();
    if (too_large_ || request.ignore_body) return;
    if (data.size() <= kMaxWholeAnswer - response_.body.size()) {
      response_.body.append(data);
      return;
    }
    too_large_ = true;
    response_.body = std::string();
    Error why(Reason::kOverLimit,
              request.method + " " + request.target + ": the answer is larger than " +
                  std::to_string(kMaxWholeAnswer >> 20) +
                  " MiB, the most that is kept as a whole; lists are read as a stream: use List, "
                  "or an informer");
    // The exchange must not be ended inside its own callback.
    env().loop().Post([self = shared_from_this(), why = std::move(why)]() mutable {
      static_cast<RawCall&>(*self).Complete(std::move(why));
    });
  }

  client::RawResponse response_;
  bool too_large_ = false;
};

class ShutDownCall final : public client::LoopCall {
 public:
  explicit ShutDownCall(std::shared_ptr<client::Engine> engine)
      : client::LoopCall(engine->env()), engine_(std::move(engine)) {}

 private:
  void Begin() override {
    engine_->ShutDown();
    Complete({});
  }
  void End() override {}
  const std::shared_ptr<client::Engine> engine_;
};

}  // namespace

ClientCore::ClientCore(std::shared_ptr<client::Engine> engine, std::unique_ptr<Runtime> runtime)
    : engine_(std::move(engine)),
      runtime_(std::move(runtime)),
      discovery_(std::make_shared<DiscoveryCache>()) {}

ClientCore::~ClientCore() {
  if (runtime_ == nullptr) return;
  Env& env = engine_->env();
  if (env.loop().InThisExecutor() || env.pool().InThisExecutor() ||
      base::OwnWorkOf(env).threads.InThisExecutor()) {
    // A Runtime joins its threads, so it cannot be destroyed on one of them.
    engine_->env().loop().Post([engine = engine_] { engine->ShutDown(); });
    base::StartDetachedThread("kinformer/end",
                              [runtime = std::move(runtime_)]() mutable { runtime.reset(); });
    return;
  }
  (void)BlockOn(env, client::LoopCall::Run(std::make_shared<ShutDownCall>(engine_), {}));
}

Task<Result<client::RawResponse>> ClientCore::Call(std::shared_ptr<const ClientCore> core,
                                                   ExchangeRequest request, CallOptions options) {
  // The exchange handles the timeout, since it knows why earlier attempts failed.
  request.timeout = options.timeout;
  options.timeout = {};
  const Result<void> traced = client::AddTraceHeaders(options, request.headers);
  if (!traced) co_return traced.error();
  const std::shared_ptr<client::BodyFeed> feed = request.feed;
  const auto call = std::make_shared<RawCall>(core->engine_, std::move(request));
  std::function<bool()> on_wake;
  if (feed != nullptr) {
    on_wake = [&feed] {
      feed->Pump();
      return true;
    };
  }
  Result<void> done = co_await client::LoopCall::Run(call, std::move(options), std::move(on_wake));
  if (!done) co_return std::move(done).error();
  co_return std::move(call->response());
}

}  // namespace kinformer::internal
