// kinformer/certificate/csr.h
//
// csr: gets a certificate that the cluster signs, through a CertificateSigningRequest of
// certificates.k8s.io/v1. A certificate::Manager (certificate_manager.h) does it again in time.
//
//   const std::string key = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
//   const std::string request = cert::MakeCSR(key, {.common_name = "jane"}).OrExit();
//   const csr::Requested made =
//       csr::RequestCertificate(client, request,
//                               {.signer_name = "kubernetes.io/kube-apiserver-client",
//                                .usages = {"digital signature", "client auth"}}).OrExit();
//   const std::string cert_pem =
//       csr::WaitForCertificate(client, made, {.timeout = 15min}).OrExit();
//
// Counterpart: the package util/certificate/csr.

#ifndef KINFORMER_CERTIFICATE_CSR_H_
#define KINFORMER_CERTIFICATE_CSR_H_

#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/client.h"
#include "kinformer/client/request_options.h"

namespace kinformer::csr {

// Parts of the object beside the request itself.
struct RequestOptions {
  std::string signer_name{};          // "kubernetes.io/kube-apiserver-client"
  std::vector<std::string> usages{};  // "digital signature", "client auth", "server auth", ...
  std::string name{};                 // of the object; empty: the server makes one, "csr-x7k2p"
  TimeSpan requested_duration{};      // 0: the signer decides; at least 10 minutes
};

// The object in which the request stands.
struct Requested {
  std::string name{};
  std::string uid{};
};

// Creates the object. `csr_pem` is what cert::MakeCSR returns. If an object with options.name
// exists that has the same key and signer, such as one of this program's earlier run, it is taken;
// another one is kAlreadyExists. Errors: the API's. The rights needed are create, and get for a
// name of one's own.
[[nodiscard]] AsyncCall<Requested> AsyncRequestCertificate(const Client& client,
                                                           std::string csr_pem,
                                                           RequestOptions options);
// Does the same, and blocks, on any thread but a loop's (kWouldDeadlock).
Result<Requested> RequestCertificate(const Client& client, const std::string& csr_pem,
                                     const RequestOptions& options, const CallOptions& call = {});

// Waits, with a watch, until the request is approved and signed, and returns the certificate. A
// watch that is cut goes on. Needs the rights list and watch of requests. Errors: kForbidden, if it
// was denied, and kInvalid, if the signer could not sign it, with reason and message of the one who
// decided; kNotFound, if the object was deleted, or is another one of the same name; those of
// AwaitCondition.
[[nodiscard]] AsyncCall<std::string> AsyncWaitForCertificate(const Client& client,
                                                             Requested requested);
// Does the same, and blocks, on any thread but a loop's (kWouldDeadlock).
Result<std::string> WaitForCertificate(const Client& client, const Requested& requested,
                                       const CallOptions& call = {});

}  // namespace kinformer::csr

#endif  // KINFORMER_CERTIFICATE_CSR_H_
