// apiserver/server/caller.h
//
// Who sends a request: whom the front end or a service account's token has proven, or whom that one
// impersonates.

#ifndef KINFORMER_APISERVER_SERVER_CALLER_H_
#define KINFORMER_APISERVER_SERVER_CALLER_H_

#include <string_view>

#include "kinformer/result.h"
#include "kinformer/transport.h"

#include "apiserver/registry/user_info.h"
#include "apiserver/write/service_account_tokens.h"

namespace kinformer::apiserver {

// The token of an Authorization header; empty where it has none.
[[nodiscard]] std::string_view BearerTokenOf(const HttpHeaders& headers);

// Never null. Whom nobody has proven is system:anonymous; whom the front end has proven is in
// system:masters. Headers Impersonate-User, -Group, -Uid and -Extra-... put another in the caller's
// place: whoever gets in may do so, as everybody may do everything. Unauthorized for a token of a
// service account that is not valid here; BadRequest for headers that impersonate nobody.
Result<UserInfoPtr> CallerOf(const HttpRequest& request, const ServiceAccountTokens& tokens);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_CALLER_H_
