// Choice of the proxy by Go's rules.

#include "transport/proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::transport {
namespace {

using testing::HasSubstr;
using testing::Not;

struct NoProxyCase {
  const char* url;
  const char* no_proxy;
  bool direct;
};

TEST(ProxyTest, NoProxyIsMatchedAgainstTheServersHost_M3) {
  const NoProxyCase cases[] = {
      {"https://kube.example:6443", "", false},
      {"https://kube.example:6443", "*", true},
      {"https://kube.example:6443", "kube.example", true},
      {"https://KUBE.example:6443", "kube.EXAMPLE", true},
      {"https://kube.example:6443", " a , kube.example ", true},
      {"https://kube.example:6443", "example", true},
      {"https://kube.example:6443", ".example", true},
      {"https://kube.example:6443", "*.example", true},
      {"https://example:6443", ".example", false},
      {"https://example:6443", "*.example", false},
      {"https://notexample:6443", "example", false},
      {"https://kube.example:6443", "kube.example:6443", true},
      {"https://kube.example:6443", "kube.example:443", false},
      {"https://kube.example", "kube.example:443", true},
      {"http://kube.example", "kube.example:80", true},
      {"https://kube.example:6443", ".", false},
      {"https://kube.example:6443", ",,", false},
      {"https://10.1.2.3:6443", "10.0.0.0/8", true},
      {"https://11.1.2.3:6443", "10.0.0.0/8", false},
      {"https://10.1.2.3:6443", "10.1.2.3", true},
      {"https://10.1.2.3:6443", "10.1.2.3:6443", true},
      {"https://10.1.2.3:6443", "10.1.2.3:1", false},
      {"https://10.1.2.3:6443", "10.1.2.2/31", true},
      {"https://10.1.2.3:6443", "10.1.2.3/33", false},
      {"https://10.1.2.3:6443", "0.0.0.0/0", true},
      {"https://kube.example:6443", "0.0.0.0/0", false},
      {"https://[fd00::1]:6443", "fd00::/8", true},
      {"https://[fd00::1]:6443", "fd00::1", true},
      {"https://[fd00::1]:6443", "[fd00::1]:6443", true},
      {"https://[fd00::1]:6443", "fe00::/8", false},
      {"https://localhost:6443", "", true},
      {"https://127.3.4.5:6443", "", true},
      {"https://[::1]:6443", "", true},
      {"https://127.example:6443", "", false},
  };
  for (const NoProxyCase& c : cases) {
    EXPECT_EQ(IsDirect(ParseEndpoint(c.url).OrExit(), c.no_proxy), c.direct)
        << c.url << " with NO_PROXY=" << c.no_proxy;
  }
}

std::string Chosen(const std::string& url, const HttpTransportOptions& options,
                   const ProxyEnvironment& environment) {
  const auto got = ProxyFor(ParseEndpoint(url).OrExit(), options, environment);
  return got ? *got : "error: " + got.error().message();
}

TEST(ProxyTest, Proxy_OptionBeatsEnvironment_M3) {
  const ProxyEnvironment both{"http://s:1", "http://p:2", "inside"};
  EXPECT_EQ(Chosen("https://a", {}, both), "http://s:1");
  EXPECT_EQ(Chosen("http://a", {}, both), "http://p:2");
  EXPECT_EQ(Chosen("https://inside", {}, both), "");
  // The server's own name counts, not the name that its certificate is checked for.
  EXPECT_EQ(Chosen("https://a", {.tls = {.server_name = "inside"}}, both), "http://s:1");
  EXPECT_EQ(Chosen("https://inside", {.tls = {.server_name = "a"}}, both), "");
  EXPECT_EQ(Chosen("https://a", {.use_environment_proxy = false}, both), "");
  EXPECT_EQ(Chosen("https://inside", {.proxy_url = "http://own:3"}, both), "http://own:3");
  EXPECT_EQ(Chosen("https://a", {.proxy_url = "socks5://own:3"}, both), "socks5h://own:3");
  EXPECT_EQ(Chosen("https://a", {}, {.https_proxy = "s:1"}), "http://s:1");
  EXPECT_EQ(Chosen("https://a", {}, {.http_proxy = "http://p:2"}), "");
}

TEST(ProxyTest, InvalidProxyUrl_ErrorHidesPassword_M3M4) {
  for (const char* url : {"ftp://me:HUSH@p", "me:HUSH@p:1", "http://", "gopher://me:HU@SH@p"}) {
    const std::string own = Chosen("https://a", {.proxy_url = url}, {});
    EXPECT_THAT(own, HasSubstr("error: proxy-url")) << url;
    EXPECT_THAT(own, Not(HasSubstr("HU"))) << url;
  }
  const std::string environment = Chosen("https://a", {}, {.https_proxy = "ftp://me:HUSH@p"});
  EXPECT_THAT(environment, HasSubstr("error: HTTPS_PROXY"));
  EXPECT_THAT(environment, Not(HasSubstr("HUSH")));
}

// Only libcurl knows ALL_PROXY.
TEST(ProxyTest, ProxyEnvironment_UpperCaseNamesWin_M3) {
  for (const char* name : {"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY",
                           "no_proxy", "REQUEST_METHOD"}) {
    unsetenv(name);
  }
  setenv("ALL_PROXY", "http://all:1", 1);
  EXPECT_EQ(Chosen("https://a", {}, ProxyEnvironment::OfProcess()), "");
  unsetenv("ALL_PROXY");
  setenv("https_proxy", "http://lower:1", 1);
  EXPECT_EQ(Chosen("https://a", {}, ProxyEnvironment::OfProcess()), "http://lower:1");
  setenv("HTTPS_PROXY", "http://upper:1", 1);
  EXPECT_EQ(Chosen("https://a", {}, ProxyEnvironment::OfProcess()), "http://upper:1");
  setenv("HTTP_PROXY", "http://plain:1", 1);
  EXPECT_EQ(Chosen("http://a", {}, ProxyEnvironment::OfProcess()), "http://plain:1");
  setenv("REQUEST_METHOD", "GET", 1);
  EXPECT_EQ(Chosen("http://a", {}, ProxyEnvironment::OfProcess()), "");
  setenv("no_proxy", "a", 1);
  EXPECT_EQ(Chosen("https://a", {}, ProxyEnvironment::OfProcess()), "");
  for (const char* name :
       {"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "no_proxy", "REQUEST_METHOD"}) {
    unsetenv(name);
  }
}

TEST(EndpointTest, ServerNames) {
  const std::pair<const char*, const char*> good[] = {
      {"kube.example", "kube.example"}, {"::1", "::1"}, {"[::1]", "::1"}, {"10.0.0.1", "10.0.0.1"}};
  for (const auto& [name, want] : good) EXPECT_EQ(ParseServerName(name).OrExit(), want);
  for (const char* bad : {"https://kube.example", "kube.example:6443", "a/b", "a b", "[kube]",
                          "1::2::3", "a\nb", "me:HUSH@kube"}) {
    const auto got = ParseServerName(bad);
    ASSERT_FALSE(got.ok()) << bad;
    EXPECT_EQ(got.error().reason(), Reason::kConfig);
    EXPECT_THAT(got.error().message(), HasSubstr("tls-server-name"));
    EXPECT_THAT(got.error().message(), Not(HasSubstr("HUSH")));
  }
}

}  // namespace
}  // namespace kinformer::internal::transport
