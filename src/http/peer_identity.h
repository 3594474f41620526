// http/peer_identity.h
//
// PeerIdentity: a client, as its connection and its certificate show it.

#ifndef KINFORMER_HTTP_PEER_IDENTITY_H_
#define KINFORMER_HTTP_PEER_IDENTITY_H_

#include <string>
#include <vector>

namespace kinformer::internal::http {

struct PeerIdentity {
  // Subject of the client's certificate. Empty without one, and a certificate counts as none if it
  // has no common name.
  std::string common_name{};
  std::vector<std::string> organizations{};  // in the order of the certificate
  bool on_loopback{false};                   // connected by this machine's loopback interface
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_PEER_IDENTITY_H_
