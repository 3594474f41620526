// Faults that only some requests meet: pages after the first, watches that begin with the state.

#include <gtest/gtest.h>
#include <string>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

const std::string kMaps = "/api/v1/namespaces/default/configmaps";

TEST(FaultRequests, RuleForFurtherPages_SparesTheFirst) {
  TestServer server;
  for (const char* name : {"a", "b", "c"}) server.MakeConfigMap("default", name);
  FaultPlan& faults = server.server().faults();
  const auto rule = faults.Add({.verb = "list", .only_continue = true, .status = 429});
  const Reply first = server.Get(kMaps + "?limit=1");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(server.Get(kMaps).status, 200);
  EXPECT_EQ(server.Get(kMaps + "?limit=1&continue=").status, 200);
  EXPECT_EQ(faults.hits(rule), 0U);
  const std::string next =
      kMaps + "?limit=1&continue=" + first.Json().At("/metadata/continue").StringOrEmpty();
  EXPECT_EQ(server.Get(next).status, 429);
  EXPECT_EQ(faults.hits(rule), 1U);
  faults.Clear();
  EXPECT_EQ(server.Get(next).status, 200);
}

TEST(FaultRequests, RuleForInitialEvents_SparesOtherWatches) {
  TestServer server;
  server.server().faults().Add({.verb = "watch", .only_initial_events = true, .status = 503});
  const std::string watch = kMaps + "?watch=1&resourceVersionMatch=NotOlderThan";
  EXPECT_EQ(server.Open(kMaps + "?watch=1")->reply().status, 200);
  EXPECT_EQ(server.Open(watch + "&sendInitialEvents=false")->reply().status, 200);
  EXPECT_EQ(server.Open(watch + "&sendInitialEvents=true")->reply().status, 503);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
