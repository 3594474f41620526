#include "kinformer/client/client.h"

#include <utility>

#include "kinformer/client/async_discovery.h"
#include "kinformer/internal/resource_core.h"

#include "base/core/user_call.h"
#include "client/client_core.h"
#include "client/client_defaults.h"
#include "client/loop_call.h"

namespace kinformer {
namespace {

// Reads the transport's statistics on its own thread.
class StatsCall final : public internal::client::LoopCall {
 public:
  explicit StatsCall(std::shared_ptr<internal::client::Engine> engine)
      : LoopCall(engine->env()), engine_(std::move(engine)) {}
  TransportStats stats{};

 private:
  void Begin() override {
    if (engine_->transport() != nullptr) {
      (void)internal::base::CallUser(engine_->env(), "Transport::Stats",
                                     [this] { stats = engine_->transport()->Stats(); });
    }
    Complete({});
  }
  void End() override {}
  const std::shared_ptr<internal::client::Engine> engine_;
};

Task<Result<std::string>> Raw(std::shared_ptr<internal::ClientCore> core,
                              std::string path_and_query, CallOptions call) {
  if (path_and_query.empty() || path_and_query.front() != '/') {
    co_return Error(Reason::kInvalidArgument,
                    "path \"" + path_and_query + "\" does not begin with '/'");
  }
  internal::ExchangeRequest request;
  request.target = std::move(path_and_query);
  request.accept = "application/json, */*";
  Result<internal::client::RawResponse> response =
      co_await internal::ClientCore::Call(core, std::move(request), std::move(call));
  if (!response) co_return std::move(response).error();
  co_return std::move(response->body);
}

}  // namespace

Client Client::ForTransport(Env& env, std::shared_ptr<Transport> transport,
                            const ClientOptions& options) {
  return Client(std::make_shared<internal::ClientCore>(
      std::make_shared<internal::client::Engine>(env, std::move(transport),
                                                 internal::client::CompleteOptions(options)),
      nullptr));
}

Result<std::string> Client::GetRaw(std::string_view path_and_query, const CallOptions& call) const {
  return BlockOn(env(), Raw(core_, std::string(path_and_query), call));
}

AsyncCall<std::string> AsyncGetRaw(const Client& client, std::string path_and_query) {
  return {client.env(), [core = client.core(), path = std::move(path_and_query)](CallOptions call) {
            return Raw(core, path, std::move(call));
          }};
}

Env& Client::env() const { return core_->env(); }

std::string Client::Describe() const { return core_->engine()->Describe(); }

TransportStats Client::Stats() const {
  auto call = std::make_shared<StatsCall>(core_->engine());
  (void)BlockOn(env(), internal::client::LoopCall::Run(call, {}));
  return call->stats;
}

internal::ResourceCore Client::CoreFor(const KindInfo& type, std::string namespace_) const {
  return internal::ResourceCore(core_, type, std::move(namespace_));
}

}  // namespace kinformer
