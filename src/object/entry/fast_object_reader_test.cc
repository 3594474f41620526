// Compares the fast reader with the tape, and tests how readers treat text of which only brackets
// and strings were checked.

#include "object/entry/fast_object_reader.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/view.h"
#include "kinformer/json/json_view.h"
#include "kinformer/object/projection.h"
#include "kinformer/object/unstructured.h"

#include "wire/testing/random_json.h"

namespace kinformer::internal {
namespace {

const KindInfo& Widget() {
  return *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
}

class RandomWidget {
 public:
  explicit RandomWidget(std::uint32_t seed) : random_(seed), values_(seed) {}

  std::string Make() {
    std::string metadata;
    Member(metadata, "name", Text());
    Member(metadata, "generateName", Text());
    Member(metadata, "namespace", Text());
    Member(metadata, "uid", Text());
    Member(metadata, "resourceVersion", "\"" + std::to_string(random_() % 100000) + "\"");
    Member(metadata, "generation", std::to_string(random_() % 300));
    Member(metadata, "creationTimestamp", "\"2026-03-01T10:00:0" + Digit() + "Z\"");
    if (Maybe(5)) Member(metadata, "deletionTimestamp", "\"2026-03-01T12:00:00+02:00\"");
    if (Maybe(5)) Member(metadata, "deletionGracePeriodSeconds", std::to_string(random_() % 60));
    Member(metadata, "labels", Map());
    Member(metadata, "annotations", Map());
    Member(metadata, "ownerReferences",
           R"([{"apiVersion":"v1","kind":"Node","name":"n","uid":)" + Text() +
               R"(,"controller":true,"blockOwnerDeletion":false}, {"kind":"A","name":"b"}])");
    Member(metadata, "finalizers", "[" + Text() + "," + Text() + "]");
    Member(metadata, "managedFields",
           R"([{"manager":"m","operation":"Apply","apiVersion":"v1","time":"2026-03-01T10:00:00Z",)"
           R"("fieldsType":"FieldsV1","fieldsV1":{"f:a":{"k:{\"n\":1}":{}}}},)"
           R"({"subresource":"status"}])");
    if (Maybe(8)) Member(metadata, "selfLink", "null");
    if (Maybe(8)) Member(metadata, "unheardOf", values_.Make());
    std::string text = R"({"kind":"Widget")";
    if (Maybe(2)) Member(text, "spec", values_.Make());
    Member(text, "metadata", "{" + metadata + "}");
    if (Maybe(2)) Member(text, "status", values_.Make());
    if (Maybe(9)) Member(text, "metadata", "{}");
    return text + "}";
  }

  std::string Damaged() {
    std::string text = Make();
    for (auto i = random_() % 3 + 1; i-- > 0;) {
      constexpr std::string_view kBytes = "{}[]\",:\\x1 \n\xff";
      text[random_() % text.size()] = kBytes[random_() % kBytes.size()];
    }
    return text;
  }

 private:
  bool Maybe(std::uint32_t one_in) { return random_() % one_in == 0; }
  std::string Digit() { return std::to_string(random_() % 10); }
  std::string Text() {
    constexpr const char* kTexts[] = {
        "\"\"",
        "\"a\"",
        "\"b-1234\"",
        R"("{\"x\":\"y\\n\"}\n")",
        "\"\xc3\xa9t\xc3\xa9\"",
        "\"a text that is longer than one register holds, and more\""};
    const auto at = random_() % 40;
    return at < 6 ? kTexts[at] : "\"plain-" + std::to_string(at) + "\"";
  }
  std::string Map() {
    std::string out;
    for (auto i = random_() % 5; i-- > 0;)
      Member(out, "key-" + std::to_string(random_() % 50), Text());
    return "{" + out + "}";
  }
  void Member(std::string& out, const std::string& name, const std::string& value) {
    if (Maybe(20)) return;
    if (!out.empty() && out.back() != '{') out += ',';
    out += "\"" + name + "\":" + value;
  }

  std::minstd_rand random_;
  testing::RandomJson values_;
};

std::size_t Walk(const json::View& view) {
  std::size_t seen = view.raw().size() + view.AsString().value_or("").size() +
                     static_cast<std::size_t>(view.AsDouble().value_or(0) > 0);
  for (const auto& [name, value] : view.members()) seen += name.size() + Walk(value);
  for (const json::View value : view.items()) seen += Walk(value);
  return seen;
}

TEST(FastObjectReader, MakesTheSameBlocksAsTheTape) {
  RandomWidget random(3);
  int fast = 0;
  int refused = 0;
  int trusted = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string text = round % 2 == 0 ? random.Make() : random.Damaged();
    const bool drop = round % 3 == 0;
    // The full validation uses the tape.
    const auto full = BuildFromJson(Widget(), text,
                                    {.drop_managed_fields = drop, .validation = Validation::kFull});
    const auto built = BuildFromJson(Widget(), text, {.drop_managed_fields = drop});
    wire::JsonBitmap bitmap;
    bitmap.Read(text);
    FastObject object;
    if (ReadFastObject(text, bitmap, {.drop_managed_fields = drop}, object)) ++fast;
    if (full) {
      ASSERT_TRUE(built) << text << built.error();
      ASSERT_EQ((*built)->payload(), (*full)->payload()) << text;
      ASSERT_EQ((*built)->metadata_bytes(), (*full)->metadata_bytes()) << text;
      ASSERT_EQ((*built)->name(), (*full)->name()) << text;
    } else {
      built ? ++trusted : ++refused;
    }
    // Reading the object must be safe, whatever it contains.
    if (built) Walk(json::View((*built)->payload().data(), built->get()));
  }
  EXPECT_GT(fast, 3000);
  EXPECT_GT(refused, 1000);
  EXPECT_GT(trusted, 100);
}

// A projection must leave the same content, and the same bytes around it, whether the tape cuts or
// the fast reader skips.
TEST(FastObjectReader, CutsAsTheTapeDoes) {
  std::vector<Projection> projections;
  for (const std::vector<std::string>& paths :
       std::vector<std::vector<std::string>>{{},
                                             {"spec.k1", "status.k0.k1", "spec.k2.k0"},
                                             {"spec"},
                                             {"status.k1", "metadata.labels"},
                                             {"metadata.annotations", "metadata.managedFields"},
                                             {"metadata.annotations[\"key-7\"]", "spec.k0"}}) {
    if (auto made = Projection::Keep(paths)) projections.push_back(*made);
    if (auto made = Projection::Drop(paths)) projections.push_back(*made);
  }
  ASSERT_EQ(projections.size(), 12U);
  RandomWidget random(5);
  int fast = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string text = round % 4 != 0 ? random.Make() : random.Damaged();
    const Projection& projection = projections[static_cast<std::size_t>(round) % 12];
    const BuildOptions options{.drop_managed_fields = round % 3 == 0,
                               .projection = projection.tree()};
    BuildOptions careful = options;
    careful.validation = Validation::kFull;
    const auto full = BuildFromJson(Widget(), text, careful);
    const auto built = BuildFromJson(Widget(), text, options);
    wire::JsonBitmap bitmap;
    bitmap.Read(text);
    FastObject object;
    if (ReadFastObject(text, bitmap, options, object)) ++fast;
    if (built) Walk(json::View((*built)->payload().data(), built->get()));
    if (!full) continue;
    ASSERT_TRUE(built) << text << built.error();
    ASSERT_EQ((*built)->payload(), (*full)->payload()) << projection.ToString() << text;
    ASSERT_EQ((*built)->metadata_bytes(), (*full)->metadata_bytes()) << text;
    ASSERT_EQ((*built)->partial(), (*full)->partial());
    ASSERT_TRUE(Unstructured(built->get()) == Unstructured(full->get())) << text;
  }
  EXPECT_GT(fast, 3000);
}

// The room for the message is calculated from the number of items of each kind.
TEST(FastObjectReader, TakesManyOfOneKind) {
  const auto many = [](const auto& item) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += (i > 0 ? "," : "") + item(std::to_string(i));
    return text;
  };
  const auto entry = [](const std::string& n) { return "\"k" + n + "\":\"v" + n + "\""; };
  const std::string members[] = {
      R"("labels":{)" + many(entry) + "}",
      R"("annotations":{)" + many(entry) + "}",
      R"("finalizers":[)" + many([](const std::string& n) { return "\"f" + n + "\""; }) + "]",
      R"("ownerReferences":[)" + many([](const std::string& n) {
        return R"({"apiVersion":"v1","kind":"Pod","name":"p)" + n +
               R"(","uid":"u","controller":true})";
      }) + "]",
      R"("managedFields":[)" + many([](const std::string& n) {
        return R"({"manager":"m)" + n + R"(","operation":"Apply","time":"2024-01-02T03:04:05Z",)" +
               R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}})";
      }) + "]",
      // Items with hardly any bytes of their own.
      R"("ownerReferences":[)" + many([](const std::string&) { return std::string("{}"); }) + "]",
      R"("managedFields":[)" + many([](const std::string&) { return std::string("{}"); }) + "]",
  };
  for (const std::string& member : members) {
    const std::string text = R"({"kind":"Widget","apiVersion":"example.com/v1","metadata":{)"
                             R"("name":"a","namespace":"b",)" +
                             member + "}}";
    const auto full = BuildFromJson(Widget(), text, {.validation = Validation::kFull});
    const auto built = BuildFromJson(Widget(), text);
    ASSERT_TRUE(full) << full.error();
    ASSERT_TRUE(built) << built.error();
    EXPECT_EQ((*built)->metadata_bytes(), (*full)->metadata_bytes()) << member;
  }
}

// JSON as people write it. The fast reader must take it, because the tape is slower.
TEST(FastObjectReader, TakesBlanksBetweenAllTokens) {
  const std::string text =
      R"( { "kind" : "Widget" , "metadata" : { "name" : "n" , "labels" : { "a" : "b" , )"
      R"("c" : "d" } , "annotations" : { } , "finalizers" : [ "f" , "g" ] , "ownerReferences" : )"
      R"([ { "kind" : "K" , "controller" : true } , { } ] , "managedFields" : [ ] , "uid" : "u" } )"
      R"(, "spec" : { "x" : [ ] } , "status" : 7 } )";
  wire::JsonBitmap bitmap;
  bitmap.Read(text);
  FastObject object;
  EXPECT_TRUE(ReadFastObject(text, bitmap, {}, object));
  const auto full = BuildFromJson(Widget(), text, {.validation = Validation::kFull}).OrExit();
  EXPECT_TRUE(full->SameAs(*BuildFromJson(Widget(), text).OrExit()));
  // Both readers write a projected object without the blanks around its members.
  const Projection projection = Projection::Keep({"spec.a.b", "spec.l.b", "spec.o.b"}).OrExit();
  const std::string around =
      R"({"metadata":{"name":"n"},"spec": { "a" : { } , "l" : [ ] , "o" : { "b" : [ 1 ] } , )"
      R"("c" : 1 }})";
  for (const Validation validation : {BuildOptions().validation, Validation::kFull}) {
    const ObjectRef cut =
        BuildFromJson(Widget(), around, {.projection = projection.tree(), .validation = validation})
            .OrExit();
    EXPECT_EQ(cut->payload(), R"({"spec":{"a":{},"l":[],"o":{"b":[ 1 ]}}})");
  }
}

// Where a path leads into lists of lists, they must nest no deeper than a whole text may.
TEST(FastObjectReader, CutsNoDeeperThanTextsNest) {
  const Projection projection = Projection::Keep({"spec.a"}).OrExit();
  for (const std::size_t depth : {500U, 600U}) {
    const std::string text = R"({"metadata":{"name":"n"},"spec":)" + std::string(depth, '[') +
                             R"({"a":1,"b":2})" + std::string(depth, ']') + "}";
    const auto built = BuildFromJson(Widget(), text, {.projection = projection.tree()});
    ASSERT_EQ(built.ok(), depth == 500);
    if (built) {
      EXPECT_EQ((*built)->payload(), R"({"spec":)" + std::string(depth, '[') + R"({"a":1})" +
                                         std::string(depth, ']') + "}");
    }
  }
}

// kind and apiVersion describe the object in its root; deeper they are ordinary members.
TEST(FastObjectReader, Projection_CutsKindAndVersionOfNestedObjects) {
  const Projection projection = Projection::Keep({"spec.a"}).OrExit();
  const std::string text =
      R"({"kind":"Widget","apiVersion":"example.com/v1","metadata":)"
      R"({"name":"n"},"spec":{"kind":"K","apiVersion":"v","metadata":{},"a":1}})";
  for (const Validation validation : {BuildOptions().validation, Validation::kFull}) {
    const ObjectRef cut =
        BuildFromJson(Widget(), text, {.projection = projection.tree(), .validation = validation})
            .OrExit();
    EXPECT_EQ(cut->payload(), R"({"spec":{"a":1}})");
  }
}

// A fieldsV1 that is not an object is kept as it is, except that null means absent.
TEST(FastObjectReader, TakesFieldsThatAreNoObjectAsTheTapeDoes) {
  for (const char* fields : {"null", "7", "\"text\"", "[]", "{}", "true"}) {
    const std::string text =
        R"({"metadata":{"name":"n","managedFields":[{"manager":"m","fieldsV1":)" +
        std::string(fields) + "}]}}";
    const auto full = BuildFromJson(Widget(), text, {.validation = Validation::kFull}).OrExit();
    const auto built = BuildFromJson(Widget(), text).OrExit();
    EXPECT_EQ(built->metadata_bytes(), full->metadata_bytes()) << text;
  }
}

TEST(FastObjectReader, DeepCopy_Of400Levels_IsComplete) {
  for (const bool objects : {false, true}) {
    std::string inner = objects ? R"({"bad":tru,"good":1})" : "[tru,1]";
    for (int i = 0; i < 400; ++i) inner = objects ? "{\"a\":" + inner + "}" : "[" + inner + "]";
    const auto built =
        BuildFromJson(Widget(), R"({"metadata":{"name":"x"},"v":)" + inner + "}").OrExit();
    const json::Value copy = Unstructured(built.get()).DeepCopy();
    const json::Value* at = copy.Find("v");
    for (int i = 0; i < 400 && at != nullptr; ++i) {
      at = objects ? at->Find("a") : at->size() > 0 ? &at->items()[0] : nullptr;
    }
    ASSERT_NE(at, nullptr) << objects;
    EXPECT_EQ(objects ? at->At("/good") : at->At("/1"), json::Value(1));
  }
}

// An object from a list, as the splitter passes it, with the bitmap of the whole list.
TEST(FastObjectReader, BitmapOfWholeList_ReadsItemAsItsOwn) {
  RandomWidget random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::string before = random.Make();
    const std::string text = random.Make();
    const std::string all = before + "," + text + "," + random.Make();
    wire::JsonBitmap bitmap;
    bitmap.Read(all);
    const std::string_view item = std::string_view(all).substr(before.size() + 1, text.size());
    const auto alone = BuildFromJson(Widget(), text);
    const auto among = BuildFromJson(Widget(), item, {}, &bitmap);
    ASSERT_EQ(alone.ok(), among.ok()) << text;
    if (!alone) continue;
    ASSERT_TRUE((*alone)->SameAs(**among)) << text;
    // A bitmap of another text is ignored.
    ASSERT_TRUE(BuildFromJson(Widget(), text, {}, &bitmap));
  }
}

// The order of members in one object only predicts the order in the next; any order is accepted.
TEST(FastObjectReader, TakesMembersInAnyOrder) {
  const std::vector<std::string> members = {
      R"("name":"a-name")",
      R"("namespace":"a-space")",
      R"("uid":"u-1")",
      R"("resourceVersion":"12")",
      R"("generation":3)",
      R"("creationTimestamp":"2026-03-01T10:00:00Z")",
      R"("deletionTimestamp":"2026-03-01T19:59:09Z")",
      R"("deletionGracePeriodSeconds":90)",
      R"("generateName":"a-")",
      R"("selfLink":"/self")",
      R"("labels":{"b":"2","a":"1"})",
      R"("annotations":{"c":"x\ty","d":"","e":"\u00e9"})",
      R"("finalizers":["f","g"])",
      R"("ownerReferences":[{"uid":"u","kind":"K","controller":true,"name":"n","apiVersion":"v1",)"
      R"("blockOwnerDeletion":false},{"name":"m","blockOwnerDeletion":true,"controller":false}])",
      R"("managedFields":[{"time":"2026-03-01T23:59:59Z","fieldsV1":{"f:a":{}},"manager":"m"},)"
      R"({"time":"2026-03-02T00:00:00Z"},{"time":"2026-03-02T24:00:00Z"}])"};
  std::vector<std::size_t> order(members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::minstd_rand random(11);
  int good = 0;
  for (int round = 0; round < 1000; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    const std::size_t count = 1 + random() % members.size();
    std::string metadata;
    for (std::size_t i = 0; i < count; ++i) {
      // A blank behind a number makes the fast reader decline.
      if (i > 0) metadata += round % 3 == 0 && random() % 5 == 0 ? " ,\n" : ",";
      metadata += members[order[i]];
    }
    // Half of the objects get an invalid time.
    if (round % 2 == 0) {
      if (const auto at = metadata.find("24:00:00"); at != std::string::npos) {
        metadata.replace(at, 2, "12");
      }
    }
    const std::string text = R"({"metadata":{)" + metadata + R"(},"spec":{}})";
    const auto full = BuildFromJson(Widget(), text, {.validation = Validation::kFull});
    const auto built = BuildFromJson(Widget(), text);
    wire::JsonBitmap bitmap;
    bitmap.Read(text);
    FastObject object;
    const bool read = ReadFastObject(text, bitmap, {}, object);
    ASSERT_TRUE(full.ok() || !read) << text;
    ASSERT_EQ(built.ok(), full.ok()) << text;
    if (!full) continue;
    ++good;
    ASSERT_TRUE(read || round % 3 == 0) << "declined, which takes time: " << text;
    ASSERT_EQ((*built)->metadata_bytes(), (*full)->metadata_bytes()) << text;
    ASSERT_TRUE((*built)->SameAs(**full)) << text;
  }
  EXPECT_GT(good, 500);
}

// Texts longer than the chunk that is copied at once, longer than a one-byte length allows, and at
// the very end of the input.
TEST(FastObjectReader, TakesTextsOfAnySize) {
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string value(size, 'v');
    const std::string text = R"({"spec":{},"metadata":{"name":"n","annotations":{"a":")" + value +
                             R"(","b":"x\n)" + value + R"("},"finalizers":[")" + value + R"("]}})";
    // A separate allocation, so that a sanitizer detects a read past the end.
    const std::vector<char> exact(text.begin(), text.end());
    const std::string_view view(exact.data(), exact.size());
    const auto full = BuildFromJson(Widget(), view, {.validation = Validation::kFull});
    const auto built = BuildFromJson(Widget(), view);
    ASSERT_TRUE(full && built) << text;
    ASSERT_EQ((*built)->metadata_bytes(), (*full)->metadata_bytes()) << text;
  }
}

// Below the root's members only brackets and strings are checked: a malformed value there reads as
// absent and is counted.
TEST(FastObjectReader, MalformedValuesReadAsAbsent) {
  for (const std::string spec :
       {R"({"a":1,"b" 2})", R"({"a":1,"b":})", R"({"a":1 "b":2})", R"({"a":1,})", R"({"a":1,2:3})",
        R"({"a":1,"b":tru})", R"({"a":1,"b":"x""y"})", R"({"a":1]})", R"([1,])", R"([1 2])"}) {
    const std::string text = R"({"metadata":{"name":"x"},"spec":)" + spec + R"(,"z":7})";
    const auto built = BuildFromJson(Widget(), text);
    if (!built) {
      // The tape read the object and found the error.
      EXPECT_NE(spec.find(']'), std::string::npos) << spec << built.error();
      continue;
    }
    EXPECT_FALSE(BuildFromJson(Widget(), text, {.validation = Validation::kFull})) << spec;
    const std::uint64_t before = MalformedReads();
    const json::View root((*built)->payload().data(), built->get());
    static_cast<void>(root["spec"]["b"].AsBool());
    Walk(root["spec"]);
    EXPECT_GT(MalformedReads(), before) << spec;
    EXPECT_EQ(root["z"].AsInt64(), 7) << spec;
    // A copy contains the readable members and is marked as partial.
    const std::uint64_t read = MalformedReads();
    const json::Value copy = Unstructured(built->get()).DeepCopy();
    EXPECT_GT(MalformedReads(), read) << spec;
    EXPECT_EQ(copy["kind"], json::Value("Widget")) << spec;
    EXPECT_EQ(copy["metadata"]["name"], json::Value("x")) << spec;
    EXPECT_EQ(copy["z"], json::Value(7)) << spec;
    EXPECT_EQ(copy[kPartialMember], json::Value(true)) << spec;
  }
}

// Nested values are skipped many bytes at a time, wherever they begin and end.
TEST(FastObjectReader, ValuesEndWhereTheyDo) {
  testing::RandomJson values(13);
  const auto check = [](const auto& self, const json::View& view) -> void {
    ASSERT_TRUE(json::Parse(view.raw())) << view.raw();
    for (const auto& [name, value] : view.members()) self(self, value);
    for (const json::View value : view.items()) self(self, value);
  };
  for (int round = 0; round < 3000; ++round) {
    const std::string value = values.Make();
    const std::string text = R"({"metadata":{"name":"n"},"a":")" +
                             std::string(values.Pick(130), 'a') + R"(","b":)" + value +
                             R"(,"c":[{},[],{"d":[)" + value + "]}]}";
    const auto built = BuildFromJson(Widget(), text, {.validation = Validation::kFull});
    if (!built) continue;
    const json::View root((*built)->payload().data(), built->get());
    ASSERT_EQ(root.raw(), (*built)->payload());
    ASSERT_EQ(root["b"].raw(), value);
    ASSERT_EQ(root["c"][2]["d"][0].raw(), value);
    ASSERT_EQ(root["c"].size(), 3U);
    check(check, root);
    ASSERT_FALSE(HasFailure());
  }
}

TEST(FastObjectReader, DeepCopy_OfInvalidUtf8_LacksNothing) {
  const auto built =
      BuildFromJson(Widget(), "{\"metadata\":{\"name\":\"x\"},\"a\":[\"\xff\",1.50]}");
  ASSERT_TRUE(built) << built.error();
  const json::Value copy = Unstructured(built->get()).DeepCopy();
  EXPECT_EQ(copy["a"][0], json::Value("\xef\xbf\xbd"));
  EXPECT_EQ(copy["a"][1].Dump(), "1.50");
  EXPECT_TRUE(copy[kPartialMember].is_null());
}

TEST(FastObjectReader, DeepCopy_BeyondDepthLimit_IsPartial) {
  for (const bool objects : {false, true}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += objects ? "{\"a\":" : "[";
    if (objects) deep += '1';
    deep += std::string(100000, objects ? '}' : ']');
    const auto built = BuildFromJson(Widget(), R"({"metadata":{"name":"x"},"a":)" + deep + "}");
    if (!built) continue;  // the reader may refuse the object as well
    const json::Value copy = Unstructured(built->get()).DeepCopy();
    EXPECT_EQ(copy[kPartialMember], json::Value(true));
  }
}

}  // namespace
}  // namespace kinformer::internal
