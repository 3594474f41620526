#include <gtest/gtest.h>
#include <string>

#include "apiserver/builtin/service_addresses.h"
#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

constexpr const char* kAddress = "'clusterIP':'192.0.2.12','clusterIPs':['192.0.2.12']";

class ServicePorts : public ::testing::Test {
 public:
  // Returns the member of the spec, or the problems. Both specs get the same address.
  std::string Member(const std::string& members, const char* name, const std::string& old = "") {
    json::Value service = Quoted("{'spec':{" + members + "," + kAddress + "}}");
    const json::Value before =
        old.empty() ? json::Value() : Quoted("{'spec':{" + old + "," + kAddress + "}}");
    const auto causes = addresses_.Assign(before, service);
    return causes.empty() ? std::as_const(service)["spec"][name].Dump() : Lines(causes);
  }
  void Take(const std::string& key, const std::string& members) {
    addresses_.Take(key, Quoted("{'spec':{" + members + "}}"));
  }

 private:
  ServiceAddresses addresses_{"192.0.2.8/29"};
};

TEST_F(ServicePorts, NodePorts_AreAssignedInRotation) {
  EXPECT_EQ(Member("'type':'NodePort','ports':[{'port':1},{'port':2}]", "ports"),
            R"([{"port":1,"nodePort":30000},{"port":2,"nodePort":30001}])");
  Take("a", "'ports':[{'nodePort':30003},{'nodePort':0},{'nodePort':30002}]");
  EXPECT_EQ(
      Member("'type':'LoadBalancer','ports':[{'port':1},{'nodePort':30004},{'port':2}]", "ports"),
      R"([{"port":1,"nodePort":30005},{"nodePort":30004},{"port":2,"nodePort":30006}])");
  EXPECT_EQ(Member("'type':'ClusterIP','ports':[{'port':1}]", "ports"), R"([{"port":1}])");
  EXPECT_EQ(Member("'type':'LoadBalancer','allocateLoadBalancerNodePorts':false,"
                   "'ports':[{'port':1}]",
                   "ports"),
            R"([{"port":1}])");
  EXPECT_EQ(Member("'type':'NodePort','allocateLoadBalancerNodePorts':false,'ports':[{'port':1}]",
                   "ports"),
            R"([{"port":1,"nodePort":30007}])");
}

TEST_F(ServicePorts, AllPorts_AreUsedBeforeNoneIsLeft) {
  std::string ports;
  for (int i = 30000; i < 32767; ++i) {
    ports += std::string(ports.empty() ? "" : ",") + "{'nodePort':" + std::to_string(i) + "}";
  }
  Take("most", "'ports':[" + ports + "]");
  EXPECT_EQ(Member("'type':'NodePort','ports':[{'port':1},{'port':2}]", "ports"),
            R"([{"port":1,"nodePort":32767},{"port":2}])");
  EXPECT_EQ(Member("'type':'NodePort','ports':[{'port':1}]", "ports"),
            R"([{"port":1,"nodePort":32767}])");
  Take("most", "'ports':[{'nodePort':30001}]");
  EXPECT_EQ(Member("'type':'NodePort','ports':[{'port':1},{'port':2}]", "ports"),
            R"([{"port":1,"nodePort":30000},{"port":2,"nodePort":30002}])");
}

TEST_F(ServicePorts, GivenNodePort_MustBeFreeAndInRange) {
  Take("a", "'ports':[{'nodePort':30005}],'healthCheckNodePort':30006");
  const auto check = [&](int port, const std::string& old = "") {
    return Member(
        "'type':'NodePort','ports':[{'nodePort':30000},{'nodePort':" + std::to_string(port) + "}]",
        "type", old);
  };
  const auto failed = [](int port, const std::string& why) {
    return "spec.ports[1].nodePort: Invalid value: " + std::to_string(port) +
           ": provided port is " + why + "\n";
  };
  const std::string outside = "not in the valid range. The range of valid ports is 30000-32767";
  EXPECT_EQ(check(30001), "\"NodePort\"");
  EXPECT_EQ(check(32767), "\"NodePort\"");
  EXPECT_EQ(check(29999), failed(29999, outside));
  EXPECT_EQ(check(32768), failed(32768, outside));
  EXPECT_EQ(check(30005), failed(30005, "already allocated"));
  EXPECT_EQ(check(30006), failed(30006, "already allocated"));
  // A Service may keep its own.
  EXPECT_EQ(check(30005, "'type':'NodePort','ports':[{'nodePort':30005}]"), "\"NodePort\"");
}

TEST_F(ServicePorts, TwoServices_MayReleaseTheSamePort) {
  Take("a", "'ports':[{'nodePort':30005,'protocol':'TCP'},{'nodePort':30005,'protocol':'UDP'}]");
  Take("a", "'ports':[{'nodePort':30005,'protocol':'TCP'}]");
  EXPECT_NE(Member("'type':'NodePort','ports':[{'nodePort':30005}]", "type"), "\"NodePort\"");
  Take("a", "'ports':[]");
  EXPECT_EQ(Member("'type':'NodePort','ports':[{'nodePort':30005}]", "type"), "\"NodePort\"");
}

TEST_F(ServicePorts, Update_KeepsPortsOfTheSameNumberAndProtocol) {
  constexpr const char* kOld =
      "'type':'NodePort','ports':[{'port':80,'protocol':'TCP','nodePort':31000},"
      "{'port':80,'protocol':'UDP','nodePort':31001},{'port':81,'protocol':'TCP'},"
      "{'port':80,'protocol':'TCP','nodePort':31002}]";
  Take("a", kOld);
  EXPECT_EQ(Member("'type':'NodePort','ports':[{'port':80,'protocol':'UDP'},"
                   "{'port':80,'protocol':'TCP'},{'port':82,'protocol':'TCP'},"
                   "{'port':80,'protocol':'TCP','nodePort':31007}]",
                   "ports", kOld),
            R"([{"port":80,"protocol":"UDP","nodePort":31001},)"
            R"({"port":80,"protocol":"TCP","nodePort":31000},)"
            R"({"port":82,"protocol":"TCP","nodePort":30000},)"
            R"({"port":80,"protocol":"TCP","nodePort":31007}])");
  // A Service without node ports drops those that it had, but not new ones.
  EXPECT_EQ(Member("'type':'ClusterIP','ports':[{'port':80,'nodePort':31000},{'port':81,"
                   "'nodePort':31009},{'port':82}]",
                   "ports", kOld),
            R"([{"port":80},{"port":81,"nodePort":31009},{"port":82}])");
  EXPECT_EQ(Member("'type':'ClusterIP','ports':[{'port':80,'nodePort':31000}]", "ports",
                   "'type':'ClusterIP','ports':[{'port':80,'nodePort':31000}]"),
            R"([{"port":80,"nodePort":31000}])");
}

constexpr const char* kLocal = "'type':'LoadBalancer','externalTrafficPolicy':'Local','ports':[]";

TEST_F(ServicePorts, HealthCheckPort_BelongsToLocalLoadBalancers) {
  EXPECT_EQ(Member(kLocal, "healthCheckNodePort"), "30000");
  EXPECT_EQ(Member(std::string(kLocal) + ",'healthCheckNodePort':30055", "healthCheckNodePort"),
            "30055");
  EXPECT_EQ(Member("'type':'LoadBalancer','externalTrafficPolicy':'Cluster','ports':[]",
                   "healthCheckNodePort"),
            "null");
  EXPECT_EQ(
      Member("'type':'NodePort','externalTrafficPolicy':'Local','ports':[]", "healthCheckNodePort"),
      "null");
  const std::string old = std::string(kLocal) + ",'healthCheckNodePort':30077";
  EXPECT_EQ(Member(kLocal, "healthCheckNodePort", old), "30077");
  EXPECT_EQ(Member("'type':'NodePort','healthCheckNodePort':30077,'ports':[]",
                   "healthCheckNodePort", old),
            "null");
  EXPECT_EQ(Member("'type':'NodePort','healthCheckNodePort':30078,'ports':[]",
                   "healthCheckNodePort", old),
            "30078");
}

TEST_F(ServicePorts, Update_DropsWhatTheTypeDoesNotHave) {
  struct Row {
    const char* old;
    const char* members;
    const char* name;
    const char* value;
  };
  for (const Row& row : {
           // Only reachable Services have a traffic policy.
           Row{"'type':'NodePort','externalTrafficPolicy':'Local'",
               "'type':'ClusterIP','externalTrafficPolicy':'Local'", "externalTrafficPolicy",
               "null"},
           Row{"'type':'NodePort','externalTrafficPolicy':'Local'",
               "'type':'ClusterIP','externalTrafficPolicy':'Cluster'", "externalTrafficPolicy",
               "\"Cluster\""},
           Row{"'type':'NodePort','externalTrafficPolicy':'Local'",
               "'type':'ClusterIP','externalTrafficPolicy':'Local','externalIPs':['192.0.2.1']",
               "externalTrafficPolicy", "\"Local\""},
           Row{"'type':'ClusterIP','externalTrafficPolicy':'Local','externalIPs':['192.0.2.1']",
               "'type':'ClusterIP','externalTrafficPolicy':'Local'", "externalTrafficPolicy",
               "null"},
           Row{"'type':'ClusterIP','externalTrafficPolicy':'Local'",
               "'type':'ClusterIP','externalTrafficPolicy':'Local'", "externalTrafficPolicy",
               "\"Local\""},
           Row{"'type':'LoadBalancer','externalTrafficPolicy':'Cluster'",
               "'type':'NodePort','externalTrafficPolicy':'Cluster'", "externalTrafficPolicy",
               "\"Cluster\""},
           // Only load balancers have these.
           Row{"'type':'LoadBalancer','loadBalancerClass':'a'",
               "'type':'NodePort','loadBalancerClass':'a'", "loadBalancerClass", "null"},
           Row{"'type':'LoadBalancer','loadBalancerClass':'a'",
               "'type':'NodePort','loadBalancerClass':'b'", "loadBalancerClass", "\"b\""},
           Row{"'type':'LoadBalancer','loadBalancerClass':'a'",
               "'type':'LoadBalancer','loadBalancerClass':'a'", "loadBalancerClass", "\"a\""},
           Row{"'type':'NodePort','loadBalancerClass':'a'",
               "'type':'NodePort','loadBalancerClass':'a'", "loadBalancerClass", "\"a\""},
           Row{"'type':'LoadBalancer','allocateLoadBalancerNodePorts':true",
               "'type':'NodePort','allocateLoadBalancerNodePorts':true",
               "allocateLoadBalancerNodePorts", "null"},
           Row{"'type':'LoadBalancer','allocateLoadBalancerNodePorts':true",
               "'type':'NodePort','allocateLoadBalancerNodePorts':false",
               "allocateLoadBalancerNodePorts", "false"},
           Row{"'type':'LoadBalancer','allocateLoadBalancerNodePorts':true",
               "'type':'LoadBalancer','allocateLoadBalancerNodePorts':true",
               "allocateLoadBalancerNodePorts", "true"},
           Row{"'type':'NodePort','allocateLoadBalancerNodePorts':true",
               "'type':'ClusterIP','allocateLoadBalancerNodePorts':true",
               "allocateLoadBalancerNodePorts", "true"},
       }) {
    EXPECT_EQ(Member(row.members, row.name, row.old), row.value) << row.old << row.members;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
