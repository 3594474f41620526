// kinformer/metrics_server.h
//
// The handler of /metrics, for Prometheus, and what keeps others from reading it.
//
//   std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
//   Runtime runtime({.metrics = metrics});
//   auto server = EndpointServer::Listen(runtime.env(), ":8443", {.tls = true}).OrExit();
//   server->Handle("/metrics", WithAuthenticationAndAuthorization(
//       runtime.env(), client, NewMetricsHandler(runtime.env(), metrics)));
//
// A filter takes a handler and gives one that asks first. Tokens go over the wire as they are:
// filters belong on a server with TLS.
//
// Counterpart: controller-runtime's packages metrics/server and metrics/filters.

#ifndef KINFORMER_METRICS_SERVER_H_
#define KINFORMER_METRICS_SERVER_H_

#include <memory>
#include <string>

#include "kinformer/client.h"
#include "kinformer/env.h"
#include "kinformer/metrics.h"
#include "kinformer/transport.h"

namespace kinformer {

// Answers every request with all values, in Prometheus' text format. The text is made on a thread
// of the handler's own, since it may be long. Destruction waits for that thread, and must come
// after the end of whatever passes on requests. `env` must outlive it.
[[nodiscard]] std::shared_ptr<Handler> NewMetricsHandler(
    Env& env, std::shared_ptr<const TextMetrics> metrics);

// Lets pass who shows that bearer token; others get 401. With an empty token nobody passes.
[[nodiscard]] std::shared_ptr<Handler> WithBearerToken(std::string token,
                                                       std::shared_ptr<Handler> inner);

// Asks the API server of `client` who the bearer of a token is (TokenReview), and whether they may
// do what they ask (SubjectAccessReview: the method in lower case as the verb, and the path). For
// Prometheus in a cluster: a ClusterRole with {nonResourceURLs: ["/metrics"], verbs: ["get"]}; this
// process needs the ClusterRole system:auth-delegator.
//
// 401: no token, or one that the API server does not know. 403: they may not. 500: the API server
// gave no answer within 10 s, or an error, which the log has. 503: 1,000 requests wait already.
// What the API server said is remembered: of a token for 1 min, that somebody may for 5 min, that
// they may not for 30 s; 4,096 answers of each kind.
//
// Requests whose answer is not known wait, in their order, for a thread of the filter's own: the
// loop never blocks, and those whose answer is known pass. `inner` sees who asks in
// HttpRequest::user. Destruction ends the question under way, and must come after the end of
// whatever passes on requests. `env` must outlive it.
//
// Counterpart: filters.WithAuthenticationAndAuthorization. Different: a token that the API server
// does not know is a 401, not a 500.
[[nodiscard]] std::shared_ptr<Handler> WithAuthenticationAndAuthorization(
    Env& env, const Client& client, std::shared_ptr<Handler> inner);

}  // namespace kinformer

#endif  // KINFORMER_METRICS_SERVER_H_
