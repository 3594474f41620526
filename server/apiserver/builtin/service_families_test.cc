#include "apiserver/builtin/service_families.h"

#include <gtest/gtest.h>
#include <string>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

// The server's cluster has IPv4 only, as the real one of the comparison.
TEST(ServiceFamilies, SingleStackCluster_HasOneFamily) {
  const std::string not_dual =
      "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured "
      "for dual-stack services\n";
  const auto unknown = [](int index) {
    return "spec.ipFamilies[" + std::to_string(index) +
           "]: Invalid value: \"IPv6\": not configured on this cluster\n";
  };
  struct Row {
    std::string before;
    std::string spec;
    std::string after;  // or the causes
  };
  for (const Row& row : {
           Row{"", "{}", R"({"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"})"},
           Row{"", "{'ipFamilies':['IPv4'],'ipFamilyPolicy':'SingleStack'}",
               R"({"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"})"},
           Row{"", "{'ipFamilyPolicy':'PreferDualStack'}",
               R"({"ipFamilies":["IPv4"],"ipFamilyPolicy":"PreferDualStack"})"},
           Row{"{'ipFamilyPolicy':'PreferDualStack'}", "{}",
               R"({"ipFamilies":["IPv4"],"ipFamilyPolicy":"PreferDualStack"})"},
           Row{"", "{'ipFamilyPolicy':'RequireDualStack'}", not_dual},
           Row{"", "{'ipFamilies':['IPv6']}", unknown(0)},
           Row{"", "{'ipFamilies':['IPv4','IPv6'],'ipFamilyPolicy':'PreferDualStack'}", unknown(1)},
           Row{"", "{'ipFamilies':['IPv6'],'ipFamilyPolicy':'RequireDualStack'}",
               not_dual + unknown(0)},
           Row{"", "{'ipFamilies':['IPv4','IPv6']}",
               "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or "
               "'PreferDualStack' when multiple IP families are specified\n"},
           // Headless ones without a selector may have any.
           Row{"", "{'clusterIP':'None'}",
               R"({"clusterIP":"None","ipFamilies":["IPv4","IPv6"],)"
               R"("ipFamilyPolicy":"RequireDualStack"})"},
           Row{"", "{'clusterIP':'None','ipFamilies':['IPv6']}",
               R"({"clusterIP":"None","ipFamilies":["IPv6","IPv4"],)"
               R"("ipFamilyPolicy":"RequireDualStack"})"},
           Row{"", "{'clusterIP':'None','ipFamilies':['IPv6'],'ipFamilyPolicy':'SingleStack'}",
               R"({"clusterIP":"None","ipFamilies":["IPv6"],"ipFamilyPolicy":"SingleStack"})"},
           Row{"", "{'clusterIP':'None','selector':{'a':'b'}}",
               R"({"clusterIP":"None","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",)"
               R"("selector":{"a":"b"}})"},
           Row{"", "{'clusterIP':'None','selector':{'a':'b'},'ipFamilies':['IPv6']}", unknown(0)},
           // Both families are released by asking for a single one.
           Row{"{'ipFamilies':['IPv4','IPv6'],'ipFamilyPolicy':'RequireDualStack'}",
               "{'ipFamilies':['IPv4','IPv6'],'ipFamilyPolicy':'SingleStack'}",
               R"({"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"})"},
           Row{"{'ipFamilies':['IPv4','IPv6'],'ipFamilyPolicy':'RequireDualStack'}",
               "{'ipFamilies':['IPv4'],'ipFamilyPolicy':'PreferDualStack'}",
               "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be 'SingleStack' to "
               "release the secondary IP family\n"},
           Row{"{'ipFamilies':['IPv6','IPv4'],'ipFamilyPolicy':'PreferDualStack'}",
               "{'ipFamilies':['IPv4'],'ipFamilyPolicy':'PreferDualStack'}",
               R"({"ipFamilies":["IPv4"],"ipFamilyPolicy":"PreferDualStack"})"},
           Row{"{'ipFamilies':['IPv4','IPv6'],'ipFamilyPolicy':'PreferDualStack'}",
               "{'ipFamilyPolicy':'PreferDualStack'}",
               R"({"ipFamilies":["IPv4"],"ipFamilyPolicy":"PreferDualStack"})"},
           Row{"{'ipFamilies':['IPv4'],'ipFamilyPolicy':'PreferDualStack'}",
               "{'ipFamilies':['IPv4'],'ipFamilyPolicy':'PreferDualStack'}",
               R"({"ipFamilies":["IPv4"],"ipFamilyPolicy":"PreferDualStack"})"},
       }) {
    json::Value spec = Quoted(row.spec);
    const auto causes = SettleFamilies(Quoted(row.before), spec);
    EXPECT_EQ(causes.empty() ? spec.Dump({.sort_keys = true}) : Lines(causes), row.after)
        << row.before << " -> " << row.spec;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
