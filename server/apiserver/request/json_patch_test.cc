#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

struct Outcome {
  std::string text;  // the document, or the message of the error
  int code = 200;
};

Outcome Patched(std::string_view document, const json::Value& patch) {
  json::Value value = json::Parse(document).OrExit();
  const Result<void> done = ApplyJsonPatch(patch, value);
  if (done) return {.text = value.Dump()};
  return {.text = done.error().message(), .code = done.error().http_status()};
}

struct Case {
  std::string_view document;
  std::string_view patch;
  std::string_view result;
};

void Expect(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Outcome outcome = Patched(c.document, json::Parse(c.patch).OrExit());
    EXPECT_EQ(outcome.text, c.result) << c.document << " " << c.patch;
    EXPECT_EQ(outcome.code, 200) << c.patch;
  }
}

// `result` is the end of the message.
void ExpectRefused(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Outcome outcome = Patched(c.document, json::Parse(c.patch).OrExit());
    EXPECT_EQ(outcome.text,
              "the server rejected our request due to an error in our request: json patch "
              "operation " +
                  std::string(c.result))
        << c.patch;
    EXPECT_EQ(outcome.code, 422) << c.patch;
  }
}

TEST(JsonPatch, SingleOperations_DoWhatTheRfcSays) {
  Expect({
      {R"({"a":1})", R"([])", R"({"a":1})"},
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":[2]}])", R"({"a":1,"b":[2]})"},
      {R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])", R"({"a":2})"},
      {R"({"a":1})", R"([{"op":"add","path":"","value":{"b":1}}])", R"({"b":1})"},
      {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/0","value":0}])", R"({"a":[0,1,2]})"},
      {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/1","value":0}])", R"({"a":[1,0,2]})"},
      {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/2","value":0}])", R"({"a":[1,2,0]})"},
      {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-","value":0}])", R"({"a":[1,2,0]})"},
      {R"({"a":1})", R"([{"op":"replace","path":"/a","value":2}])", R"({"a":2})"},
      {R"({"a":{}})", R"([{"op":"replace","path":"/a/b","value":2}])", R"({"a":{"b":2}})"},
      {R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/1","value":3}])", R"({"a":[1,3]})"},
      {R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
      {R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/0"}])", R"({"a":[2]})"},
      {R"({"a":1})", R"([{"op":"test","path":"/a","value":1}])", R"({"a":1})"},
      {R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])", R"({"a":1})"},
      {R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b"}])", R"({"b":1})"},
      {R"({"a":[1,2]})", R"([{"op":"move","from":"/a/0","path":"/a/1"}])", R"({"a":[2,1]})"},
      {R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":[1],"b":[1]})"},
      {R"({"a/b":1,"c~d":2})", R"([{"op":"remove","path":"/a~1b"}])", R"({"c~d":2})"},
      {R"([1])", R"([{"op":"add","path":"","value":[2]},{"op":"add","path":"","value":[3]}])",
       R"([3])"},
  });
  const Outcome outcome =
      Patched("{}", json::Parse(R"([{"op":"add","path":"/b~2","value":1}])").OrExit());
  EXPECT_EQ(outcome.code, 422) << "a path with an escape that is none";
  EXPECT_EQ(outcome.text,
            "the server rejected our request due to an error in our request: JSON pointer "
            "\"/b~2\": '~' must be written ~0, '/' ~1");
}

TEST(JsonPatch, SingleOperations_ThatFail_NameOperationAndPath) {
  ExpectRefused({
      {R"({})", R"([{"op":"mix","path":"/a"}])", R"(mix at "/a": unknown operation)"},
      {R"({})", R"([{}])", R"( at "": unknown operation)"},
      {R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])",
       R"(test at "/a": the value is another)"},
      {R"({"a":1})", R"([{"op":"test","path":"/b"}])", R"(test at "/b": the value is another)"},
      {R"({})", R"([{"op":"add","path":"/a/b","value":1}])",
       R"(add at "/a/b": its parent does not exist)"},
      {R"({"a":1})", R"([{"op":"add","path":"/a/b","value":1}])",
       R"(add at "/a/b": its parent is neither an object nor an array)"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":1}])",
       R"(add at "/a/2": the index is past the end)"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/x","value":1}])",
       R"(add at "/a/x": not an index)"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/","value":1}])", R"(add at "/a/": not an index)"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/-1","value":1}])",
       R"(add at "/a/-1": not an index)"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/999999999","value":1}])",
       R"(add at "/a/999999999": the index is past the end)"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/1000000000","value":1}])",
       R"(add at "/a/1000000000": not an index)"},
      {R"({"a":[1]})", R"([{"op":"replace","path":"/a/1","value":1}])",
       R"(replace at "/a/1": there is no such value)"},
      {R"({})", R"([{"op":"replace","path":"/a/b","value":1}])",
       R"(replace at "/a/b": there is no such value)"},
      {R"({})", R"([{"op":"replace","path":"a","value":1}])",
       R"(replace at "a": there is no such value)"},
      {R"({})", R"([{"op":"remove","path":"/a"}])", R"(remove at "/a": there is no such value)"},
      {R"({"a":[1]})", R"([{"op":"remove","path":"/a/1"}])",
       R"(remove at "/a/1": there is no such value)"},
      {R"({})", R"([{"op":"move","from":"/x","path":"/a"}])",
       R"(move at "/a": there is nothing at "/x")"},
      {R"({})", R"([{"op":"copy","from":"/x","path":"/a"}])",
       R"(copy at "/a": there is nothing at "/x")"},
  });
}

// Consecutive operations on one list or object have the same effect as each alone.
TEST(JsonPatch, RunsOfOperations_ApplyInTheirOrder) {
  Expect({
      {R"({"a":[1,2]})",
       R"([{"op":"add","path":"/a/0","value":0},{"op":"add","path":"/a/-","value":3},)"
       R"({"op":"remove","path":"/a/1"}])",
       R"({"a":[0,2,3]})"},
      {R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/0"},{"op":"remove","path":"/a/0"}])",
       R"({"a":[]})"},
      {R"({"a":[]})",
       R"([{"op":"add","path":"/a/0","value":1},{"op":"add","path":"/a/1","value":2}])",
       R"({"a":[1,2]})"},
      {R"({"a":[1],"b":[2]})", R"([{"op":"remove","path":"/a/0"},{"op":"remove","path":"/b/0"}])",
       R"({"a":[],"b":[]})"},
      {R"({"a":1,"b":2,"c":3})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/c"}])",
       R"({"b":2})"},
      {R"({"a":1,"b":2})",
       R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/b"},)"
       R"({"op":"add","path":"/c","value":3}])",
       R"({"c":3})"},
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":2},{"op":"remove","path":"/a"}])",
       R"({"b":2})"},
      {R"({"a":1})", R"([{"op":"remove","path":"/a"},{"op":"replace","path":"/a","value":2}])",
       R"({"a":2})"},
      {R"({"a/b":1,"c~d":2,"e":3})",
       R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"}])", R"({"e":3})"},
      {R"({"a":[1]})",
       R"([{"op":"add","path":"/a/0","value":0},{"op":"test","path":"/a/0","value":0},)"
       R"({"op":"add","path":"/a/0","value":5}])",
       R"({"a":[5,0,1]})"},
      {R"({"a":[[1],2]})",
       R"([{"op":"add","path":"/a/0/0","value":0},{"op":"add","path":"/a/0","value":9}])",
       R"({"a":[9,[0,1],2]})"},
  });
}

TEST(JsonPatch, RunsOfOperations_ThatFail_NameTheOneThatDoes) {
  constexpr std::string_view kFirst = R"([{"op":"add","path":"/a/0","value":1},)";
  const auto second = [&](std::string_view operation) {
    return Patched(R"({"a":[1]})",
                   json::Parse(std::string(kFirst) + std::string(operation) + "]").OrExit())
        .text.substr(std::string_view("the server rejected our request due to an error in our "
                                      "request: json patch operation ")
                         .size());
  };
  EXPECT_EQ(second(R"({"op":"add","path":"/a/3","value":1})"),
            R"(add at "/a/3": the index is past the end)");
  EXPECT_EQ(second(R"({"op":"add","path":"/a/x","value":1})"), R"(add at "/a/x": not an index)");
  EXPECT_EQ(second(R"({"op":"remove","path":"/a/2"})"),
            R"(remove at "/a/2": there is no such value)");
  EXPECT_EQ(second(R"({"op":"remove","path":"/a/3"})"),
            R"(remove at "/a/3": there is no such value)");
  EXPECT_EQ(second(R"({"op":"remove","path":"/a/-"})"),
            R"(remove at "/a/-": there is no such value)");
  EXPECT_EQ(second(R"({"op":"remove","path":"/a/01"})"),
            R"(remove at "/a/01": there is no such value)");
  EXPECT_EQ(second(R"({"op":"remove","path":"/a/00"})"),
            R"(remove at "/a/00": there is no such value)");
  ExpectRefused({
      {R"({"a":1})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}])",
       R"(remove at "/a": there is no such value)"},
      {R"({"a":1})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/b"}])",
       R"(remove at "/b": there is no such value)"},
      {R"({"a":1,"b/":2})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/b~2"}])",
       R"(remove at "/b~2": there is no such value)"},
      {R"({"a":1,"b/":2,"b":3})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/b~"}])",
       R"(remove at "/b~": there is no such value)"},
      {R"({"a":1})", R"([{"op":"remove","path":"/a/b"},{"op":"remove","path":"/a/c"}])",
       R"(remove at "/a/b": there is no such value)"},
  });
}

}  // namespace
}  // namespace kinformer::apiserver
