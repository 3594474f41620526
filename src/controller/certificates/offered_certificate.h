// controller/certificates/offered_certificate.h
//
// OfferCertificates: makes a server offer the certificate in its files, also after a renewal.

#ifndef KINFORMER_CONTROLLER_CERTIFICATES_OFFERED_CERTIFICATE_H_
#define KINFORMER_CONTROLLER_CERTIFICATES_OFFERED_CERTIFICATE_H_

#include <functional>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/endpoints/certificate_watcher.h"

#include "http/server.h"
#include "http/tls_stream.h"

namespace kinformer::internal::certificates {

using ContextOf = std::function<Result<http::TlsContext>(const CertificatePair& pair)>;

// Offers the pair that `watcher` read last to new connections of `server`, in the context that
// `context_of` makes from it. An invalid pair is logged, and the previous one stays in use.
// `server` must outlive `watcher`.
void OfferCertificates(Env& env, CertificateWatcher& watcher, http::Server& server,
                       ContextOf context_of);

}  // namespace kinformer::internal::certificates

#endif  // KINFORMER_CONTROLLER_CERTIFICATES_OFFERED_CERTIFICATE_H_
