// kinformer/certificate/certificate_manager.h
//
// certificate::Manager: a client's or server's certificate that the cluster signs, and that is
// renewed in time, without a human and without a restart.
//
//   const Client bootstrap = Client::NewForConfig(env, config).OrExit();  // with a bootstrap token
//   certificate::Config wanted;
//   wanted.clientset_fn = [=](const CertificatePair&) { return bootstrap; };
//   wanted.get_template = [] {
//     return cert::CertificateRequest{.subject = {.common_name = "jane"}};
//   };
//   wanted.signer_name = "kubernetes.io/kube-apiserver-client";
//   wanted.certificate_store =
//       certificate::NewFileStore(env, {.pair_name_prefix = "agent",
//                                       .certificate_directory = "/var/lib/agent/pki"}).OrExit();
//   const auto manager = certificate::NewManager(env, wanted).OrExit();
//   manager->Start();
//   Config own = AnonymousClientConfig(config);
//   own.credentials = manager->ClientCredentials();
//   Client client = Client::NewForConfig(env, own).OrExit();  // follows the manager
//
// Counterpart: certificate.Manager of client-go util/certificate.

#ifndef KINFORMER_CERTIFICATE_CERTIFICATE_MANAGER_H_
#define KINFORMER_CERTIFICATE_CERTIFICATE_MANAGER_H_

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/certificate/cert.h"
#include "kinformer/certificate/certificate_store.h"
#include "kinformer/client/client.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/internal/callable.h"

namespace kinformer {

namespace internal {
struct CertificateClientsetWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "clientset_fn is called with the current pair, which is empty if there is none, "
                  "and returns the client that asks for the next: "
                  "[=](const CertificatePair& current) { return client; }");
  }
};
struct CertificateTemplateWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "get_template is called with nothing, and returns whom the certificate is for: "
                  "[]() -> std::optional<cert::CertificateRequest> { ... }");
  }
};
struct CertificateRotatedWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "on_rotation is called with the new pair: [](const CertificatePair& pair) {}");
  }
};
}  // namespace internal

namespace certificate {

// Returns the client that asks for the next certificate: one with bootstrap credentials while
// `current` is empty, later one that uses the manager's own.
using ClientsetFunc = internal::Callable<Result<Client>(const CertificatePair& current),
                                         internal::CertificateClientsetWords>;
// Returns whom the certificate is for; empty: it is not known yet, and nothing is requested.
using TemplateFunc = internal::Callable<std::optional<cert::CertificateRequest>(),
                                        internal::CertificateTemplateWords>;

// Usages of clients and of servers with an ECDSA key, which signs and does not encipher.
// Counterparts: DefaultKubeletClientGetUsages, DefaultKubeletServingGetUsages.
std::vector<std::string> DefaultKubeletClientGetUsages();
std::vector<std::string> DefaultKubeletServingGetUsages();

// Request, signer and store of a manager. The functions are called on the loop, one at a
// time, and must be quick; what they throw is logged and counts as a failed attempt.
struct Config {
  // Required: the client for requests. Make the clients before, and return one of them.
  ClientsetFunc clientset_fn{};
  // Required. Asked every 10 seconds: if the current certificate lacks a name of a new template,
  // another one is requested at once.
  TemplateFunc get_template{};
  std::string signer_name{};                  // required: "kubernetes.io/kube-apiserver-client"
  std::vector<std::string> usages{};          // empty: DefaultKubeletClientGetUsages
  TimeSpan requested_certificate_lifetime{};  // 0: the signer decides
  // Required. Whoever shares it may read it; only one manager may write it.
  std::shared_ptr<Store> certificate_store{};
  // A pair to begin with if the store has none that is valid. It is replaced at once.
  std::string bootstrap_certificate_pem{};
  std::string bootstrap_key_pem{};
  // Called with each new pair, for a server that must be told.
  internal::Callable<void(const CertificatePair& pair), internal::CertificateRotatedWords>
      on_rotation{};
  std::string name{};  // in log lines, and label `name` of metrics; empty: the signer's
};

// Keeps one certificate valid. The next is requested, with a new key, after 70 % to 90 % of the
// lifetime, drawn at random so that a fleet does not ask at once; and at once if there is none. A
// request that is denied, fails, is deleted, or is not signed within 15 minutes is repeated: after
// 2, 4, 8, 16 and then each 32 s, with jitter. The current pair stays in use meanwhile. Keys are
// never logged.
//
// Metrics, with the label `name`: certificate_manager_rotation_age_seconds (age of a certificate
// that another one replaces), certificate_manager_renew_failures_total.
//
// Uses `env`'s loop and no thread of its own. Thread-safe. Its Env outlives it.
class Manager {
 public:
  // Stops it, and waits until its functions and its store have returned, except on a loop's thread.
  // Not for a function of its store.
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Begins to keep the certificate. Further calls do nothing, even after Stop.
  void Start();
  // Ends that; the pair stays in use until it expires. Does not wait.
  void Stop();
  // Starts it, blocks until `stop` is requested, and stops it. kWouldDeadlock on a loop's thread.
  Result<void> Run(const std::stop_token& stop);

  // Returns the pair; empty: there is none, or it has expired.
  [[nodiscard]] std::optional<CertificatePair> Current() const;
  // Returns whether the last answer to a request for a certificate came from an API server that
  // works: also one that refuses it is healthy. False before the first.
  [[nodiscard]] bool ServerHealthy() const;
  // Returns credentials that follow the manager, and outlive it: for Config::credentials
  // (client/config.h) of any number of clients. A new certificate is for the next request, whose
  // new connection ends watches on the old one. While there is none, a client is who its
  // TlsClientConfig says, or nobody.
  [[nodiscard]] std::shared_ptr<CredentialSource> ClientCredentials() const;

 private:
  friend Result<std::unique_ptr<Manager>> NewManager(Env& env, Config config);
  struct State;
  explicit Manager(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

// Creates a manager, which waits for Start. Reads the store: blocks. kInvalidArgument: a required
// field is empty, or only half of a bootstrap pair is given. kConfig: the bootstrap pair, or the
// one in the store, is malformed; and the store's errors but kNotFound.
Result<std::unique_ptr<Manager>> NewManager(Env& env, Config config);

}  // namespace certificate
}  // namespace kinformer

#endif  // KINFORMER_CERTIFICATE_CERTIFICATE_MANAGER_H_
