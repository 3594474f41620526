// Conversion of stored objects after a change of their definition's schema, with concurrent reads
// and writes.

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

const GroupVersionResource kThings{"s.example", "v1", "things"};
constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kYaml = R"(
metadata: {name: things.s.example}
spec:
  group: s.example
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      a: {type: string}, b: {type: string}}}}}}
)";

class ReshapeTest : public ::testing::Test {
 protected:
  ReshapeTest() {
    EXPECT_EQ(server_.Do("POST", kDefinitions, yaml::Parse(kYaml).OrExit().Dump()).status, 201);
  }
  void Make(const std::string& name, const std::string& text = "x") {
    server_.server()
        .Create(kThings, json::Parse(R"({"metadata":{"namespace":"default","name":")" + name +
                                     R"("},"spec":{"a":")" + text + R"(","b":"y"}})")
                             .OrExit())
        .OrExit();
  }
  void Remove(const std::string& name) {
    server_.server().Delete(kThings, {"default", name}).OrExit();
  }
  // Sends a definition that removes b and sets the default of c to 5.
  std::unique_ptr<OpenReply> Redefine() {
    json::Value definition = server_.Get(std::string(kDefinitions) + "/things.s.example").Json();
    json::Value& properties = definition.Ensure("spec", "versions", 0, "schema", "openAPIV3Schema",
                                                "properties", "spec", "properties");
    properties.Erase("b");
    properties.Set("c", json::Parse(R"({"type":"integer","default":5})").OrExit());
    return std::make_unique<OpenReply>(
        server_.sim(),
        server_.server().Handle({.method = "PUT",
                                 .target = std::string(kDefinitions) + "/things.s.example",
                                 .body = definition.Dump()}));
  }
  // Returns the number of objects, and how many of them have the new form.
  std::pair<std::size_t, std::size_t> Shapes() {
    const auto all = server_.server().List(kThings).OrExit();
    std::size_t shaped = 0;
    for (const json::Value& thing : all) {
      const json::Value& spec = thing["spec"];
      if (spec.Dump() == R"({"a":"x","c":5})") ++shaped;
    }
    return {all.size(), shaped};
  }
  // Calls `each` in every turn of the loop until the request is answered.
  void Beside(OpenReply& reply, const std::function<void(int turn)>& each) {
    int turn = 0;
    const std::function<void()> next = [&] {
      reply.Pull();
      if (reply.ended()) return;
      each(turn++);
      server_.sim().env().loop().Post(next);
    };
    server_.sim().env().loop().Post(next);
    (void)server_.sim().RunUntil([&] { return reply.ended(); }, std::chrono::minutes(1));
    EXPECT_GT(turn, 3) << "it is over in one turn";
  }

  TestServer server_;
};

constexpr int kMany = 6'000;

TEST_F(ReshapeTest, WritesDuringConversion_AllObjectsGetTheNewForm) {
  for (int i = 0; i < kMany; ++i) Make("n" + std::to_string(i));
  const std::string before = std::to_string(server_.server().current_resource_version());
  const auto put = Redefine();
  int made = 0;
  Beside(*put, [&](int turn) {
    const auto [all, shaped] = Shapes();
    EXPECT_EQ(shaped, 0U) << "turn " << turn;
    if (turn > 50) return;
    Make("m" + std::to_string(made++));
    Remove("n" + std::to_string(turn));
    if (turn == 20) Remove("m3");
  });
  EXPECT_EQ(put->reply().status, 200) << put->reply().body;
  const auto [all, shaped] = Shapes();
  EXPECT_EQ(shaped, all);
  EXPECT_GT(made, 3);
  EXPECT_EQ(server_.server().ObjectCount(kThings), all);
  EXPECT_EQ(
      server_.Get("/apis/s.example/v1/things?resourceVersionMatch=Exact&resourceVersion=" + before)
          .status,
      410)
      << "history begins anew";
}

TEST_F(ReshapeTest, WritesFasterThanTheConversion_DoNotHoldItUp) {
  for (int i = 0; i < kMany; ++i) Make("n" + std::to_string(i));
  const auto put = Redefine();
  constexpr int kEndless = 2'000;
  const std::string large(20'000, 'x');
  int made = 0;
  Beside(*put, [&](int) {
    if (made < kEndless) Make("l" + std::to_string(made++), large);
  });
  EXPECT_EQ(put->reply().status, 200);
  EXPECT_LT(made, kEndless);
  const std::vector<json::Value> all = server_.server().List(kThings).OrExit();
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kMany + made));
  for (const json::Value& thing : all) {
    ASSERT_EQ(thing.At("/spec/c").AsInt64(), 5) << thing.At("/metadata/name").StringOrEmpty();
  }
}

TEST_F(ReshapeTest, DefinitionChangedDuringConversion_IsAConflict) {
  for (int i = 0; i < kMany; ++i) Make("n" + std::to_string(i));
  const auto put = Redefine();
  Beside(*put, [&](int turn) {
    if (turn == 2) {
      server_.server()
          .Patch({"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                 {"", "things.s.example"},
                 json::Parse(R"({"metadata":{"labels":{"a":"b"}}})").OrExit())
          .OrExit();
    }
  });
  EXPECT_EQ(put->reply().status, 409) << put->reply().body;
  EXPECT_EQ(Shapes().second, 0U);
}

TEST_F(ReshapeTest, CallerLeaves_ObjectsStayUnconverted) {
  for (int i = 0; i < kMany; ++i) Make("n" + std::to_string(i));
  (void)Redefine();
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(Shapes(), std::pair(std::size_t{kMany}, std::size_t{0}));
  const auto put = Redefine();
  Beside(*put, [](int) {});
  EXPECT_EQ(put->reply().status, 200);
  EXPECT_EQ(Shapes(), std::pair(std::size_t{kMany}, std::size_t{kMany}));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
