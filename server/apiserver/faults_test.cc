// Effects of each fault rule on the wire, rules as JSON, and the debug endpoints. For the effects
// on an informer see test/simulation/fault_tolerance_test.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/faults/fault_json.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";

std::string Watch(std::string_view query = "") {
  return std::string(kMaps) + "?watch=true" + std::string(query);
}

std::string Current(TestServer& server) {
  return std::to_string(server.server().current_resource_version());
}

std::vector<std::string> NamesIn(const Reply& reply) {
  std::vector<std::string> names;
  const json::Value list = reply.Json();
  for (const json::Value& item : list["items"].items()) {
    names.push_back(item["metadata"]["name"].StringOrEmpty());
  }
  return names;
}

TEST(FaultPlan, CountSkipLastsAndChance) {
  TestServer server;
  FaultPlan& faults = server.server().faults();
  const auto hit = [&](std::string_view verb = "get") {
    return faults.Draw({.verb = verb, .resource = "pods", .user_agent = "kubectl/1"}).has_value();
  };
  const auto id = faults.Add({.verb = "get", .user_agent = "kubectl", .count = 2, .skip = 1});
  EXPECT_FALSE(hit());
  EXPECT_FALSE(hit("list"));
  EXPECT_TRUE(hit());
  EXPECT_TRUE(hit());
  EXPECT_FALSE(hit());
  EXPECT_EQ(faults.hits(id), 2U);
  EXPECT_EQ(faults.hits(), 2U);
  EXPECT_TRUE(faults.Remove(id));
  EXPECT_FALSE(faults.Remove(id));

  faults.Add({.lasts = seconds(10)});
  EXPECT_TRUE(hit());
  server.sim().RunFor(seconds(10));
  EXPECT_FALSE(hit());
  faults.Clear();

  // The seed determines the random choices.
  faults.Add({.probability = 0.5});
  std::vector<std::vector<bool>> runs;
  for (int run = 0; run < 2; ++run) {
    faults.Seed(11);
    runs.emplace_back();
    for (int i = 0; i < 100; ++i) runs.back().push_back(hit());
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_GT(faults.hits(), 40U);
  EXPECT_LT(faults.hits(), 170U);
}

TEST(Faults, BodiesThatEndTooSoonOrNever) {
  TestServer server;
  server.MakeConfigMap("default", "a");
  const std::string whole = server.Get(kMaps).body;
  FaultPlan& faults = server.server().faults();

  faults.Add({.verb = "list", .action = FaultAction::kEndBody, .after_bytes = 20});
  const Reply cut = server.Get(kMaps);
  EXPECT_EQ(cut.body, whole.substr(0, 20));
  EXPECT_FALSE(cut.aborted);
  EXPECT_FALSE(cut.headers.Has("Content-Length"));
  faults.Clear();

  faults.Add({.verb = "list", .action = FaultAction::kStall, .after_bytes = 20});
  auto stalled = server.Open(kMaps);
  server.sim().RunFor(hours(1));
  stalled->Pull();
  EXPECT_EQ(stalled->reply().body, whole.substr(0, 20));
  EXPECT_FALSE(stalled->ended());
  faults.Clear();

  faults.Add({.verb = "list",
              .action = FaultAction::kGarbage,
              .text = "[[",
              .after_bytes = 1,
              .repeat = 3});
  EXPECT_EQ(server.Get(kMaps).body, "{[[[[[[");
}

TEST(Faults, Drip) {
  TestServer server;
  server.MakeConfigMap("default", "a");
  const std::string whole = server.Get(kMaps).body;
  FaultPlan& faults = server.server().faults();
  faults.Add({.action = FaultAction::kDrip, .delay = seconds(1), .chunk_bytes = 7});
  auto drip = server.Open(kMaps);
  for (std::size_t size = 7; size < whole.size(); size += 7) {
    EXPECT_EQ(drip->reply().body, whole.substr(0, size));
    drip->Pull();
    EXPECT_EQ(drip->reply().body.size(), size) << "not before its time";
    server.sim().RunFor(seconds(1));
    drip->Pull();
  }
  EXPECT_EQ(server.Get(kMaps).body, whole);
  faults.Clear();

  // Events that happen in the meantime arrive in one piece.
  faults.Add({.action = FaultAction::kDrip, .delay = seconds(5)});
  auto watch = server.Open(Watch());
  EXPECT_THAT(watch->Events(), SizeIs(1));
  for (const char* name : {"b", "c", "d"}) server.MakeConfigMap("default", name);
  EXPECT_THAT(watch->Events(), IsEmpty());
  server.sim().RunFor(seconds(5));
  EXPECT_THAT(watch->Events(), SizeIs(3));
  server.sim().RunFor(seconds(6));
  watch->Pull();
  const int wakes = watch->wakes();
  server.MakeConfigMap("default", "e");
  EXPECT_EQ(watch->wakes(), wakes + 1) << "an idle drip passes the next event on at once";
  EXPECT_THAT(watch->Events(), SizeIs(1));
}

// F-03, F-06, F-11, F-12, F-14, F-15, F-20
TEST(Faults, EventsOfAWatch) {
  TestServer server;
  FaultPlan& faults = server.server().faults();
  const auto events_under = [&](const FaultRule& rule, std::string_view query = "") {
    faults.Clear();
    faults.Add(rule);
    auto watch = server.Open(
        Watch("&allowWatchBookmarks=true&resourceVersion=" + Current(server) + std::string(query)));
    server.MakeConfigMap("default", "x");
    EXPECT_TRUE(server.server().Delete(kConfigMaps, {"default", "x"}).ok());
    std::vector<std::string> out;
    for (const json::Value& frame : watch->Frames()) {
      const json::Value& object = frame["object"];
      out.push_back(frame["type"].StringOrEmpty() + " " + object["kind"].StringOrEmpty() + " " +
                    object["metadata"]["namespace"].StringOrEmpty());
    }
    if (watch->ended()) out.emplace_back("END");
    return out;
  };
  const std::string added = "ADDED ConfigMap default";
  const std::string deleted = "DELETED ConfigMap default";
  EXPECT_THAT(events_under({.action = FaultAction::kDuplicateEvents}),
              ElementsAre(added, added, deleted, deleted));
  EXPECT_THAT(events_under({.action = FaultAction::kLoseDeletes}), ElementsAre(added));
  EXPECT_THAT(events_under({.action = FaultAction::kForeignNamespace, .text = "other"}),
              ElementsAre(added, "ADDED ConfigMap other", deleted, "ADDED ConfigMap other"));
  EXPECT_THAT(events_under({.action = FaultAction::kWrongKind}),
              ElementsAre(added, "ADDED Intruder default", deleted, "ADDED Intruder default"));
  EXPECT_THAT(events_under({.action = FaultAction::kOldBookmarks}),
              ElementsAre(added, "BOOKMARK ConfigMap ", deleted, "BOOKMARK ConfigMap "));
  EXPECT_THAT(events_under({.action = FaultAction::kEndWatch, .after_events = 1}),
              ElementsAre(added, "END"));
  EXPECT_THAT(events_under({.action = FaultAction::kWatchError, .after_events = 1}),
              ElementsAre(added, "ERROR Status ", "END"));
  EXPECT_THAT(
      events_under(
          {.action = FaultAction::kErrorObject, .text = R"({"kind":"What"})", .after_events = 1}),
      ElementsAre(added, "ERROR What ", "END"));

  faults.Clear();
  faults.Add({.action = FaultAction::kEndWatch, .after = milliseconds(100)});
  auto timed = server.Open(Watch("&resourceVersion=" + Current(server)));
  server.MakeConfigMap("default", "y");
  EXPECT_THAT(timed->Events(), SizeIs(1));
  EXPECT_FALSE(timed->ended());
  server.sim().RunFor(milliseconds(100));
  timed->Pull();
  EXPECT_TRUE(timed->ended());
}

TEST(Faults, Bookmarks) {
  TestServer server;
  FaultPlan& faults = server.server().faults();
  const std::string start = server.MakeConfigMap("default", "a");
  constexpr const char* kInitial =
      "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  for (const FaultAction action : {FaultAction::kNoBookmarks, FaultAction::kNoInitialEnd}) {
    faults.Clear();
    faults.Add({.action = action});
    auto watch = server.Open(Watch(kInitial));
    EXPECT_THAT(watch->Events(), ElementsAre("ADDED default/a " + start));
  }
  faults.Clear();
  faults.Add({.action = FaultAction::kBookmarksOnly, .delay = seconds(3)});
  auto watch = server.Open(Watch("&resourceVersion=" + start));
  server.MakeConfigMap("default", "b");
  EXPECT_THAT(watch->Events(), IsEmpty());
  server.sim().RunFor(seconds(3));
  EXPECT_THAT(watch->Events(), ElementsAre("BOOKMARK " + start));
  server.sim().RunFor(seconds(3));
  EXPECT_THAT(watch->Events(), ElementsAre("BOOKMARK " + start));
}

TEST(Faults, EventsInProtobuf) {
  TestServer server;
  FaultPlan& faults = server.server().faults();
  const auto bytes_under = [&](const FaultRule& rule) {
    faults.Clear();
    faults.Add(rule);
    auto watch = server.Open(Watch("&resourceVersion=" + Current(server)), {{"Accept", kProtobuf}});
    server.MakeConfigMap("default", "x");
    EXPECT_TRUE(server.server().Delete(kConfigMaps, {"default", "x"}).ok());
    server.sim().RunReady();
    watch->Pull();
    return watch->reply().body;
  };
  const auto kinds = [](std::string_view body) {
    std::vector<std::string> out;
    while (body.size() >= 4) {
      std::size_t size = 0;
      for (int i = 0; i < 4; ++i) {
        size = size << 8U | static_cast<unsigned char>(body[static_cast<std::size_t>(i)]);
      }
      const auto event = ReadFields(body.substr(4, size)).value();
      const auto raw = ReadFields(event[1].bytes).value();
      const auto envelope = ParseEnvelope(raw[0].bytes);
      std::string text(event[0].bytes);
      if (envelope) {
        text += " " + std::string(envelope->kind);
        const auto message = ReadFields(envelope->raw).value();
        const auto metadata = ReadFields(message[0].bytes).value();
        for (const WireField& field : metadata) {
          if (field.number == 3) text += " " + std::string(field.bytes);
        }
      }
      out.push_back(text);
      body.remove_prefix(4 + size);
    }
    EXPECT_TRUE(body.empty());
    return out;
  };
  const std::string added = "ADDED ConfigMap default";
  const std::string deleted = "DELETED ConfigMap default";
  EXPECT_THAT(kinds(bytes_under({.action = FaultAction::kForeignNamespace, .text = "other"})),
              ElementsAre(added, "ADDED ConfigMap other", deleted, "ADDED ConfigMap other"));
  EXPECT_THAT(kinds(bytes_under({.action = FaultAction::kWrongKind, .text = "Pod"})),
              ElementsAre(added, "ADDED Pod default", deleted, "ADDED Pod default"));
  EXPECT_THAT(kinds(bytes_under({.action = FaultAction::kLoseDeletes})), ElementsAre(added));
  EXPECT_THAT(kinds(bytes_under({.action = FaultAction::kErrorObject, .text = "17"})),
              ElementsAre("ERROR"));
}

TEST(Faults, StaleReads) {
  TestServer server;
  FaultPlan& faults = server.server().faults();
  for (const char* name : {"a", "b", "c"}) server.MakeConfigMap("default", name);
  const std::string at_c = Current(server);
  const std::string at_b = std::to_string(server.server().current_resource_version() - 1);
  faults.Add({.action = FaultAction::kStaleRead, .versions = 1});
  const Reply stale = server.Get(kMaps);
  EXPECT_THAT(NamesIn(stale), ElementsAre("a", "b"));
  EXPECT_EQ(stale.Json()["metadata"]["resourceVersion"].StringOrEmpty(), at_b);
  faults.Clear();

  faults.Add({.action = FaultAction::kStaleCache, .versions = 1});
  const std::string maps(kMaps);
  EXPECT_THAT(NamesIn(server.Get(kMaps)), SizeIs(3)) << "the latest is the latest";
  EXPECT_THAT(NamesIn(server.Get(maps + "?resourceVersion=0")), SizeIs(2));
  EXPECT_THAT(NamesIn(server.Get(maps + "?resourceVersion=" + at_c)), SizeIs(3));
  auto watch = server.Open(Watch("&resourceVersion=0"));
  EXPECT_THAT(watch->Events(), SizeIs(3)) << "two initial ones, and the one that was not there yet";
  faults.Clear();

  faults.Add({.action = FaultAction::kReplayEvents, .versions = 2});
  EXPECT_THAT(server.Open(Watch("&resourceVersion=" + at_c))->Events(), SizeIs(2));
}

TEST(Faults, WrongClock) {
  TestServer server;
  server.server().faults().Add(
      {.verb = "create", .action = FaultAction::kSkewClock, .skew = hours(-24)});
  const Reply created = server.Do("POST", kMaps, R"({"metadata":{"name":"a"}})",
                                  {{"Content-Type", "application/json"}});
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.headers.Get("Date"), "Mon, 13 Nov 2023 22:13:20 GMT");
  EXPECT_EQ(created.Json()["metadata"]["creationTimestamp"].StringOrEmpty(),
            "2023-11-13T22:13:20Z");
  // A body that is handled off the loop also gets the time of its request.
  const Reply large = server.Do(
      "POST", kMaps,
      R"({"metadata":{"name":"large"},"data":{"a":")" + std::string(100'000, 'x') + "\"}}",
      {{"Content-Type", "application/json"}});
  EXPECT_EQ(large.Json()["metadata"]["creationTimestamp"].StringOrEmpty(), "2023-11-13T22:13:20Z");
  server.MakeConfigMap("default", "b");
  EXPECT_EQ(server.Get(std::string(kMaps) + "/b").Json()["metadata"]["creationTimestamp"],
            json::Value("2023-11-14T22:13:20Z"))
      << "only what that request creates";
}

TEST(Faults, Restore) {
  TestServer server;
  server.MakeConfigMap("default", "stays");
  server.MakeConfigMap("default", "deleted");
  const auto version = server.server().current_resource_version();
  const auto state = server.server().DumpState(kConfigMaps);
  server.MakeConfigMap("default", "made");
  ASSERT_TRUE(server.server().Delete(kConfigMaps, {"default", "deleted"}).ok());
  auto watch = server.Open(Watch("&resourceVersion=" + Current(server)));
  auto list = server.server().Handle({.method = "GET", .target = std::string(kMaps)});

  EXPECT_EQ(server.server().Restore(version + 99).error().reason(), Reason::kInvalidArgument);
  ASSERT_TRUE(server.server().Restore(version).ok());
  EXPECT_EQ(server.server().DumpState(kConfigMaps), state);
  EXPECT_EQ(server.server().current_resource_version(), version);
  watch->Pull();
  EXPECT_TRUE(watch->ended());
  OpenReply old(server.sim(), std::move(list));
  EXPECT_THAT(NamesIn(old.reply()), ElementsAre("made", "stays")) << "what began before goes on";
  EXPECT_EQ(server.MakeConfigMap("default", "next"), std::to_string(version + 1));
  EXPECT_THAT(server.Open(Watch("&resourceVersion=" + std::to_string(version)))->Events(),
              ElementsAre("ADDED default/next " + std::to_string(version + 1)));
  EXPECT_EQ(server.server().Restore(version - 1).error().reason(), Reason::kExpired);
}

TEST(FaultJson, RoundTripAndEveryField) {
  const json::Value everything =
      json::Parse(
          R"({"verb":"list","resource":"pods","namespace":"a","userAgent":"kubectl",
              "onlyContinue":true,"onlyInitialEvents":true,"action":"cutBody","probability":0.25,
              "count":3,"skip":2,"lasts":"1m30s","status":503,"text":"x","contentType":"text/html",
              "retryAfter":7,"delay":"250ms","after":"1s","skew":"-24h0m0s","afterBytes":10,
              "afterEvents":11,"chunkBytes":12,"repeat":13,"versions":14})")
          .value();
  const auto rule = FaultRuleFromJson(everything);
  ASSERT_TRUE(rule.ok()) << rule.error();
  EXPECT_EQ(rule->action, FaultAction::kCutBody);
  EXPECT_EQ(rule->lasts, seconds(90));
  EXPECT_EQ(rule->skew, hours(-24));
  EXPECT_EQ(rule->retry_after, seconds(7));
  EXPECT_EQ(rule->count, 3);
  EXPECT_EQ(FaultRuleToJson(*rule), everything);
  EXPECT_EQ(FaultRuleToJson({}).Dump(), R"({"action":"respond"})");
}

TEST(FaultJson, BadRulesSayWhatIsAllowed) {
  const auto error = [](std::string_view text) {
    return FaultRuleFromJson(json::Parse(text).value()).error().message();
  };
  EXPECT_THAT(error("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(error("{}"), HasSubstr("field \"action\" must be one of: respond, refuse, delay"));
  EXPECT_THAT(error(R"({"action":"explode"})"), HasSubstr("one of: respond"));
  EXPECT_THAT(error(R"({"action":"refuse","colour":1})"),
              HasSubstr("unknown field \"colour\"; the fields are: verb, resource"));
  EXPECT_THAT(error(R"({"action":"refuse","probability":2})"),
              HasSubstr("field \"probability\" must be a number from 0 to 1"));
  EXPECT_THAT(error(R"({"action":"delay","delay":5})"),
              HasSubstr("field \"delay\" must be a duration such as"));
  EXPECT_THAT(error(R"({"action":"refuse","count":-1})"), HasSubstr("not negative"));
  EXPECT_THAT(error(R"({"action":"respond","status":42})"), HasSubstr("from 200 to 599"));
  EXPECT_THAT(error(R"({"action":"errorObject","text":"{"})"), HasSubstr("must be JSON"));
}

TEST(DebugEndpoints, FaultsOverHttp) {
  TestServer off;
  EXPECT_EQ(off.Get("/debug/faults").status, 404) << "off by default";

  TestServer server({.debug_endpoints = true});
  EXPECT_EQ(server.Get("/debug/faults").body, "{\"hits\":0,\"rules\":[]}\n");
  const Reply added = server.Do("POST", "/debug/faults", R"({"verb":"list","action":"respond"})");
  EXPECT_EQ(added.status, 201);
  EXPECT_EQ(added.body, "{\"id\":1}\n");
  EXPECT_EQ(server.Get(kMaps).status, 500);
  EXPECT_EQ(server.Get("/debug/faults").body,
            "{\"hits\":1,\"rules\":[{\"id\":1,\"hits\":1,\"rule\":{\"verb\":\"list\","
            "\"action\":\"respond\"}}]}\n");
  const Reply bad = server.Do("POST", "/debug/faults", R"({"action":"respond","count":"x"})");
  EXPECT_EQ(bad.status, 400);
  EXPECT_THAT(bad.Json()["message"].StringOrEmpty(), HasSubstr("field \"count\" must be"));
  EXPECT_EQ(server.Do("POST", "/debug/faults", "{").status, 400);
  EXPECT_EQ(server.Do("DELETE", "/debug/faults/7").status, 404);
  EXPECT_EQ(server.Do("DELETE", "/debug/faults/1").status, 200);
  EXPECT_EQ(server.Get(kMaps).status, 200);
  EXPECT_EQ(server.Do("PUT", "/debug/faults/seed", R"({"seed":5})").status, 200);
  EXPECT_EQ(server.Do("PUT", "/debug/faults/seed", R"({"seed":-5})").status, 400);
  server.Do("POST", "/debug/faults", R"({"action":"refuse"})");
  EXPECT_EQ(server.Do("DELETE", "/debug/faults").status, 200);
  EXPECT_EQ(server.Do("PATCH", "/debug/faults").status, 405);
  EXPECT_EQ(server.Get("/debug/nothing").status, 404);
}

TEST(DebugEndpoints, CompactRestoreAndCloseWatches) {
  TestServer server({.debug_endpoints = true});
  server.MakeConfigMap("default", "a");
  const std::string first = Current(server);
  server.MakeConfigMap("default", "b");
  auto watch = server.Open(Watch("&resourceVersion=" + first));
  EXPECT_EQ(server.Get("/debug/close-watches").status, 405);
  EXPECT_EQ(server.Do("POST", "/debug/close-watches").status, 200);
  watch->Pull();
  EXPECT_TRUE(watch->ended());
  EXPECT_EQ(server.Do("POST", "/debug/restore?resourceVersion=" + first).status, 200);
  EXPECT_EQ(Current(server), first);
  EXPECT_EQ(server.Do("POST", "/debug/restore").status, 400);
  server.MakeConfigMap("default", "b");
  EXPECT_EQ(server.Do("POST", "/debug/compact?resourceVersion=x").status, 400);
  EXPECT_EQ(server.Do("POST", "/debug/compact").status, 200);
  EXPECT_THAT(server.Open(Watch("&resourceVersion=" + first))->Events(),
              ElementsAre("ERROR Expired"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
