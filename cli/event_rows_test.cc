#include "cli/event_rows.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

json::Value Event(const std::string& fields) {
  return json::Parse(R"({"metadata":{"name":"e","namespace":"default",)"
                     R"("creationTimestamp":"2024-01-01T00:00:00Z"},"involvedObject":)"
                     R"({"kind":"Pod","name":"web-0","uid":"u1"},"type":"Warning",)"
                     R"("reason":"BackOff","message":"again\n")" +
                     fields + "}")
      .OrExit();
}

const json::Value kRepeated =
    Event(R"(,"count":7,"firstTimestamp":"2024-01-01T00:00:00Z",)"
          R"("lastTimestamp":"2024-01-01T02:00:00Z","source":{"component":"kubelet","host":"n"})");
const WallTime kNow{std::chrono::seconds(1704067200 + 3 * 3600)};  // 03:00

TEST(EventRows, AnEventOfTheOlderFormHasItsCountAndTimes) {
  const EventRow row = RowOf(kRepeated);
  EXPECT_EQ(row.count, 7);
  EXPECT_EQ(row.message, "again");
  EXPECT_EQ(row.object, "Pod/web-0");
  EXPECT_EQ(row.source, "kubelet");
  EXPECT_EQ(LastSeen(row, kNow), "60m (x7 over 3h)");
}

TEST(EventRows, ASeriesHasItsOwnCountAndTime) {
  const EventRow row =
      RowOf(Event(R"(,"eventTime":"2024-01-01T01:00:00.000000Z","reportingComponent":"sched",)"
                  R"("series":{"count":4,"lastObservedTime":"2024-01-01T02:00:00.000000Z"})"));
  EXPECT_EQ(row.count, 4);
  EXPECT_EQ(row.source, "sched");
  EXPECT_EQ(LastSeen(row, kNow), "60m (x4 over 120m)");
}

TEST(EventRows, AnEventWithoutTimesIsAsOldAsItsObject) {
  EXPECT_EQ(LastSeen(RowOf(Event("")), kNow), "3h");
  EXPECT_EQ(LastSeen(EventRow{}, kNow), "<unknown>");
}

TEST(EventRows, RepeatsAreOneRowAndRowsAreSortedByTheirLastTime) {
  EventRow early{.namespace_ = "default", .reason = "A", .first = 10, .last = 20};
  EventRow late = early;
  late.reason = "B";
  late.last = 30;
  EventRow again = early;
  again.first = 5;
  again.last = 40;
  again.count = 3;
  const std::vector<EventRow> rows = Grouped({early, late, again});
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].reason, "B");
  EXPECT_EQ(rows[1].reason, "A");
  EXPECT_EQ(rows[1].count, 4);
  EXPECT_EQ(rows[1].first, 5);
  EXPECT_EQ(rows[1].last, 40);
}

TEST(EventRows, FiltersTakeTheObjectAndTheTypes) {
  EXPECT_TRUE(EventFilter{}.Has(kRepeated));
  EXPECT_TRUE((EventFilter{.kind = "pod", .name = "web-0"}).Has(kRepeated));
  EXPECT_FALSE((EventFilter{.kind = "Node", .name = "web-0"}).Has(kRepeated));
  EXPECT_FALSE((EventFilter{.kind = "pod", .name = "web-1"}).Has(kRepeated));
  EXPECT_TRUE((EventFilter{.uid = "u1"}).Has(kRepeated));
  EXPECT_FALSE((EventFilter{.uid = "u2"}).Has(kRepeated));
  EXPECT_TRUE((EventFilter{.types = {"normal", "warning"}}).Has(kRepeated));
  EXPECT_FALSE((EventFilter{.types = {"Normal"}}).Has(kRepeated));
}

TEST(EventRows, LiveRepeatsAreCountedAndUnchangedEventsAreNot) {
  EventGroups groups;
  EXPECT_EQ(groups.Note(kRepeated).count, 7);
  EXPECT_EQ(groups.Note(kRepeated).count, 0) << "it came again unchanged";
  json::Value more = kRepeated;
  more.Set("count", 8);
  EXPECT_EQ(groups.Note(more).count, 8);
  json::Value other = kRepeated;
  other.Ensure("metadata", "name") = "e2";
  other.Set("count", 1);
  EXPECT_EQ(groups.Note(other).count, 9) << "another object, but the same event";
}

TEST(EventRows, CellsAreThoseOfKubectl) {
  EXPECT_THAT(EventTitles(false), ElementsAre("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"));
  EXPECT_THAT(
      EventCells(RowOf(kRepeated), true, kNow),
      ElementsAre("default", "60m (x7 over 3h)", "Warning", "BackOff", "Pod/web-0", "again"));
}

}  // namespace
}  // namespace kinformer::cli
