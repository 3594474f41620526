// kinformer/apiserver/webhook_network.h
//
// WebhookNetwork: how an API server reaches webhooks that listen somewhere.
//
//   apiserver::ApiServer server(env, {.webhook_transport = apiserver::WebhookNetwork(env)});

#ifndef KINFORMER_APISERVER_WEBHOOK_NETWORK_H_
#define KINFORMER_APISERVER_WEBHOOK_NETWORK_H_

#include <functional>
#include <memory>

#include "kinformer/apiserver/api_server_options.h"
#include "kinformer/env.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver {

// For ApiServerOptions::webhook_transport: webhooks whose configuration gives a URL are asked over
// TLS, and caBundle must have signed their certificate; where it is empty, one of the system's
// authorities. A service has no address here: null. So is what has a caBundle that is none, of
// which the log says so.
//
// The 16 addresses that were asked last keep their connections, each for each caBundle that it has
// had, as long as the function or a copy of it lives. Runs on env's loop, which must be a Runtime's
// and outlive it; like the server it is for that loop.
std::function<std::shared_ptr<Transport>(const WebhookAddress& address)> WebhookNetwork(Env& env);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WEBHOOK_NETWORK_H_
