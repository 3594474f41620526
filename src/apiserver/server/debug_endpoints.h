// apiserver/server/debug_endpoints.h
//
// /debug/...: what a test does to a server that runs in another process. Not part of any Kubernetes
// API.
//
// GET    /debug/faults                       {"hits": 7, "rules": [{"id": 1, "hits": 7, "rule":
// {...}}]}
//   POST   /debug/faults                       adds the rule in the body: 201 {"id": 1}
//   DELETE /debug/faults[/1]                   takes all or one away
//   PUT    /debug/faults/seed                  {"seed": 42}
//   POST   /debug/compact[?resourceVersion=N]  forgets history, all of it without N
//   POST   /debug/restore?resourceVersion=N    ApiServer::Restore
//   POST   /debug/close-watches

#ifndef KINFORMER_APISERVER_SERVER_DEBUG_ENDPOINTS_H_
#define KINFORMER_APISERVER_SERVER_DEBUG_ENDPOINTS_H_

#include "kinformer/apiserver/api_server.h"

#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Null for paths outside /debug. Errors come back as Status. Loop-confined.
ResponsePtr AnswerDebug(ApiServer& server, const HttpRequest& request, const RequestInfo& info);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_DEBUG_ENDPOINTS_H_
