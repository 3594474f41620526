#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/client/config.h"

#include "config/credentials.h"
#include "config/testing/config_text.h"

namespace kinformer {
namespace {

using std::chrono::seconds;

// Every member has a value.
Config Full() {
  Config full{.host = "https://h",
              .namespace_ = "n",
              .user_agent = "agent",
              .tls = {.insecure = true,
                      .server_name = "name",
                      .cert_file = "cert.pem",
                      .key_file = "key.pem",
                      .ca_file = "ca.pem",
                      .cert_data = "CERT",
                      .key_data = "KEY",
                      .ca_data = "CA"},
              .bearer_token = "TOKEN",
              .bearer_token_file = "token",
              .id_token = "ID",
              .oidc = OidcConfig{.refresh_token = "REFRESH"},
              .username = "user",
              .password = "PASSWORD",
              .exec = ExecConfig{.command = "plugin"},
              .impersonate = {.user_name = "jane", .uid = "7", .groups = {"g"}, .extra = {}},
              .proxy_url = "http://proxy",
              .qps = 3,
              .burst = 4,
              .timeout = seconds(5),
              .disable_compression = true,
              .content_type = "application/json",
              .origin = "a file"};
  full.impersonate.extra["k"] = {"v"};
  full.credentials = internal::config::NewStaticCredentials("Bearer t");
  full.dial = DialUnixSocket("/s");
  full.Wrap([](auto inner) { return inner; });
  return full;
}

TEST(AnonymousClientConfigTest, KeepsTrustAndLimitsAndNoCredentials_RC06) {
  const Config anonymous = AnonymousClientConfig(Full());
  EXPECT_EQ(Described(anonymous),
            "host=https://h namespace=n agent=agent insecure=yes server-name=name ca-file=ca.pem "
            "ca=CA proxy=http://proxy timeout-ms=5000 compression=no origin=a file");
  EXPECT_EQ(anonymous.qps, 3);
  EXPECT_EQ(anonymous.burst, 4);
  EXPECT_EQ(anonymous.content_type, "application/json");
  EXPECT_TRUE(anonymous.wrap_transport.empty());
  EXPECT_TRUE(anonymous.dial);
  EXPECT_FALSE(anonymous.oidc.has_value());
}

}  // namespace
}  // namespace kinformer
