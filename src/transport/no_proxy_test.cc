// NO_PROXY: entry by entry, with the limits of networks, ports and domains.

#include <gtest/gtest.h>
#include <string>

#include "transport/proxy.h"

namespace kinformer::internal::transport {
namespace {

struct Row {
  const char* url;
  const char* no_proxy;
  bool direct;
};

template <std::size_t kCount>
void Check(const Row (&rows)[kCount]) {
  for (const Row& row : rows) {
    EXPECT_EQ(IsDirect(ParseEndpoint(row.url).OrExit(), row.no_proxy), row.direct)
        << row.url << " with NO_PROXY=" << row.no_proxy;
  }
}

TEST(NoProxy, ThisMachine_IsDirectWithoutAnEntry) {
  Check({
      {"https://localhost", "", true},
      {"https://LOCALHOST:1", "", true},
      {"https://localhost.example", "", false},
      {"https://127.0.0.0", "", true},
      {"https://127.255.255.255", "", true},
      {"https://126.255.255.255", "", false},
      {"https://128.0.0.1", "", false},
      {"https://[::1]", "", true},
      {"https://[0:0:0:0:0:0:0:1]", "", true},
      {"https://[::ffff:127.0.0.1]", "", true},
      {"https://[::2]", "", false},
      {"https://[::]", "", false},
      {"https://[1::1]", "", false},
      {"https://[::1:0:1]", "", false},
      {"https://[::127.0.0.1]", "", false},
  });
}

TEST(NoProxy, Network_EndsAtItsLastAddress) {
  Check({
      {"https://10.0.0.0", "10.0.0.0/8", true},
      {"https://10.255.255.255", "10.0.0.0/8", true},
      {"https://9.255.255.255", "10.0.0.0/8", false},
      {"https://11.0.0.0", "10.0.0.0/8", false},
      // Bits of the entry behind its length do not count.
      {"https://10.1.2.3", "10.9.9.9/8", true},
      {"https://10.127.0.1", "10.0.0.0/9", true},
      {"https://10.128.0.1", "10.0.0.0/9", false},
      {"https://10.1.2.4", "10.1.2.5/31", true},
      {"https://10.1.2.6", "10.1.2.5/31", false},
      {"https://10.1.2.5", "10.1.2.5/32", true},
      {"https://10.1.2.4", "10.1.2.5/32", false},
      {"https://10.1.2.5", "10.1.2.5/33", false},
      {"https://10.1.2.5", "10.1.2.5/128", false},
      {"https://250.1.2.5", "1.1.2.5/0", true},
      {"https://250.1.2.5", "1.1.2.5/1", false},
      {"https://10.1.2.5", "10.1.2.5/", false},
      {"https://10.1.2.5", "10.1.2.5/-1", false},
      {"https://10.1.2.5", "10.1.2.5/32x", false},
      {"https://10.1.2.5", "10.1.2.5/ 32", false},
      {"https://10.1.2.5", "10.1.2.5/99999999999", false},
      {"https://10.1.2.5", "10.1.2/8", false},
      {"https://10.1.2.5", "/8", false},
      {"https://0.1.2.5", "kube/8", false},
      {"https://[fd00::5]", "fd00::4/127", true},
      {"https://[fd00::6]", "fd00::4/127", false},
      {"https://[fd00::4]", "fd00::4/128", true},
      {"https://[fd00::5]", "fd00::4/128", false},
      {"https://[fd00::4]", "fd00::4/129", false},
      {"https://[fdff::1]", "fd00::/8", true},
      {"https://[fe00::1]", "fd00::/8", false},
      {"https://[fd00::1]", "7d00::/8", false},
      {"https://[fd00::1]", "0.0.0.0/0", false},
      {"https://[::ffff:10.1.2.3]", "10.0.0.0/8", true},
  });
}

TEST(NoProxy, Address_IsComparedAsAnAddress) {
  Check({
      {"https://10.1.2.3", "10.1.2.3", true},
      {"https://10.1.2.3", "10.1.2.4", false},
      {"https://10.1.2.3", "::ffff:10.1.2.3", true},
      {"https://[fd00::1]", "fd00:0:0::1", true},
      {"https://[fd00::1]", "FD00::1", true},
      {"https://[fd00::1]", "fd00::2", false},
      {"https://[fd00::1]", "[fd00::1]", true},
      {"https://[fd00::1]", "[fd00::2]", false},
      {"https://[fd00::1]:1", "[fd00::1]:1", true},
      {"https://[fd00::1]:1", "[fd00::1]:2", false},
      {"https://[fd00::1]:1", "[fd00::1]:", true},
      {"https://[fd00::1]:1", "[fd00::1", false},
      {"https://[fd00::1]:1", "fd00::1]", false},
      {"https://kube.example", "10.1.2.3", false},
      // An address has no subdomains.
      {"https://5.10.1.2.3.example", "10.1.2.3", false},
  });
}

TEST(NoProxy, Port_IfThereIsOne_MustBeTheServers) {
  Check({
      {"https://kube.example", "kube.example:443", true},
      {"https://kube.example", "kube.example:80", false},
      {"http://kube.example", "kube.example:80", true},
      {"http://kube.example", "kube.example:443", false},
      {"https://kube.example:6443", "kube.example:", true},
      {"https://kube.example:6443", "example:6443", true},
      {"https://kube.example:6443", ".example:6443", true},
      {"https://kube.example:6443", ".example:643", false},
      {"https://kube.example:6443", "*.example:6443", true},
      {"https://kube.example:6443", ":6443", false},
      {"https://kube.example.:6443", ":6443", false},
      {"https://kube.example:6443", "[]:6443", false},
      {"https://kube.example:6443", "[", false},
      {"https://kube.example:6443", "]", false},
      {"https://kube.example:6443", "[kube.example]:6443", true},
      {"https://kube.example:6443", "kube.example:6443:6443", false},
      {"https://kube.example:6443", "[kube.examplex", false},
      {"https://kube.example:6443", "xkube.example]", false},
      {"https://kube.example:6443", "[kube.example]x:6443", false},
      {"https://kube.example:6443", "*:6443", false},
  });
}

TEST(NoProxy, Domain_WithADotExcludesItself) {
  Check({
      {"https://example", "example", true},
      {"https://a.example", "example", true},
      {"https://a.b.example", "example", true},
      {"https://aexample", "example", false},
      {"https://example.com", "example", false},
      {"https://xample", "example", false},
      {"https://example", ".example", false},
      {"https://a.example", ".example", true},
      {"https://aexample", ".example", false},
      {"https://example", "*.example", false},
      {"https://a.example", "*.example", true},
      {"https://aexample", "*.example", false},
      {"https://a.example", "*example", false},
      {"https://AZ.EXAMPLE", "az.example", true},
      {"https://az.example", "AZ.EXAMPLE", true},
      {"https://a-z_0.example", "A-Z_0.example", true},
  });
}

TEST(NoProxy, Entries_AreSeparatedByCommasAndTrimmed) {
  Check({
      {"https://b", "a,b,c", true},
      {"https://c", "a,b,c", true},
      {"https://a", "a,b,c", true},
      {"https://d", "a,b,c", false},
      {"https://b", "a,\tb \t,c", true},
      {"https://b", ",, ,\t,b", true},
      {"https://b", "a,b,", true},
      {"https://b", "a b", false},
      {"https://b", "x, * ,y", true},
      {"https://b", "**", false},
  });
}

}  // namespace
}  // namespace kinformer::internal::transport
