// apiserver/audit/audit_match.h
//
// FindAuditRule: which rule of a policy a request fits.

#ifndef KINFORMER_APISERVER_AUDIT_AUDIT_MATCH_H_
#define KINFORMER_APISERVER_AUDIT_AUDIT_MATCH_H_

#include <string_view>

#include "kinformer/apiserver/audit_log.h"

#include "apiserver/registry/user_info.h"
#include "apiserver/request/request_info.h"

namespace kinformer::apiserver {

// Returns the first rule that fits; null if none does. `user`: null if nobody could be
// authenticated; `verb`: of the request, in lower case.
const AuditRule* FindAuditRule(const AuditPolicy& policy, const RequestInfo& info,
                               std::string_view verb, const UserInfo* user);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUDIT_AUDIT_MATCH_H_
