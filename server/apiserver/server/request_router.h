// apiserver/server/request_router.h
//
// RequestRouter: dispatches HTTP requests to discovery, reads, writes or faults.

#ifndef KINFORMER_APISERVER_SERVER_REQUEST_ROUTER_H_
#define KINFORMER_APISERVER_SERVER_REQUEST_ROUTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/faults.h"
#include "kinformer/client/transport.h"

#include "apiserver/audit/auditor.h"
#include "apiserver/conversion/object_converter.h"
#include "apiserver/conversion/version_caches.h"
#include "apiserver/discovery/discovery.h"
#include "apiserver/node/pod_connector.h"
#include "apiserver/read/reader.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/request/async.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/server/flow_schemas.h"
#include "apiserver/write/background/disposal.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"
#include "apiserver/write/request/mutations.h"
#include "apiserver/write/request/service_account_tokens.h"

namespace kinformer::apiserver {

// Loop-confined. Errors are returned as responses.
class RequestRouter final : private WriteObserver {
 public:
  // `server` serves the debug endpoints. All must outlive the router; `writer` must make no write
  // after its destruction.
  RequestRouter(ApiServer& server, ServerState& state, ObjectWriter& writer, FaultPlan& faults)
      : server_(server),
        state_(state),
        faults_(faults),
        converter_(state, off_loop_),
        caches_(state, converter_),
        reader_(state, off_loop_, converter_, caches_),
        tokens_(state),
        mutations_(state, writer, tokens_, off_loop_, converter_, caches_),
        pods_(state, off_loop_, converter_),
        discovery_(state, off_loop_),
        flows_(state),
        off_loop_(state.env),
        disposal_(state, off_loop_) {
    if (state.options.audit_log != nullptr) auditor_ = std::make_unique<Auditor>(state);
    writer.AddObserver(*this);
  }

  ResponsePtr Handle(HttpRequest request);
  // Returns the refusal of a request that the caller may not make, by its head; null if the body
  // may come.
  [[nodiscard]] ResponsePtr JudgeHead(const HttpRequest& head);
  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  // Returns whether the token is a valid service account token.
  [[nodiscard]] bool Accepts(const std::string& bearer_token) const {
    return tokens_.Authenticate(bearer_token, {}).ok();
  }
  [[nodiscard]] Mutations& mutations() { return mutations_; }
  // Ends the conversions of objects whose definition or store is another, in a later turn.
  void EndOutdatedConversions() {
    state_.Post([this] { caches_.Prune(); });
  }

 private:
  void AfterPut(const ObjectPut& put) override { OnWrite(*put.at.resource); }
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr&) override { OnWrite(*at.resource); }
  void AfterReplace() override {
    flows_.Forget();
    EndOutdatedConversions();
  }
  // Updates the converted objects of the resource.
  void OnWrite(const ServedResource& resource);
  std::string NextAuditId();
  // Returns what the audit log is to have of the request; null: nothing.
  AuditRecordPtr BeginAudit(const HttpRequest& request, const std::string& id);
  // `audit`: null if the audit log does not have the request.
  ResponsePtr Answer(HttpRequest&& request, const AuditTrailPtr& audit);
  ResponsePtr AnswerTo(const UserInfoPtr& user, HttpRequest&& request, RequestInfo&& info,
                       const std::string& accept);
  // Takes the body of the request.
  ResponsePtr AnswerResource(HttpRequest& request, const UserInfoPtr& user, RequestInfo&& info,
                             const std::string& accept);
  // With a shared storage: returns whether the answer has to show what other servers have written
  // before the request; and waits for that.
  [[nodiscard]] bool MustBeFresh(const RequestInfo& info) const;
  Task<ResponsePtr> AnswerFresh(HttpRequest request, UserInfoPtr user, RequestInfo info);
  // Responds to requests that are not about a resource.
  ResponsePtr AnswerOther(const HttpRequest& request, const RequestInfo& info,
                          std::string_view accept);
  // Likewise.
  ResponsePtr Route(HttpRequest& request, const UserInfoPtr& user, RequestInfo&& info,
                    ReadView view);
  ResponsePtr Serve(ResourceRequest out);
  // Returns a Status below the groups that always exist; below others the path is not known to be
  // about resources.
  [[nodiscard]] ResponsePtr NoSuchPath(std::string_view group, std::string_view accept) const;

  ApiServer& server_;
  ServerState& state_;
  FaultPlan& faults_;
  ObjectConverter converter_;
  VersionCaches caches_;
  Reader reader_;
  ServiceAccountTokens tokens_;
  Mutations mutations_;
  PodConnector pods_;
  Discovery discovery_;
  FlowSchemas flows_;
  std::unique_ptr<Auditor> auditor_;  // null: there is no audit log
  std::uint64_t requests_ = 0;
  std::string audit_prefix_;
  OffLoop off_loop_;  // destroyed before the objects that its work uses
  Disposal disposal_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_REQUEST_ROUTER_H_
