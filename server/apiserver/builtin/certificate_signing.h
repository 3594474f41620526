// apiserver/builtin/certificate_signing.h
//
// Rules of CertificateSigningRequests: the server records the requester, and two subresources write
// approval and issuance, neither of which can be revoked.

#ifndef KINFORMER_APISERVER_BUILTIN_CERTIFICATE_SIGNING_H_
#define KINFORMER_APISERVER_BUILTIN_CERTIFICATE_SIGNING_H_

#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// Writes the requester into the spec of a new request.
void SetRequester(const UserInfo& user, json::Value& request);

// Completes the status of `request`, which `subresource` (status or approval) writes over `old`:
// sets the times of conditions, keeps approval conditions unless `approval` writes them, and the
// certificate unless `status` does. `now` is in the API's time format.
void MergeSigningStatus(std::string_view subresource, const json::Value& old, std::string_view now,
                        json::Value& request);

// Returns the problems of that write; empty if there are none.
std::vector<StatusCause> ValidateSigningStatus(std::string_view subresource, const json::Value& old,
                                               const json::Value& request);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_CERTIFICATE_SIGNING_H_
