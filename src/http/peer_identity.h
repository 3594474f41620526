// http/peer_identity.h
//
// PeerIdentity: the subject of a client's certificate.

#ifndef KINFORMER_HTTP_PEER_IDENTITY_H_
#define KINFORMER_HTTP_PEER_IDENTITY_H_

#include <string>
#include <vector>

namespace kinformer::internal::http {

// Empty without a certificate, which counts as none, too, if it has no common name.
struct PeerIdentity {
  std::string common_name{};
  std::vector<std::string> organizations{};  // in the order of the certificate
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_PEER_IDENTITY_H_
