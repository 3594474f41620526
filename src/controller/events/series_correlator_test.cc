// Series of equal events: when each is created, patched, written again and ended.

#include "controller/events/series_correlator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer::internal::events {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

eventsv1::EventMutable NewEvent(const std::string& about, std::int64_t second = 0) {
  eventsv1::EventMutable event;
  event.metadata.name = about + ".1";
  event.regarding.name = about;
  event.eventTime = metav1::MicroTime(second);
  return event;
}

class SeriesCorrelatorTest : public ::testing::Test {
 protected:
  // Returns "create", "patch x2" or "later".
  std::string Next(const std::string& about, std::int64_t second = 0) {
    const auto correlated = correlator_.Correlate(NewEvent(about, second));
    EXPECT_EQ(correlated.key, SeriesKey(NewEvent(about)));
    if (correlated.write == EventWrite::kLater) return "later";
    if (correlated.write == EventWrite::kCreate) {
      EXPECT_FALSE(correlated.event.series);
      EXPECT_EQ(correlated.event.metadata.name, about + ".1");
      return "create";
    }
    EXPECT_EQ(correlated.write, EventWrite::kPatch);
    return "patch x" + std::to_string(correlated.event.series->count);
  }
  static std::vector<std::string> Names(
      const std::vector<CorrelatedEvent<eventsv1::EventMutable>>& all) {
    std::vector<std::string> names;
    for (const auto& one : all) {
      EXPECT_EQ(one.write, EventWrite::kPatch);
      EXPECT_EQ(one.key, SeriesKey(one.event));
      names.push_back(one.event.regarding.name + " x" + std::to_string(one.event.series->count));
    }
    return names;
  }
  std::vector<std::string> Sweep() { return Names(correlator_.Sweep()); }
  void Begin(const std::string& about, int events) {
    for (int i = 0; i < events; ++i) Next(about);
  }
  void Written(const std::string& about, std::int32_t count) {
    eventsv1::EventMutable event = NewEvent(about);
    event.series.emplace().count = count;
    correlator_.Observed(SeriesKey(event), event);
  }
  [[nodiscard]] Duration UntilSweep() { return correlator_.NextSweep() - sim_.env().Now(); }

  Simulation sim_;
  SeriesCorrelator correlator_{
      sim_.env(), {.cache_size = 100, .finish_time = minutes(6), .refresh_time = minutes(30)}};
};

TEST_F(SeriesCorrelatorTest, FirstEventIsCreated_SecondPatched_RestCounted) {
  EXPECT_EQ(Next("a"), "create");
  EXPECT_EQ(Next("a", 7), "patch x2");
  EXPECT_EQ(Next("a", 8), "later");
  EXPECT_EQ(Next("b"), "create");
  EXPECT_EQ(Next("a", 9), "later");
  const auto unwritten = correlator_.Unwritten();
  EXPECT_THAT(Names(unwritten), ElementsAre("a x4"));
  EXPECT_EQ(unwritten[0].event.series->lastObservedTime, metav1::MicroTime(9));
  EXPECT_EQ(unwritten[0].event.metadata.name, "a.1");
}

TEST_F(SeriesCorrelatorTest, NextSweep_IsTheEarlierOfBothTimes) {
  EXPECT_EQ(UntilSweep(), minutes(6));
  const SeriesCorrelator other(
      sim_.env(), {.cache_size = 1, .finish_time = minutes(6), .refresh_time = minutes(2)});
  EXPECT_EQ(other.NextSweep() - sim_.env().Now(), minutes(2));
  sim_.RunFor(minutes(5));
  EXPECT_THAT(Sweep(), IsEmpty());
  EXPECT_EQ(UntilSweep(), minutes(1)) << "too early to sweep";
  sim_.RunFor(minutes(1));
  EXPECT_THAT(Sweep(), IsEmpty());
  EXPECT_EQ(UntilSweep(), minutes(6));
  sim_.RunFor(minutes(20));
  Sweep();
  EXPECT_EQ(UntilSweep(), minutes(4)) << "until the refresh";
}

TEST_F(SeriesCorrelatorTest, SeriesEnds_MoreThanFinishTimeAfterLastEvent) {
  Begin("a", 3);
  sim_.RunFor(minutes(6));
  EXPECT_THAT(Sweep(), IsEmpty()) << "exactly the time";
  sim_.RunFor(minutes(6));
  EXPECT_THAT(Sweep(), ElementsAre("a x3"));
  sim_.RunFor(minutes(1));
  EXPECT_THAT(Sweep(), ElementsAre("a x3")) << "not written yet";
  Written("a", 3);
  EXPECT_THAT(Sweep(), IsEmpty());
  EXPECT_EQ(Next("a"), "create");
}

TEST_F(SeriesCorrelatorTest, SeriesEnds_AlsoWhenItsLastWriteIsRefused) {
  Begin("a", 3);
  correlator_.Refused(SeriesKey(NewEvent("a")));
  EXPECT_EQ(Next("a"), "later") << "the series is not over";
  sim_.RunFor(minutes(13));
  EXPECT_THAT(Sweep(), ElementsAre("a x4"));
  correlator_.Refused(SeriesKey(NewEvent("other")));
  EXPECT_THAT(Sweep(), ElementsAre("a x4"));
  correlator_.Refused(SeriesKey(NewEvent("a")));
  EXPECT_THAT(Sweep(), IsEmpty());
  EXPECT_EQ(Next("a"), "create");
}

TEST_F(SeriesCorrelatorTest, NewEvent_ContinuesSeriesThatWasToEnd) {
  Begin("a", 2);
  sim_.RunFor(minutes(13));
  EXPECT_THAT(Sweep(), ElementsAre("a x2"));
  EXPECT_EQ(Next("a"), "later");
  EXPECT_THAT(Sweep(), IsEmpty());
  Written("a", 2);
  EXPECT_EQ(Next("a"), "later") << "still the same series";
}

TEST_F(SeriesCorrelatorTest, SingleEvent_IsForgottenAfterFinishTime) {
  Next("a");
  sim_.RunFor(minutes(6));
  EXPECT_THAT(Sweep(), IsEmpty());
  EXPECT_EQ(Next("a"), "patch x2") << "exactly the time";
  Next("b");
  sim_.RunFor(minutes(7));
  EXPECT_THAT(Sweep(), ElementsAre("a x2")) << "a single event is not written again";
  EXPECT_EQ(Next("b"), "create");
}

TEST_F(SeriesCorrelatorTest, Refresh_WritesEachSeriesThatLasts) {
  Next("single");
  for (int minute = 0; minute < 30; minute += 5) {
    Begin("a", 2);
    Begin("b", 2);
    Next("single");
    sim_.RunFor(minutes(5));
    EXPECT_THAT(Sweep(), minute < 25
                             ? IsEmpty()
                             : ::testing::Matcher<std::vector<std::string>>(::testing::SizeIs(3)))
        << minute;
  }
  sim_.RunFor(minutes(1));
  EXPECT_THAT(Sweep(), IsEmpty()) << "each half hour";
}

TEST_F(SeriesCorrelatorTest, Unwritten_HasCountsAboveTheWrittenOnes) {
  Next("single");
  Begin("a", 2);
  Begin("b", 5);
  Begin("c", 5);
  Written("a", 2);
  Written("b", 4);
  Written("c", 5);
  Written("never seen", 1);
  correlator_.Observed(SeriesKey(NewEvent("b")), NewEvent("b"));
  EXPECT_THAT(Names(correlator_.Unwritten()), ElementsAre("b x5"));
}

TEST_F(SeriesCorrelatorTest, Patch_HasTheSeriesOnly) {
  eventsv1::EventMutable event = NewEvent("a");
  event.series.emplace().count = 3;
  event.series->lastObservedTime = metav1::MicroTime(1, 2000);
  const Patch patch = correlator_.PatchOf(event);
  EXPECT_EQ(patch.type, PatchType::kMergePatch);
  EXPECT_EQ(patch.body,
            R"({"series":{"count":3,"lastObservedTime":"1970-01-01T00:00:01.000002Z"}})");
}

TEST(SeriesKeys, BothReferences_AreComparedInAllParts) {
  using Reference = corev1::ObjectReferenceMutable;
  eventsv1::EventMutable event = NewEvent("a");
  event.related.emplace();
  const auto key = [&](const auto& change) {
    eventsv1::EventMutable other = event;
    change(other);
    return SeriesKey(other);
  };
  for (std::string Reference::* part :
       {&Reference::kind, &Reference::namespace_, &Reference::name, &Reference::uid,
        &Reference::apiVersion, &Reference::fieldPath}) {
    EXPECT_NE(key([&](auto& e) { e.regarding.*part = "x"; }), SeriesKey(event));
    EXPECT_NE(key([&](auto& e) { (*e.related).*part = "x"; }), SeriesKey(event));
  }
  EXPECT_NE(key([](auto& e) { e.related.reset(); }), SeriesKey(event));
}

}  // namespace
}  // namespace kinformer::internal::events
