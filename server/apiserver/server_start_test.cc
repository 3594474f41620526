// Start of a server: the namespaces, the lease and the versions that it begins with.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"
#include "base/core/testing/fields_log.h"

namespace kinformer::apiserver::testing {
namespace {

using internal::base::FieldsLog;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;

const GroupVersionResource kLeases{
    .group = "coordination.k8s.io", .version = "v1", .resource = "leases"};
const GroupVersionResource kNamespaces{.group = "", .version = "v1", .resource = "namespaces"};
const GroupVersionResource kServices{.group = "", .version = "v1", .resource = "services"};

TEST(ServerStart, Namespaces_AreThoseOfARealServer) {
  for (const bool bootstrap : {false, true}) {
    TestServer server({.bootstrap_objects = bootstrap});
    EXPECT_THAT(server.server().DumpState(kNamespaces),
                ElementsAre(Key("default"), Key("kube-node-lease"), Key("kube-public"),
                            Key("kube-system")));
    EXPECT_EQ(server.Get("/api/v1/namespaces/kube-public").Json().At("/status/phase"),
              json::Value("Active"));
    EXPECT_EQ(server.server().ObjectCount(kServices), bootstrap ? 1U : 0U);
    EXPECT_EQ(server.server().ObjectCount(kLeases), bootstrap ? 1U : 0U);
  }
}

TEST(ServerStart, Lease_IsRenewedEveryTenMinutes) {
  TestServer server;
  const auto lease = [&] {
    const std::vector<json::Value> all = server.server().List(kLeases).OrExit();
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
  };
  const json::Value first = lease();
  const std::string name = first.At("/metadata/name").StringOrEmpty();
  EXPECT_TRUE(name.starts_with("apiserver-")) << name;
  EXPECT_EQ(name.size(), 42U) << name;
  EXPECT_EQ(name.find('-', 10), std::string::npos) << name;
  EXPECT_EQ(first.At("/spec/holderIdentity").StringOrEmpty(), name);
  const auto renewed = [&] { return lease().At("/spec/renewTime").StringOrEmpty(); };
  EXPECT_EQ(renewed(), "2023-11-14T22:13:20.000000Z");
  server.sim().RunFor(minutes(10) - seconds(1));
  EXPECT_EQ(renewed(), "2023-11-14T22:13:20.000000Z");
  server.sim().RunFor(seconds(1));
  EXPECT_EQ(renewed(), "2023-11-14T22:23:20.000000Z");
  server.sim().RunFor(minutes(10) - seconds(1));
  EXPECT_EQ(renewed(), "2023-11-14T22:23:20.000000Z");
  server.sim().RunFor(seconds(1));
  EXPECT_EQ(renewed(), "2023-11-14T22:33:20.000000Z");
  EXPECT_EQ(lease().At("/spec/holderIdentity").StringOrEmpty(), name);
}

// A flow schema has the status that a real server's controller gives it.
TEST(ServerStart, ObjectsThatHaveAStatus_HaveIt) {
  TestServer server;
  const json::Value list = server.Get("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas").Json();
  ASSERT_GT(list["items"].size(), 0U);
  for (const json::Value& schema : list["items"].items()) {
    EXPECT_EQ(schema.At("/status/conditions/0/status").StringOrEmpty(), "False")
        << schema.At("/metadata/name").StringOrEmpty();
  }
}

TEST(ServerStart, ServiceRange_ThatIsNone_IsLogged) {
  struct Row {
    std::string_view range;
    bool valid;
  };
  for (const Row& row : {Row{"", true}, {"10.96.0.0/12", true}, {"nonsense", false}}) {
    const auto log = std::make_shared<FieldsLog>();
    Simulation sim({.log = log});
    const ApiServer server(sim.env(), {.service_cluster_ip_range = std::string(row.range)});
    if (row.valid) {
      EXPECT_THAT(log->lines, IsEmpty()) << row.range;
    } else {
      EXPECT_THAT(log->lines,
                  ElementsAre("service_cluster_ip_range is not a range of IPv4 addresses such as "
                              "10.96.0.0/12: Services get no addresses range=nonsense"));
    }
  }
}

TEST(ServerStart, FirstVersion_IsMicrosecondsWithin25Hours) {
  struct Row {
    microseconds now;
    std::int64_t version;
  };
  for (const Row& row : {Row{microseconds(0), 2},
                         {microseconds(1), 3},
                         {microseconds(89'999'999'999), 90'000'000'001},
                         {microseconds(90'000'000'000), 2},
                         {microseconds(180'000'000'007), 9}}) {
    EXPECT_EQ(FirstResourceVersionAt(WallTime(row.now)), row.version) << row.now.count();
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing
