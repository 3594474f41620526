#include "config/server_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinformer/client/config.h"

#include "config/testing/kubeconfig_texts.h"

namespace kinformer::internal::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MisspelledUrl, FindsTheUrlThatWasMeant) {
  for (const char* server : {"http:/127.0.0.1:8080", "http//127.0.0.1:8080", "http:127.0.0.1:8080",
                             R"(http:\\127.0.0.1:8080)", R"(http:\127.0.0.1:8080)",
                             "http;//127.0.0.1:8080", "http/127.0.0.1:8080"}) {
    EXPECT_EQ(MisspelledUrl(server), "http://127.0.0.1:8080") << server;
  }
  EXPECT_EQ(MisspelledUrl("https:host"), "https://host");
  EXPECT_EQ(MisspelledUrl("HTTPS:/h/p"), "HTTPS://h/p");
  EXPECT_EQ(MisspelledUrl("http:80a"), "http://80a");
  EXPECT_EQ(MisspelledUrl("http::80"), "http://80");
  EXPECT_EQ(MisspelledUrl("http:/80"), "http://80");
}

TEST(MisspelledUrl, LeavesHostsAndUrlsAlone) {
  for (
      const char* server :
      {"",          "http",       "https",      "http:",        "http://h",         "https://h:1/p",
       "http:///h", "http:80",    "https:6443", "https:6443/p", "httpd.example:80", "h:1",
       "httpss:/h", "ftp:/h",     "localhost",  "htt:/h",       "xttps:/h",         "hxtps:/h",
       "http:/",    "https:////", "h",          "httpx:/h",     "http:0",           "http:9/",
       "/h",        "//h",        ":h"}) {
    EXPECT_EQ(MisspelledUrl(server), std::nullopt) << server;
  }
}

TEST(MisspelledUrl, IsNamedByConfigsAndKubeconfigs) {
  Config config;
  for (const char* host : {"http:/127.0.0.1:8080", "http:127.0.0.1:8080"}) {
    config.host = host;
    const auto url = ServerUrlFor(config);
    ASSERT_FALSE(url.ok());
    EXPECT_EQ(url.error().reason(), Reason::kConfig);
    EXPECT_THAT(url.error().message(), HasSubstr("two slashes stand behind the scheme; write "
                                                 "http://127.0.0.1:8080"));
  }
  for (const char* entry : {"server: 'https:/s:1'",
                            "server: 'https:/s:1', "
                            "certificate-authority-data: eA=="}) {
    const auto got = Config::FromKubeconfig(OneCluster(entry));
    ASSERT_FALSE(got.ok());
    EXPECT_THAT(got.error().message(),
                AllOf(HasSubstr("server \"https:/s:1\" is no URL"), HasSubstr("write https://s:1"),
                      Not(HasSubstr("https://https"))));
  }
  config.host = "http:/me:HUSH@h";
  EXPECT_THAT(ServerUrlFor(config).error().message(), Not(HasSubstr("HUSH")));
}

}  // namespace
}  // namespace kinformer::internal::config
