// Patches: results of Diff and MergeDiff, applied to one document, must give the other.

#include "kinformer/json/json_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <utility>

namespace kinformer::json {
namespace {

using ::testing::HasSubstr;

Value J(std::string_view text) {
  Result<Value> value = Parse(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(Value());
}

TEST(JsonDiff, SaysWhatChangedAndNoMore) {
  struct Case {
    const char* from;
    const char* to;
    const char* patch;
  };
  for (const Case& c : {
           Case{R"({"a":1,"b":2})", R"({"b":2.0,"a":1})", "[]"},
           Case{R"({"a":1})", R"({"a":2})", R"([{"op":"replace","path":"/a","value":2}])"},
           Case{R"({"a":1})", R"({"b":1})",
                R"([{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":1}])"},
           Case{R"({"a/b":{"c~d":1}})", R"({"a/b":{"c~d":null}})",
                R"([{"op":"replace","path":"/a~1b/c~0d","value":null}])"},
           Case{"[1,2,3]", "[1,3]", R"([{"op":"remove","path":"/1"}])"},
           Case{"[1,3]", "[1,2,3]", R"([{"op":"add","path":"/1","value":2}])"},
           Case{"[1,1]", "[1,1,1]", R"([{"op":"add","path":"/2","value":1}])"},
           Case{R"([{"n":"a","v":1},{"n":"b"}])", R"([{"n":"a","v":2},{"n":"b"}])",
                R"([{"op":"replace","path":"/0/v","value":2}])"},
           Case{"{}", "[]", R"([{"op":"replace","path":"","value":[]}])"},
       }) {
    EXPECT_EQ(Diff(J(c.from), J(c.to)).Dump(), c.patch) << c.from << " " << c.to;
  }
}

TEST(JsonDiff, MergePatches) {
  struct Case {
    const char* from;
    const char* to;
    const char* patch;
  };
  for (const Case& c : {
           Case{R"({"a":{"b":1,"c":2}})", R"({"a":{"b":1}})", R"({"a":{"c":null}})"},
           Case{R"({"a":[1]})", R"({"a":[1,null]})", R"({"a":[1,null]})"},
           Case{R"({"a":1})", R"({"a":{"b":1}})", R"({"a":{"b":1}})"},
           Case{R"({"a":null})", R"({"a":null})", "{}"},
           Case{"1", "[2]", "[2]"},
       }) {
    const Result<Value> patch = MergeDiff(J(c.from), J(c.to));
    ASSERT_TRUE(patch) << patch.error();
    EXPECT_EQ(patch->Dump(), c.patch) << c.from << " " << c.to;
  }
  const Result<Value> refused = MergeDiff(J(R"({"a":{}})"), J(R"({"a":{"b":{"c":null}}})"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("/a/b/c to null"));
}

TEST(JsonPatch, AppliesEveryOperation) {
  Value document = J(R"({"a":[1,2],"b":{"c":3}})");
  ASSERT_TRUE(ApplyPatch(J(R"([{"op":"test","path":"/a/0","value":1.0},
      {"op":"add","path":"/a/-","value":4},{"op":"add","path":"/a/0","value":0},
      {"op":"move","from":"/b/c","path":"/a/1"},{"op":"copy","from":"/a","path":"/b/d"},
      {"op":"replace","path":"/a/0","value":"x"},{"op":"remove","path":"/b/d/0"}])"),
                         document));
  EXPECT_EQ(document.Dump(), R"({"a":["x",3,1,2,4],"b":{"d":[3,1,2,4]}})");
}

TEST(JsonPatch, FailsWholeAndSaysWhere) {
  struct Case {
    const char* operation;
    const char* message;
  };
  for (const Case& c : {
           Case{R"({"op":"remove","path":"/x"})",
                "operation 2 (remove /x): there is no such value"},
           Case{R"({"op":"add","path":"/x/y","value":1})", "its parent does not exist"},
           Case{R"({"op":"add","path":"/a/3","value":1})", "beyond the array's end"},
           Case{R"({"op":"add","path":"/a/01","value":1})", "no index"},
           Case{R"({"op":"add","path":"/b/c/d","value":1})", "neither an object nor an array"},
           Case{R"({"op":"add","path":"b","value":1})", "begin with a slash"},
           Case{R"({"op":"add","path":"/b"})", "no value"},
           Case{R"({"op":"test","path":"/b/c","value":4})", "the value is another"},
           Case{R"({"op":"move","from":"/b","path":"/b/c"})", "into itself"},
           Case{R"({"op":"copy","from":"/x","path":"/b/c"})", "nothing at /x"},
           Case{R"({"op":"copy","path":"/b/c"})", "no from"},
           Case{R"({"op":"frob","path":"/b/c"})", "none of add"},
           Case{R"({"op":"add","value":1})", "no path"},
           Case{"7", "no object"},
       }) {
    Value document = J(R"({"a":[1,2],"b":{"c":3}})");
    const Value before = document;
    const Value patch =
        J("[{\"op\":\"add\",\"path\":\"/new\",\"value\":1}," + std::string(c.operation) + "]");
    const Result<void> done = ApplyPatch(patch, document);
    ASSERT_FALSE(done) << c.operation;
    EXPECT_EQ(done.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(done.error().message(), HasSubstr(c.message)) << c.operation;
    EXPECT_EQ(document, before);
  }
}

// Whole documents, values next to one that moves, and indexes with the maximum number of digits.
TEST(JsonPatch, PathsAtTheirEdges) {
  const auto patched = [](std::string_view operation) {
    Value document = J(R"({"a":[1],"b":{"c":3}})");
    const Result<void> done = ApplyPatch(J("[" + std::string(operation) + "]"), document);
    return done.ok() ? document.Dump() : done.error().message();
  };
  EXPECT_EQ(patched(R"({"op":"add","path":"","value":7})"), "7");
  EXPECT_EQ(patched(R"({"op":"replace","path":"","value":[]})"), "[]");
  EXPECT_EQ(patched(R"({"op":"remove","path":""})"), "null");
  EXPECT_EQ(patched(R"({"op":"move","from":"/b","path":"/bc"})"), R"({"a":[1],"bc":{"c":3}})");
  EXPECT_EQ(patched(R"({"op":"move","from":"/b","path":"/b"})"), R"({"a":[1],"b":{"c":3}})");
  EXPECT_EQ(patched(R"({"op":"add","path":"/a/1","value":2})"), R"({"a":[1,2],"b":{"c":3}})");
  EXPECT_EQ(patched(R"({"op":"copy","from":"/a/0","path":"/a/0"})"), R"({"a":[1,1],"b":{"c":3}})");
  EXPECT_THAT(patched(R"({"op":"add","path":"/a/2","value":2})"), HasSubstr("beyond the array's"));
  EXPECT_THAT(patched(R"({"op":"add","path":"/a/999999999","value":2})"),
              HasSubstr("beyond the array's end"));
  EXPECT_THAT(patched(R"({"op":"add","path":"/a/1000000000","value":2})"),
              HasSubstr("\"1000000000\" is no index of an array"));
  EXPECT_THAT(patched(R"({"op":"add","path":"/a/","value":2})"), HasSubstr("is no index"));
  EXPECT_THAT(patched(R"({"op":"replace","path":"/a/1","value":2})"),
              HasSubstr("there is no such value"));
  EXPECT_THAT(patched("[]"), HasSubstr("JSON patch, operation 1: it is no object"));
  Value document = 1;
  EXPECT_THAT(ApplyPatch(J("{}"), document).error().message(),
              HasSubstr("a JSON patch must be an array of operations"));
}

TEST(JsonPatch, DocumentsAreAtMost512LevelsDeep) {
  const auto patched = [](const char* op, const char* path, std::size_t depth) {
    Value value = Value::MakeArray();
    for (std::size_t i = 1; i < depth; ++i) value = Value::MakeArray({std::move(value)});
    Value document = J(R"({"a":{"b":1}})");
    const Result<void> done = ApplyPatch(
        Value::MakeArray({Value::MakeObject({{"op", op}, {"path", path}, {"value", value}})}),
        document);
    if (!done.ok()) {
      EXPECT_THAT(done.error().message(),
                  HasSubstr("it makes the document deeper than 512 levels"));
    }
    return done.ok();
  };
  for (const char* op : {"add", "replace"}) {
    EXPECT_TRUE(patched(op, "", 512));
    EXPECT_FALSE(patched(op, "", 513));
    EXPECT_TRUE(patched(op, "/a", 511));
    EXPECT_FALSE(patched(op, "/a", 512));
    EXPECT_TRUE(patched(op, "/a/b", 510));
    EXPECT_FALSE(patched(op, "/a/b", 511));
  }
}

TEST(JsonDiff, MergePatchesCannotSetNull) {
  EXPECT_EQ(MergeDiff(J("{}"), J("null")).OrExit(), Value());
  EXPECT_EQ(MergeDiff(J("{}"), J("[null]")).OrExit(), J("[null]"));
  EXPECT_EQ(MergeDiff(J("1"), J(R"({"a":[null]})")).OrExit(), J(R"({"a":[null]})"));
  const auto error = [](const char* from, const char* to) {
    const Result<Value> patch = MergeDiff(J(from), J(to));
    return patch.ok() ? std::string() : patch.error().message();
  };
  EXPECT_EQ(error("1", R"({"a":{"b/":null}})"),
            "a merge patch cannot set /a/b~1 to null, which means removal there: send a JSON patch "
            "(json::Diff)");
  EXPECT_THAT(error("{}", R"({"x":1,"a":null})"), HasSubstr(" /a to null"));
  EXPECT_THAT(error(R"({"x":{"y":1}})", R"({"x":{"y":null}})"), HasSubstr(" /x/y to null"));
}

Value Random(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 7U : 4U)) {
    case 0:
      return random() % 2 == 0;
    case 1:
      return static_cast<std::int64_t>(random() % 4);
    case 2:
      return std::string(1, static_cast<char>('a' + random() % 3));
    case 3:
      return nullptr;
    case 4: {
      Value array = Value::MakeArray();
      for (auto n = random() % 5; n > 0; --n) array.Append(Random(random, depth - 1));
      return array;
    }
    default: {
      static constexpr const char* kNames[] = {"a", "b", "~", "/", "", "0"};
      Value object = Value::MakeObject();
      for (auto n = random() % 5; n > 0; --n) {
        object.Set(kNames[random() % 6], Random(random, depth - 1));
      }
      return object;
    }
  }
}

TEST(JsonDiff, RandomDocumentsBecomeEachOther) {
  std::mt19937 random(4);
  int merged = 0;
  for (int round = 0; round < 5000; ++round) {
    const Value from = Random(random, 4);
    const Value to = Random(random, 4);
    Value document = from;
    const Value patch = Diff(from, to);
    ASSERT_EQ(patch.size() == 0, from == to);
    const Result<void> done = ApplyPatch(patch, document);
    ASSERT_TRUE(done) << done.error() << "\n" << from << "\n" << to << "\n" << patch;
    ASSERT_EQ(document, to) << from << "\n" << patch;
    const Result<Value> merge = MergeDiff(from, to);
    if (!merge) continue;
    ++merged;
    document = from;
    document.MergePatch(*merge);
    ASSERT_EQ(document, to) << from << "\n" << *merge;
  }
  EXPECT_GT(merged, 1000);
}

// Limits of depth and of copied bytes, which a patch of a few bytes can multiply.
TEST(JsonPatch, StaysWithinBounds) {
  Value deep = J(R"({"x":{}})");
  const Value wrap = J(R"([{"op":"add","path":"/y","value":{}},
      {"op":"move","from":"/x","path":"/y/x"},{"op":"move","from":"/y","path":"/x"}])");
  int rounds = 0;
  Result<void> done;
  while (rounds < 1000 && (done = ApplyPatch(wrap, deep))) ++rounds;
  EXPECT_FALSE(done.ok());
  EXPECT_NE(std::string(done.error().message()).find("512 levels"), std::string::npos);
  EXPECT_TRUE(Parse(deep.Dump()).ok());

  std::string copies = "[";
  for (int i = 0; i < 60; ++i) {
    copies +=
        (i == 0 ? "" : ",") + (R"({"op":"copy","from":"","path":"/c)" + std::to_string(i)) + "\"}";
  }
  Value wide = J(R"({"a":1})");
  const Result<void> refused = ApplyPatch(J(copies + "]"), wide);
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(wide.Dump(), R"({"a":1})");
}

// Limits of copies made by one patch.
TEST(JsonPatch, CopiesTakeAtMost64MiB) {
  const auto copies = [](int count) {
    Value document = Value::MakeObject({{"a", std::string(1 << 20, 'x')}});
    Value patch = Value::MakeArray();
    for (int i = 0; i < count; ++i) {
      patch.Append(
          Value::MakeObject({{"op", "copy"}, {"from", "/a"}, {"path", "/b" + std::to_string(i)}}));
    }
    return ApplyPatch(patch, document);
  };
  EXPECT_TRUE(copies(63));
  const Result<void> refused = copies(64);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("more than 64 MiB"), std::string::npos)
      << refused.error();
}

TEST(JsonObject, ErasesAndAddsInOnePass) {
  Object object;
  for (int i = 0; i < 100; ++i) object.Set("k" + std::to_string(i), i);
  EXPECT_TRUE(object.Erase("k7"));
  EXPECT_FALSE(object.Erase("k7"));
  EXPECT_EQ(object.Find("k7"), nullptr);
  EXPECT_EQ(*object.Find("k99"), Value(99));
  EXPECT_EQ(object.EraseIf([](const Object::Member& member) {
    return member.second.AsInt64().value_or(0) % 2 == 0;
  }),
            50U);
  EXPECT_EQ(object.size(), 49U);
  object.Extend({{"z", 1}, {"a", 2}});
  EXPECT_EQ(object.name(49), "z");
  EXPECT_EQ(*object.Find("a"), Value(2));
  EXPECT_EQ(*object.Find("k51"), Value(51));
  for (int i = 9; i < 100; i += 2) EXPECT_TRUE(object.Erase("k" + std::to_string(i)));
  EXPECT_EQ(object.size(), 5U);
  EXPECT_EQ(*object.Find("z"), Value(1));
}

}  // namespace
}  // namespace kinformer::json
