// Compressed stores and informers; and entry options that the ListerWatcher does not
// support.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/cache/lister.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/unstructured.h"

#include "cache/informer/testing/informer_fixture.h"
#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer {
namespace {

using internal::Block;
using internal::IndexValues;
using internal::ObjectRef;
using internal::cache::LabelOf;
using internal::cache::MakeObject;
using internal::cache::StoreCore;

constexpr int kObjects = 900;

ObjectRef Object(int i, int rv = 1) {
  const std::string n = std::to_string(i);
  return MakeObject("ns-" + std::to_string(i % 3), "object-" + n, std::to_string(rv),
                    {{"app", "a-rather-long-label-that-all-of-them-share"},
                     {"colour", i % 2 == 0 ? "red" : "green"},
                     {"instance", "instance-number-" + n}});
}

void IndexByColour(const Block& block, IndexValues& out) { out.Add(LabelOf(block, "colour")); }

class CompressedStore : public testing::Test {
 protected:
  void Fill() {
    store_.Begin();
    for (int i = 0; i < kObjects; ++i) static_cast<void>(store_.Put(Object(i)));
    store_.Commit();
  }
  Simulation sim_;
  StoreCore store_{sim_.env(), {.name = "test", .compress = true}};
};

TEST_F(CompressedStore, TakesLessAndReadsTheSame) {
  StoreCore plain(sim_.env(), {.name = "plain"});
  for (int i = 0; i < kObjects; ++i) static_cast<void>(plain.Put(Object(i)));
  Fill();
  EXPECT_LT(store_.Stats().object_bytes * 10, plain.Stats().object_bytes * 8);
  for (int i = 0; i < kObjects; ++i) {
    const ObjectRef object = Object(i);
    const ObjectRef read = store_.Get(object->namespace_(), object->name());
    ASSERT_TRUE(read);
    EXPECT_FALSE(read->packed());
    EXPECT_TRUE(read->SameAs(*object));
  }
  EXPECT_FALSE(store_.Get("ns-0", "none"));
}

TEST_F(CompressedStore, BytesAreCountedToTheLast) {
  Fill();
  std::size_t bytes = 0;
  std::size_t packed = 0;
  {
    const auto snapshot = store_.Snapshot();
    internal::SnapshotCore::Cursor cursor;
    while (const Block* block = snapshot->Next(cursor)) {
      bytes += block->allocated_bytes();
      packed += block->packed() ? 1U : 0U;
    }
  }
  EXPECT_EQ(store_.Stats().object_bytes, bytes);
  EXPECT_GT(packed, std::size_t{kObjects} - 128);
  for (int i = 0; i < kObjects; ++i) {
    static_cast<void>(store_.Put(Object(i, 2)));
    const ObjectRef object = Object(i);
    if (i % 2 == 0) static_cast<void>(store_.Erase(object->namespace_(), object->name()));
  }
  for (int i = 0; i < 1000 && store_.CollectSome(10000); ++i) {
  }
  EXPECT_EQ(store_.Stats().pinned_bytes, 0U);
}

TEST_F(CompressedStore, SnapshotsOwnWhatTheyUnpack) {
  Fill();
  auto snapshot = store_.Snapshot();
  const Block* const stored = snapshot->Get("ns-1", "object-700");
  ASSERT_TRUE(stored->packed());
  const Block* const whole = snapshot->Whole(stored);
  EXPECT_FALSE(whole->packed());
  EXPECT_EQ(snapshot->Whole(stored), whole);
  EXPECT_EQ(snapshot->Whole(whole), whole);
  EXPECT_EQ(snapshot->Whole(nullptr), nullptr);
  // The object is from the snapshot's version, whatever the store does.
  static_cast<void>(store_.Put(Object(700, 2)));
  static_cast<void>(store_.Erase("ns-1", "object-700"));
  for (int i = 0; i < 1000 && store_.CollectSome(10000); ++i) {
  }
  EXPECT_EQ(LabelOf(*whole, "instance"), "instance-number-700");
  EXPECT_EQ(whole->resourceVersion(), "1");
  // A reference to the object keeps it alive after the snapshot.
  const ObjectRef kept = ObjectRef::Share(whole);
  snapshot.reset();
  EXPECT_EQ(LabelOf(*kept, "colour"), "red");
}

TEST_F(CompressedStore, SnapshotsOutliveTheirStore) {
  std::shared_ptr<const internal::SnapshotCore> snapshot;
  {
    StoreCore store(sim_.env(), {.name = "short", .compress = true});
    for (int i = 0; i < kObjects; ++i) static_cast<void>(store.Put(Object(i)));
    snapshot = store.Snapshot();
  }
  const Block* const whole = snapshot->Whole(snapshot->Get("ns-2", "object-899"));
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(LabelOf(*whole, "instance"), "instance-number-899");
}

TEST_F(CompressedStore, ThreadsReadOneSnapshot) {
  Fill();
  const auto snapshot = store_.Snapshot();
  std::vector<std::thread> readers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      for (int i = 0; i < kObjects; ++i) {
        const std::string n = std::to_string(i);
        const Block* block =
            snapshot->Whole(snapshot->Get("ns-" + std::to_string(i % 3), "object-" + n));
        if (block == nullptr || LabelOf(*block, "instance") != "instance-number-" + n) ++wrong;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CompressedStore, IndexFunctionsSeeWholeObjects) {
  AddIndex(store_, "colour", &IndexByColour).OrExit();
  Fill();
  AddIndex(store_, "late", &IndexByColour).OrExit();
  static_cast<void>(store_.Put(Object(1, 2)));
  const auto snapshot = store_.Snapshot();
  for (const char* index : {"colour", "late"}) {
    EXPECT_EQ(snapshot->ByIndex(index, "red").OrExit().size(), std::size_t{kObjects} / 2) << index;
    EXPECT_EQ(snapshot->IndexValues(index).OrExit(), (std::vector<std::string>{"green", "red"}));
  }
}

TEST_F(CompressedStore, PackWithoutPut_PacksOnceTrained) {
  ObjectRef last;
  for (int i = 0; i < 600; ++i) last = store_.Pack(Object(i));
  EXPECT_TRUE(last->packed());
  static_cast<void>(store_.Put(last));
  EXPECT_EQ(LabelOf(*store_.Get(last->namespace_(), last->name()), "instance"),
            "instance-number-599");
}

// ---- informers

TEST_F(InformerTest, ACompressedInformerTellsAndAnswersAsAnyOther) {
  for (int i = 0; i < 600; ++i) server_.Put("p" + std::to_string(i), "first");
  SharedInformer<Pod> informer = Make({.compression = Compression::kZstd});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(recorder->words.size(), 600U);
  ExpectEqual(informer, server_);
  recorder->words.clear();
  server_.Put("p1", "second");
  server_.Put("new", "x");
  server_.Delete("p2");
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"~p1 first>second", "+new", "-p2"}));
  // A list without changes modifies nothing.
  const std::uint64_t modified = informer.Stats().modified;
  recorder->words.clear();
  ForceRelist();
  EXPECT_EQ(recorder->words, Texts{});
  EXPECT_EQ(informer.Stats().modified, modified);
  WhileCutOff([&] {
    server_.Put("p3", "third");
    server_.Delete("p4");
  });
  EXPECT_THAT(recorder->words, testing::UnorderedElementsAre("~p3 first>third", "-p4?"));
  ExpectEqual(informer, server_);
  // A handler added later gets them, too.
  const auto late = Record(informer);
  Settle();
  EXPECT_EQ(late->words.size(), 599U);
}

TEST_F(InformerTest, EntryOptionsWhereTheListerWatcherKnowsNothingOfThem) {
  server_.Put("a", "1");
  SharedInformer<Unstructured> informer(sim_.env(), server_.NewListerWatcher(),
                                        {.projection = Projection::Drop({"spec"}).OrExit()});
  informer.Start();
  Settle();
  const Snapshot<Unstructured> snapshot = informer.Snapshot();
  const std::optional<Unstructured> object = snapshot.Get("default", "a");
  ASSERT_TRUE(object.has_value());
  EXPECT_TRUE(object->block()->partial());
  EXPECT_EQ(object->root().size(), 0U);
  // The size limit applies, too: objects above it are unreadable.
  SharedInformer<Unstructured> strict(sim_.env(), server_.NewListerWatcher(),
                                      {.max_object_bytes = 16});
  strict.Start();
  Settle();
  EXPECT_EQ(strict.Stats().unreadable, 1U);
}

}  // namespace
}  // namespace kinformer
