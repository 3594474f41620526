// Separate from client.cc, so that programs with their own transport do not link the network code.

#include <memory>
#include <utility>

#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"

#include "base/core/named_env.h"
#include "client/client_core.h"
#include "client/client_defaults.h"
#include "transport/kept_env_transport.h"
#include "transport/wrapped_transport.h"

namespace kinformer {
namespace {

// The loop owns the transport from here on.
Result<std::shared_ptr<internal::client::Engine>> NewEngine(Env& env, const Config& config,
                                                            const ClientOptions& options) {
  Result<HttpTransportOptions> transport_options = TransportOptionsFor(config);
  if (!transport_options) return std::move(transport_options).error();
  ClientOptions complete = internal::client::OptionsFor(config, options);
  if (!complete.refresh_credentials && transport_options->credentials != nullptr) {
    complete.refresh_credentials = [source = transport_options->credentials] {
      return source->CanRefresh();
    };
  }
  std::shared_ptr<Env> named = internal::base::NamedEnv(env, complete.cluster_name);
  Result<std::unique_ptr<Transport>> transport =
      internal::transport::NewHttpTransportOn(named, *std::move(transport_options));
  if (!transport) return std::move(transport).error();
  Result<std::shared_ptr<Transport>> wrapped =
      internal::transport::Wrapped(*named, config.wrap_transport, *std::move(transport));
  if (!wrapped) return std::move(wrapped).error();
  return std::make_shared<internal::client::Engine>(std::move(named), *std::move(wrapped),
                                                    std::move(complete));
}

}  // namespace

Result<Client> Client::FromEnvironment(const ClientOptions& options) {
  Result<Config> config = Config::LoadDefault();
  if (!config) return std::move(config).error();
  return NewForConfig(*config, options);
}

Result<Client> Client::NewForConfig(const Config& config, const ClientOptions& options) {
  auto runtime = std::make_unique<Runtime>();
  Result<std::shared_ptr<internal::client::Engine>> engine =
      NewEngine(runtime->env(), config, options);
  if (!engine) return std::move(engine).error();
  return Client(std::make_shared<internal::ClientCore>(*std::move(engine), std::move(runtime)));
}

Result<Client> Client::NewForConfig(Env& env, const Config& config, const ClientOptions& options) {
  Result<std::shared_ptr<internal::client::Engine>> engine = NewEngine(env, config, options);
  if (!engine) return std::move(engine).error();
  return Client(std::make_shared<internal::ClientCore>(*std::move(engine), nullptr));
}

}  // namespace kinformer
