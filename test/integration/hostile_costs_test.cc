// Expensive work that a single request can cause must be linear in the size of the request.

#include <algorithm>
#include <ctime>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"
#include "kinformer/testing/api_server.h"

#include "integration/hostile_requests.h"
#include "integration/raw_http.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CostlyServer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server = new ApiServer();
    server->Listen().OrExit();
  }
  static void TearDownTestSuite() {
    delete server;
    server = nullptr;
  }
  static RawReply Ask(const std::string& bytes) { return Exchange(server->http().port(), bytes); }

  // Sends a request that must be answered with `status`, and not in quadratic time, compared with
  // the CPU time per byte of a harmless object with many members in the same process. One pass
  // takes a few times as much, quadratic work hundreds of times.
  static RawReply AskSoon(const std::string& request, int status) {
    static const double yardstick = [] {
      const std::string harmless = Map("yardstick", ",\"data\":{" + Members(20'000, "\"v\"") + "}");
      const std::clock_t before = std::clock();
      EXPECT_EQ(Ask(harmless).status, 201);
      return static_cast<double>(std::clock() - before) / static_cast<double>(harmless.size());
    }();
    constexpr std::size_t kLeast = 100'000;
    const std::clock_t before = std::clock();
    RawReply reply = Ask(request);
    const auto took = static_cast<double>(std::clock() - before);
    EXPECT_LT(took, 60 * yardstick * static_cast<double>(std::max(request.size(), kLeast)));
    RecordProperty("times_the_yardstick",
                   std::to_string(took / yardstick / static_cast<double>(request.size())));
    EXPECT_EQ(reply.status, status) << reply.text.substr(0, 500);
    return reply;
  }
  static std::size_t Count(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }
  inline static ApiServer* server = nullptr;
};

TEST_F(CostlyServer, ManyUnknownMembersAreOnePass_Row33) {
  const RawReply reply = AskSoon(Map("many", "," + Members(12'000, "1")), 201);
  const std::string head = reply.text.substr(0, reply.text.find("\r\n\r\n"));
  // The last warning contains the total number.
  EXPECT_LT(head.size(), 6000U);
  EXPECT_GT(Count(head, "Warning: "), 10U);
  EXPECT_THAT(head, HasSubstr(" more warnings"));
  AskSoon(Map("many-more", "," + Members(150'000, "1")), 201);
  EXPECT_THAT(Ask(Get(std::string(kMaps) + "/many")).text, Not(HasSubstr("k11999")));
}

TEST_F(CostlyServer, ManyNullsAreOnePass_Row34) {
  const std::string data = ",\"data\":{" + Members(20'000, "\"v\"") + "}";
  const std::string nulls = "{\"data\":{" + Members(20'000, "null") + "}}";
  for (const char* kind : {"merge", "strategic-merge"}) {
    const std::string name = std::string("nulls-") + kind;
    ASSERT_EQ(AskSoon(Map(name, data), 201).status, 201);
    AskSoon(Patch(name, kind, nulls), 200);
    EXPECT_THAT(Ask(Get(std::string(kMaps) + "/" + name)).text, Not(HasSubstr("k19999")));
  }
}

TEST_F(CostlyServer, ManyOperationsOnOneContainerAreOnePass) {
  AskSoon(Map("ops", ",\"data\":{" + Members(10'000, "\"v\"") + "}"), 201);
  std::string removes = "[";
  for (int i = 0; i < 10'000; ++i) {
    removes +=
        (i == 0 ? "" : ",") + (R"({"op":"remove","path":"/data/k)" + std::to_string(i)) + "\"}";
  }
  AskSoon(Patch("ops", "json", removes + "]"), 200);
  std::string inserts = R"([{"op":"add","path":"/metadata/finalizers","value":[]})";
  for (int i = 0; i < 9'998; ++i) {
    inserts += R"(,{"op":"add","path":"/metadata/finalizers/0","value":"example.com/f)" +
               std::to_string(i) + "\"}";
  }
  const RawReply reply = AskSoon(Patch("ops", "json", inserts + "]"), 200);
  EXPECT_LT(reply.text.find("example.com/f9997\""), reply.text.find("example.com/f0\""));
}

TEST_F(CostlyServer, ListsThatArePatchedThroughAndThroughHaveAnEnd) {
  AskSoon(Map("shift"), 201);
  std::string patch = R"([{"op":"add","path":"/a","value":[)" + Repeat("1,", 300'000) +
                      R"(1]},{"op":"add","path":"/b","value":[1]})";
  patch += Repeat(R"(,{"op":"add","path":"/a/0","value":1},{"op":"add","path":"/b/0","value":1})",
                  2'000);
  const RawReply reply = AskSoon(Patch("shift", "json", patch + "]"), 422);
  EXPECT_THAT(reply.text, HasSubstr("replace these as a whole"));
}

TEST_F(CostlyServer, ElementOrderIsOnePass) {
  std::string finalizers;
  std::string reversed;
  for (int i = 0; i < 20'000; ++i) {
    const std::string one = "\"example.com/f" + std::to_string(i) + "\"";
    finalizers += (i == 0 ? "" : ",") + one;
    reversed = i == 0 ? one : reversed;
  }
  for (int i = 19'999; i > 0; --i) {
    reversed.insert(0, "\"example.com/f" + std::to_string(i) + "\",");
    if (i == 15'000) break;  // the others keep their order
  }
  AskSoon(Json("POST", kMaps, R"({"metadata":{"name":"order","finalizers":[)" + finalizers + "]}}"),
          201);
  AskSoon(Patch("order", "strategic-merge",
                R"({"metadata":{"$setElementOrder/finalizers":[)" + finalizers +
                    R"(],"finalizers":[)" + finalizers + "]}}"),
          200);
  AskSoon(Patch("order", "strategic-merge",
                R"({"metadata":{"$deleteFromPrimitiveList/finalizers":[)" + finalizers + "]}}"),
          200);
  EXPECT_THAT(Ask(Get(std::string(kMaps) + "/order")).text, Not(HasSubstr("example.com/f19999")));
}

TEST_F(CostlyServer, ManyYamlKeysAreOnePass) {
  std::string text = "metadata: {name: keys}\ndata:\n";
  for (int i = 0; i < 60'000; ++i) text += "  k" + std::to_string(i) + ": v\n";
  AskSoon(Yaml(text), 201);
}

TEST_F(CostlyServer, PathsOfUnknownMembersAreBounded) {
  const std::string deep = Repeat(R"({"properties":{"a-rather-long-name":)", 200);
  const std::string crd = R"({"metadata":{"name":"x"},"spec":{"versions":[{"schema":{)"
                          R"("openAPIV3Schema":)" +
                          deep + "{" + Members(100'000, "1") + "}" + Repeat("}}", 200) + "}}]}}";
  const RawReply reply = Ask(Json("POST", std::string(kCrds) + "?fieldValidation=Strict", crd));
  EXPECT_GE(reply.status, 400);
  EXPECT_LT(reply.text.size(), 4U << 20);
}

// A text inside the object must not be taken for another field.
TEST_F(CostlyServer, FieldSelectors_IgnoreNulCharactersInTexts_Row41) {
  const RawReply made =
      Ask(Json("POST", kPods,
               R"({"metadata":{"name":"forger"},"spec":{"nodeName":"n\u0000Foo\u0000Bar",)"
               R"("containers":[{"name":"c","image":"i"}]}})"));
  EXPECT_THAT((std::vector<int>{201, 400, 422}), ::testing::Contains(made.status));
  for (const char* field : {"status.phase%3DFoo", "spec.nodeName%3Dn", "status.phase%3DBar"}) {
    EXPECT_THAT(Ask(Get(std::string(kPods) + "?fieldSelector=" + field)).text,
                HasSubstr("\"items\":[]"));
  }
}

// A list must be the same whether it is sent in pieces or whole.
TEST_F(CostlyServer, PrettyLists_EqualPlainLists) {
  for (const char* name : {"r1", "r2"}) AskSoon(Map(name, ",\"data\":{\"a\":\"b\\nc\"}"), 201);
  const auto body = [](const RawReply& reply) {
    return reply.text.substr(reply.text.find("\r\n\r\n") + 4);
  };
  for (const std::string selector :
       {"", "?fieldSelector=metadata.name%3Dr1", "?fieldSelector=metadata.name%3Dnobody"}) {
    const std::string plain = body(Ask(Get(std::string(kMaps) + selector)));
    const RawReply pretty =
        Ask(Get(std::string(kMaps) + selector + (selector.empty() ? "?" : "&") + "pretty=true"));
    if (plain.starts_with("{")) {
      const json::Value value = json::Parse(plain).OrExit();
      EXPECT_THAT(pretty.text,
                  HasSubstr(selector.empty() ? "\"kind\": \"ConfigMapList\"" : value.DumpPretty()));
      const RawReply yaml =
          Ask(RequestText("GET", std::string(kMaps) + selector, {{"Accept", "application/yaml"}}));
      EXPECT_THAT(yaml.text,
                  HasSubstr(selector.empty() ? "kind: ConfigMapList\n" : yaml::Dump(value)));
    }
  }
}

}  // namespace
}  // namespace kinformer::testing
