#include "kinformer/client.h"

#include <fstream>
#include <utility>

#include "kinformer/config.h"
#include "kinformer/http_transport.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/runtime.h"
#include "kinformer/version.h"

#include "client/blocking.h"
#include "client/client_core.h"

namespace kinformer {
namespace {

// client-go's.
constexpr double kDefaultQps = 5;
constexpr int kDefaultBurst = 10;

// "<program>/<version> (<os>/<arch>) kinformer".
std::string DefaultUserAgent() {
  std::string program;
  std::getline(std::ifstream("/proc/self/comm"), program);
  if (program.empty()) program = "unknown";
  for (char& c : program) {
    if (c <= ' ' || c > '~' || c == '/') c = '_';
  }
#if defined(__x86_64__)
  constexpr const char* kArch = "amd64";
#elif defined(__aarch64__)
  constexpr const char* kArch = "arm64";
#else
  constexpr const char* kArch = "unknown";
#endif
#if defined(__linux__)
  constexpr const char* kOs = "linux";
#elif defined(__APPLE__)
  constexpr const char* kOs = "darwin";
#else
  constexpr const char* kOs = "unknown";
#endif
  return program + "/" + kVersion + " (" + kOs + "/" + kArch + ") kinformer";
}

// Takes from `config` what `options` leave open, and client-go's defaults for the rest.
ClientOptions Complete(ClientOptions options, const Config* config) {
  if (config != nullptr) {
    if (options.qps == 0) options.qps = config->qps;
    if (options.burst == 0) options.burst = config->burst;
    if (options.user_agent.empty()) options.user_agent = config->user_agent;
    if (config->content_type == "application/json") options.prefer_json = true;
  }
  if (options.qps == 0) options.qps = kDefaultQps;
  if (options.burst == 0) options.burst = kDefaultBurst;
  if (options.max_retries < 0) options.max_retries = 0;
  if (options.user_agent.empty()) options.user_agent = DefaultUserAgent();
  return options;
}

// The transport belongs to the loop from here on.
Result<std::shared_ptr<internal::Engine>> NewEngine(Env& env, const Config& config,
                                                    const ClientOptions& options) {
  Result<HttpTransportOptions> transport_options = TransportOptionsFor(config);
  if (!transport_options) return std::move(transport_options).error();
  ClientOptions complete = Complete(options, &config);
  transport_options->user_agent = complete.user_agent;
  if (!complete.refresh_credentials && transport_options->credentials != nullptr) {
    complete.refresh_credentials = [source = transport_options->credentials] {
      return source->CanRefresh();
    };
  }
  Result<std::unique_ptr<Transport>> transport =
      NewHttpTransport(env, *std::move(transport_options));
  if (!transport) return std::move(transport).error();
  return std::make_shared<internal::Engine>(env, *std::move(transport), std::move(complete));
}

// Asks the transport on its own thread.
class StatsCall final : public internal::BlockingCall {
 public:
  explicit StatsCall(std::shared_ptr<internal::Engine> engine)
      : BlockingCall(engine->env()), engine_(std::move(engine)) {}
  TransportStats stats{};

 private:
  void Begin() override {
    if (engine_->transport() != nullptr) stats = engine_->transport()->Stats();
    Complete({});
  }
  void End() override {}
  const std::shared_ptr<internal::Engine> engine_;
};

}  // namespace

Result<Client> Client::FromEnvironment(const ClientOptions& options) {
  Result<Config> config = Config::LoadDefault();
  if (!config) return std::move(config).error();
  return NewForConfig(*config, options);
}

Result<Client> Client::NewForConfig(const Config& config, const ClientOptions& options) {
  auto runtime = std::make_unique<Runtime>();
  Result<std::shared_ptr<internal::Engine>> engine = NewEngine(runtime->env(), config, options);
  if (!engine) return std::move(engine).error();
  return Client(std::make_shared<internal::ClientCore>(*std::move(engine), std::move(runtime)));
}

Result<Client> Client::NewForConfig(Env& env, const Config& config, const ClientOptions& options) {
  Result<std::shared_ptr<internal::Engine>> engine = NewEngine(env, config, options);
  if (!engine) return std::move(engine).error();
  return Client(std::make_shared<internal::ClientCore>(*std::move(engine), nullptr));
}

Client Client::ForTransport(Env& env, std::shared_ptr<Transport> transport,
                            const ClientOptions& options) {
  return Client(std::make_shared<internal::ClientCore>(
      std::make_shared<internal::Engine>(env, std::move(transport), Complete(options, nullptr)),
      nullptr));
}

Result<std::string> Client::GetRaw(std::string_view path_and_query, const CallOptions& call) const {
  if (path_and_query.empty() || path_and_query.front() != '/') {
    return Error(Reason::kInvalidArgument,
                 "path \"" + std::string(path_and_query) + "\" does not begin with '/'");
  }
  internal::ExchangeRequest request;
  request.target = path_and_query;
  request.accept = "application/json, */*";
  Result<internal::RawResponse> response = core_->Call(std::move(request), call);
  if (!response) return std::move(response).error();
  return std::move(response->body);
}

Env& Client::env() const { return core_->env(); }

std::string Client::Describe() const { return core_->engine()->Describe(); }

TransportStats Client::Stats() const {
  auto call = std::make_shared<StatsCall>(core_->engine());
  (void)internal::BlockingCall::Run(call, {});
  return call->stats;
}

internal::ResourceCore Client::CoreFor(const internal::TypeInfo& type,
                                       std::string namespace_) const {
  return internal::ResourceCore(core_, type, std::move(namespace_));
}

}  // namespace kinformer
