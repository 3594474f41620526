// The chosen proxy and the exact texts about one that is not valid.

#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "transport/proxy.h"

namespace kinformer::internal::transport {
namespace {

// The variables of the process, as they were before, at the end of a test.
class ProxyVariables : public ::testing::Test {
 protected:
  ProxyVariables() {
    for (const char* name : kNames) {
      const char* const value = std::getenv(name);
      before_.push_back(value == nullptr ? std::nullopt : std::optional<std::string>(value));
      unsetenv(name);
    }
  }
  ~ProxyVariables() override {
    std::size_t i = 0;
    for (const char* name : kNames) {
      const std::optional<std::string>& value = before_[i++];
      unsetenv(name);
      if (value) setenv(name, value->c_str(), 1);
    }
  }
  ProxyVariables(const ProxyVariables&) = delete;
  ProxyVariables& operator=(const ProxyVariables&) = delete;

  static constexpr const char* kNames[] = {"HTTPS_PROXY", "https_proxy", "HTTP_PROXY",
                                           "http_proxy",  "NO_PROXY",    "no_proxy",
                                           "ALL_PROXY",   "all_proxy",   "REQUEST_METHOD"};

 private:
  std::vector<std::optional<std::string>> before_{};
};

TEST_F(ProxyVariables, EachIsReadFromItsOwnName) {
  struct Row {
    const char* name;
    std::string ProxyEnvironment::* field;
  };
  for (const Row& row : {Row{"HTTPS_PROXY", &ProxyEnvironment::https_proxy},
                         Row{"https_proxy", &ProxyEnvironment::https_proxy},
                         Row{"HTTP_PROXY", &ProxyEnvironment::http_proxy},
                         Row{"http_proxy", &ProxyEnvironment::http_proxy},
                         Row{"NO_PROXY", &ProxyEnvironment::no_proxy},
                         Row{"no_proxy", &ProxyEnvironment::no_proxy}}) {
    setenv(row.name, "x", 1);
    const ProxyEnvironment got = ProxyEnvironment::OfProcess();
    unsetenv(row.name);
    EXPECT_EQ(got.*row.field, "x") << row.name;
    EXPECT_EQ(got.https_proxy + got.http_proxy + got.no_proxy, "x") << row.name;
  }
}

TEST_F(ProxyVariables, CapitalsWin_UnlessTheyAreEmpty) {
  setenv("NO_PROXY", "capitals", 1);
  setenv("no_proxy", "small", 1);
  EXPECT_EQ(ProxyEnvironment::OfProcess().no_proxy, "capitals");
  setenv("NO_PROXY", "", 1);
  EXPECT_EQ(ProxyEnvironment::OfProcess().no_proxy, "small");
}

// There it may be the Proxy header of a request.
TEST_F(ProxyVariables, InACgiProgram_HttpProxyAloneIsIgnored) {
  for (const char* name : {"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "NO_PROXY"}) {
    setenv(name, "x", 1);
  }
  setenv("REQUEST_METHOD", "", 1);
  const ProxyEnvironment got = ProxyEnvironment::OfProcess();
  EXPECT_EQ(got.http_proxy, "");
  EXPECT_EQ(got.https_proxy, "x");
  EXPECT_EQ(got.no_proxy, "x");
}

std::string Chosen(const std::string& url, const HttpTransportOptions& options,
                   const ProxyEnvironment& environment) {
  const Result<std::string> got = ProxyFor(ParseEndpoint(url).OrExit(), options, environment);
  if (got) return *got;
  EXPECT_EQ(got.error().reason(), Reason::kConfig);
  return "error: " + got.error().message();
}

std::string NoProxyUrl(const std::string& from, const std::string& url) {
  return "error: " + from + " \"" + url +
         "\" is no URL of a proxy; it must begin with http://, https:// or socks5:// and name a "
         "host";
}

TEST(ProxyChoice, Option_NeedsASchemeThatIsKnown) {
  struct Row {
    const char* url;
    std::string want;
  };
  for (const Row& row : {
           Row{"http://p:1", "http://p:1"},
           Row{"HTTP://p:1", "http://p:1"},
           Row{"https://p:1", "https://p:1"},
           Row{"socks5://p:1", "socks5h://p:1"},
           Row{"socks5h://p:1", "socks5h://p:1"},
           Row{"http://me:word@p:1/x", "http://me:word@p:1/x"},
           Row{"p:1", NoProxyUrl("proxy-url", "p:1")},
           Row{"socks4://p:1", NoProxyUrl("proxy-url", "socks4://p:1")},
           Row{"ftp://p:1", NoProxyUrl("proxy-url", "ftp://p:1")},
           Row{"http://", NoProxyUrl("proxy-url", "http://")},
           Row{"http://p:port", NoProxyUrl("proxy-url", "http://p:port")},
       }) {
    EXPECT_EQ(Chosen("https://a", {.proxy_url = row.url}, {}), row.want) << row.url;
    // The environment changes nothing.
    EXPECT_EQ(Chosen("https://a", {.proxy_url = row.url, .use_environment_proxy = false},
                     {"http://other", "http://other", "*"}),
              row.want)
        << row.url;
  }
}

TEST(ProxyChoice, Variable_MayLackItsSchemeAndIsNamedByTheError) {
  const ProxyEnvironment plain{"s:1", "p:2", ""};
  EXPECT_EQ(Chosen("https://a", {}, plain), "http://s:1");
  EXPECT_EQ(Chosen("http://a", {}, plain), "http://p:2");
  const ProxyEnvironment bad{"ftp://s:1", "gopher://p:2", "in"};
  EXPECT_EQ(Chosen("https://a", {}, bad), NoProxyUrl("HTTPS_PROXY", "ftp://s:1"));
  EXPECT_EQ(Chosen("http://a", {}, bad), NoProxyUrl("HTTP_PROXY", "gopher://p:2"));
  // It is not looked at where it is not used.
  EXPECT_EQ(Chosen("https://in", {}, bad), "");
  EXPECT_EQ(Chosen("https://localhost", {}, bad), "");
  EXPECT_EQ(Chosen("https://a", {.use_environment_proxy = false}, bad), "");
  EXPECT_EQ(Chosen("https://a", {}, {}), "");
  EXPECT_EQ(Chosen("https://a", {}, {"", "http://p:2", ""}), "");
  EXPECT_EQ(Chosen("http://a", {}, {"http://s:1", "", ""}), "");
}

// Text that no URL may have gets the URL's own error, which names the source.
TEST(ProxyChoice, UrlThatCannotBeSplit_NamesItsSource) {
  const std::string got = Chosen("https://a", {.proxy_url = "http://a b"}, {});
  EXPECT_EQ(got.rfind("error: proxy-url", 0), 0U) << got;
  EXPECT_NE(got, NoProxyUrl("proxy-url", "http://a b"));
}

}  // namespace
}  // namespace kinformer::internal::transport
