// kinformer/apiserver/webhook_network.h
//
// WebhookNetwork: lets an API server call webhooks that listen on the network.
//
//   apiserver::ApiServer server(env, {.webhook_transport = apiserver::WebhookNetwork(env)});

#ifndef KINFORMER_APISERVER_WEBHOOK_NETWORK_H_
#define KINFORMER_APISERVER_WEBHOOK_NETWORK_H_

#include <functional>
#include <memory>

#include "kinformer/apiserver/api_server_options.h"
#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

namespace kinformer::apiserver {

// Returns a function for ApiServerOptions::webhook_transport. Webhooks with a URL are called
// over TLS; their certificate must be signed by caBundle, or if that is empty, by one of the
// system's authorities. Services have no address here, and invalid caBundles are logged: both
// give null.
//
// The 16 addresses that were called last keep their connections, for each caBundle that they
// had, as long as the function or a copy of it lives. Runs on env's loop, which must be a
// Runtime's and outlive it; like the server, it must be used on that loop.
std::function<std::shared_ptr<Transport>(const WebhookAddress& address)> WebhookNetwork(Env& env);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WEBHOOK_NETWORK_H_
