// apiserver/server/access.h
//
// Access: the attributes of a request that an authorizer decides about.

#ifndef KINFORMER_APISERVER_SERVER_ACCESS_H_
#define KINFORMER_APISERVER_SERVER_ACCESS_H_

#include "kinformer/base/result.h"

#include "apiserver/authorization/authorizer.h"
#include "apiserver/registry/audit_trail.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/request/request_info.h"

namespace kinformer::apiserver {

// Returns the attributes of a request for a resource, whose `info` must outlive them. Without the
// name that a field selector may ask for.
[[nodiscard]] AccessAttributes AttributesOf(const RequestInfo& info);

// Adds the decision to the audit log.
void AnnotateDecision(AuditTrail& audit, const AccessDecision& decision);

// Fails with 403 unless the user may make the request. A list or watch of one object by
// `fieldSelector=metadata.name=x` may also be allowed by that name.
[[nodiscard]] Result<void> CheckAccess(const Authorizer& authorizer, const UserInfo& user,
                                       std::string_view method, const RequestInfo& info);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_ACCESS_H_
