// Ways to prove who a client is, with the real kube-apiserver: certificates and their rotation
// during a watch, tokens that expire, plugins, and what a client does after 401 and 403. Label
// `realserver`; the one that takes ten minutes has the label `nightly`, too.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <signal.h>
#include <stdlib.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/authenticationv1.h"
#include "kinformer/api/authenticationv1_mutable.h"
#include "kinformer/api/certificatesv1.h"
#include "kinformer/api/certificatesv1_mutable.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/rbacv1.h"
#include "kinformer/api/rbacv1_mutable.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/certificate.h"
#include "kinformer/client/client.h"
#include "kinformer/client/clientset.h"
#include "kinformer/client/config.h"
#include "kinformer/client/patch.h"
#include "kinformer/clientset/certificatesv1.h"
#include "kinformer/clientset/corev1.h"

#include "realserver/clients.h"
#include "realserver/real_server.h"
#include "x509/tls_authority.h"

namespace kinformer::testing {
namespace {

using certificatesv1::CertificateSigningRequest;
using internal::x509::TlsAuthority;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

std::string TextOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class RealCredentials : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    real_ = std::make_unique<RealServer>();
    real_->Start();
    admin_.emplace(NewClient(*real_));
  }
  static void TearDownTestSuite() {
    admin_.reset();
    real_.reset();
  }
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "kinformer-credentials-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Replaces a file in one step, as those who rotate credentials do.
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path + ".new") << text;
    std::filesystem::permissions(path + ".new", std::filesystem::perms::owner_all);
    std::filesystem::rename(path + ".new", path);
    return path;
  }
  static Config Server() {
    Config config;
    config.host = real_->url();
    config.tls.ca_file = real_->ca_file();
    config.qps = -1;
    return config;
  }
  static std::string UserOf(const Client& client) {
    const authenticationv1::SelfSubjectReview::Mutable question;
    const auto answer = client.For<authenticationv1::SelfSubjectReview>().Create(question);
    return answer ? std::string((*answer)->status().userInfo().username())
                  : answer.error().ToString();
  }
  static TlsAuthority Authority() {
    const std::string ca = real_->ca_file();
    const std::string key = ca.substr(0, ca.size() - 3) + "key";
    return TlsAuthority::FromPem(TextOf(ca), TextOf(key), runtime().env().WallNow()).OrExit();
  }
  static Runtime& runtime() {
    static Runtime runtime;
    return runtime;
  }
  static void Put(const std::string& name) {
    const auto made = admin_->For<corev1::ConfigMap>("default").Create(NewConfigMap(name, "x"));
    ASSERT_TRUE(made.ok()) << made.error();
  }
  static bool Has(const SharedInformer<corev1::ConfigMap>& maps, const std::string& name) {
    return maps.lister().Namespace("default").Get(name).ok();
  }

  static std::unique_ptr<RealServer> real_;
  static std::optional<Client> admin_;
  std::string folder_;
};
std::unique_ptr<RealServer> RealCredentials::real_;
std::optional<Client> RealCredentials::admin_;

TEST_F(RealCredentials, ACertificateATokenAndAPluginProveTheSameUser) {
  for (const char* user : {"admin", "admin-token", "exec"}) {
    const Config config = Config::FromKubeconfigFile(real_->kubeconfig(user)).OrExit();
    EXPECT_EQ(UserOf(Client::NewForConfig(config).OrExit()), "admin") << user;
  }
  Config nobody = Server();
  nobody.bearer_token = "wrong";
  EXPECT_THAT(UserOf(Client::NewForConfig(nobody).OrExit()), HasSubstr("Unauthorized"));
}

TEST_F(RealCredentials, AClientCertificateIsRotatedDuringAWatch) {
  TlsAuthority authority = Authority();
  Config config = Server();
  const auto rotate = [&](const std::string& user) {
    const CertificatePair pair = authority.ClientCertificate(user, {"system:masters"}).OrExit();
    config.tls.key_file = Write("client.key", pair.key_pem);
    config.tls.cert_file = Write("client.crt", pair.cert_pem);
  };
  rotate("first");
  const Client client = Client::NewForConfig(config).OrExit();
  EXPECT_EQ(UserOf(client), "first");
  SharedInformerFactory factory(client);
  const auto maps = factory.InformerFor<corev1::ConfigMap>({.namespaces = {"default"}});
  factory.Start();
  ASSERT_TRUE(Eventually([&] { return maps.HasSynced(); }));
  rotate("second");
  EXPECT_TRUE(Eventually([&] { return UserOf(client) == "second"; }));
  Put("after-rotation");
  EXPECT_TRUE(Eventually([&] { return Has(maps, "after-rotation"); }));
  factory.Shutdown();
}

TEST_F(RealCredentials, AManagerGetsItsCertificateFromTheClusterAndRenewsIt) {
  TlsAuthority authority = Authority();
  Env& env = runtime().env();
  const auto requests = Clientset(*admin_).CertificatesV1().CertificateSigningRequests();
  certificate::Config wanted;
  wanted.clientset_fn = [](const CertificatePair&) { return *admin_; };
  const auto user = std::make_shared<std::atomic<const char*>>("agent-1");
  wanted.get_template = [user] {
    return cert::CertificateRequest{.subject = {.common_name = user->load()}};
  };
  wanted.signer_name = "kubernetes.io/kube-apiserver-client";
  wanted.certificate_store = certificate::NewFileStore(env, {.pair_name_prefix = "agent",
                                                             .certificate_directory = folder_})
                                 .OrExit();
  const auto manager = certificate::NewManager(env, std::move(wanted)).OrExit();
  // Approves, and signs with the cluster's authority, as the controller manager does.
  const auto sign = [&] {
    const auto list = requests.List().OrExit();
    for (const auto& request : list) {
      if (!request.status().certificate().empty()) continue;
      CertificateSigningRequest::Mutable object = request.DeepCopy();
      object.status.conditions.push_back({.type = "Approved", .status = "True", .reason = "Known"});
      const auto approved = requests.UpdateApproval(object.metadata.name, object);
      if (!approved) continue;
      object = (*approved)->DeepCopy();
      object.status.certificate =
          authority.Sign(object.spec.request, env.WallNow(), std::chrono::hours(1)).OrExit();
      const auto written = requests.UpdateStatus(object);
      EXPECT_TRUE(written.ok()) << written.error();
    }
  };
  Config config = Server();
  config.credentials = manager->ClientCredentials();
  const Client client = Client::NewForConfig(env, config).OrExit();
  manager->Start();
  for (const char* name : {"agent-1", "agent-2"}) {
    user->store(name);
    EXPECT_TRUE(Eventually([&] {
      sign();
      return UserOf(client) == name;
    })) << name;
  }
}

TEST_F(RealCredentials, ATokenFileThatIsCorrectedEndsThe401) {
  Config config = Server();
  config.bearer_token_file = Write("token", "wrong");
  const Client client = Client::NewForConfig(config).OrExit();
  SharedInformerFactory factory(client);
  const auto maps = factory.InformerFor<corev1::ConfigMap>({.namespaces = {"default"}});
  factory.Start();
  const auto failed = factory.WaitForCacheSync({}, {.timeout = seconds(20), .fail_fast = true});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message(), HasSubstr("Unauthorized"));
  EXPECT_THAT(failed.error().message(), Not(HasSubstr("wrong"))) << "a token is never shown";
  Write("token", RealServer::token());
  EXPECT_TRUE(Eventually([&] { return maps.HasSynced(); }));
  factory.Shutdown();
}

TEST_F(RealCredentials, APluginIsAskedAgainAfter401) {
  const std::string token = Write("token", "wrong");
  const std::string script =
      Write("plugin",
            "#!/bin/sh\n"
            "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
            "\"status\":{\"token\":\"'$(cat " +
                token + ")'\"}}'\n");
  Config config = Server();
  config.exec.emplace();
  config.exec->command = script;
  config.exec->api_version = "client.authentication.k8s.io/v1";
  config.exec->interactive_mode = "Never";
  const Client client = Client::NewForConfig(config).OrExit();
  EXPECT_THAT(UserOf(client), HasSubstr("Unauthorized"));
  Write("token", RealServer::token());
  EXPECT_TRUE(Eventually([&] { return UserOf(client) == "admin"; }));
}

TEST_F(RealCredentials, ARoleThatComesLaterEndsThe403) {
  const Client alice =
      Client::NewForConfig(Config::FromKubeconfigFile(real_->kubeconfig("alice")).OrExit())
          .OrExit();
  SharedInformerFactory factory(alice);
  const auto maps = factory.InformerFor<corev1::ConfigMap>({.namespaces = {"default"}});
  factory.Start();
  const auto failed = factory.WaitForCacheSync({}, {.timeout = seconds(20), .fail_fast = true});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message(), HasSubstr("forbidden"));
  rbacv1::RoleBinding::Mutable binding;
  binding.metadata.name = "alice-rules";
  binding.roleRef = {
      .apiGroup = "rbac.authorization.k8s.io", .kind = "ClusterRole", .name = "cluster-admin"};
  binding.subjects.push_back(
      {.kind = "User", .apiGroup = "rbac.authorization.k8s.io", .name = "alice"});
  const auto made = admin_->For<rbacv1::RoleBinding>("default").Create(binding);
  ASSERT_TRUE(made.ok()) << made.error();
  EXPECT_TRUE(Eventually([&] { return maps.HasSynced(); }));
  factory.Shutdown();
}

TEST_F(RealCredentials, EachKindOfPatchDoesWhatItSays) {
  const auto deployments = admin_->For<appsv1::Deployment>("default");
  appsv1::Deployment::Mutable web;
  web.metadata.name = "web";
  web.spec.selector.emplace().matchLabels["app"] = "web";
  web.spec.template_.metadata.labels["app"] = "web";
  web.spec.template_.spec.containers.push_back({.name = "a", .image = "i"});
  ASSERT_TRUE(deployments.Create(web).ok());
  const auto patch = [&](PatchType type, const std::string& text,
                         const PatchOptions& options = {}) {
    return deployments.Patch("web", {type, text}, options);
  };
  const auto strategic =
      patch(PatchType::kStrategicMerge,
            R"({"spec":{"template":{"spec":{"containers":[{"name":"b","image":"j"}]}}}})");
  ASSERT_TRUE(strategic.ok()) << strategic.error();
  EXPECT_EQ((*strategic)->spec().template_().spec().containers().size(), 2U) << "merged by name";
  const auto json = patch(PatchType::kJsonPatch,
                          R"([{"op":"remove","path":"/spec/template/spec/containers/0"}])");
  ASSERT_TRUE(json.ok()) << json.error();
  EXPECT_EQ((*json)->spec().template_().spec().containers().size(), 1U);
  const auto merge = patch(PatchType::kMergePatch, R"({"spec":{"replicas":3}})");
  ASSERT_TRUE(merge.ok()) << merge.error();
  EXPECT_EQ((*merge)->spec().replicas(), 3);
  const std::string applied =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},)"
      R"("spec":{"replicas":4}})";
  const auto conflict = patch(PatchType::kApply, applied, {.fieldManager = "me"});
  ASSERT_FALSE(conflict.ok());
  EXPECT_EQ(conflict.error().reason(), Reason::kConflict);
  const auto forced = patch(PatchType::kApply, applied, {.force = true, .fieldManager = "me"});
  ASSERT_TRUE(forced.ok()) << forced.error();
  EXPECT_EQ((*forced)->spec().replicas(), 4);
}

TEST_F(RealCredentials, TheCommandFindsTheResourcesThatKubectlFinds) {
  const std::string kubectl = EnvironmentOr("KINFORMER_KUBECTL", "/usr/bin/kubectl");
  if (!std::filesystem::exists(kubectl)) GTEST_SKIP() << "kubectl is not installed";
  const auto names = [&](const std::string& program) {
    ChildProcess process(
        {program, "api-resources", "-o", "name", "--kubeconfig", real_->kubeconfig()});
    std::vector<std::string> lines;
    while (const auto line = process.ReadLine(seconds(30))) lines.push_back(*line);
    EXPECT_EQ(process.Wait(seconds(30)), 0) << program;
    std::ranges::sort(lines);
    return lines;
  };
  const auto ours = names(EnvironmentOr("KINFORMER_CLI", "kinformer"));
  EXPECT_GT(ours.size(), 50U);
  EXPECT_EQ(ours, names(kubectl));
}

// The shortest life of such a token is ten minutes.
TEST_F(RealCredentials, TenMinutes_AServiceAccountTokenExpiresDuringAWatch) {
  const auto accounts = Clientset(*admin_).CoreV1().ServiceAccounts("default");
  corev1::ServiceAccount::Mutable robot;
  robot.metadata.name = "robot";
  ASSERT_TRUE(accounts.Create(robot).ok());
  rbacv1::RoleBinding::Mutable binding;
  binding.metadata.name = "robot-rules";
  binding.roleRef = {
      .apiGroup = "rbac.authorization.k8s.io", .kind = "ClusterRole", .name = "cluster-admin"};
  binding.subjects.push_back({.kind = "ServiceAccount", .name = "robot", .namespace_ = "default"});
  ASSERT_TRUE(admin_->For<rbacv1::RoleBinding>("default").Create(binding).ok());
  const auto token = [&] {
    authenticationv1::TokenRequest::Mutable request;
    request.spec.expirationSeconds = 600;
    const auto answer = accounts.CreateToken("robot", request).OrExit();
    return std::string(answer->status().token());
  };
  Config config = Server();
  const std::string first = token();
  config.bearer_token_file = Write("token", first);
  const Client client = Client::NewForConfig(config).OrExit();
  EXPECT_THAT(UserOf(client), HasSubstr("serviceaccount:default:robot"));
  SharedInformerFactory factory(client);
  const auto maps = factory.InformerFor<corev1::ConfigMap>({.namespaces = {"default"}});
  factory.Start();
  ASSERT_TRUE(Eventually([&] { return maps.HasSynced(); }));
  // A kubelet writes a new one after 80 % of its life.
  std::this_thread::sleep_for(minutes(8));
  Write("token", token());
  Config old = Server();
  old.bearer_token = first;
  EXPECT_TRUE(Eventually(
      [&] { return UserOf(Client::NewForConfig(old).OrExit()).starts_with("Unauthorized"); },
      seconds(240)));
  Put("after-expiry");
  EXPECT_TRUE(Eventually([&] { return Has(maps, "after-expiry"); }));
  real_->Stop(SIGTERM);
  real_->Start();
  Put("after-restart");
  EXPECT_TRUE(Eventually([&] { return Has(maps, "after-restart"); }));
  factory.Shutdown();
}

}  // namespace
}  // namespace kinformer::testing
