// apiserver/builtin/certificate_signing.h
//
// What is peculiar to CertificateSigningRequests: who asked is the server's to say, approval and
// issuance are written through two subresources, and neither can be taken back.

#ifndef KINFORMER_APISERVER_BUILTIN_CERTIFICATE_SIGNING_H_
#define KINFORMER_APISERVER_BUILTIN_CERTIFICATE_SIGNING_H_

#include <string_view>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// Writes into the spec of a new request who asks.
void SetRequester(const UserInfo& user, json::Value& request);

// What becomes of the status of `request`, which is written over `old` by `subresource` (status or
// approval): conditions get their times; those of approval are left to `approval`, and the
// certificate to `status`. `now` as the API writes times.
void MergeSigningStatus(std::string_view subresource, const json::Value& old, std::string_view now,
                        json::Value& request);

// What is wrong with that; empty: nothing.
std::vector<StatusCause> ValidateSigningStatus(std::string_view subresource, const json::Value& old,
                                               const json::Value& request);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_CERTIFICATE_SIGNING_H_
