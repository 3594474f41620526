// apiserver/audit/auditor.h
//
// Auditor: writes what is asked of a server, and what becomes of it, to the audit log.

#ifndef KINFORMER_APISERVER_AUDIT_AUDITOR_H_
#define KINFORMER_APISERVER_AUDIT_AUDITOR_H_

#include <memory>
#include <string>

#include "kinformer/apiserver/audit_log.h"
#include "kinformer/client/transport.h"

#include "apiserver/audit/audit_record.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Loop-confined.
class Auditor {
 public:
  // `state` must outlive it and the responses. REQUIRES: its options have an audit log.
  explicit Auditor(ServerState& state);

  // Writes that the request was received, where the policy wants it. Returns null if nothing is to
  // be written about it. `user`: who sent it, before impersonation; null: nobody could be
  // authenticated.
  AuditRecordPtr Begin(const HttpRequest& request, const RequestInfo& info, const std::string& id,
                       const UserInfoPtr& user);
  // Returns the same response, which writes what becomes of it. `record` may be null.
  ResponsePtr Observe(AuditRecordPtr record, ResponsePtr answer);

 private:
  ServerState& state_;
  AuditPolicy policy_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUDIT_AUDITOR_H_
