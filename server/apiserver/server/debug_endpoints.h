// apiserver/server/debug_endpoints.h
//
// /debug/...: lets a test control a server in another process, if the option debug_endpoints is
// set. Not part of any Kubernetes API.
//
//   GET    /debug/faults                       {"hits": 7, "rules":
//                                               [{"id": 1, "hits": 7, "rule": {...}}]}
//   POST   /debug/faults                       adds the rule in the body: 201 {"id": 1}
//   DELETE /debug/faults[/1]                   removes all rules, or one
//   PUT    /debug/faults/seed                  {"seed": 42}
//   POST   /debug/compact[?resourceVersion=N]  drops history up to N, by default all of it
//   POST   /debug/restore?resourceVersion=N    ApiServer::Restore
//   POST   /debug/close-watches
//   GET    /debug/snapshot                     ApiServer::Snapshot, as bytes
//   PUT    /debug/snapshot                     ApiServer::Restore of such a body

#ifndef KINFORMER_APISERVER_SERVER_DEBUG_ENDPOINTS_H_
#define KINFORMER_APISERVER_SERVER_DEBUG_ENDPOINTS_H_

#include "kinformer/apiserver/api_server.h"

#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Returns null for paths outside of /debug. Errors are returned as Status. Loop-confined.
ResponsePtr AnswerDebug(ApiServer& server, const HttpRequest& request, const RequestInfo& info);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_DEBUG_ENDPOINTS_H_
