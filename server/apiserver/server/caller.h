// apiserver/server/caller.h
//
// Caller: the user of a request, authenticated by the front end or by a service account's token, or
// impersonated by that user.

#ifndef KINFORMER_APISERVER_SERVER_CALLER_H_
#define KINFORMER_APISERVER_SERVER_CALLER_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

#include "apiserver/authorization/authorizer.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/request/request_info.h"
#include "apiserver/write/request/service_account_tokens.h"

namespace kinformer::apiserver {

// Returns the token of an Authorization header; empty if there is none.
[[nodiscard]] std::string_view BearerTokenOf(const HttpHeaders& headers);

// Returns the user without regard to impersonation, otherwise as CallerOf.
Result<UserInfoPtr> SenderOf(const HttpRequest& request, const ServiceAccountTokens& tokens,
                             const Authorizer* authorizer);

// Returns the user, never null: system:anonymous if not authenticated; the groups of users that the
// front end has authenticated are in headers kGroupHeader. Headers Impersonate-User, -Group, -Uid
// and -Extra-... replace the user, if `authorizer` allows it; null: every admitted caller may do
// so. Unauthorized for an invalid service account token, and with an authorizer for any other token
// that is not known; Forbidden without the right to impersonate; BadRequest for impersonation
// headers without a user.
Result<UserInfoPtr> CallerOf(const HttpRequest& request, const RequestInfo& info,
                             const ServiceAccountTokens& tokens, const Authorizer* authorizer);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_CALLER_H_
