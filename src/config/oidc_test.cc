// Id-tokens that their issuer renews.

#include "config/oidc.h"

#include <chrono>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/http_transport.h"

#include "base/core/testing/fields_log.h"
#include "config/credentials.h"
#include "config/testing/kubeconfig_texts.h"
#include "object/values/text_forms.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer::internal::config {
namespace {

using std::chrono::seconds;
using transport::LoopbackServer;
using transport::PlainAnswer;
using transport::PlainRequest;

// Returns a token that expires then, in seconds since 1970.
std::string TokenUntil(long expiry) {
  std::string claims;
  AppendBase64("{\"exp\":" + std::to_string(expiry) + "}", claims);
  while (claims.ends_with('=')) claims.pop_back();
  return "h." + claims + ".s";
}

constexpr const char* kDescription = R"({"token_endpoint":"https://i/token"})";

// An issuer whose tokens t1, t2, ... last 100 s, and which accepts each refresh token once.
class Issuer {
 public:
  explicit Issuer(Env& env) : env_(env) {}
  IssuerExchange exchange() {
    return [this](const PlainRequest& request, const std::stop_token&) { return Answer(request); };
  }
  [[nodiscard]] const std::vector<std::string>& asked() const { return asked_; }
  std::string description = kDescription;
  std::string refresh = "r0";  // the token that it accepts
  bool rotates = true;

 private:
  Result<PlainAnswer> Answer(const PlainRequest& request) {
    asked_.push_back(request.url + " " + request.form + " " + request.authorization + " " +
                     request.ca_pem);
    if (request.form.empty()) return PlainAnswer{200, description};
    if (request.form.find("refresh_token=" + refresh) == std::string::npos) {
      return PlainAnswer{400, R"({"error":"invalid_grant","error_description":"used\nbefore"})"};
    }
    ++count_;
    if (rotates) refresh = "r" + std::to_string(count_);
    const long now = std::chrono::floor<seconds>(env_.WallNow().time_since_epoch()).count();
    const std::string renewed = rotates ? ",\"refresh_token\":\"" + refresh + "\"" : std::string();
    return PlainAnswer{200, "{\"id_token\":\"" + TokenUntil(now + 100) + "\"" + renewed + "}"};
  }

  Env& env_;
  std::vector<std::string> asked_{};
  int count_ = 0;
};

class OidcTest : public ::testing::Test {
 protected:
  static std::string Fetched(CredentialSource& source, Simulation& sim) {
    std::string out = "(no answer)";
    source.Fetch(sim.env(), [&out](const Result<Credentials>& got) {
      out = got ? got->authorization : got.error().message();
    });
    sim.RunReady();
    return out;
  }
  std::shared_ptr<SharedIdToken> Shared(const std::string& id_token) {
    return std::make_shared<SharedIdToken>(
        id_token, oidc_, issuer_.exchange(),
        [this](const std::string& file, const std::string& user, const ChangedKeys& changed) {
          written_ += file + " " + user + ": ";
          for (const auto& [key, value] : changed) written_ += key + "=" + value + ";";
          return writing_;
        });
  }
  Result<OidcTokens> Refresh() { return RefreshIdToken(oidc_, "r0", issuer_.exchange(), {}); }

  const std::shared_ptr<base::FieldsLog> log_ = std::make_shared<base::FieldsLog>();
  Simulation sim_{{.log = log_}};  // its clock begins at 1970-01-01
  Issuer issuer_{sim_.env()};
  OidcConfig oidc_{.issuer_url = "https://i/",
                   .client_id = "me",
                   .client_secret = "s&t",
                   .refresh_token = "r0",
                   .ca_data = "CA",
                   .kubeconfig = "/file",
                   .user = "jo"};
  std::string written_{};
  Result<void> writing_{};
};

TEST_F(OidcTest, Token_IsUsedUntil10SecondsBeforeItsEndAndThenRenewed_OI01) {
  const auto source = NewOidcCredentials(Shared(TokenUntil(50)), "here");
  EXPECT_TRUE(source->CanRefresh());
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(50));
  sim_.RunFor(seconds(40) - std::chrono::nanoseconds(1));
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(50));
  EXPECT_TRUE(issuer_.asked().empty());
  sim_.RunFor(std::chrono::nanoseconds(1));
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(140));
  EXPECT_EQ(written_, "/file jo: id-token=" + TokenUntil(140) + ";refresh-token=r1;");
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(140));
  EXPECT_EQ(issuer_.asked().size(), 2U);
  sim_.RunFor(seconds(500));
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(640));
  EXPECT_EQ(issuer_.refresh, "r2");
}

TEST_F(OidcTest, MissingToken_IsGotAtOnceAndARefusedOneIsRenewed) {
  const auto source = NewOidcCredentials(Shared(""), "here");
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(100));
  sim_.RunFor(seconds(1));
  source->Rejected("Bearer " + TokenUntil(100));
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(101));
  source->Rejected("Bearer " + TokenUntil(100));
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(101)) << "that was the old one";
}

TEST_F(OidcTest, RefreshTokenThatStays_IsUsedAgain) {
  issuer_.rotates = false;
  const auto source = NewOidcCredentials(Shared(""), "here");
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(100));
  sim_.RunFor(seconds(90));
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(190));
  EXPECT_EQ(written_, "/file jo: id-token=" + TokenUntil(100) + ";refresh-token=r0;" +
                          "/file jo: id-token=" + TokenUntil(190) + ";refresh-token=r0;");
}

// An issuer that accepts each refresh token once would refuse the second client.
TEST_F(OidcTest, ClientsOfOneUser_ShareTheirTokens_OI02) {
  const auto shared = Shared("");
  const auto one = NewOidcCredentials(shared, "");
  const auto two = NewOidcCredentials(shared, "");
  EXPECT_EQ(Fetched(*one, sim_), "Bearer " + TokenUntil(100));
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Fetched(*two, sim_), "Bearer " + TokenUntil(100));
  one->Rejected("Bearer " + TokenUntil(100));
  two->Rejected("Bearer " + TokenUntil(100));
  EXPECT_EQ(Fetched(*one, sim_), "Bearer " + TokenUntil(105));
  EXPECT_EQ(Fetched(*two, sim_), "Bearer " + TokenUntil(105));
  EXPECT_EQ(issuer_.refresh, "r2");
}

TEST_F(OidcTest, EqualSettings_MeanTheSameTokens_OI02) {
  std::vector<OidcConfig> configs(7, oidc_);
  configs[1].issuer_url = "https://j";
  configs[2].client_id = "you";
  configs[3].client_secret = "";
  configs[4].refresh_token = "r";
  configs[5].ca_file = "/f";
  configs[6].ca_data = "";
  std::set<std::string> keys;
  std::vector<std::shared_ptr<SharedIdToken>> held;
  for (const OidcConfig& each : configs) {
    EXPECT_TRUE(keys.insert(OidcKey("t", each)).second) << keys.size();
    held.push_back(SharedIdToken::For("t", each));
    EXPECT_EQ(SharedIdToken::For("t", OidcConfig(each)), held.back());
    for (std::size_t i = 0; i + 1 < held.size(); ++i) EXPECT_NE(held[i], held.back());
  }
  EXPECT_TRUE(keys.insert(OidcKey("u", oidc_)).second);
}

TEST_F(OidcTest, Renewal_AsksTheEndpointThatTheIssuerNames) {
  ASSERT_TRUE(Refresh().ok());
  EXPECT_EQ(issuer_.asked(),
            (std::vector<std::string>{"https://i/.well-known/openid-configuration   CA",
                                      "https://i/token grant_type=refresh_token&refresh_token=r0 "
                                      // "me:s%26t" in base64
                                      "Basic bWU6cyUyNnQ= CA"}));
}

TEST_F(OidcTest, SecretOfTheClient_GoesWhereTheIssuerWantsIt) {
  const std::string methods =
      R"({"token_endpoint":"https://i/token","token_endpoint_auth_methods_supported":)";
  const struct {
    std::string methods;
    std::string secret;
    std::string form;  // behind the refresh token
    bool header;
  } rows[] = {
      {R"(["client_secret_basic","client_secret_post"])", "s", "", true},
      {R"(["client_secret_post"])", "s&t", "&client_id=me&client_secret=s%26t", false},
      {R"(["private_key_jwt"])", "s", "", true},
      {"[]", "s", "", true},
      {R"(["client_secret_basic"])", "", "&client_id=me", false},
  };
  for (const auto& row : rows) {
    Issuer issuer(sim_.env());
    issuer.description = methods + row.methods + "}";
    oidc_.client_secret = row.secret;
    ASSERT_TRUE(RefreshIdToken(oidc_, "r0", issuer.exchange(), {}).ok()) << row.methods;
    const std::string& asked = issuer.asked().at(1);
    EXPECT_NE(asked.find("refresh_token=r0" + row.form + " "), std::string::npos) << asked;
    EXPECT_EQ(asked.find("Basic ") != std::string::npos, row.header) << asked;
  }
}

TEST_F(OidcTest, Failures_SayWhatToDoAndNoSecret) {
  const auto says = [&](const std::string& want) {
    const auto got = Refresh();
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().message(), "OpenID issuer https://i/: " + want);
    EXPECT_EQ(got.error().reason(), Reason::kConfig);
  };
  for (const char* text : {"", "{}", R"({"token_endpoint":1})"}) {
    issuer_.description = text;
    says("its openid-configuration has no token_endpoint; check idp-issuer-url");
  }
  issuer_.description = kDescription;
  issuer_.refresh = "other";
  says(
      "it refuses the refresh token (status 400, invalid_grant, used\\nbefore); log in again, so "
      "that the kubeconfig gets a new one");
  const auto with = [&](const IssuerExchange& exchange) {
    const auto got = RefreshIdToken(oidc_, "r0", exchange, {});
    return got ? "no error" : got.error().message();
  };
  EXPECT_EQ(with([](const PlainRequest& request, const std::stop_token&) -> Result<PlainAnswer> {
              return PlainAnswer{request.form.empty() ? 200 : 500, kDescription};
            }),
            "OpenID issuer https://i/: it refuses the refresh token (status 500); log in again, so "
            "that the kubeconfig gets a new one");
  EXPECT_EQ(with([](const PlainRequest&, const std::stop_token&) -> Result<PlainAnswer> {
              return PlainAnswer{200, kDescription};
            }),
            "OpenID issuer https://i/: its answer has no id_token; the scope openid may be "
            "missing: log in again");
  EXPECT_EQ(with([](const PlainRequest&, const std::stop_token&) -> Result<PlainAnswer> {
              return PlainAnswer{404, ""};
            }),
            "OpenID issuer https://i/: it does not describe itself "
            "(/.well-known/openid-configuration): status 404; check idp-issuer-url");
  EXPECT_EQ(with([](const PlainRequest&, const std::stop_token&) -> Result<PlainAnswer> {
              return Error(Reason::kTransport, "https://i: no route");
            }),
            "OpenID issuer https://i/: https://i: no route; check idp-issuer-url and "
            "idp-certificate-authority of the user");
  EXPECT_EQ(with([](const PlainRequest&, const std::stop_token&) -> Result<PlainAnswer> {
              return Error(Reason::kStopped, "stopped");
            }),
            "stopped");
  oidc_.ca_data.clear();
  oidc_.ca_file = "/missing/ca";
  EXPECT_EQ(with(issuer_.exchange()),
            "cannot read idp-certificate-authority /missing/ca: No such file or directory");
  const auto source = NewOidcCredentials(Shared(""), "here");
  EXPECT_EQ(Fetched(*source, sim_),
            "here: cannot read idp-certificate-authority /missing/ca: No "
            "such file or directory");
}

TEST_F(OidcTest, KubeconfigThatCannotBeWritten_IsLoggedAndTheTokenUsed) {
  writing_ = Error(Reason::kConfig, "read-only");
  const auto source = NewOidcCredentials(Shared(""), "");
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(100));
  EXPECT_NE(log_->text().find("cannot write new tokens"), std::string::npos) << log_->text();
  EXPECT_NE(log_->text().find("read-only"), std::string::npos);
  EXPECT_EQ(log_->text().find("r1"), std::string::npos) << "no token in a log";
}

TEST_F(OidcTest, TokensOfNoFile_AreKeptInMemory) {
  oidc_.kubeconfig.clear();
  const auto source = NewOidcCredentials(Shared(""), "");
  EXPECT_EQ(Fetched(*source, sim_), "Bearer " + TokenUntil(100));
  EXPECT_EQ(written_, "");
}

// From the text of a kubeconfig to the header, over TLS.
TEST(OidcOverTls, TokenOfAKubeconfig_IsRenewed) {
  const transport::TestCertificate ca = transport::MakeTestCa("idp");
  const transport::TestCertificate cert = transport::MakeTestCertificate(ca, "127.0.0.1");
  std::string form;
  std::string url;
  LoopbackServer server(
      [&](const LoopbackServer::Request& request, LoopbackServer::Peer& peer) {
        if (request.method == "POST") form = request.body;
        return peer.Write(transport::PlainResponse(
            request.method == "POST" ? R"({"id_token":"fresh"})"
                                     : "{\"token_endpoint\":\"" + url + "/token\"}"));
      },
      {.certificate = &cert});
  url = server.url();
  std::string ca_text;
  AppendBase64(ca.cert, ca_text);
  const Folder folder;
  const std::string path = folder.Write(
      "config", OneUser("auth-provider: {name: oidc, config: {id-token: " + TokenUntil(100) +
                        ", refresh-token: old, client-id: me, idp-issuer-url: '" + url +
                        "', idp-certificate-authority-data: " + ca_text + "}}"));
  const Config config = Config::FromKubeconfigFile(path).OrExit();
  Runtime runtime;
  const auto source = TransportOptionsFor(config).OrExit().credentials;
  std::promise<std::string> got;
  runtime.env().loop().Post([&] {
    source->Fetch(runtime.env(), [&](const Result<Credentials>& answer) {
      got.set_value(answer ? answer->authorization : answer.error().message());
    });
  });
  EXPECT_EQ(got.get_future().get(), "Bearer fresh");
  EXPECT_EQ(form, "grant_type=refresh_token&refresh_token=old&client_id=me");
  const Config next = Config::FromKubeconfigFile(path).OrExit();
  EXPECT_EQ(next.id_token, "fresh");
  EXPECT_EQ(next.oidc->refresh_token, "old");
}

}  // namespace
}  // namespace kinformer::internal::config
