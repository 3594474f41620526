// A client over TLS whose certificate a certificate::Manager renews: each request is by the user of
// the current one, and watches go on.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/api/authenticationv1.h"
#include "kinformer/api/authenticationv1_mutable.h"
#include "kinformer/api/certificatesv1.h"
#include "kinformer/api/certificatesv1_mutable.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/certificate.h"
#include "kinformer/client/clientset.h"
#include "kinformer/client/config.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/clientset/certificatesv1.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/testing/polling.h"

#include "x509/tls_authority.h"

namespace kinformer::testing {
namespace {

using certificatesv1::CertificateSigningRequest;

// Whom the certificate is for. Changed by the test, read on the loop.
class Template {
 public:
  void Set(const std::string& user) {
    const std::lock_guard lock(mutex_);
    request_.subject.common_name = user;
  }
  [[nodiscard]] cert::CertificateRequest Get() const {
    const std::lock_guard lock(mutex_);
    return request_;
  }

 private:
  mutable std::mutex mutex_;
  cert::CertificateRequest request_{};
};

class CertificateClient : public ::testing::Test {
 protected:
  CertificateClient() {
    apiserver::HttpServerOptions options;
    options.tls = true;
    options.client_ca_pem = authority_.ca_pem();
    options.require_client_certificate = true;
    server_.Listen(options).OrExit();
    wanted_->Set("jane");
    certificate::Config config;
    config.clientset_fn = [this](const CertificatePair&) { return signer_; };
    config.get_template = [wanted = wanted_] { return wanted->Get(); };
    config.signer_name = "kubernetes.io/kube-apiserver-client";
    config.certificate_store =
        certificate::NewFileStore(runtime_.env(),
                                  {.pair_name_prefix = "agent", .certificate_directory = folder_})
            .OrExit();
    manager_ = certificate::NewManager(runtime_.env(), std::move(config)).OrExit();
  }
  // Approves and signs all requests.
  void SignAll() {
    const auto requests = Clientset(signer_).CertificatesV1().CertificateSigningRequests();
    const auto list = requests.List().OrExit();
    for (const auto& request : list) {
      if (!request.status().certificate().empty()) continue;
      CertificateSigningRequest::Mutable object = request.DeepCopy();
      object.status.conditions.push_back({.type = "Approved", .status = "True", .reason = "Known"});
      const Ref<CertificateSigningRequest> approved =
          requests.UpdateApproval(object.metadata.name, object).OrExit();
      object = approved->DeepCopy();
      object.status.certificate =
          authority_.Sign(object.spec.request, runtime_.env().WallNow(), std::chrono::hours(1))
              .OrExit();
      EXPECT_TRUE(requests.UpdateStatus(object).ok());
    }
  }
  bool SignUntilCurrentIsOf(const std::string& user) {
    return Clock(runtime_.env())
        .Poll(
            [&] {
              SignAll();
              const std::optional<CertificatePair> pair = manager_->Current();
              return pair && cert::NamesOf(pair->cert_pem).OrExit().subject.common_name == user;
            },
            {.within = std::chrono::seconds(60), .every = {}});
  }
  static std::string UserOf(const Client& client) {
    const authenticationv1::SelfSubjectReview::Mutable question;
    const auto answer = client.For<authenticationv1::SelfSubjectReview>().Create(question);
    return answer ? std::string((*answer)->status().userInfo().username())
                  : answer.error().ToString();
  }

  Runtime runtime_;
  ApiServer server_{runtime_};
  const Client signer_ = Client::ForTransport(runtime_.env(), server_.transport(), {.qps = -1});
  internal::x509::TlsAuthority authority_ =
      internal::x509::TlsAuthority::Make("clients", runtime_.env().WallNow()).OrExit();
  const std::string folder_ = ::testing::TempDir() + "kinformer-certificate-client-" +
                              std::to_string(runtime_.env().Random());
  std::shared_ptr<Template> wanted_ = std::make_shared<Template>();
  std::unique_ptr<certificate::Manager> manager_;
};

TEST_F(CertificateClient, RequestsAndWatchesFollowTheManager) {
  Config config = AnonymousClientConfig(Config::FromKubeconfig(server_.kubeconfig()).OrExit());
  config.credentials = manager_->ClientCredentials();
  config.qps = -1;
  const Client client = Client::NewForConfig(runtime_.env(), config).OrExit();
  EXPECT_NE(UserOf(client), "jane") << "there is no certificate";
  manager_->Start();
  ASSERT_TRUE(SignUntilCurrentIsOf("jane"));
  EXPECT_EQ(UserOf(client), "jane");

  SharedInformerFactory factory(client);
  const auto maps = factory.InformerFor<corev1::ConfigMap>({.namespaces = {"default"}});
  factory.Start();
  ASSERT_TRUE(Clock(runtime_.env()).Poll([&] { return maps.HasSynced(); }));
  wanted_->Set("joe");
  ASSERT_TRUE(SignUntilCurrentIsOf("joe"));
  EXPECT_EQ(UserOf(client), "joe");
  corev1::ConfigMap::Mutable map;
  map.metadata.name = "later";
  ASSERT_TRUE(client.For<corev1::ConfigMap>("default").Create(map).ok());
  EXPECT_TRUE(Clock(runtime_.env()).Poll([&] {
    return maps.lister().Namespace("default").Get("later").ok();
  }));
  factory.Shutdown();
}

}  // namespace
}  // namespace kinformer::testing
