// Address, certificates and authority of a network server, as its options say.

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <utility>

#include "kinformer/apiserver/http_server.h"

#include "apiserver/http/testing.h"
#include "base/core/testing/fields_log.h"
#include "x509/tls_authority.h"

namespace kinformer::apiserver {
namespace {

using internal::base::FieldsLog;
using ::testing::HasSubstr;

std::string FileText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

class ServerAddressTest : public ::testing::Test {
 protected:
  ServerAddressTest()
      : folder_(::testing::TempDir() + "kinformer_address_" + std::to_string(::getpid())) {
    std::filesystem::remove_all(folder_);
  }
  ~ServerAddressTest() override { std::filesystem::remove_all(folder_); }
  Result<std::unique_ptr<HttpServer>> Listen(HttpServerOptions options) {
    return HttpServer::Listen(runtime_.env(), handler_, std::move(options));
  }

  const std::string folder_;
  const std::shared_ptr<FieldsLog> log_ = std::make_shared<FieldsLog>(LogLevel::kWarning);
  Runtime runtime_{{.name = "address", .log = log_}};
  TestHandler handler_{runtime_.env()};
};

TEST_F(ServerAddressTest, Url_NamesAnAddressToConnectTo) {
  struct Row {
    const char* address;
    bool tls;
    const char* begin;
  };
  for (const Row& row : {Row{"127.0.0.1", false, "http://127.0.0.1:"},
                         {"127.0.0.2", false, "http://127.0.0.2:"},
                         {"0.0.0.0", false, "http://127.0.0.1:"},
                         {"127.0.0.1", true, "https://127.0.0.1:"},
                         {"0.0.0.0", true, "https://127.0.0.1:"}}) {
    const auto server = Listen({.address = row.address, .tls = row.tls}).OrExit();
    EXPECT_EQ(server->url(), row.begin + std::to_string(server->port()));
    Curl curl(row.tls ? Protocol::kHttp1Tls : Protocol::kHttp1, server->ca_pem());
    EXPECT_EQ(curl.Get(server->url() + "/version").body, "v") << server->url();
    EXPECT_EQ(server->ca_pem().empty(), !row.tls);
    EXPECT_THAT(server->Kubeconfig(), HasSubstr("server: '" + server->url() + "'"));
  }
  for (const char* address : {"::1", "::"}) {
    auto server = Listen({.address = address});
    if (!server) continue;  // this machine has no IPv6
    EXPECT_EQ((*server)->url(), "http://[::1]:" + std::to_string((*server)->port()));
  }
}

TEST_F(ServerAddressTest, ServerThatLetsInEverybodyFromAfar_IsLogged) {
  struct Row {
    const char* address;
    const char* token;
    bool warns;
    bool authorizes = false;
  };
  for (const Row& row : {Row{"127.0.0.1", "", false},
                         {"127.0.0.1", "t", false},
                         {"0.0.0.0", "t", false},
                         {"0.0.0.0", "", false, true},
                         {"0.0.0.0", "", true}}) {
    const auto server = Listen({.address = row.address,
                                .bearer_token = row.token,
                                .handler_authorizes = row.authorizes})
                            .OrExit();
    EXPECT_EQ(log_->Count("the server listens beyond this machine and lets in everybody: set "
                          "bearer_token, and tls address=0.0.0.0 port=" +
                          std::to_string(server->port())),
              row.warns ? 1U : 0U)
        << row.address << row.token;
  }
  EXPECT_EQ(log_->Count("lets in everybody"), 1U);
}

TEST_F(ServerAddressTest, OwnCertificate_IsGoodForTheNamesOfTheServer) {
  const auto server = Listen({.tls = true, .host_names = {"shop.example", "10.1.2.3"}}).OrExit();
  const auto code = [&](const std::string& host) {
    const std::string at = host + ":" + std::to_string(server->port());
    curl_slist* const to = curl_slist_append(nullptr, (at + ":127.0.0.1").c_str());
    Curl curl(Protocol::kHttp1Tls, server->ca_pem());
    curl.Set(CURLOPT_RESOLVE, to);
    const CURLcode got = curl.Get("https://" + at + "/version").code;
    curl_slist_free_all(to);
    return got;
  };
  for (const char* host : {"localhost", "127.0.0.1", "kubernetes", "kubernetes.default",
                           "kubernetes.default.svc", "shop.example"}) {
    EXPECT_EQ(code(host), CURLE_OK) << host;
  }
  for (const char* host : {"other.example", "kube"}) EXPECT_NE(code(host), CURLE_OK) << host;
  const auto second = Listen({.address = "127.0.0.2", .tls = true}).OrExit();
  Curl curl(Protocol::kHttp1Tls, second->ca_pem());
  EXPECT_EQ(curl.Get(second->url() + "/version").code, CURLE_OK) << "its own address";
}

TEST_F(ServerAddressTest, Kubeconfig_HasACertificateUnlessThereIsATokenOrAnotherAuthority) {
  const auto other = internal::x509::TlsAuthority::Make("other", runtime_.env().WallNow()).OrExit();
  struct Row {
    std::string token;
    std::string client_ca;
    bool certificate;
  };
  for (const Row& row : {Row{"", "", true}, {"t", "", false}, {"", other.ca_pem(), false}}) {
    const auto server =
        Listen({.tls = true, .client_ca_pem = row.client_ca, .bearer_token = row.token}).OrExit();
    const std::string config = server->Kubeconfig();
    EXPECT_EQ(config.find("client-certificate-data: L") != std::string::npos, row.certificate)
        << row.token;
    EXPECT_EQ(config.find("client-key-data: L") != std::string::npos, row.certificate);
    EXPECT_EQ(config.find("token: 't'") != std::string::npos, !row.token.empty());
    EXPECT_THAT(config, HasSubstr("certificate-authority-data: L"));
    EXPECT_THAT(config, HasSubstr("kubernetes-admin"));
  }
}

TEST_F(ServerAddressTest, AuthorityOfAFolder_IsMadeOnceAndKept) {
  const HttpServerOptions options{.tls = true, .cert_dir = folder_ + "/deep/certs"};
  const std::string cert_file = options.cert_dir + "/ca.crt";
  const std::string key_file = options.cert_dir + "/ca.key";
  std::string ca;
  for (int i = 0; i < 2; ++i) {
    const auto server = Listen(options).OrExit();
    if (i == 0) ca = server->ca_pem();
    EXPECT_EQ(server->ca_pem(), ca) << i;
    EXPECT_EQ(FileText(cert_file), ca);
    EXPECT_THAT(FileText(key_file), HasSubstr("PRIVATE KEY"));
    Curl curl(Protocol::kHttp1Tls, ca);
    EXPECT_EQ(curl.Get(server->url() + "/version").body, "v") << i;
  }
  struct stat info{};
  ASSERT_EQ(::stat(key_file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  const std::string other = Listen({.tls = true}).OrExit()->ca_pem();
  EXPECT_NE(other, ca);
  EXPECT_NE(Listen({.tls = true}).OrExit()->ca_pem(), other) << "nothing is kept without a folder";
}

TEST_F(ServerAddressTest, AuthorityThatIsIncomplete_IsRefused) {
  const HttpServerOptions options{.tls = true, .cert_dir = folder_};
  const std::string cert_file = folder_ + "/ca.crt";
  const std::string key_file = folder_ + "/ca.key";
  for (const std::string& missing : {cert_file, key_file}) {
    std::filesystem::remove_all(folder_);
    Listen(options).OrExit();
    std::filesystem::remove(missing);
    const auto refused = Listen(options);
    ASSERT_FALSE(refused.ok()) << missing;
    EXPECT_EQ(refused.error().reason(), Reason::kConfig);
    EXPECT_EQ(refused.error().message(), "of " + cert_file + " and " + key_file +
                                             " only one is there: put the other back, or take it "
                                             "away");
    EXPECT_FALSE(std::filesystem::exists(missing)) << "nothing is made";
  }
  Listen({.tls = true, .cert_dir = folder_ + "/new"}).OrExit();
  std::ofstream(folder_ + "/new/ca.crt") << "nonsense";
  const auto broken = Listen({.tls = true, .cert_dir = folder_ + "/new"});
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.error().ToString(), HasSubstr(folder_ + "/new/ca.crt"));
  EXPECT_THAT(broken.error().ToString(), HasSubstr(folder_ + "/new/ca.key"));
}

TEST_F(ServerAddressTest, FolderThatCannotBeMade_IsAnError) {
  std::ofstream(folder_) << "a file";
  const auto refused = Listen({.tls = true, .cert_dir = folder_ + "/certs"});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().ToString(), HasSubstr(folder_ + "/certs/ca.key"));
  // Without TLS the folder is of no use.
  EXPECT_TRUE(Listen({.cert_dir = folder_ + "/certs"}).ok());
}

}  // namespace
}  // namespace kinformer::apiserver
