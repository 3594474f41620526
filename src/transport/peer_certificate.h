// transport/peer_certificate.h

#ifndef KINFORMER_TRANSPORT_PEER_CERTIFICATE_H_
#define KINFORMER_TRANSPORT_PEER_CERTIFICATE_H_

#include <openssl/ssl.h>

namespace kinformer::internal::transport {

// Whether the peer's certificate has a subjectAltName with a DNS name or an IP address. Without
// one, libcurl accepts the Common Name, which Go and browsers no longer do. Looks once for each
// connection.
bool HasAlternativeName(SSL* tls);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_PEER_CERTIFICATE_H_
