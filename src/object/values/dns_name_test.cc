#include "object/values/dns_name.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal {
namespace {

TEST(DnsName, Subdomains) {
  for (const std::string& good : {std::string("a"), std::string("web-0"), std::string("a.b-c.0"),
                                  std::string("a--b"), std::string(253, 'a')}) {
    EXPECT_TRUE(IsDnsSubdomain(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("."), std::string("-a"), std::string("a-"), std::string("a."),
        std::string(".a"), std::string("a..b"), std::string("a.-b"), std::string("a-.b"),
        std::string("A"), std::string("a_b"), std::string("a:b"), std::string(254, 'a')}) {
    EXPECT_FALSE(IsDnsSubdomain(bad)) << bad;
  }
}

}  // namespace
}  // namespace kinformer::internal
