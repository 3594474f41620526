#include "apiserver/builtin/service_addresses.h"

#include <gtest/gtest.h>
#include <string>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

std::string Sorted(const json::Value& value) { return value.Dump({.sort_keys = true}); }

// Returns the spec that a new Service gets, or the problems.
std::string Assigned(ServiceAddresses& addresses, const std::string& spec,
                     const std::string& old = "") {
  json::Value service = Quoted("{'spec':" + spec + "}");
  const json::Value before = old.empty() ? json::Value() : Quoted("{'spec':" + old + "}");
  const auto causes = addresses.Assign(before, service);
  return causes.empty() ? Sorted(service["spec"]) : Lines(causes);
}

std::string Member(ServiceAddresses& addresses, const std::string& spec, const char* pointer,
                   const std::string& old = "") {
  json::Value service = Quoted("{'spec':" + spec + "}");
  const json::Value before = old.empty() ? json::Value() : Quoted("{'spec':" + old + "}");
  EXPECT_EQ(Lines(addresses.Assign(before, service)), "");
  return std::as_const(service).At(std::string("/spec") + pointer).Dump();
}

void Take(ServiceAddresses& addresses, const std::string& key, const std::string& spec) {
  addresses.Take(key, Quoted("{'spec':" + spec + "}"));
}

TEST(ServiceRange, Ranges_AreCidrsOfUpToThirtyBits) {
  struct Row {
    const char* range;
    const char* server;  // empty: no range
  };
  for (const Row& row : {
           Row{"10.96.0.0/12", "10.96.0.1"},
           Row{"10.96.7.9/24", "10.96.7.1"},
           Row{"10.0.0.7/30", "10.0.0.5"},
           Row{"128.0.0.0/1", "128.0.0.1"},
           Row{"10.0.0.0/31", ""},
           Row{"10.0.0.0/0", ""},
           Row{"10.0.0.0/", ""},
           Row{"10.0.0.0", ""},
           Row{"/12", ""},
           Row{"10.0.0/12", ""},
           Row{"10.0.0.0/x", ""},
           Row{"10.0.0.0/-1", ""},
           Row{"", ""},
       }) {
    EXPECT_EQ(ServiceAddresses::OfServer(row.range), row.server) << row.range;
    EXPECT_EQ(ServiceAddresses::IsRange(row.range), *row.server != '\0') << row.range;
  }
  EXPECT_FALSE(ServiceAddresses::IsRange(std::string_view("10.0.0.0\0/12", 12)));
}

// A range of eight addresses: one is the server's, and the first and last are not assigned.
TEST(ServiceAddresses, Addresses_AreAssignedInRotation) {
  ServiceAddresses addresses("192.0.2.8/29");
  const auto next = [&] { return Member(addresses, "{'type':'ClusterIP'}", "/clusterIP"); };
  for (const char* address : {"192.0.2.10", "192.0.2.11", "192.0.2.12", "192.0.2.13", "192.0.2.14",
                              "192.0.2.10", "192.0.2.11"}) {
    EXPECT_EQ(next(), "\"" + std::string(address) + "\"");
  }
  Take(addresses, "a", "{'clusterIP':'192.0.2.12'}");
  Take(addresses, "b", "{'clusterIP':'192.0.2.14'}");
  EXPECT_EQ(next(), "\"192.0.2.13\"");
  EXPECT_EQ(next(), "\"192.0.2.10\"");
  EXPECT_EQ(next(), "\"192.0.2.11\"");
  addresses.Release("a");
  addresses.Release("a");
  addresses.Release("none");
  EXPECT_EQ(next(), "\"192.0.2.12\"");
  // The same key gives its former address back.
  Take(addresses, "b", "{'clusterIP':'192.0.2.13'}");
  EXPECT_EQ(next(), "\"192.0.2.14\"");
  EXPECT_EQ(next(), "\"192.0.2.10\"");
  for (const char* key : {"10", "11", "12", "14"}) {
    Take(addresses, key, std::string("{'clusterIP':'192.0.2.") + key + "'}");
  }
  EXPECT_EQ(next(), "null");
}

TEST(ServiceAddresses, TakenAddresses_AreSkippedHoweverManyThereAre) {
  for (const int taken : {1, 2, 3, 4}) {
    ServiceAddresses addresses("192.0.2.8/29");
    for (int i = 10; i < 10 + taken; ++i) {
      const std::string key = std::to_string(i);
      Take(addresses, key, "{'clusterIP':'192.0.2." + key + "'}");
    }
    EXPECT_EQ(Member(addresses, "{'type':'ClusterIP'}", "/clusterIP"),
              "\"192.0.2." + std::to_string(10 + taken) + "\"");
  }
}

TEST(ServiceAddresses, GivenAddress_MustBeFreeAndInRange) {
  ServiceAddresses addresses("192.0.2.8/29");
  Take(addresses, "a", "{'clusterIP':'192.0.2.10'}");
  const auto check = [&](const std::string& address) {
    return Assigned(addresses, "{'type':'ClusterIP','clusterIP':'" + address + "'}");
  };
  const auto failed = [](const std::string& address, const std::string& why) {
    return "spec.clusterIPs: Invalid value: [\"" + address + "\"]: failed to allocate IP " +
           address + ": " + why + "\n";
  };
  const std::string outside = "the provided network does not match the current range";
  EXPECT_EQ(check("192.0.2.10"), failed("192.0.2.10", "provided IP is already allocated"));
  EXPECT_EQ(check("192.0.2.8"), failed("192.0.2.8", outside));
  EXPECT_EQ(check("192.0.2.15"), failed("192.0.2.15", outside));
  EXPECT_EQ(check("10.0.0.1"), failed("10.0.0.1", outside));
  for (const std::string address : {"192.0.2.9", "192.0.2.14"}) {
    EXPECT_EQ(check(address),
              R"({"clusterIP":")" + address + R"(","clusterIPs":[")" + address +
                  R"("],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","type":"ClusterIP"})");
  }
  ServiceAddresses none("");
  EXPECT_EQ(Member(none, "{'type':'ClusterIP','clusterIP':'10.0.0.1'}", "/clusterIPs"),
            R"(["10.0.0.1"])");
  EXPECT_EQ(Member(none, "{'type':'ClusterIP'}", "/clusterIP"), "null");
}

TEST(ServiceAddresses, HeadlessAndExternal_HaveNoAddress) {
  ServiceAddresses addresses("192.0.2.8/29");
  EXPECT_EQ(Assigned(addresses, "{'type':'ClusterIP','clusterIP':'None','selector':{'a':'b'}}"),
            R"({"clusterIP":"None","clusterIPs":["None"],"ipFamilies":["IPv4"],)"
            R"("ipFamilyPolicy":"SingleStack","selector":{"a":"b"},"type":"ClusterIP"})");
  EXPECT_EQ(Assigned(addresses,
                     "{'type':'ExternalName','clusterIP':'','clusterIPs':[],'ipFamilies':['IPv4'],"
                     "'ipFamilyPolicy':'SingleStack','externalName':'a.b'}"),
            R"({"externalName":"a.b","type":"ExternalName"})");
  for (const std::string type : {"NodePort", "LoadBalancer"}) {
    EXPECT_EQ(Assigned(addresses, "{'type':'" + type + "','clusterIP':'None'}"),
              "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for " + type +
                  " services\n");
  }
}

TEST(ServiceAddresses, Update_KeepsTheAddress) {
  ServiceAddresses addresses("192.0.2.8/29");
  constexpr const char* kOld =
      "{'type':'ClusterIP','clusterIP':'192.0.2.12','clusterIPs':['192.0.2.12'],"
      "'ipFamilyPolicy':'SingleStack','ipFamilies':['IPv4']}";
  Take(addresses, "a", kOld);
  EXPECT_EQ(Assigned(addresses, "{'type':'ClusterIP'}", kOld),
            R"({"clusterIP":"192.0.2.12","clusterIPs":["192.0.2.12"],"ipFamilies":["IPv4"],)"
            R"("ipFamilyPolicy":"SingleStack","type":"ClusterIP"})");
  EXPECT_EQ(Member(addresses, "{'type':'ClusterIP','clusterIP':'192.0.2.12'}", "/clusterIPs", kOld),
            R"(["192.0.2.12"])");
  constexpr const char* kChanged =
      "spec.clusterIPs[0]: Invalid value: [\"%\"]: may not change once set\n";
  EXPECT_EQ(Assigned(addresses, "{'type':'ClusterIP','clusterIP':'192.0.2.13'}", kOld),
            std::string(kChanged).replace(37, 1, "192.0.2.13"));
  EXPECT_EQ(Assigned(addresses, "{'type':'ClusterIP','clusterIPs':['192.0.2.12']}", kOld),
            std::string(kChanged).replace(37, 1, ""));
  // A Service that becomes an external name loses it, and one that was gets a new one.
  EXPECT_EQ(Assigned(addresses, "{'type':'ExternalName','clusterIP':'192.0.2.12'}", kOld),
            R"({"type":"ExternalName"})");
  EXPECT_EQ(Member(addresses, "{'type':'ClusterIP'}", "/clusterIP",
                   "{'type':'ExternalName','clusterIP':'192.0.2.12'}"),
            R"("192.0.2.10")");
}

}  // namespace
}  // namespace kinformer::apiserver
