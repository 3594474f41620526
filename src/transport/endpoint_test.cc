// The parts of a server's URL, its TLS name, and the exact texts about those that are not valid.

#include "transport/endpoint.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::transport {
namespace {

TEST(Endpoint, Url_IsTakenApart) {
  struct Row {
    const char* url;
    bool tls;
    const char* host;
    const char* port;
    const char* authority;
    const char* prefix;
    const char* bracketed;
  };
  for (const Row& row : {
           Row{"https://h", true, "h", "443", "h", "", "h"},
           Row{"http://h", false, "h", "80", "h", "", "h"},
           Row{"HTTPS://h", true, "h", "443", "h", "", "h"},
           Row{"https://h:6443", true, "h", "6443", "h:6443", "", "h"},
           Row{"http://h:443", false, "h", "443", "h:443", "", "h"},
           Row{"https://h:80", true, "h", "80", "h:80", "", "h"},
           Row{"https://h/", true, "h", "443", "h", "", "h"},
           Row{"https://h:1/a/b", true, "h", "1", "h:1", "/a/b", "h"},
           Row{"https://h/a///", true, "h", "443", "h", "/a", "h"},
           Row{"https://10.0.0.1:1", true, "10.0.0.1", "1", "10.0.0.1:1", "", "10.0.0.1"},
           Row{"https://[fd00::1]", true, "fd00::1", "443", "[fd00::1]", "", "[fd00::1]"},
           Row{"https://[fd00::1]:2", true, "fd00::1", "2", "[fd00::1]:2", "", "[fd00::1]"},
           Row{"https://[::]:2", true, "::", "2", "[::]:2", "", "[::]"},
       }) {
    SCOPED_TRACE(row.url);
    const Endpoint got = ParseEndpoint(row.url).OrExit();
    EXPECT_EQ(got.tls, row.tls);
    EXPECT_EQ(got.host, row.host);
    EXPECT_EQ(got.port, row.port);
    EXPECT_EQ(got.authority, row.authority);
    EXPECT_EQ(got.prefix, row.prefix);
    EXPECT_EQ(got.Bracketed(), row.bracketed);
    EXPECT_EQ(Bracketed(got.host), row.bracketed);
  }
}

TEST(Endpoint, AddressesAreNoNames) {
  for (const char* url : {"https://10.0.0.1:1", "https://[fd00::1]:2", "http://0.0.0.0"}) {
    EXPECT_TRUE(ParseEndpoint(url).OrExit().IsAddress()) << url;
  }
  for (const char* url : {"https://h", "https://10.0.0.1.example", "https://localhost:1"}) {
    EXPECT_FALSE(ParseEndpoint(url).OrExit().IsAddress()) << url;
  }
}

TEST(Endpoint, UrlOfAnotherKind_IsRefusedAndQuoted) {
  for (const std::string url : {"ftp://h", "httpss://h", "h:6443", "https://", "https://h:x",
                                "https://h:65536", "https://:6443", "https://?q"}) {
    const Result<Endpoint> got = ParseEndpoint(url);
    ASSERT_FALSE(got.ok()) << url;
    EXPECT_EQ(got.error().reason(), Reason::kConfig) << url;
    const std::string front = "server URL \"" + url + "\": ";
    const std::string back = "; it must look like https://host:port";
    const std::string& message = got.error().message();
    EXPECT_TRUE(message.starts_with(front) && message.ends_with(back)) << message;
    EXPECT_GT(message.size(), front.size() + back.size()) << "it says why";
    EXPECT_EQ(message.find("is not known") != std::string::npos,
              url.find("://h") != std::string::npos && !url.starts_with("https:"))
        << message;
  }
  EXPECT_EQ(ParseEndpoint("ftp://h").error().message(),
            "server URL \"ftp://h\": scheme \"ftp\" is not known; it must look like "
            "https://host:port");
  EXPECT_FALSE(ParseEndpoint("https://me@").ok());
  const Result<Endpoint> blank = ParseEndpoint(" https://h");
  ASSERT_FALSE(blank.ok());
  EXPECT_EQ(blank.error().reason(), Reason::kConfig);
  EXPECT_TRUE(blank.error().message().starts_with("server URL")) << blank.error().message();
}

// An address is brought into the form that certificates are compared with.
TEST(ServerName, NameOrAddress_IsTaken) {
  struct Row {
    const char* name;
    const char* want;
  };
  for (const Row& row : {
           Row{"kube.example", "kube.example"},
           Row{"azAZ09-._", "azAZ09-._"},
           Row{"a", "a"},
           Row{"10.0.0.1", "10.0.0.1"},
           Row{"::1", "::1"},
           Row{"[::1]", "::1"},
           Row{"::", "::"},
           Row{"[::]", "::"},
           Row{"FD00:0:0::0:1", "fd00::1"},
           Row{"[FD00:0:0::0:1]", "fd00::1"},
       }) {
    const Result<std::string> got = ParseServerName(row.name);
    ASSERT_TRUE(got.ok()) << row.name << ": " << got.error().message();
    EXPECT_EQ(*got, row.want) << row.name;
  }
}

TEST(ServerName, AnythingElse_IsRefused) {
  for (const std::string name :
       {"",    "[]",  "[a]", "[a",  "a]",  "[10.0.0.1]", "[::1", "::1]", "x::1]", "[::1x",
        "a/b", "a:b", "a@b", "a[b", "a`b", "a{b",        "a,b",  "a^b",  "a b",   "a\xc3\xa4"}) {
    const Result<std::string> got = ParseServerName(name);
    ASSERT_FALSE(got.ok()) << name;
    EXPECT_EQ(got.error().reason(), Reason::kConfig) << name;
    EXPECT_EQ(got.error().message().rfind("tls-server-name \"", 0), 0U) << got.error().message();
  }
  EXPECT_EQ(ParseServerName("a/b").error().message(),
            "tls-server-name \"a/b\" is no host name and no IP address; give a name that the "
            "server's certificate has, without scheme, port or path");
}

}  // namespace
}  // namespace kinformer::internal::transport
