#include "apiserver/store/resource_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ResourceStoreTest : public ::testing::Test {
 protected:
  void Put(const std::string& ns, const std::string& name) {
    const json::Value object = json::Value::MakeObject(
        {{"metadata",
          json::Value::MakeObject({{"namespace", ns}, {"name", name}, {"uid", "u-" + name}})}});
    store_->Put(StoredObject::Make(object, ++version_, {}), now_);
  }
  void Delete(const std::string& key) {
    store_->Delete(store_->Get(key)->AtResourceVersion(++version_, true), now_);
  }
  std::vector<std::string> At(std::int64_t version, const std::string& prefix = "") {
    std::vector<std::string> out;
    store_->Walk(prefix, {}, version, [&](const StoredObjectPtr& stored) {
      out.push_back(stored->key() + "@" + std::to_string(stored->resource_version()));
      return true;
    });
    return out;
  }

  std::shared_ptr<ResourceStore> store_ =
      std::make_shared<ResourceStore>(HistoryLimits{.max_events = 1000, .min_events = 4});
  std::int64_t version_ = 0;
  SteadyTime now_{std::chrono::hours(1)};
};

TEST_F(ResourceStoreTest, EveryVersionStaysReadable) {
  Put("ns", "a");     // 1
  Put("ns", "b");     // 2
  Put("ns", "a");     // 3
  Delete("ns/b");     // 4
  Put("other", "c");  // 5
  Put("ns", "b");     // 6
  EXPECT_THAT(At(0), IsEmpty());
  EXPECT_THAT(At(1), ElementsAre("ns/a@1"));
  EXPECT_THAT(At(2), ElementsAre("ns/a@1", "ns/b@2"));
  EXPECT_THAT(At(3), ElementsAre("ns/a@3", "ns/b@2"));
  EXPECT_THAT(At(4), ElementsAre("ns/a@3"));
  EXPECT_THAT(At(6), ElementsAre("ns/a@3", "ns/b@6", "other/c@5"));
  EXPECT_THAT(At(6, "other/"), ElementsAre("other/c@5"));
  EXPECT_EQ(store_->size(), 3U);
  EXPECT_EQ(store_->size("ns"), 2U);
}

TEST_F(ResourceStoreTest, KeepsABoundedAmountOfProtobuf) {
  const std::string message(std::size_t{8} << 20, 'p');
  int kept = 0;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    Put("ns", name);
    const StoredObjectPtr stored = store_->Get(std::string("ns/") + name);
    stored->NoteProtobufSize(message.size());
    EXPECT_EQ(stored->protobuf_size(), message.size());
    if (!store_->MayKeep(message.size())) continue;
    stored->KeepProtobuf(message);
    ++kept;
  }
  EXPECT_EQ(kept, 3);
  EXPECT_FALSE(store_->MayKeep(message.size()));
  // Deleting and compacting makes room.
  Delete("ns/a");
  store_->Compact(version_);
  EXPECT_TRUE(store_->MayKeep(message.size()));
  EXPECT_FALSE(store_->MayKeep(message.size()));
}

TEST_F(ResourceStoreTest, CompactionKeepsWhatThePresentNeeds) {
  Put("ns", "a");
  Put("ns", "b");
  Put("ns", "a");
  Delete("ns/b");
  store_->Compact(4);
  EXPECT_EQ(store_->floor(), 4);
  EXPECT_EQ(store_->begin_sequence(), store_->end_sequence());
  EXPECT_THAT(At(4), ElementsAre("ns/a@3"));
  Put("ns", "b");
  EXPECT_THAT(At(4), ElementsAre("ns/a@3"));
  EXPECT_THAT(At(5), ElementsAre("ns/a@3", "ns/b@5"));
}

TEST_F(ResourceStoreTest, APinHoldsItsVersionThroughCompaction) {
  Put("ns", "a");
  Put("ns", "b");
  auto pin = std::make_unique<ResourceStore::Pin>(store_, 2);
  Put("ns", "a");
  Delete("ns/b");
  store_->Compact(4);
  EXPECT_THAT(At(2), ElementsAre("ns/a@1", "ns/b@2"));
  const std::size_t held = store_->bytes();
  pin.reset();
  Put("ns", "c");
  EXPECT_LT(store_->bytes(), held) << "the next write prunes what the pin held";
  EXPECT_THAT(At(4), ElementsAre("ns/a@3"));
}

TEST_F(ResourceStoreTest, HistoryIsBoundedByAgeButKeepsAFew) {
  for (int i = 0; i < 10; ++i) Put("ns", "a");
  EXPECT_EQ(store_->floor(), 0);
  now_ += std::chrono::minutes(6);
  for (int i = 0; i < 4; ++i) Put("ns", "a");
  EXPECT_EQ(store_->floor(), 10);
  EXPECT_EQ(store_->end_sequence() - store_->begin_sequence(), 4U);
}

TEST_F(ResourceStoreTest, SequenceAfter_FollowsTheVersion) {
  for (int i = 0; i < 3; ++i) Put("ns", "a");
  EXPECT_EQ(store_->SequenceAfter(0), 0U);
  EXPECT_EQ(store_->SequenceAfter(2), 2U);
  EXPECT_EQ(store_->SequenceAfter(9), 3U);
  EXPECT_EQ(store_->event(1).type, EventType::kModified);
  EXPECT_EQ(store_->event(1).previous->resource_version(), 1);
}

// A write of one hot object always costs the same.
TEST_F(ResourceStoreTest, AHotObjectKeepsAsManyVersionsAsHistory) {
  store_ = std::make_shared<ResourceStore>(HistoryLimits{.max_events = 5'000});
  for (int i = 0; i < 20'000; ++i) Put("ns", "a");
  EXPECT_EQ(store_->floor(), 15'000);
  EXPECT_THAT(At(15'000), ElementsAre("ns/a@15000"));
  EXPECT_THAT(At(17'123), ElementsAre("ns/a@17123"));
  const std::size_t held = store_->bytes();
  Put("ns", "a");
  EXPECT_LE(store_->bytes(), held + 100);
  store_->Compact(version_);
  EXPECT_THAT(At(version_), ElementsAre("ns/a@20001"));
}

TEST(RecordTest, TextIsFoundInTheRightPlaces) {
  const json::Value object = json::Value::MakeObject(
      {{"metadata",
        json::Value::MakeObject(
            {{"annotations", json::Value::MakeObject({{"resourceVersion", "1"}, {"uid", "no"}})},
             {"labels", json::Value::MakeObject({{"app", "x"}, {"empty", ""}})},
             {"name", "a"},
             {"resourceVersion", "3"},
             {"uid", "abc"}})},
       {"spec", json::Value::MakeObject({{"resourceVersion", "9"}, {"n", 4}})}});
  const std::vector<SelectableField> fields = {
      {.name = "spec.n", .pointer = "/spec/n"},
      {.name = "spec.m", .pointer = "/spec/m", .fallback = "none"}};
  const StoredObjectPtr stored = StoredObject::Make(object, 7, fields);
  EXPECT_EQ(stored->uid(), "abc");
  EXPECT_EQ(stored->Label("app"), "x");
  EXPECT_EQ(stored->Label("empty"), "");
  EXPECT_EQ(stored->Label("none"), std::nullopt);
  EXPECT_EQ(stored->Field(0), "4");
  EXPECT_EQ(stored->Field(1), "none");
  const StoredObjectPtr later = stored->AtResourceVersion(123456, true);
  EXPECT_TRUE(later->tombstone());
  const json::Value parsed = later->Parse("v1", "X");
  EXPECT_EQ(parsed.At("/metadata/resourceVersion").StringOrEmpty(), "123456");
  EXPECT_EQ(parsed.At("/metadata/annotations/resourceVersion").StringOrEmpty(), "1");
  EXPECT_EQ(parsed.At("/spec/resourceVersion").StringOrEmpty(), "9");
  EXPECT_EQ(later->uid(), "abc");
}

TEST(RecordTest, MetadataIsWrittenInItsOrderWithoutNulls) {
  const auto make = [](std::string_view metadata, std::int64_t version) {
    const json::Value object = json::Value::MakeObject(
        {{"kind", "X"}, {"z", 1}, {"metadata", json::Parse(metadata).value()}, {"a", nullptr}});
    return StoredObject::Make(object, version, {});
  };
  const StoredObjectPtr stored = make(
      R"({"x":1,"labels":{"b":"\u00e9"},"uid":"u\n","generation":null,"name":"a","y":null})", 5);
  EXPECT_EQ(stored->body(),
            R"("metadata":{"name":"a","uid":"u\n","resourceVersion":"5","labels":{"b":"é"},"x":1},)"
            R"("z":1,"a":null})");
  EXPECT_FALSE(stored->owned());
  EXPECT_FALSE(stored->terminating());
  EXPECT_EQ(make("{}", 0)->body(), R"("metadata":{},"z":1,"a":null})");
  const StoredObjectPtr dependent = make(
      R"({"name":"a","ownerReferences":[{"uid":"o"}],"deletionTimestamp":"2026-01-02T03:04:05Z",
          "annotations":{"a":"\"deletionTimestamp\":\""}})",
      3);
  EXPECT_TRUE(dependent->owned());
  EXPECT_TRUE(dependent->terminating());
  EXPECT_TRUE(dependent->AtResourceVersion(4, false)->terminating());
  EXPECT_TRUE(dependent->AtResourceVersion(4, true)->owned());
}

TEST(StoredObjectTest, OutlineIsReadAndReplacedInTheText) {
  const std::vector<SelectableField> fields = {
      {.name = "spec.x", .pointer = "/spec/x"},
      {.name = "status.phase", .pointer = "/status/phase"}};
  const json::Value object =
      json::Parse(
          R"({"metadata":{"name":"a","uid":"u","labels":{"l":"<v>"},"finalizers":["f","g"],)"
          R"("ownerReferences":[{"uid":"o"}],"own\"er":{"finalizers":[1]}},)"
          R"("spec":{"status":{"a":1},"x":",\"status\":{}"},)"
          R"("status":{"c":[null,"é"],"phase":"Active"}})")
          .OrExit();
  const StoredObjectPtr stored = StoredObject::Make(object, 7, fields);
  const json::Value before = stored->Outline();
  EXPECT_EQ(before.Dump(),
            R"({"metadata":{"name":"a","ownerReferences":[{"uid":"o"}],"finalizers":["f","g"]},)"
            R"("spec":{},"status":{"phase":"Active"}})");
  json::Value after = before;
  json::Value whole = object;
  for (json::Value* changed : {&after, &whole}) {
    changed->Ensure("metadata").Erase("ownerReferences");
    changed->Ensure("metadata").Set("finalizers", json::Value::MakeArray({"g"}));
    changed->Ensure("metadata").Set("deletionGracePeriodSeconds", 3);
    changed->Ensure("metadata").Set("deletionTimestamp", "2024-01-01T00:00:00Z");
    changed->Ensure("status").Set("phase", "Terminating");
    changed->Ensure("status").Set("conditions", json::Value::MakeArray({"x"}));
    changed->Ensure("spec").Set("nodeName", "n");
  }
  const StoredObjectPtr made = stored->WithOutline(before, after, fields);
  // Equal, byte for byte, to a write of the whole object.
  const StoredObjectPtr wanted = StoredObject::Make(whole, 7, fields);
  EXPECT_EQ(made->body(), wanted->body());
  EXPECT_EQ(made->FieldsText(), wanted->FieldsText());
  EXPECT_EQ(made->Field(1), "Terminating");
  EXPECT_EQ(made->key(), stored->key());
  EXPECT_EQ(made->resource_version(), 7);
  EXPECT_EQ(made->uid(), "u");
  EXPECT_EQ(made->Label("l"), "<v>");
  EXPECT_TRUE(made->terminating());
  EXPECT_FALSE(made->owned());
  EXPECT_TRUE(stored->owned());
  EXPECT_FALSE(stored->terminating());
  EXPECT_EQ(stored->WithOutline(before, before, fields)->body(), stored->body());

  // Adds members to an object without any.
  const json::Value bare = json::Parse(R"({"metadata":{"name":"a"},"data":{"k":"v"}})").OrExit();
  const StoredObjectPtr small = StoredObject::Make(bare, 7, {});
  const json::Value none = small->Outline();
  json::Value some = none;
  some.Ensure("metadata").Set("finalizers", json::Value::MakeArray({"f"}));
  some.Ensure("status").Set("phase", "P");
  EXPECT_EQ(small->WithOutline(none, some, {})->body(),
            R"("metadata":{"name":"a","resourceVersion":"7","finalizers":["f"]},)"
            R"("data":{"k":"v"},"status":{"phase":"P"}})");
}

TEST(StoredObjectTest, OutlineOfWholeMembers) {
  const json::Value object =
      json::Parse(R"({"metadata":{"name":"a","uid":"u","labels":{"l":"v"}},)"
                  R"("spec":{"group":"g","names":{"plural":"p"},"versions":[{"names":1}]},)"
                  R"("status":{"conditions":[1]}})")
          .OrExit();
  const StoredObjectPtr stored = StoredObject::Make(object, 7, {});
  const json::Value before = stored->Outline(kDefinitionOutline);
  EXPECT_EQ(before["spec"].Dump(), R"({"group":"g","names":{"plural":"p"}})");
  EXPECT_EQ(before["status"], object["status"]);
  json::Value after = before;
  after.Ensure("metadata").Set("labels", json::Parse(R"({"l":"w","m":"x"})").OrExit());
  after.Ensure("status").Set("conditions", 2);
  const StoredObjectPtr made = stored->WithOutline(before, after, {});
  EXPECT_EQ(made->Label("l"), "w");
  EXPECT_EQ(made->Label("m"), "x");
  json::Value whole = object;
  whole.Ensure("metadata") = after["metadata"];
  whole.Ensure("status") = after["status"];
  whole.Ensure("metadata").Set("resourceVersion", "7");
  EXPECT_EQ(made->Parse(), whole);
  EXPECT_EQ(made->uid(), "u");
}

}  // namespace
}  // namespace kinformer::apiserver
