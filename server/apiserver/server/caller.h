// apiserver/server/caller.h
//
// Caller: the user of a request, authenticated by the front end or by a service account's token, or
// impersonated by that user.

#ifndef KINFORMER_APISERVER_SERVER_CALLER_H_
#define KINFORMER_APISERVER_SERVER_CALLER_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

#include "apiserver/registry/user_info.h"
#include "apiserver/write/request/service_account_tokens.h"

namespace kinformer::apiserver {

// Returns the token of an Authorization header; empty if there is none.
[[nodiscard]] std::string_view BearerTokenOf(const HttpHeaders& headers);

// Returns the user, never null: system:anonymous if not authenticated; users authenticated by the
// front end are in system:masters. Headers Impersonate-User, -Group, -Uid and -Extra-... replace
// the user; every admitted caller may do so, as there is no authorization. Unauthorized for an
// invalid service account token; BadRequest for impersonation headers without a user.
Result<UserInfoPtr> CallerOf(const HttpRequest& request, const ServiceAccountTokens& tokens);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_CALLER_H_
