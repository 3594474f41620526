// Images of objects, and files of a whole state: what is written is read, and nothing damaged is.

#include "apiserver/store/saved_state.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/apiserver/state_snapshot.h"

#include "apiserver/store/object_image.h"
#include "apiserver/store/resource_store.h"

namespace kinformer::apiserver {
namespace {

const std::vector<SelectableField> kFields = {
    {.name = "spec.nodeName", .pointer = "/spec/nodeName"}};

StoredObjectPtr Make(const std::string& ns, const std::string& name, std::int64_t version) {
  const json::Value object =
      json::Parse(R"({"metadata":{"namespace":")" + ns + R"(","name":")" + name +
                  R"(","uid":"u-1","labels":{"app":"a b"},)" +
                  R"("ownerReferences":[{"uid":"o"}]},)" + R"("spec":{"nodeName":"n1"}})")
          .OrExit();
  return StoredObject::Make(object, version, kFields, 3);
}

TEST(ObjectImage, Objects_AreReadAsTheyWereWritten) {
  const StoredObjectPtr stored = Make("ns", "pod", 17);
  std::string image;
  ObjectImage::Append(*stored, image);
  ObjectImage::Append(*stored->AtResourceVersion(18, /*tombstone=*/true), image);
  std::string_view rest = image;
  const StoredObjectPtr read = ObjectImage::Take(rest);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->key(), "ns/pod");
  EXPECT_EQ(read->namespace_(), "ns");
  EXPECT_EQ(read->name(), "pod");
  EXPECT_EQ(read->uid(), "u-1");
  EXPECT_EQ(read->resource_version(), 17);
  EXPECT_EQ(read->form(), 3U);
  EXPECT_EQ(read->body(), stored->body());
  EXPECT_EQ(read->Label("app"), "a b");
  EXPECT_EQ(read->Field(0), "n1");
  EXPECT_TRUE(read->owned());
  EXPECT_FALSE(read->terminating());
  EXPECT_FALSE(read->tombstone());
  const StoredObjectPtr gone = ObjectImage::Take(rest);
  ASSERT_NE(gone, nullptr);
  EXPECT_TRUE(gone->tombstone());
  EXPECT_EQ(gone->resource_version(), 18);
  EXPECT_TRUE(rest.empty());
}

TEST(ObjectImage, TruncatedImages_AreNotRead) {
  std::string image;
  ObjectImage::Append(*Make("ns", "pod", 17), image);
  for (std::size_t size = 0; size < image.size(); ++size) {
    std::string_view rest = std::string_view(image).substr(0, size);
    EXPECT_EQ(ObjectImage::Take(rest), nullptr) << size;
    EXPECT_EQ(rest.size(), size);
  }
}

TEST(ObjectImage, OffsetsOutsideTheText_AreNotRead) {
  std::string image;
  ObjectImage::Append(*Make("ns", "pod", 17), image);
  // The numbers: flags, version, form, length of the namespace, place and length of the uid.
  for (const std::size_t number : {0U, 3U, 4U, 5U}) {
    std::string damaged = image;
    damaged[number * 8 + 2] = '\x7f';
    std::string_view rest = damaged;
    EXPECT_EQ(ObjectImage::Take(rest), nullptr) << number;
  }
}

SavedState Sample() {
  SavedState state{.resource_version = 20};
  state.resources.push_back({.plural = "pods", .fields = FieldsKey(kFields)});
  state.resources.back().objects = {Make("a", "x", 3), Make("a", "y", 2)};
  state.resources.front().objects.front() =
      StoredObject::Make(state.resources.front().objects.front()->Parse(), 3, kFields);
  state.resources.push_back(
      {.group = "example.com", .plural = "widgets", .forms = {"v0", "v1", "v2", "v3"}});
  state.resources.back().objects = {Make("b", "z", 4)};
  return state;
}

TEST(SavedState, Files_AreReadAsTheyWereWritten) {
  const Result<SavedState> state = DecodeState(EncodeState(Sample()));
  ASSERT_TRUE(state.ok()) << state.error().message();
  EXPECT_EQ(state->resource_version, 20);
  ASSERT_EQ(state->resources.size(), 2U);
  EXPECT_EQ(state->resources[0].plural, "pods");
  EXPECT_EQ(state->resources[0].fields, FieldsKey(kFields));
  ASSERT_EQ(state->resources[0].objects.size(), 2U);
  EXPECT_EQ(state->resources[0].objects[1]->key(), "a/y");
  EXPECT_EQ(state->resources[1].group, "example.com");
  EXPECT_EQ(state->resources[1].forms, (std::vector<std::string>{"v0", "v1", "v2", "v3"}));
}

TEST(SavedState, TruncatedFiles_AreRefused) {
  const std::string bytes = EncodeState(Sample());
  for (std::size_t size = kStateHeader.size(); size < bytes.size(); ++size) {
    const Result<SavedState> state = DecodeState(bytes.substr(0, size));
    ASSERT_FALSE(state.ok()) << size;
    EXPECT_NE(state.error().message().find("breaks off"), std::string::npos);
  }
}

TEST(SavedState, DamagedFiles_AreRefused) {
  const std::string bytes = EncodeState(Sample());
  for (std::size_t at = kStateHeader.size() + 16; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const Result<SavedState> state = DecodeState(damaged);
    ASSERT_FALSE(state.ok()) << at;
    EXPECT_NE(state.error().message().find("is damaged"), std::string::npos);
  }
  const Result<SavedState> longer = DecodeState(bytes + "x");
  ASSERT_FALSE(longer.ok());
  EXPECT_NE(longer.error().message().find("1 bytes after its end"), std::string::npos);
}

TEST(SavedState, OtherFormats_AreRefusedByName) {
  const Result<SavedState> newer = DecodeState("kinformer-state 2\nabc");
  ASSERT_FALSE(newer.ok());
  EXPECT_NE(newer.error().message().find("\"kinformer-state 2\": this version reads"),
            std::string::npos);
  const Result<SavedState> other = DecodeState("apiVersion: v1");
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message().find("is no saved state"), std::string::npos);
}

TEST(StateSnapshots, Files_AreWrittenAndRead) {
  const std::string path = ::testing::TempDir() + "snapshot.state";
  const StateSnapshot snapshot = StateSnapshot::FromBytes(EncodeState(Sample())).OrExit();
  EXPECT_EQ(snapshot.resource_version(), 20);
  EXPECT_EQ(snapshot.object_count(), 3U);
  EXPECT_TRUE(StateSnapshot::IsOne(snapshot.bytes()));
  EXPECT_FALSE(StateSnapshot::IsOne("kind: Pod"));
  ASSERT_TRUE(snapshot.WriteFile(path).ok());
  const Result<StateSnapshot> read = StateSnapshot::ReadFile(path);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->bytes(), snapshot.bytes());
  std::filesystem::resize_file(path, snapshot.bytes().size() - 1);
  const Result<StateSnapshot> truncated = StateSnapshot::ReadFile(path);
  ASSERT_FALSE(truncated.ok());
  EXPECT_EQ(truncated.error().reason(), Reason::kConfig);
  EXPECT_NE(truncated.error().message().find(path + " breaks off: "), std::string::npos);
  std::filesystem::resize_file(path, 0);
  EXPECT_NE(StateSnapshot::ReadFile(path).error().message().find("it is empty"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(StateSnapshot::ReadFile(path).error().message().find("No such file"),
            std::string::npos);
  const Result<void> nowhere = snapshot.WriteFile(path + "/missing/x");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.error().message().find(path), std::string::npos);
}

TEST(LoadedStores, ObjectsAndLaterVersions_AreReadAtTheirVersions) {
  const StoredObjectPtr a = Make("a", "x", 3);
  const StoredObjectPtr b = Make("b", "y", 2);
  const auto store = ResourceStore::Loaded(
      {}, 5, {a, b},
      {Make("b", "y", 7), a->AtResourceVersion(8, /*tombstone=*/true), Make("c", "z", 9)}, {});
  EXPECT_EQ(store->floor(), 5);
  EXPECT_EQ(store->size(), 2U);
  EXPECT_EQ(store->size("a"), 0U);
  EXPECT_EQ(store->size("b"), 1U);
  EXPECT_EQ(store->end_sequence() - store->begin_sequence(), 3U);
  const auto at = [&](std::int64_t version) {
    std::string out;
    store->Walk({}, {}, version, [&](const StoredObjectPtr& stored) {
      out += stored->key() + '@' + std::to_string(stored->resource_version()) + ' ';
      return true;
    });
    return out;
  };
  EXPECT_EQ(at(5), "a/x@3 b/y@2 ");
  EXPECT_EQ(at(7), "a/x@3 b/y@7 ");
  EXPECT_EQ(at(9), "b/y@7 c/z@9 ");
}

}  // namespace
}  // namespace kinformer::apiserver
