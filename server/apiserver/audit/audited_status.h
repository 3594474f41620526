// apiserver/audit/audited_status.h
//
// AuditedStatus: the answer to a request, as events of the audit log show it.

#ifndef KINFORMER_APISERVER_AUDIT_AUDITED_STATUS_H_
#define KINFORMER_APISERVER_AUDIT_AUDITED_STATUS_H_

#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Returns the object in the body of an answer; null if it cannot be read.
json::Value AuditedBody(std::string_view content_type, std::string_view body);

// Returns the responseStatus: the Status if the body is one, and the code. `code` 0: the client has
// left before the answer.
json::Value AuditedStatus(int code, const json::Value& body);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUDIT_AUDITED_STATUS_H_
