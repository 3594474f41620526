// StorePartWriter without a queue: the test passes changes and lists itself.

#include "cache/apply/store_part_writer.h"

#include <algorithm>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/internal/raw_event.h"

#include "client/testing/test_pods.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;
using testing::ElementsAre;
using testing::IsEmpty;
using Texts = std::vector<std::string>;

class StorePartWriterTest : public testing::Test {
 protected:
  // Makes the store one of these parts.
  void Parts(const std::set<std::string, std::less<>>& keys, const StoreLimitOptions& limits = {}) {
    parted_.emplace(sim_.env(), store_, counters_, positions_, name_, limits, [] {});
    positions_.SetParts(keys);
    parted_->coverage.SetPlaces(keys, false, true, 0);
  }
  std::unique_ptr<StorePartWriter> Writer(const std::string& key) {
    return std::make_unique<StorePartWriter>(
        sim_.env(), *parted_, StorePart(key),
        StorePartWriterOptions{.name = name_, .relist = [this] { ++relists_; }});
  }
  struct Change {
    DeltaType type;
    ObjectRef object;
  };
  static void Apply(StorePartWriter& writer, const Change& change) {
    Delta delta{change.type, false, change.object, nullptr};
    writer.Apply(delta, false);
  }
  // Writes one batch. Returns its notifications as text.
  static Texts Write(StorePartWriter& writer, const std::vector<Change>& changes) {
    writer.BeginBatch();
    for (const Change& change : changes) Apply(writer, change);
    writer.EndBatch(true);
    Texts told;
    for (const Notification& event : writer.notifications()) {
      told.push_back(std::string(EventTypeName(event.type)) + " " +
                     std::string(event.object->name()));
    }
    return told;
  }
  // Queues a list. Returns it as it leaves the queue.
  static std::unique_ptr<DeltaExtra> Queue(StorePartWriter& writer, std::vector<ObjectRef> objects,
                                           const std::string& version, std::uint64_t epoch = 0) {
    auto list = std::make_unique<DeltaExtra>();
    list->resourceVersion = version;
    KeySet left_out;
    writer.ListBegins();
    for (ObjectRef& object : objects) {
      if (writer.TakeListed(object)) {
        list->objects.push_back(std::move(object));
      } else {
        left_out.Insert(object->namespace_(), object->name());
      }
    }
    writer.ListQueued(epoch, std::move(left_out));
    return list;
  }
  static void Relist(StorePartWriter& writer, std::unique_ptr<DeltaExtra> list) {
    writer.BeginRelist(std::move(list), {});
    EXPECT_TRUE(writer.relisting());
    EXPECT_TRUE(writer.ContinueRelist(SteadyTime::max()));
    static_cast<void>(writer.EndRelist(true));
    EXPECT_FALSE(writer.relisting());
  }
  static void List(StorePartWriter& writer, std::vector<ObjectRef> objects,
                   const std::string& version, std::uint64_t epoch = 0) {
    Relist(writer, Queue(writer, std::move(objects), version, epoch));
  }
  [[nodiscard]] Texts Stored() const {
    Texts names;
    const std::shared_ptr<const SnapshotCore> snapshot = store_.Snapshot();
    SnapshotCore::Cursor cursor;
    while (const Block* block = snapshot->Next(cursor)) {
      names.push_back(std::string(block->namespace_()) + "/" + std::string(block->name()));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  [[nodiscard]] const Coverage& Covered() const { return *store_.coverage(); }

  Simulation sim_;
  const std::string name_ = "pods";
  StoreCore store_{sim_.env(), {.name = "test"}};
  PipelineCounters counters_;
  PartPositions positions_{store_};
  std::optional<PartedStore> parted_;
  int relists_ = 0;
};

TEST_F(StorePartWriterTest, StoreDecidesBetweenAdditionAndUpdate) {
  Parts({""});
  const auto writer = Writer("");
  EXPECT_THAT(Write(*writer, {{DeltaType::kUpdated, MakePod("ns", "a", "1")}}),
              ElementsAre("ADDED a"));
  EXPECT_THAT(Write(*writer, {{DeltaType::kAdded, MakePod("ns", "a", "2")}}),
              ElementsAre("MODIFIED a"));
  EXPECT_THAT(Write(*writer, {{DeltaType::kDeleted, MakePod("ns", "b", "3")}}), IsEmpty());
  EXPECT_THAT(Write(*writer, {{DeltaType::kDeleted, MakePod("ns", "a", "4")}}),
              ElementsAre("DELETED a"));
}

TEST_F(StorePartWriterTest, Batch_IsOneVersionWithItsPosition) {
  Parts({""});
  const auto writer = Writer("");
  const std::uint64_t before = store_.Snapshot()->version();
  writer->BeginBatch();
  Apply(*writer, {DeltaType::kAdded, MakePod("ns", "a", "7")});
  Apply(*writer, {DeltaType::kAdded, MakePod("ns", "b", "9")});
  EXPECT_THAT(Stored(), IsEmpty());
  EXPECT_EQ(store_.ResourceVersion(), "");
  writer->EndBatch(false);
  EXPECT_THAT(Stored(), ElementsAre("ns/a", "ns/b"));
  EXPECT_EQ(store_.ResourceVersion(), "9");
  EXPECT_EQ(store_.Snapshot()->version(), before + 1);
  EXPECT_FALSE(writer->completeness().complete) << "no list has been written";
}

TEST_F(StorePartWriterTest, EachPart_HasItsOwnListAndCompleteness) {
  Parts({"blue", "red"});
  const auto blue = Writer("blue");
  const auto red = Writer("red");
  List(*blue, {MakePod("blue", "a", "5"), MakePod("blue", "b", "6")}, "9", 2);
  EXPECT_TRUE(blue->completeness().complete);
  EXPECT_TRUE(Covered().IsComplete("blue"));
  EXPECT_FALSE(Covered().complete);
  EXPECT_EQ(store_.ResourceVersion(), "") << "of red nothing is known";
  List(*red, {MakePod("red", "a", "3")}, "7", 2);
  EXPECT_TRUE(Covered().complete);
  EXPECT_EQ(store_.ResourceVersion(), "7");
  EXPECT_EQ(store_.Position().epoch, 2U);
  EXPECT_EQ(Covered().namespaces->EpochOf("blue"), 2U);
  EXPECT_EQ(blue->ResourceVersion(), "9");
  // A list replaces its own part only.
  List(*blue, {MakePod("blue", "b", "6")}, "11", 2);
  EXPECT_THAT(Stored(), ElementsAre("blue/b", "red/a"));
}

TEST_F(StorePartWriterTest, AbsentResource_IsIncompleteUntilALaterListIsWritten) {
  Parts({""});
  const auto writer = Writer("");
  List(*writer, {MakePod("ns", "a", "1")}, "5");
  ASSERT_TRUE(Covered().complete);
  auto waits = Queue(*writer, {MakePod("ns", "a", "1")}, "6");
  EXPECT_TRUE(writer->ResourceAbsent());
  EXPECT_FALSE(Covered().complete);
  Relist(*writer, std::move(waits));
  EXPECT_FALSE(writer->completeness().complete) << "that list is older than the absence";
  List(*writer, {}, "8");
  EXPECT_TRUE(Covered().complete);
  // A list that only empties the store does not complete it.
  EXPECT_TRUE(writer->ResourceAbsent());
  writer->ExpectAnotherList();
  List(*writer, {}, "");
  EXPECT_FALSE(Covered().complete);
  EXPECT_EQ(store_.ResourceVersion(), "8") << "a list without a version keeps it";
  List(*writer, {}, "9");
  EXPECT_TRUE(Covered().complete);
}

TEST_F(StorePartWriterTest, AbsenceDuringAnotherPartsTurn_IsInItsVersion) {
  Parts({"blue", "red"});
  const auto blue = Writer("blue");
  const auto red = Writer("red");
  List(*blue, {}, "5");
  List(*red, {}, "5");
  ASSERT_TRUE(store_.Snapshot()->coverage()->complete);
  parted_->turn.Take(red.get());
  EXPECT_FALSE(blue->ResourceAbsent());
  EXPECT_TRUE(store_.Snapshot()->coverage()->complete) << "not published yet";
  List(*red, {}, "6");
  EXPECT_FALSE(store_.Snapshot()->coverage()->IsComplete("blue"));
  EXPECT_TRUE(store_.Snapshot()->coverage()->IsComplete("red"));
}

TEST_F(StorePartWriterTest, ObjectWithoutRoom_IsLeftOutOfItsPart) {
  Parts({"blue", "red"}, {.max_objects = 2});
  const auto blue = Writer("blue");
  const auto red = Writer("red");
  List(*blue, {MakePod("blue", "a", "1"), MakePod("blue", "b", "2")}, "5");
  List(*red, {MakePod("red", "a", "3")}, "5");
  EXPECT_FALSE(red->completeness().complete);
  EXPECT_FALSE(red->completeness().has_room);
  EXPECT_TRUE(blue->completeness().has_room) << "the other part lacks nothing";
  EXPECT_TRUE(Covered().IsLeftOut("red", "a"));
  EXPECT_THAT(Write(*blue, {{DeltaType::kAdded, MakePod("blue", "c", "6")}}), IsEmpty());
  EXPECT_EQ(counters_.left_out.load(), 2U);
  EXPECT_FALSE(blue->completeness().complete);
  // Room that is freed is offered, and an object that changes finds it.
  blue->OfferRoom();
  red->OfferRoom();
  EXPECT_EQ(relists_, 0);
  Write(*blue, {{DeltaType::kDeleted, MakePod("blue", "a", "7")},
                {DeltaType::kUpdated, MakePod("blue", "c", "8")}});
  EXPECT_THAT(Stored(), ElementsAre("blue/b", "blue/c"));
  EXPECT_TRUE(blue->completeness().complete);
  Write(*blue, {{DeltaType::kDeleted, MakePod("blue", "b", "9")}});
  blue->OfferRoom();
  EXPECT_EQ(relists_, 1);
}

TEST_F(StorePartWriterTest, IsExact_UnlessAListWaitsOrAChangeHasNoVersion) {
  Parts({""});
  const auto writer = Writer("");
  List(*writer, {MakePod("ns", "a", "1")}, "5");
  EXPECT_TRUE(writer->IsExact());
  auto waits = Queue(*writer, {MakePod("ns", "a", "1")}, "6");
  EXPECT_FALSE(writer->IsExact());
  writer->BeginRelist(std::move(waits), {});
  EXPECT_FALSE(writer->IsExact());
  EXPECT_TRUE(writer->ContinueRelist(SteadyTime::max()));
  static_cast<void>(writer->EndRelist(true));
  EXPECT_TRUE(writer->IsExact());
  Delta unreadable{DeltaType::kUnreadable, false, {}, std::make_unique<DeltaExtra>()};
  unreadable.extra->unreadable.push_back({"ns", "a"});
  writer->BeginBatch();
  writer->Apply(unreadable, false);
  writer->EndBatch(true);
  EXPECT_FALSE(writer->IsExact());
  EXPECT_TRUE(Covered().IsUnreadable("ns", "a"));
  Write(*writer, {{DeltaType::kUpdated, MakePod("ns", "a", "7")}});
  EXPECT_TRUE(writer->IsExact());
  EXPECT_FALSE(Covered().IsUnreadable("ns", "a"));
}

TEST_F(StorePartWriterTest, PlaceNoLongerCovered_IsEmptiedAndCountsForNothing) {
  Parts({"blue", "red"});
  const auto blue = Writer("blue");
  List(*Writer("red"), {MakePod("red", "a", "3")}, "7");
  List(*blue, {MakePod("blue", "a", "5")}, "9");
  positions_.SetParts({"blue"});
  parted_->coverage.SetPlaces({"blue"}, false, true, 0);
  const auto gone = Writer("red");
  List(*gone, {}, "0");
  EXPECT_TRUE(gone->completeness().complete);
  EXPECT_THAT(Stored(), ElementsAre("blue/a"));
  EXPECT_TRUE(Covered().complete);
  EXPECT_FALSE(Covered().Includes("red"));
  EXPECT_EQ(positions_.Read("red"), std::nullopt);
  EXPECT_EQ(store_.ResourceVersion(), "7") << "until the next change of a part";
}

}  // namespace
}  // namespace kinformer::internal::cache
