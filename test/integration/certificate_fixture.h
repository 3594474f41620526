// test/integration/certificate_fixture.h
//
// SignedCertificates: the embedded API server in simulated time, with a signer that decides about
// each CertificateSigningRequest.

#ifndef KINFORMER_TEST_INTEGRATION_CERTIFICATE_FIXTURE_H_
#define KINFORMER_TEST_INTEGRATION_CERTIFICATE_FIXTURE_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/certificatesv1.h"
#include "kinformer/api/certificatesv1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/certificate.h"
#include "kinformer/client/client.h"
#include "kinformer/client/clientset.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/clientset/certificatesv1.h"
#include "kinformer/testing/api_server.h"

#include "x509/tls_authority.h"

namespace kinformer::testing {

constexpr const char* kSigner = "kubernetes.io/kube-apiserver-client";

// Keeps a pair in memory.
class MemoryStore : public certificate::Store {
 public:
  Result<CertificatePair> Current() override {
    if (!pair_) return Error(Reason::kNotFound, "none");
    return *pair_;
  }
  Result<void> Update(const CertificatePair& pair) override {
    pair_ = pair;
    return {};
  }
  [[nodiscard]] const std::optional<CertificatePair>& pair() const { return pair_; }

 private:
  std::optional<CertificatePair> pair_{};
};

// Answers of the signer to a new request.
enum class Decision : std::uint8_t { kSign, kDeny, kFail, kIgnore, kDelete };

class SignedCertificates : public ::testing::Test {
 protected:
  using Request = certificatesv1::CertificateSigningRequest;

  SignedCertificates() {
    auto requests = factory_.InformerFor<Request>();
    requests
        .AddEventHandler({.on_add =
                              [this](const Added<Request>& added) {
                                requests_.push_back(added.object.DeepCopy());
                                Decide(std::string(added.object.metadata().name()));
                              }})
        .OrExit();
    factory_.Start();
    sim_.RunFor(std::chrono::seconds(1));
  }
  ~SignedCertificates() override {
    EXPECT_TRUE(sim_.RunBlocking([this] { manager_.reset(); }, std::chrono::hours(1)));
    EXPECT_TRUE(sim_.RunBlocking([this] { factory_.Shutdown(); }, std::chrono::hours(1)));
  }

  [[nodiscard]] certificate::Config ConfigOf(const std::string& user = "jane") {
    certificate::Config config;
    config.clientset_fn = [this](const CertificatePair& current) -> Result<Client> {
      asked_with_.push_back(current);
      return client_;
    };
    template_ = cert::CertificateRequest{.subject = {.common_name = user}, .alt_names = {}};
    config.get_template = [this] { return template_; };
    config.signer_name = kSigner;
    config.certificate_store = store_;
    config.on_rotation = [this](const CertificatePair& pair) { rotations_.push_back(pair); };
    return config;
  }
  void Start(certificate::Config config) {
    Make(std::move(config));
    manager_->Start();
  }
  void Make(certificate::Config config) {
    manager_ = certificate::NewManager(sim_.env(), std::move(config)).OrExit();
  }
  bool RunUntilThere() {
    return sim_.RunUntil([this] { return manager_->Current().has_value(); },
                         std::chrono::minutes(1));
  }
  // Expects that a condition becomes true after that time.
  template <class F>
  void ExpectAfter(Duration least, Duration most, const F& done) {
    const SteadyTime begun = sim_.env().Now();
    ASSERT_TRUE(sim_.RunUntil(done, most));
    EXPECT_GE(sim_.env().Now() - begun, least);
  }
  [[nodiscard]] std::string UserOf(const CertificatePair& pair) const {
    return cert::NamesOf(pair.cert_pem).OrExit().subject.common_name;
  }
  [[nodiscard]] CertificatePair PairOf(const std::string& user, Duration validity) {
    const std::string key = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
    const std::string request = cert::MakeCSR(key, {.common_name = user}).OrExit();
    return {.cert_pem = authority_.Sign(request, sim_.env().WallNow(), validity).OrExit(),
            .key_pem = key};
  }
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1))); }

  Simulation sim_{{.start = WallTime(std::chrono::seconds(1'795'000'000))}};
  ApiServer server_{sim_, {.bootstrap_objects = false}};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  internal::x509::TlsAuthority authority_ =
      internal::x509::TlsAuthority::Make("ca", sim_.env().WallNow()).OrExit();
  std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();

  // ---- The signer.
  Decision decision_ = Decision::kSign;
  Duration validity_ = std::chrono::hours(10);
  Duration began_ago_{};
  std::optional<cert::CertificateRequest> names_{};  // instead of those asked for
  std::vector<Request::Mutable> requests_;           // all, in order

  // ---- The program.
  std::optional<cert::CertificateRequest> template_{};
  std::vector<CertificatePair> asked_with_;
  std::vector<CertificatePair> rotations_;
  std::unique_ptr<certificate::Manager> manager_;

 private:
  void Decide(const std::string& name) {
    const auto requests = Clientset(client_).CertificatesV1().CertificateSigningRequests();
    if (decision_ == Decision::kIgnore) return;
    if (decision_ == Decision::kDelete) {
      EXPECT_TRUE(requests.Delete(name).ok());
      return;
    }
    Ref<Request> read = requests.Get(name).OrExit();
    Request::Mutable object = read->DeepCopy();
    const bool denied = decision_ == Decision::kDeny;
    certificatesv1::CertificateSigningRequestCondition::Mutable condition;
    condition.type = denied ? "Denied" : "Approved";
    condition.status = "True";
    condition.reason = denied ? "Unknown" : "Known";
    condition.message = denied ? "not you" : "";
    object.status.conditions.push_back(condition);
    read = requests.UpdateApproval(name, object).OrExit();
    object = read->DeepCopy();
    if (denied) return;
    if (decision_ == Decision::kFail) {
      condition.type = "Failed";
      condition.reason = "Weak";
      condition.message = "not so";
      object.status.conditions.push_back(condition);
    } else {
      object.status.certificate = authority_
                                      .Sign(object.spec.request, sim_.env().WallNow() - began_ago_,
                                            validity_, names_ ? &*names_ : nullptr)
                                      .OrExit();
    }
    EXPECT_TRUE(requests.UpdateStatus(object).ok());
  }
  SharedInformerFactory factory_{client_};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_CERTIFICATE_FIXTURE_H_
