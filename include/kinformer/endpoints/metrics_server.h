// kinformer/endpoints/metrics_server.h
//
// Handler of /metrics, for Prometheus, and filters that restrict access to it.
//
//   std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
//   Runtime runtime({.metrics = metrics});
//   auto server = EndpointServer::Listen(runtime.env(), ":8443", {.tls = true}).OrExit();
//   server->Handle("/metrics", WithAuthenticationAndAuthorization(
//       runtime.env(), client, NewMetricsHandler(runtime.env(), metrics)));
//
// A filter wraps a handler in one that checks access first. Tokens are sent in clear text: use
// filters on a server with TLS.
//
// Counterpart: controller-runtime's packages metrics/server and metrics/filters.

#ifndef KINFORMER_ENDPOINTS_METRICS_SERVER_H_
#define KINFORMER_ENDPOINTS_METRICS_SERVER_H_

#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport.h"

namespace kinformer {

// Returns a handler that answers every request with all values, in Prometheus' text format. It
// builds the text, which may be long, on a thread of its own. Destruction waits for that thread,
// and must come after the end of the server that passes on requests. `env` must outlive it.
[[nodiscard]] std::shared_ptr<Handler> NewMetricsHandler(
    Env& env, std::shared_ptr<const TextMetrics> metrics);

// Returns a filter for a bearer token; other requests get 401. An empty token rejects all requests.
[[nodiscard]] std::shared_ptr<Handler> WithBearerToken(std::string token,
                                                       std::shared_ptr<Handler> inner);

// Returns a filter that asks the API server of `client` for a token's user (TokenReview), and
// whether the user may send the request (SubjectAccessReview: the method in lower case as the verb,
// and the path). For Prometheus in a cluster: a ClusterRole with {nonResourceURLs: ["/metrics"],
// verbs: ["get"]}; this process needs the ClusterRole system:auth-delegator.
//
// 401: no token, or one unknown to the API server. 403: not allowed. 500: the API server gave no
// answer within 10 s, or an error, which is logged. 503: 1,000 requests are waiting already.
// Answers of the API server are cached: about a token for 1 min, a permission for 5 min, a refusal
// for 30 s; 4,096 answers of each kind.
//
// Requests without a cached answer wait, in their order, for a thread of the filter: the loop never
// blocks, and requests with a cached answer pass. `inner` finds the user in HttpRequest::user.
// Destruction ends the running question, and must come after the end of the server that passes on
// requests. `env` must outlive it.
//
// Counterpart: filters.WithAuthenticationAndAuthorization. Difference: a token unknown to the API
// server is a 401, not a 500.
[[nodiscard]] std::shared_ptr<Handler> WithAuthenticationAndAuthorization(
    Env& env, const Client& client, std::shared_ptr<Handler> inner);

}  // namespace kinformer

#endif  // KINFORMER_ENDPOINTS_METRICS_SERVER_H_
