// Watches over the wire: times, bookmarks, versions, shared frames and errors.

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kMaps = "/api/v1/namespaces/default/configmaps";
constexpr nanoseconds kTick{1};

class WatchProtocolTest : public ::testing::Test {
 protected:
  std::unique_ptr<OpenReply> Watch(const std::string& query, const HeaderList& headers = {}) {
    return server_.Open(kMaps + "?watch=1&" + query, headers);
  }
  [[nodiscard]] std::string Now() {
    return std::to_string(server_.server().current_resource_version());
  }
  // Returns the time of the next wake, in seconds from now; or -1 for none within the limit.
  double NextWake(const OpenReply& watch, Duration limit) {
    const SteadyTime start = server_.sim().env().Now();
    const int before = watch.wakes();
    if (!server_.sim().RunUntil([&] { return watch.wakes() != before; }, limit)) return -1;
    return std::chrono::duration<double>(server_.sim().env().Now() - start).count();
  }

  TestServer server_;
};

TEST_F(WatchProtocolTest, FaultyOptions_AreRefused) {
  const std::string invalid = "ListOptions.meta.k8s.io \"\" is invalid: ";
  const std::string forbidden = invalid + "resourceVersionMatch: Forbidden: ";
  for (const auto& [query, message] : std::vector<std::pair<std::string, std::string>>{
           {"sendInitialEvents=true",
            forbidden + "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"},
           {"resourceVersionMatch=NotOlderThan",
            forbidden +
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"},
           {"resourceVersionMatch=Exact&sendInitialEvents=true",
            invalid + "resourceVersionMatch: Unsupported value: \"Exact\": supported values: "
                      "\"NotOlderThan\""},
           {"resourceVersion=x",
            "invalid resource version \"x\": it must be a non-negative decimal number"},
       }) {
    EXPECT_EQ(Watch(query)->reply().Json()["message"].StringOrEmpty(), message) << query;
  }
  EXPECT_EQ(Watch("timeoutSeconds=x")->reply().status, 400);
  EXPECT_EQ(Watch("labelSelector=%21%21")->reply().status, 400);
  EXPECT_EQ(Watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan")->reply().status,
            200);
  TestServer classic({.watch_list = false});
  auto refused =
      classic.Open(kMaps + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(refused->reply().Json()["message"].StringOrEmpty(),
            invalid +
                "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless "
                "the WatchList feature gate is enabled");
  EXPECT_EQ(classic.Open(kMaps + "?watch=1")->reply().status, 200);
}

TEST_F(WatchProtocolTest, Timeout_EndsExactlyThen) {
  for (const int timeout : {1, 2, 3, 10}) {
    auto watch = Watch("allowWatchBookmarks=true&timeoutSeconds=" + std::to_string(timeout) +
                       "&resourceVersion=" + Now());
    EXPECT_EQ(watch->reply().headers.Get("Content-Type"), "application/json");
    EXPECT_EQ(watch->reply().headers.Get("Cache-Control"), "no-cache, private");
    EXPECT_EQ(watch->reply().headers.size(), 3U) << "these, and Audit-Id";
    // The last bookmark comes two seconds before the end, if there is time for it.
    if (timeout > 2) {
      EXPECT_EQ(NextWake(*watch, hours(1)), timeout - 2);
      EXPECT_THAT(watch->Events(), ElementsAre("BOOKMARK " + Now()));
      server_.sim().RunFor(seconds(2) - kTick);
    } else {
      server_.sim().RunFor(seconds(timeout) - kTick);
    }
    EXPECT_THAT(watch->Events(), IsEmpty());
    EXPECT_FALSE(watch->ended());
    server_.sim().RunFor(kTick);
    watch->Pull();
    EXPECT_TRUE(watch->ended()) << timeout;
    EXPECT_FALSE(watch->reply().aborted);
  }
}

TEST_F(WatchProtocolTest, WithoutTimeout_ItLastsOnceToTwiceTheMinimum) {
  double shortest = 1e9;
  double longest = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string timeout = i % 3 == 0   ? ""
                                : i % 3 == 1 ? "&timeoutSeconds=0"
                                             : "&timeoutSeconds=-5";
    auto watch = Watch("resourceVersion=" + Now() + timeout);
    const double time = NextWake(*watch, hours(3));
    watch->Pull();
    EXPECT_TRUE(watch->ended());
    shortest = std::min(shortest, time);
    longest = std::max(longest, time);
  }
  EXPECT_GE(shortest, 1800);
  EXPECT_LT(shortest, 2000);
  EXPECT_LT(longest, 3600);
  EXPECT_GT(longest, 3400);
}

TEST_F(WatchProtocolTest, Bookmarks_ComeEveryMinuteOrUpToAQuarterEarlier) {
  auto watch = Watch("allowWatchBookmarks=true&timeoutSeconds=100000&resourceVersion=" + Now());
  double shortest = 1e9;
  double longest = 0;
  for (int i = 0; i < 150; ++i) {
    const double time = NextWake(*watch, minutes(2));
    shortest = std::min(shortest, time);
    longest = std::max(longest, time);
    ASSERT_THAT(watch->Events(), ElementsAre("BOOKMARK " + Now()));
    if (i % 10 == 0) server_.MakeConfigMap("kube-system", "m" + std::to_string(i));
  }
  EXPECT_GE(shortest, 45);
  EXPECT_LT(shortest, 46);
  EXPECT_LE(longest, 60);
  EXPECT_GT(longest, 59);
  // Without the option there are none.
  auto without = Watch("timeoutSeconds=1000&resourceVersion=" + Now());
  EXPECT_EQ(NextWake(*without, minutes(15)), -1);
  EXPECT_EQ(server_.server().Stats().watches, 2U);
  watch.reset();
  without.reset();
  EXPECT_EQ(server_.server().Stats().watches, 0U);
  server_.sim().RunFor(hours(48));
}

TEST_F(WatchProtocolTest, BookmarksOfAFutureWatch_WaitForItsVersion) {
  const std::int64_t now = server_.server().current_resource_version();
  auto watch = Watch("allowWatchBookmarks=true&timeoutSeconds=10000&resourceVersion=" +
                     std::to_string(now + 2));
  server_.sim().RunFor(minutes(3));
  EXPECT_THAT(watch->Events(), IsEmpty()) << "its version is not reached";
  server_.MakeConfigMap("default", "a");
  server_.MakeConfigMap("default", "b");
  EXPECT_THAT(watch->Events(), IsEmpty());
  EXPECT_GT(NextWake(*watch, minutes(2)), 0);
  EXPECT_THAT(watch->Events(), ElementsAre("BOOKMARK " + std::to_string(now + 2)));
  const std::string c = server_.MakeConfigMap("default", "c");
  EXPECT_THAT(watch->Events(), ElementsAre("ADDED default/c " + c));
}

TEST_F(WatchProtocolTest, InitialEvents_DependOnOptions) {
  const std::string a = server_.MakeConfigMap("default", "a");
  const std::string b = server_.MakeConfigMap("default", "b");
  const std::string match = "&resourceVersionMatch=NotOlderThan";
  const std::string marks = "&allowWatchBookmarks=true";
  const std::string added = "ADDED default/a " + a;
  const std::string second = "ADDED default/b " + b;
  const std::string end = "BOOKMARK " + b;
  using Events = std::vector<std::string>;
  for (const auto& [query, events] : std::vector<std::pair<std::string, Events>>{
           {"", {added, second}},
           {"resourceVersion=0", {added, second}},
           {"resourceVersion=0" + marks, {added, second, end}},
           {"resourceVersion=" + a, {second}},
           {"resourceVersion=" + a + marks, {second}},
           {"resourceVersion=" + a + "&sendInitialEvents=true" + match, {added, second}},
           {"resourceVersion=" + a + "&sendInitialEvents=true" + match + marks,
            {added, second, end}},
           {"resourceVersion=" + b + "&sendInitialEvents=true" + match + marks,
            {added, second, end}},
           {"resourceVersion=" + a + "&sendInitialEvents=false" + match + marks, {second}},
           {"resourceVersion=0&sendInitialEvents=false" + match, {}},
           {"fieldSelector=metadata.name%3Da", {added}},
           {"fieldSelector=metadata.name%3D0", {}},
           {"labelSelector=x", {}},
       }) {
    EXPECT_EQ(Watch(query)->Events(), events) << query;
  }
  // Only the bookmark that ends the initial events says so.
  auto frames = Watch("allowWatchBookmarks=true")->Frames();
  ASSERT_THAT(frames, SizeIs(3));
  EXPECT_EQ(frames[2].At("/object/metadata/annotations").Dump(),
            R"({"k8s.io/initial-events-end":"true"})");
  auto later = Watch("allowWatchBookmarks=true&timeoutSeconds=9&resourceVersion=" + b);
  server_.sim().RunFor(seconds(8));
  frames = later->Frames();
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_TRUE(frames[0].At("/object/metadata/annotations").is_null());
  // A state that is not there yet is waited for.
  const std::int64_t next = server_.server().current_resource_version() + 1;
  auto early = Watch("sendInitialEvents=true" + match + "&resourceVersion=" + std::to_string(next));
  EXPECT_EQ(early->reply().status, 0);
  server_.sim().RunFor(seconds(3));
  EXPECT_THAT(early->Frames(), SizeIs(1));
  EXPECT_EQ(early->reply().Json().At("/object/message").StringOrEmpty(),
            "Timeout: Too large resource version: " + std::to_string(next) +
                ", current: " + std::to_string(next - 1));
  EXPECT_TRUE(early->ended());
}

TEST_F(WatchProtocolTest, OldVersion_EndsWithAnError) {
  for (const char* name : {"a", "b", "c"}) server_.MakeConfigMap("default", name);
  const std::int64_t now = server_.server().current_resource_version();
  server_.server().Compact(now - 1);
  EXPECT_THAT(Watch("resourceVersion=" + std::to_string(now - 1))->Events(), SizeIs(1))
      << "just not too old";
  for (int i = 0; i < 2; ++i) {
    auto old = Watch("resourceVersion=" + std::to_string(now - 2));
    EXPECT_THAT(old->Events(), ElementsAre("ERROR Expired"));
    EXPECT_TRUE(old->ended());
  }
  // A watch that falls behind the history ends, and so tells its client to resume.
  auto slow = Watch("resourceVersion=" + Now());
  server_.MakeConfigMap("default", "d");
  server_.MakeConfigMap("default", "e");
  server_.server().Compact(now + 1);
  EXPECT_THAT(slow->Events(), IsEmpty());
  EXPECT_TRUE(slow->ended());
}

// Equal watches share their frames; each must get what a lone one gets, in any order of reading.
TEST_F(WatchProtocolTest, SharedFrames_AreThoseOfALoneWatch) {
  const std::string from = "resourceVersion=" + Now();
  const std::string large(20'000, 'x');
  const HeaderList json;
  const HeaderList table = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}};
  const HeaderList partial = {
      {"Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}};
  const HeaderList protobuf = {{"Accept", "application/vnd.kubernetes.protobuf"}};
  for (const HeaderList& form : {json, table, partial, protobuf}) {
    for (const std::string& selector : {std::string(), std::string("&labelSelector=in")}) {
      std::vector<std::unique_ptr<OpenReply>> equal;
      for (int i = 0; i < 3; ++i) equal.push_back(Watch(from + selector, form));
      auto scoped = server_.Open("/api/v1/configmaps?watch=1&" + from + selector, form);
      const std::string tag = std::to_string(server_.server().current_resource_version());
      for (int i = 0; i < 12; ++i) {
        const json::Value object = json::Value::MakeObject(
            {{"metadata",
              json::Value::MakeObject(
                  {{"namespace", "default"},
                   {"name", "m" + tag + "-" + std::to_string(i)},
                   {"labels", json::Value::MakeObject({{i % 2 == 0 ? "in" : "out", "1"}})}})},
             {"data", json::Value::MakeObject({{"k", i % 5 == 0 ? large : "v"}})}});
        ASSERT_TRUE(server_.server().Create(kConfigMaps, object).ok());
        for (std::size_t reader = 0; reader < equal.size(); ++reader) {
          if ((static_cast<std::size_t>(i) + reader) % (reader + 2) == 0) equal[reader]->Pull();
        }
      }
      const auto drain = [&](OpenReply& reply) {
        for (int i = 0; i < 50; ++i) {
          server_.sim().RunReady();
          reply.Pull(500);
        }
        return reply.reply().body;
      };
      for (std::size_t i = 0; i < equal.size(); ++i) drain(*equal[i]);
      EXPECT_GT(equal[0]->reply().body.size(), 1000U);
      for (std::size_t i = 1; i < equal.size(); ++i) {
        EXPECT_TRUE(equal[i]->reply().body == equal[0]->reply().body) << i << selector;
      }
      EXPECT_TRUE(drain(*scoped) == equal[0]->reply().body) << selector;
      const std::string shared = equal[0]->reply().body;
      equal.clear();
      auto lone = Watch(from + selector, form);
      EXPECT_TRUE(drain(*lone) == shared) << selector;
    }
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing
