#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/json/json.h"

#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

struct Outcome {
  std::string text;  // the message of the error
  int code = 200;
};

Outcome Patched(std::string_view document, const json::Value& patch) {
  json::Value value = json::Parse(document).OrExit();
  const Result<void> done = ApplyJsonPatch(patch, value);
  if (done) return {};
  return {.text = done.error().message(), .code = done.error().http_status()};
}

TEST(JsonPatchLimits, Patch_ThatIsNoListOrTooLong_IsRefused) {
  EXPECT_EQ(Patched("{}", json::Value::MakeObject()).text,
            "a JSON patch must be an array of operations");
  EXPECT_EQ(Patched("{}", json::Value::MakeObject()).code, 400);
  json::Value patch = json::Value::MakeArray();
  const json::Value test = json::Parse(R"({"op":"test","path":"","value":{}})").OrExit();
  for (int i = 0; i < 10'000; ++i) patch.Append(test);
  EXPECT_EQ(Patched("{}", patch).code, 200);
  patch.Append(test);
  EXPECT_EQ(Patched("{}", patch).code, 413);
  EXPECT_EQ(Patched("{}", patch).text,
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000");
}

TEST(JsonPatchLimits, Copies_AddAtMostThreeMegabytes) {
  // The text with its quotes has a megabyte, so three copies are allowed.
  const std::string text((std::size_t{1} << 20) - 2, 'x');
  const std::string document = R"({"a":")" + text + R"("})";
  const auto copies = [&](int count) {
    json::Value patch = json::Value::MakeArray();
    for (int i = 0; i < count; ++i) {
      patch.Append(json::Value::MakeObject({{"op", "copy"}, {"from", "/a"}, {"path", "/b"}}));
    }
    return Patched(document, patch);
  };
  EXPECT_EQ(copies(3).code, 200);
  EXPECT_EQ(copies(4).code, 422);
  EXPECT_EQ(copies(4).text,
            "the server rejected our request due to an error in our request: json patch operation "
            "copy at \"/b\": the copies in this patch add more than 3145728 bytes");
}

// Returns a patch that puts a value of `levels` nested lists at the path.
json::Value Nesting(std::string_view op, std::string_view path, std::size_t levels) {
  json::Value value = json::Value::MakeArray();
  for (std::size_t i = 1; i < levels; ++i) {
    json::Value outer = json::Value::MakeArray();
    outer.Append(std::move(value));
    value = std::move(outer);
  }
  json::Value operation = json::Value::MakeObject({{"op", op}, {"path", path}});
  operation.Set("value", std::move(value));
  json::Value patch = json::Value::MakeArray();
  patch.Append(std::move(operation));
  return patch;
}

TEST(JsonPatchLimits, Depth_IsLimitedForEachWayToAddAValue) {
  constexpr std::string_view kDocument = R"({"l":[1],"a":1})";
  for (const char* op : {"add", "replace"}) {
    EXPECT_EQ(Patched(kDocument, Nesting(op, "/a", 511)).code, 200) << op;
    EXPECT_EQ(Patched(kDocument, Nesting(op, "/a", 512)).code, 422) << op;
    EXPECT_EQ(Patched(kDocument, Nesting(op, "/l/0", 510)).code, 200) << op;
    EXPECT_EQ(Patched(kDocument, Nesting(op, "/l/0", 511)).code, 422) << op;
  }
  EXPECT_EQ(Patched(kDocument, Nesting("add", "/a", 512)).text,
            "the server rejected our request due to an error in our request: json patch operation "
            "add at \"/a\": it makes the object deeper than 512 levels");
  const auto second = [&](std::size_t levels) {
    json::Value patch = Nesting("add", "/l/0", 1);
    const json::Value next = Nesting("add", "/l/0", levels);
    patch.Append(next[0]);
    return Patched(kDocument, patch).code;
  };
  EXPECT_EQ(second(510), 200);
  EXPECT_EQ(second(511), 422);
}

// Operations that each go through a list of 99999 elements, and visit one value more.
json::Value Moves(int count) {
  json::Value patch = json::Value::MakeArray();
  for (int i = 0; i < count; ++i) {
    patch.Append(json::Value::MakeObject({{"op", "move"}, {"from", "/a/99998"}, {"path", "/a/-"}}));
  }
  return patch;
}

// Returns the message of the error, if any.
std::string PatchedLongList(const json::Value& patch) {
  static const json::Value kMembers = [] {
    json::Object members;
    for (int i = 0; i < 60'000; ++i) members.Set(std::to_string(i), 0);
    return json::Value(std::move(members));
  }();
  json::Value document = json::Value::MakeObject({{"o", kMembers}});
  json::Array& list = document.Ensure("a").EnsureArray();
  list.assign(99'999, json::Value(0));
  const Result<void> done = ApplyJsonPatch(patch, document);
  return done ? std::string() : done.error().message();
}

TEST(JsonPatchLimits, Values_ThatAPatchTouches_AreLimited) {
  EXPECT_EQ(PatchedLongList(Moves(100)), "") << "ten million in all";
  EXPECT_EQ(PatchedLongList(Moves(101)),
            "the server rejected our request due to an error in our request: json patch operation "
            "move at \"/a/-\": the patch moves about more than 10000000 values of lists and "
            "objects; replace these as a whole");
}

// A run of operations goes through its list once, and moves the shorter side of it for each one.
TEST(JsonPatchLimits, Runs_TouchTheShorterSide) {
  const auto ok = [&](std::string_view path, int count, int moves = 98) {
    json::Value patch = Moves(moves);
    for (int i = 0; i < count; ++i) {
      patch.Append(json::Value::MakeObject({{"op", "remove"}, {"path", path}}));
    }
    return PatchedLongList(patch).empty();
  };
  EXPECT_TRUE(ok("/a/9091", 11)) << "99999 + 11 * 9091 = 200000";
  EXPECT_FALSE(ok("/a/9092", 11));
  EXPECT_TRUE(ok("/a/90000", 10));
  EXPECT_FALSE(ok("/a/80000", 10));
  EXPECT_TRUE(ok("/a/0", 2, 99));
  EXPECT_FALSE(ok("/a/1", 2, 99));
  EXPECT_FALSE(ok("/a/0", 2, 100));

  const auto object = [&](std::string_view first, std::string_view second) {
    json::Value patch = Moves(99);
    for (const std::string_view path : {first, second}) {
      patch.Append(json::Value::MakeObject({{"op", "remove"}, {"path", path}}));
    }
    return PatchedLongList(patch).empty();
  };
  EXPECT_TRUE(object("/o/0", "/o/1")) << "60000";
  EXPECT_FALSE(object("/o/0", "/a/0")) << "60000 + 99999";

  json::Value adds = Moves(98);
  for (int i = 0; i < 2; ++i) {
    adds.Append(json::Value::MakeObject({{"op", "add"}, {"path", "/a/0"}, {"value", 1}}));
  }
  EXPECT_EQ(PatchedLongList(adds), "") << "99999 + 2";
}

TEST(JsonPatchLimits, Values_ThatAreSent_AreCountedWithTheRest) {
  const auto ok = [](std::string_view operations) {
    json::Value patch = Moves(99);
    const json::Value more = json::Parse(operations).OrExit();
    for (const json::Value& operation : more.items()) patch.Append(operation);
    return PatchedLongList(patch).empty();
  };
  // 99 moves leave 100000 values. An insertion in front of a list moves it as a whole.
  EXPECT_TRUE(ok(R"([{"op":"add","path":"/a/0","value":1}])"));
  EXPECT_FALSE(ok(R"([{"op":"add","path":"/a/0","value":[1]}])"));
  EXPECT_TRUE(ok(R"([{"op":"add","path":"/a/1","value":[1]}])"));
  EXPECT_TRUE(ok(R"([{"op":"remove","path":"/a/0"}])"));
  EXPECT_TRUE(ok(R"([{"op":"remove","path":"/a/0"},{"op":"replace","path":"/b","value":1}])"));
  EXPECT_FALSE(ok(R"([{"op":"remove","path":"/a/0"},{"op":"replace","path":"/b","value":[1]}])"));
  EXPECT_TRUE(ok(R"([{"op":"add","path":"/a/-","value":1}])"));
}

}  // namespace
}  // namespace kinformer::apiserver
