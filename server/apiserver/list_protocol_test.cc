// Lists over the wire: versions, pages, forms and errors.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/yaml.h"
#include "kinformer/object/shard_selector.h"

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/read/list_stream.h"
#include "apiserver/testing.h"
#include "transport/query.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;

const std::string kMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";

class ListProtocolTest : public ::testing::Test {
 protected:
  std::int64_t Make(std::string_view name, std::string_view labels = "{}") {
    return std::stoll(server_.MakeConfigMap("default", name, labels));
  }
  // Returns "a,b rv=5 left=3", and "more" where a further page is offered; or the error.
  std::string List(const std::string& query, std::string* next = nullptr) {
    const json::Value list = Get(query).Json();
    if (list["kind"] == json::Value("Status")) {
      return list["code"].Dump() + " " + list["message"].StringOrEmpty();
    }
    std::string out;
    for (const json::Value& item : list["items"].items()) {
      if (!out.empty()) out += ',';
      out += item.At("/metadata/name").StringOrEmpty();
    }
    const json::Value& metadata = list["metadata"];
    out += " rv=" + metadata["resourceVersion"].StringOrEmpty();
    if (metadata.contains("remainingItemCount")) {
      out += " left=" + metadata["remainingItemCount"].Dump();
    }
    if (metadata.contains("continue")) out += " more";
    if (next != nullptr) *next = "&continue=" + metadata["continue"].StringOrEmpty();
    return out;
  }
  Reply Get(const std::string& query, const HeaderList& headers = {}) {
    return server_.Get(kMaps + "?" + query, headers);
  }
  [[nodiscard]] static std::string Rv(std::int64_t version) {
    return " rv=" + std::to_string(version);
  }
  [[nodiscard]] static std::string At(std::int64_t version) {
    return "resourceVersion=" + std::to_string(version);
  }

  TestServer server_;
};

TEST_F(ListProtocolTest, FaultyOptions_AreRefused) {
  const std::int64_t now = Make("a");
  const std::string invalid = "422 ListOptions.meta.k8s.io \"\" is invalid: ";
  const std::string match = "resourceVersionMatch: ";
  const std::string bad = "400 invalid resource version \"";
  const std::string token = EncodeContinue({.resource_version = now, .start = "a", .remaining = 0});
  for (const auto& [query, answer] : std::vector<std::pair<std::string, std::string>>{
           {"resourceVersionMatch=Exact",
            invalid + match +
                "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"},
           {"resourceVersionMatch=Exact&resourceVersion=0",
            invalid + match +
                "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""},
           {"resourceVersionMatch=Foo&resourceVersion=1",
            invalid + match +
                "Unsupported value: \"Foo\": supported values: \"Exact\", \"NotOlderThan\", \"\""},
           {"resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=x",
            invalid + match +
                "Forbidden: resourceVersionMatch is forbidden when continue is provided"},
           {"sendInitialEvents=true",
            invalid + "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"},
           {"resourceVersion=x", bad + "x\": it must be a non-negative decimal number"},
           {"resourceVersion=-1", bad + "-1\": it must be a non-negative decimal number"},
           {"resourceVersion=1&continue=" + token,
            "400 specifying resource version is not allowed when using continue"},
       }) {
    EXPECT_EQ(List(query), answer) << query;
  }
  EXPECT_EQ(Get("resourceVersionMatch=Foo&sendInitialEvents=1").Json()["details"]["causes"].size(),
            3U);
  for (const char* query :
       {"limit=x", "continue=garbage", "labelSelector=%21%21", "fieldSelector=spec.x%3D1"}) {
    EXPECT_EQ(Get(query).status, 400) << query;
  }
  const std::vector<std::string> good = {"",
                                         "resourceVersion=",
                                         "resourceVersion=0",
                                         "resourceVersionMatch=NotOlderThan&resourceVersion=0",
                                         At(now),
                                         At(1),
                                         "resourceVersionMatch=Exact&" + At(now),
                                         "resourceVersion=0&continue=" + token};
  for (const std::string& query : good) {
    EXPECT_EQ(List(query), "a" + Rv(now)) << query;
  }
}

TEST_F(ListProtocolTest, Version_ChoosesTheState) {
  const std::int64_t one = Make("a");
  const std::int64_t two = Make("b");
  const std::int64_t now = Make("c");
  for (const auto& [query, answer] : std::vector<std::pair<std::string, std::string>>{
           {At(one), "a,b,c" + Rv(now)},
           {At(one) + "&resourceVersionMatch=NotOlderThan", "a,b,c" + Rv(now)},
           {At(one) + "&resourceVersionMatch=Exact", "a" + Rv(one)},
           {At(two) + "&resourceVersionMatch=Exact", "a,b" + Rv(two)},
           {At(one) + "&limit=1", "a" + Rv(one)},
           {At(two) + "&limit=9", "a,b" + Rv(two)},
           {At(two) + "&limit=0", "a,b,c" + Rv(now)},
           {At(two) + "&limit=-1", "a,b,c" + Rv(now)},
           {"resourceVersion=0&limit=1", "a,b,c" + Rv(now)},
           {At(two) + "&limit=9&resourceVersionMatch=NotOlderThan", "a,b,c" + Rv(now)},
       }) {
    EXPECT_EQ(List(query), answer) << query;
  }
  server_.server().Compact(two);
  EXPECT_EQ(List(At(two) + "&resourceVersionMatch=Exact"), "a,b" + Rv(two));
  const std::string old = "410 The resourceVersion for the provided list is too old.";
  EXPECT_EQ(List(At(one) + "&resourceVersionMatch=Exact"), old);
  EXPECT_EQ(List(At(one) + "&limit=5"), old);
  EXPECT_EQ(List(At(one)), "a,b,c" + Rv(now)) << "not older is enough";
}

TEST_F(ListProtocolTest, FutureVersion_IsWaitedFor) {
  const std::int64_t now = Make("a");
  const std::string late = std::to_string(now + 1);
  for (const std::string& target : {kMaps, kMaps + "/a"}) {
    auto open = server_.Open(target + "?resourceVersion=" + late);
    EXPECT_EQ(open->reply().status, 0);
    server_.sim().RunFor(milliseconds(3000) - nanoseconds(1));
    open->Pull();
    EXPECT_EQ(open->reply().status, 0);
    server_.sim().RunFor(nanoseconds(1));
    open->Pull();
    EXPECT_EQ(open->reply().status, 504);
    EXPECT_EQ(open->reply().Json()["message"].StringOrEmpty(),
              "Timeout: Too large resource version: " + late + ", current: " + std::to_string(now));
  }
  auto list = server_.Open(kMaps + "?resourceVersion=" + late);
  auto object = server_.Open(kMaps + "/a?resourceVersion=" + late);
  Make("b");
  list->Pull();
  object->Pull();
  EXPECT_EQ(list->reply().Json()["items"].size(), 2U);
  EXPECT_EQ(object->reply().status, 200);
  EXPECT_EQ(server_.Get(kMaps + "/a?resourceVersion=x").status, 400);
  EXPECT_EQ(server_.Get(kMaps + "/a?resourceVersion=0").status, 200);
  EXPECT_EQ(server_.Get(kMaps + "/none").Json()["message"].StringOrEmpty(),
            "configmaps \"none\" not found");
}

TEST_F(ListProtocolTest, Pages_ShowOneState) {
  for (const char* name : {"a", "b", "c", "d", "e"}) Make(name);
  const std::int64_t now = server_.server().current_resource_version();
  std::string next;
  EXPECT_EQ(List("limit=2", &next), "a,b" + Rv(now) + " left=3 more");
  const auto token = DecodeContinue(next.substr(std::string("&continue=").size())).OrExit();
  EXPECT_EQ(token.resource_version, now);
  EXPECT_EQ(token.start, std::string("b\0", 2));
  EXPECT_EQ(token.remaining, 3);
  Make("bb");
  ASSERT_TRUE(server_.server().Delete(kConfigMaps, {"default", "d"}).ok());
  const std::string first = next;
  EXPECT_EQ(List("limit=2" + next, &next), "c,d" + Rv(now) + " left=1 more");
  EXPECT_EQ(List("limit=2" + next), "e" + Rv(now));
  EXPECT_EQ(List(first.substr(1)), "c,d,e" + Rv(now)) << "the rest, without a limit";
  EXPECT_EQ(List("limit=3" + first), "c,d,e" + Rv(now)) << "a full last page";
  EXPECT_EQ(List("limit=1&labelSelector=none", &next),
            Rv(server_.server().current_resource_version()));
  // Across namespaces, tokens contain the namespace.
  const Reply all = server_.Get("/api/v1/configmaps?limit=1");
  const std::string start =
      DecodeContinue(all.Json().At("/metadata/continue").StringOrEmpty()).OrExit().start;
  EXPECT_NE(start.find('/'), std::string::npos) << start;
}

TEST_F(ListProtocolTest, PagesWithSelector_TellNoCount) {
  for (const char* name : {"a", "b", "c", "d"}) {
    Make(name, name[0] == 'b' ? "{}" : R"({"in":"1"})");
  }
  std::string next;
  const std::string rv = Rv(server_.server().current_resource_version());
  EXPECT_EQ(List("labelSelector=in&limit=1", &next), "a" + rv + " more");
  EXPECT_EQ(List("labelSelector=in&limit=2" + next, &next), "c,d" + rv);
  EXPECT_EQ(List("labelSelector=in&limit=3"), "a,c,d" + rv);
  // A full page has a successor if any object follows, matching or not.
  EXPECT_EQ(List("labelSelector=%21in&limit=1", &next), "b" + rv + " more");
  EXPECT_EQ(List("labelSelector=%21in&limit=1" + next), rv);
  EXPECT_EQ(List("fieldSelector=metadata.name%3Dc"), "c" + rv);
  EXPECT_EQ(List("fieldSelector=metadata.name%3Dc&limit=1"), "c" + rv);
}

TEST_F(ListProtocolTest, ExpiredPage_OffersAnInconsistentRest) {
  for (const char* name : {"a", "b", "c"}) Make(name);
  std::string next;
  EXPECT_EQ(List("limit=1", &next),
            "a" + Rv(server_.server().current_resource_version()) + " left=2 more");
  const std::string first = next;
  Make("d");
  const std::int64_t now = server_.server().current_resource_version();
  server_.server().Compact(now - 1);
  EXPECT_EQ(Get("limit=1" + first).status, 200) << "just not too old";
  server_.server().Compact(now);
  const Reply gone = Get("limit=1" + first);
  EXPECT_EQ(gone.status, 410);
  EXPECT_TRUE(gone.Json()["message"].StringOrEmpty().starts_with(
      "The provided continue parameter is too old to display a consistent list result."));
  const std::string rest = gone.Json().At("/metadata/continue").StringOrEmpty();
  const auto token = DecodeContinue(rest).OrExit();
  EXPECT_EQ(token.resource_version, -1);
  EXPECT_EQ(token.start, std::string("a\0", 2));
  EXPECT_EQ(List("continue=" + rest), "b,c,d" + Rv(now));
  const std::string future = EncodeContinue({.resource_version = now + 1, .start = "a"});
  EXPECT_EQ(List("continue=" + future),
            "504 Timeout: Too large resource version: " + std::to_string(now + 1) +
                ", current: " + std::to_string(now));
}

TEST_F(ListProtocolTest, Page_ExpiresByItsAgeEvenIfNobodyWrites) {
  for (const char* name : {"a", "b"}) Make(name);
  std::string next;
  (void)List("limit=1", &next);
  server_.sim().RunFor(minutes(4));
  EXPECT_EQ(Get("limit=1" + next).status, 200);
  server_.sim().RunFor(minutes(12));
  EXPECT_EQ(Get("limit=1" + next).status, 410);
}

// Every form of a list holds the same, whether its items are small or large enough to be encoded
// on another thread, and however it is read.
TEST_F(ListProtocolTest, Forms_HoldTheSame) {
  const HeaderList pretty = {{"Accept", "application/json;pretty=1"}};
  const HeaderList yaml = {{"Accept", "application/yaml"}};
  const HeaderList protobuf = {{"Accept", kProtobuf}};
  const HeaderList table = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}};
  const HeaderList pretty_table = {
      {"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io;pretty=1"}};
  for (const std::size_t size : {0U, 1U, 20'000U}) {
    TestServer server;
    for (int i = 0; size > 0 && i < 20; ++i) {
      const std::string text(i % 3 == 0 ? size : 5, static_cast<char>('a' + i));
      const json::Value object = json::Value::MakeObject(
          {{"metadata", json::Value::MakeObject(
                            {{"namespace", "default"}, {"name", "m" + std::to_string(10 + i)}})},
           {"data", json::Value::MakeObject({{"items: []", text}, {"b", "\"items\": []\n"}})}});
      ASSERT_TRUE(server.server().Create(kConfigMaps, object).ok());
    }
    const Reply plain = server.Get(kMaps);
    const json::Value list = plain.Json();
    EXPECT_EQ(list["items"].size(), size > 0 ? 20U : 0U);
    EXPECT_EQ(plain.headers.Get("Content-Type"), "application/json");
    EXPECT_EQ(plain.headers.Get("Cache-Control"), "no-cache, private");
    EXPECT_EQ(plain.body, list.Dump() + "\n");
    std::string wanted = list.DumpPretty();
    while (wanted.ends_with('\n')) wanted.pop_back();
    std::string got = server.Get(kMaps, pretty).body;
    while (got.ends_with('\n')) got.pop_back();
    EXPECT_TRUE(got == wanted) << got.substr(0, 400) << wanted.substr(0, 400);
    EXPECT_TRUE(server.Get(kMaps, yaml).body == yaml::Dump(list)) << size;
    const json::Value rows = server.Get(kMaps, table).Json();
    EXPECT_EQ(rows["rows"].size(), list["items"].size());
    EXPECT_TRUE(server.Get(kMaps, pretty_table).Json() == rows) << size;

    const auto envelope_text = server.Get(kMaps, protobuf).body;
    const auto envelope = ParseEnvelope(envelope_text);
    ASSERT_TRUE(envelope.has_value());
    EXPECT_EQ(envelope->kind, "ConfigMapList");
    const auto fields = ReadFields(envelope->raw).value();
    ASSERT_EQ(fields.size(), list["items"].size() + 1);
    EXPECT_EQ(fields[0].number, 1U);
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const std::string name = list["items"][i - 1].At("/metadata/name").StringOrEmpty();
      const std::string one = server.Get(kMaps + "/" + name, protobuf).body;
      EXPECT_EQ(fields[i].number, 2U);
      EXPECT_TRUE(fields[i].bytes == ParseEnvelope(one).value().raw) << name;
    }
    // A page is a list of its own, and small reads give the same bytes.
    for (const HeaderList& form : {HeaderList(), pretty, yaml, protobuf, table}) {
      const std::string page = server.Get(kMaps + "?limit=3", form).body;
      auto open = server.Open(kMaps + "?limit=3", form);
      (void)server.sim().RunUntil(
          [&] {
            open->Pull(1);
            return open->ended();
          },
          minutes(1));
      EXPECT_TRUE(open->reply().body == page) << size;
    }
  }
}

class ShardedListTest : public ::testing::Test {
 protected:
  ShardedListTest() {
    for (int i = 0; i < 16; ++i) server_.MakeConfigMap("default", "map-" + std::to_string(i), "{}");
  }
  static std::string Query(const ShardSelector& shard) {
    std::string path = kMaps + "?shardSelector=";
    internal::transport::PercentEncode(shard.ToString(), "", path);
    return path;
  }

  TestServer server_{{.sharded_list_and_watch = true}};
};

TEST_F(ShardedListTest, EachHalfHasItsObjectsAndSaysWhichItIs) {
  std::size_t all = 0;
  for (const std::size_t part : {0U, 1U}) {
    const ShardSelector half = ShardSelector::Part(part, 2);
    const json::Value list = server_.Get(Query(half)).Json();
    EXPECT_EQ(list.At("/metadata/shardInfo/selector"), json::Value(half.ToString()));
    for (const json::Value& item : list["items"].items()) {
      EXPECT_TRUE(half.Matches(item.At("/metadata/uid").StringOrEmpty(), "default"));
    }
    EXPECT_GT(list["items"].items().size(), 0U);
    all += list["items"].items().size();
  }
  EXPECT_EQ(all, 16U);
  EXPECT_FALSE(server_.Get(kMaps).Json()["metadata"].contains("shardInfo"));
}

TEST_F(ShardedListTest, AWrongSelectorIsAnInternalErrorAsOnARealServer) {
  const Reply reply = server_.Get(kMaps + "?shardSelector=uid");
  EXPECT_EQ(reply.status, 500);
  EXPECT_TRUE(reply.Json()["message"].StringOrEmpty().starts_with("invalid shard selector: "));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
