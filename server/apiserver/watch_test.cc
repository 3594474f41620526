#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

std::string Watch(std::string_view query = "") {
  return std::string(kMaps) + "?watch=true" + std::string(query);
}

std::string Current(TestServer& server) {
  return std::to_string(server.server().current_resource_version());
}

void Patch(TestServer& server, const std::string& name, std::string_view patch) {
  const auto patched = server.server().Patch(kConfigMaps, {.namespace_ = "default", .name = name},
                                             json::Parse(patch).value());
  ASSERT_TRUE(patched.ok()) << patched.error();
}

void Delete(TestServer& server, const std::string& name) {
  ASSERT_TRUE(server.server().Delete(kConfigMaps, {.namespace_ = "default", .name = name}).ok());
}

TEST(ApiServerWatch, EveryLaterChangeOnceInOrder_SRV131) {
  TestServer server;
  server.MakeConfigMap("default", "old");
  auto watch = server.Open(Watch("&resourceVersion=" + Current(server)));
  EXPECT_EQ(watch->reply().status, 200) << "SRV134";
  EXPECT_EQ(watch->reply().headers.Get("Content-Type"), "application/json");
  EXPECT_THAT(watch->Events(), IsEmpty());
  const std::string made = server.MakeConfigMap("default", "a");
  EXPECT_EQ(watch->wakes(), 1);
  Patch(server, "a", R"({"data":{"k":"v"}})");
  const std::string changed = Current(server);
  Delete(server, "a");
  EXPECT_EQ(watch->wakes(), 1) << "one wake for each wait";
  EXPECT_THAT(watch->Events(),
              ElementsAre("ADDED default/a " + made, "MODIFIED default/a " + changed,
                          "DELETED default/a " + Current(server)));
  EXPECT_FALSE(watch->ended());
}

TEST(ApiServerWatch, ResumesFromAnyVersion_SRV131) {
  TestServer server;
  std::vector<std::string> versions = {Current(server)};
  for (const char* name : {"a", "b", "c"})
    versions.push_back(server.MakeConfigMap("default", name));
  for (std::size_t from = 0; from < versions.size(); ++from) {
    auto watch = server.Open(Watch("&resourceVersion=" + versions[from]));
    EXPECT_EQ(watch->Events().size(), versions.size() - 1 - from);
  }
}

TEST(ApiServerWatch, LegacyStart_BeginsWithTheState_SRV132_SRV133_SRV148) {
  TestServer server;
  const std::string a = server.MakeConfigMap("default", "a");
  for (const char* query : {"", "&resourceVersion=0", "&resourceVersion="}) {
    EXPECT_THAT(server.Open(Watch(query))->Events(), ElementsAre("ADDED default/a " + a));
  }
  EXPECT_THAT(server.Open(Watch("&allowWatchBookmarks=true"))->Events(),
              ElementsAre("ADDED default/a " + a, "BOOKMARK " + a))
      << "SRV148";
  TestServer classic({.watch_list = false});
  EXPECT_THAT(classic.Open(Watch("&allowWatchBookmarks=true"))->Events(), IsEmpty());
}

TEST(ApiServerWatch, SelectorTransitions_SRV136) {
  TestServer server;
  server.MakeConfigMap("default", "a", R"({"in":"yes"})");
  auto watch = server.Open(Watch("&labelSelector=in%3Dyes&resourceVersion=" + Current(server)));
  Patch(server, "a", R"({"metadata":{"labels":{"in":"no"}},"data":{"k":"new"}})");
  std::vector<json::Value> frames = watch->Frames();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0]["type"].StringOrEmpty(), "DELETED");
  EXPECT_EQ(frames[0].At("/object/metadata/resourceVersion").StringOrEmpty(), Current(server));
  EXPECT_TRUE(frames[0].At("/object/data").is_null()) << "the content from before";
  Patch(server, "a", R"({"data":{"k":"newer"}})");
  EXPECT_THAT(watch->Events(), IsEmpty());
  Patch(server, "a", R"({"metadata":{"labels":{"in":"yes"}}})");
  EXPECT_THAT(watch->Events(), ElementsAre("ADDED default/a " + Current(server)));
}

TEST(ApiServerWatch, Scope_WritesElsewhereAreNotSent_SRV137_SRV138) {
  TestServer server;
  ASSERT_TRUE(
      server.server().Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: other}").ok());
  const std::string from = "&resourceVersion=" + Current(server);
  auto in_default = server.Open(Watch(from));
  auto one = server.Open(Watch("&fieldSelector=metadata.name%3Db" + from));
  auto everywhere = server.Open("/api/v1/configmaps?watch=1" + from);
  server.MakeConfigMap("other", "a");
  EXPECT_EQ(in_default->wakes(), 0) << "a write elsewhere wakes nobody";
  server.MakeConfigMap("default", "a");
  EXPECT_EQ(one->wakes(), 0);
  server.MakeConfigMap("default", "b");
  server.MakeConfigMap("default", "bb");
  EXPECT_EQ(in_default->Events().size(), 3U);
  EXPECT_EQ(one->Events().size(), 1U);
  EXPECT_EQ(everywhere->Events().size(), 4U);
  EXPECT_EQ(server.Open(Watch("&fieldSelector=metadata.name%3Db"))->Events().size(), 1U);
  EXPECT_EQ(
      server.Get(std::string(kMaps) + "?fieldSelector=metadata.name%3Db").Json()["items"].size(),
      1U);
}

TEST(ApiServerWatch, Timeout_EndsTheWatchAfterABookmark_SRV139_SRV140) {
  TestServer server;
  auto watch = server.Open(
      Watch("&timeoutSeconds=10&allowWatchBookmarks=1&resourceVersion=" + Current(server)));
  auto without = server.Open(Watch("&timeoutSeconds=10&resourceVersion=" + Current(server)));
  ASSERT_TRUE(
      server.server().Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: other}").ok());
  server.sim().RunFor(std::chrono::milliseconds(8100));
  EXPECT_THAT(watch->Events(), ElementsAre("BOOKMARK " + Current(server)));
  EXPECT_FALSE(watch->ended());
  server.sim().RunFor(std::chrono::seconds(2));
  EXPECT_THAT(watch->Events(), IsEmpty());
  EXPECT_TRUE(watch->ended());
  EXPECT_FALSE(watch->reply().aborted);
  EXPECT_THAT(without->Events(), IsEmpty());
  EXPECT_TRUE(without->ended());
}

TEST(ApiServerWatch, HugeTimeout_NeverExpires) {
  TestServer server;
  auto watch =
      server.Open(Watch("&timeoutSeconds=9000000000000000000&resourceVersion=" + Current(server)));
  server.sim().RunFor(std::chrono::hours(24));
  EXPECT_FALSE(watch->ended());
}

TEST(ApiServerWatch, BookmarksAboutEveryMinute_SRV140) {
  TestServer server;
  auto watch = server.Open(
      Watch("&allowWatchBookmarks=1&timeoutSeconds=600&resourceVersion=" + Current(server)));
  // Bookmarks arrive without writes, too, for clients that measure the age of their state by them.
  for (const bool written : {false, true}) {
    std::vector<std::string> bookmarks;
    for (int i = 0; i < 5; ++i) {
      if (written) server.MakeConfigMap("kube-system", "m" + std::to_string(i));
      server.sim().RunFor(std::chrono::seconds(61));
      for (std::string& event : watch->Events()) bookmarks.push_back(std::move(event));
    }
    EXPECT_GE(bookmarks.size(), 5U) << written;
    EXPECT_LE(bookmarks.size(), 7U) << written;
    EXPECT_EQ(bookmarks.back(), "BOOKMARK " + Current(server)) << written;
  }
}

TEST(ApiServerWatch, TooOld_SRV141) {
  TestServer server;
  server.MakeConfigMap("default", "a");
  server.MakeConfigMap("default", "b");
  server.server().Compact(server.server().current_resource_version());
  auto watch = server.Open(Watch("&resourceVersion=1"));
  EXPECT_EQ(watch->reply().status, 200);
  const std::vector<json::Value> frames = watch->Frames();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0]["type"].StringOrEmpty(), "ERROR");
  EXPECT_EQ(frames[0].At("/object/message").StringOrEmpty(),
            "too old resource version: 1 (" + Current(server) + ")");
  EXPECT_EQ(frames[0].At("/object/reason").StringOrEmpty(), "Expired");
  EXPECT_EQ(frames[0].At("/object/code").AsInt64(), 410);
  EXPECT_TRUE(watch->ended());
  EXPECT_THAT(server.Open(Watch("&resourceVersion=" + Current(server)))->Events(), IsEmpty());
}

TEST(ApiServerWatch, FutureVersionIsSilent_SRV142) {
  TestServer server;
  const std::int64_t now = server.server().current_resource_version();
  auto watch = server.Open(Watch("&resourceVersion=" + std::to_string(now + 1)));
  server.MakeConfigMap("default", "a");
  EXPECT_THAT(watch->Events(), IsEmpty());
  const std::string b = server.MakeConfigMap("default", "b");
  EXPECT_THAT(watch->Events(), ElementsAre("ADDED default/b " + b));
}

TEST(ApiServerWatch, WatchList_SRV143To147) {
  TestServer server;
  const std::string list = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  auto empty = server.Open(Watch(list + "&allowWatchBookmarks=true"));
  std::vector<json::Value> frames = empty->Frames();
  ASSERT_EQ(frames.size(), 1U) << "SRV147";
  EXPECT_EQ(frames[0].At("/object/metadata/annotations/k8s.io~1initial-events-end").StringOrEmpty(),
            "true");
  EXPECT_EQ(frames[0].At("/object/kind").StringOrEmpty(), "ConfigMap");

  const std::string b = server.MakeConfigMap("default", "b");
  const std::string a = server.MakeConfigMap("default", "a");
  auto watch = server.Open(Watch(list + "&allowWatchBookmarks=true"));
  EXPECT_THAT(watch->Events(),
              ElementsAre("ADDED default/a " + a, "ADDED default/b " + b, "BOOKMARK " + a));
  const std::string c = server.MakeConfigMap("default", "c");
  EXPECT_THAT(watch->Events(), ElementsAre("ADDED default/c " + c));
  EXPECT_EQ(server.Open(Watch(list))->Events().size(), 3U) << "SRV144";

  for (const char* bad :
       {"&sendInitialEvents=true", "&sendInitialEvents=true&resourceVersionMatch=Exact",
        "&resourceVersionMatch=NotOlderThan&resourceVersion=1"}) {
    EXPECT_EQ(server.Open(Watch(bad))->reply().status, 422) << "SRV145 " << bad;
  }
  EXPECT_THAT(
      server
          .Open(
              Watch("&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0"))
          ->Events(),
      IsEmpty())
      << "SRV146";
  TestServer classic({.watch_list = false});
  EXPECT_EQ(classic.Open(Watch(list))->reply().status, 422);
}

TEST(ApiServerWatch, WritesDuringTheInitialBlock_SRV149) {
  TestServer server;
  for (int i = 0; i < 200; ++i) server.MakeConfigMap("default", "m" + std::to_string(i));
  const std::string snapshot = Current(server);
  HttpRequest request{.target = Watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                      "&allowWatchBookmarks=true")};
  auto stream = server.server().Handle(std::move(request));
  stream->SetWake([] {});
  std::string body;
  int reads = 0;
  for (auto state = ResponseStream::State::kMore; state == ResponseStream::State::kMore; ++reads) {
    std::vector<BodyChunk> chunks;
    state = stream->Read(1000, chunks);
    for (const BodyChunk& chunk : chunks) body += chunk.bytes;
    if (reads == 3) {
      Delete(server, "m99");
      server.MakeConfigMap("default", "zz");
      server.server().Compact(server.server().current_resource_version());
    }
  }
  EXPECT_GT(reads, 20);
  // The whole snapshot, a bookmark at its version, and then the writes made in between, or the end
  // of the stream.
  EXPECT_THAT(body, HasSubstr("\"m99\""));
  const std::size_t mark = body.find("initial-events-end");
  ASSERT_NE(mark, std::string::npos);
  EXPECT_NE(body.find("\"resourceVersion\":\"" + snapshot + "\",\"annotations\""),
            std::string::npos);
  EXPECT_EQ(body.find("\"zz\""), std::string::npos)
      << "history was compacted: the stream ends instead";
}

TEST(ApiServerWatch, Protobuf_SRV150) {
  TestServer server;
  const HeaderList protobuf = {{"Accept", "application/vnd.kubernetes.protobuf"}};
  auto watch = server.Open(Watch("&resourceVersion=" + Current(server)), protobuf);
  EXPECT_EQ(watch->reply().headers.Get("Content-Type"),
            "application/vnd.kubernetes.protobuf;stream=watch");
  server.MakeConfigMap("default", "a");
  watch->Pull();
  const std::string& body = watch->reply().body;
  ASSERT_GT(body.size(), 4U);
  EXPECT_EQ(body.substr(0, 3), std::string(3, '\0'));
  EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(body[3])), body.size() - 4);
  EXPECT_THAT(body, HasSubstr("k8s"));
  const auto event = ReadFields(std::string_view(body).substr(4));
  ASSERT_TRUE(event);
  EXPECT_EQ((*event)[0].bytes, "ADDED");
  const auto extension = ReadFields((*event)[1].bytes);
  const auto envelope = ParseEnvelope((*extension)[0].bytes);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->kind, "ConfigMap");

  server.server().Compact(server.server().current_resource_version());
  auto expired = server.Open(Watch("&resourceVersion=1"), protobuf);
  const auto error = ReadFields(std::string_view(expired->reply().body).substr(4));
  ASSERT_TRUE(error);
  EXPECT_EQ((*error)[0].bytes, "ERROR");
  EXPECT_EQ(ParseEnvelope((*ReadFields((*error)[1].bytes))[0].bytes)->kind, "Status");
}

TEST(ApiServerWatch, TablesAndMetadata_AreStreamed_SRV151_SRV152) {
  TestServer server;
  const HeaderList table = {
      {"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}};
  auto watch = server.Open(Watch("&resourceVersion=" + Current(server)), table);
  server.MakeConfigMap("default", "a");
  server.MakeConfigMap("default", "b");
  const std::vector<json::Value> frames = watch->Frames();
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].At("/object/columnDefinitions/0/name").StringOrEmpty(), "Name");
  EXPECT_TRUE(frames[1].At("/object/columnDefinitions").is_null());
  EXPECT_EQ(frames[1].At("/object/rows/0/cells/0").StringOrEmpty(), "b");

  // Ages are those of the time at which a row is sent.
  server.sim().RunFor(std::chrono::seconds(90));
  Patch(server, "a", R"({"data":{"k":"v"}})");
  const std::vector<json::Value> later = watch->Frames();
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].At("/object/rows/0/cells/2").StringOrEmpty(), "90s");

  const HeaderList metadata = {
      {"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"}};
  auto partial = server.Open(Watch(), metadata);
  const std::vector<json::Value> objects = partial->Frames();
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].At("/object/kind").StringOrEmpty(), "PartialObjectMetadata");
  EXPECT_TRUE(objects[0].At("/object/data").is_null());
}

TEST(ApiServerWatch, ASlowReaderHarmsNobody_SRV154) {
  TestServer server({.history_events = 200});
  const std::string from = "&resourceVersion=" + Current(server);
  HttpRequest request{.target = Watch(from)};
  auto slow = server.server().Handle(std::move(request));
  slow->SetWake([] {});
  auto fast = server.Open(Watch(from));
  for (int i = 0; i < 500; ++i) {
    server.MakeConfigMap("default", "m" + std::to_string(i));
    EXPECT_EQ(fast->Events().size(), 1U);
  }
  std::vector<BodyChunk> chunks;
  EXPECT_EQ(slow->Read(1 << 20, chunks), ResponseStream::State::kEnd)
      << "it cannot go on without a gap";
  EXPECT_THAT(chunks, IsEmpty());
}

TEST(ApiServerWatch, CloseWatchesEndsThemCleanly) {
  TestServer server;
  auto watch = server.Open(Watch("&resourceVersion=" + Current(server)));
  EXPECT_EQ(server.server().Stats().watches, 1U);
  server.server().CloseWatches();
  EXPECT_EQ(watch->wakes(), 1);
  EXPECT_THAT(watch->Events(), IsEmpty());
  EXPECT_TRUE(watch->ended());
  EXPECT_FALSE(watch->reply().aborted);
}

TEST(ApiServerVersions, VersionsOfAnEarlierServer_AreExpired) {
  TestServer earlier({.first_resource_version =
                          FirstResourceVersionAt(WallTime(std::chrono::seconds(1'700'000'000)))});
  const std::string known = earlier.MakeConfigMap("default", "a");
  EXPECT_LT(std::stoll(known), 90'100'000'000);

  // A second later, another server takes its place.
  const std::int64_t first = FirstResourceVersionAt(WallTime(std::chrono::seconds(1'700'000'001)));
  TestServer server({.first_resource_version = first, .bootstrap_objects = false});
  const auto frames = server.Open(Watch("&resourceVersion=" + known))->Frames();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].At("/object/code").AsInt64(), 410);
  EXPECT_EQ(frames[0].At("/object/reason").StringOrEmpty(), "Expired");
  EXPECT_EQ(frames[0].At("/object/message").StringOrEmpty(),
            "too old resource version: " + known + " (" + std::to_string(first) + ")");
  const std::string exact = "?resourceVersionMatch=Exact&resourceVersion=" + known;
  EXPECT_EQ(server.Get(std::string(kMaps) + exact).status, 410);
  EXPECT_EQ(server.Get(std::string(kMaps) + "?resourceVersion=" + known).status, 200)
      << "nothing is older than that";

  EXPECT_EQ(server.server().current_resource_version(), first + 4) << "one for each namespace";
  // The clock was set back in between, and the earlier server had made many writes.
  for (const std::int64_t above :
       {first + 5, first + 1'000'000'000, std::int64_t{98'999'999'999}}) {
    const auto told = server.Open(Watch("&resourceVersion=" + std::to_string(above)))->Frames();
    ASSERT_EQ(told.size(), 1U) << above;
    EXPECT_EQ(told[0].At("/object/code").AsInt64(), 410) << above;
  }
  auto present = server.Open(Watch("&resourceVersion=" + Current(server)));
  EXPECT_THAT(present->Frames(), IsEmpty());
  EXPECT_FALSE(present->ended());
  EXPECT_FALSE(server.Open(Watch("&resourceVersion=99000000000"))->ended());
  auto future = server.Open(Watch("&resourceVersion=99999999999"));
  EXPECT_THAT(future->Frames(), IsEmpty());
  EXPECT_FALSE(future->ended());
  server.MakeConfigMap("default", "b");
  EXPECT_THAT(server.Open(Watch("&resourceVersion=" + std::to_string(first)))->Events(),
              ElementsAre("ADDED default/b " + std::to_string(first + 5)));
}

TEST(ApiServerFaults, ActOnTheRequestsTheyFit) {
  TestServer server;
  FaultPlan& faults = server.server().faults();
  const auto rule = faults.Add({.verb = "list",
                                .resource = "configmaps",
                                .count = 1,
                                .status = 429,
                                .retry_after = std::chrono::seconds(7)});
  EXPECT_EQ(server.Get("/api/v1/pods").status, 200);
  const Reply limited = server.Get(kMaps);
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.Get("Retry-After"), "7");
  EXPECT_EQ(limited.Json()["reason"].StringOrEmpty(), "TooManyRequests");
  EXPECT_EQ(server.Get(kMaps).status, 200) << "spent";
  EXPECT_EQ(faults.hits(rule), 1U);

  faults.Clear();
  faults.Add({.verb = "list", .action = FaultAction::kCutBody, .after_bytes = 20});
  const Reply cut = server.Get(kMaps);
  EXPECT_TRUE(cut.aborted);
  EXPECT_EQ(cut.body.size(), 20U);

  faults.Clear();
  faults.Add({.verb = "list", .action = FaultAction::kDelay, .delay = std::chrono::seconds(5)});
  const SteadyTime before = server.sim().env().Now();
  EXPECT_EQ(server.Get(kMaps).status, 200);
  EXPECT_EQ(server.sim().env().Now() - before, std::chrono::seconds(5));

  faults.Clear();
  faults.Add(
      {.verb = "watch", .action = FaultAction::kWatchError, .status = 410, .after_events = 1});
  auto watch = server.Open(Watch("&resourceVersion=" + Current(server)));
  server.MakeConfigMap("default", "a");
  EXPECT_THAT(watch->Events(), ElementsAre("ADDED default/a " + Current(server), "ERROR Expired"));
  EXPECT_TRUE(watch->ended());

  faults.Clear();
  faults.Add({.verb = "watch", .action = FaultAction::kOldResourceVersion});
  EXPECT_THAT(server.Open(Watch("&resourceVersion=" + Current(server)))->Events(),
              ElementsAre("ERROR Expired"));
}

TEST(ApiServerFaults, EqualSeeds_GiveEqualFaults) {
  std::vector<std::string> runs;
  for (int run = 0; run < 2; ++run) {
    TestServer server({}, /*seed=*/static_cast<std::uint64_t>(run) + 1);
    server.server().faults().Seed(42);
    server.server().faults().Add({.probability = 0.5, .status = 500});
    std::string outcome;
    for (int i = 0; i < 64; ++i) outcome += server.Get(kMaps).status == 200 ? '.' : 'x';
    runs.push_back(outcome);
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0].find('x'), std::string::npos);
  EXPECT_NE(runs[0].find('.'), std::string::npos);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
