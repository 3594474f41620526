#include "controller/certificates/offered_certificate.h"

#include <utility>

#include "kinformer/base/log.h"

namespace kinformer::internal::certificates {

void OfferCertificates(Env& env, CertificateWatcher& watcher, http::Server& server,
                       ContextOf context_of) {
  watcher.SetCallback(
      [&env, &server, context_of = std::move(context_of)](const CertificatePair& pair) {
        Result<http::TlsContext> context = context_of(pair);
        if (context) {
          server.SetTls(*std::move(context));
          return;
        }
        env.log().Log(LogLevel::kError, "the new certificate is not used; the one before stays",
                      {{"err", context.error().ToString()}});
      });
}

}  // namespace kinformer::internal::certificates
