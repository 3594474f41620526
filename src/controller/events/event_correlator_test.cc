// Counting and combining of similar events.

#include "controller/events/event_correlator.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "kinformer/base/simulation.h"

#include "controller/events/event_name.h"

namespace kinformer::internal::events {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

corev1::EventMutable NewEvent(const std::string& message, const std::string& object = "web-0") {
  corev1::EventMutable event;
  event.metadata.name = object + ".1";
  event.metadata.namespace_ = "default";
  event.involvedObject.kind = "Pod";
  event.involvedObject.namespace_ = "default";
  event.involvedObject.name = object;
  event.involvedObject.uid = "uid-of-" + object;
  event.source.component = "printer";
  event.type = kEventTypeNormal;
  event.reason = "Printed";
  event.message = message;
  event.count = 1;
  event.firstTimestamp = metav1::Time(100);
  event.lastTimestamp = event.firstTimestamp;
  return event;
}

bool Repeats(const EventCorrelator::Correlated& correlated) {
  return correlated.write == EventWrite::kPatch;
}

bool IsLeftOut(const EventCorrelator::Correlated& correlated) {
  return correlated.write == EventWrite::kSkipped;
}

class CorrelatorTest : public ::testing::Test {
 protected:
  // Options with limits so large that no event is dropped.
  EventCorrelatorOptions Roomy() { return {.burst_size = 100'000}; }
  // Correlates the event, and treats it as written at once.
  EventCorrelator::Correlated Next(EventCorrelator& correlator, const corev1::EventMutable& event) {
    EventCorrelator::Correlated correlated = correlator.Correlate(event);
    if (!IsLeftOut(correlated)) correlator.Observed(correlated.key, correlated.event);
    return correlated;
  }
  // Names of events contain the time.
  Simulation sim_{{.start = WallTime(seconds(1'700'000'000))}};
};

TEST_F(CorrelatorTest, AggregateKey_IgnoresMessageOnly_EV09) {
  const corev1::EventMutable event = NewEvent("one");
  EXPECT_EQ(AggregateKey(event), AggregateKey(NewEvent("two"))) << "the message tells them apart";
  const auto differs = [&](const auto& change) {
    corev1::EventMutable other = event;
    change(other);
    return AggregateKey(other) != AggregateKey(event);
  };
  EXPECT_TRUE(differs([](auto& e) { e.source.component = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.source.host = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.involvedObject.kind = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.involvedObject.namespace_ = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.involvedObject.name = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.involvedObject.uid = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.involvedObject.apiVersion = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.type = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.reason = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.reportingComponent = "x"; }));
  EXPECT_TRUE(differs([](auto& e) { e.reportingInstance = "x"; }));
}

TEST_F(CorrelatorTest, FunctionsOfTheProgramGroupNameAndLimit) {
  EventCorrelatorOptions options = Roomy();
  options.max_events = 2;
  options.burst_size = 4;
  options.key_func = [](const corev1::EventMutable& event) {
    return EventAggregatorKeys{.aggregate = event.reason, .local = event.involvedObject.name};
  };
  options.message_func = [](const corev1::EventMutable& event) {
    return "several, last of " + event.involvedObject.name;
  };
  options.spam_key_func = [](const corev1::EventMutable& event) { return event.reason; };
  EventCorrelator correlator(sim_.env(), options);
  EXPECT_EQ(Next(correlator, NewEvent("one", "web-0")).event.message, "one");
  EXPECT_EQ(Next(correlator, NewEvent("two", "web-0")).event.message, "two")
      << "the object tells them apart, not the message";
  const EventCorrelator::Correlated first = Next(correlator, NewEvent("three", "web-1"));
  EXPECT_EQ(first.event.message, "several, last of web-1");
  EXPECT_FALSE(Repeats(first));
  const EventCorrelator::Correlated second = Next(correlator, NewEvent("four", "web-2"));
  EXPECT_EQ(second.event.message, "several, last of web-2");
  EXPECT_TRUE(Repeats(second)) << "one event for the group";
  EXPECT_TRUE(IsLeftOut(Next(correlator, NewEvent("five", "web-3"))))
      << "events of all objects share a limit";
}

TEST_F(CorrelatorTest, FunctionsThatThrowLeaveTheDefaults) {
  EventCorrelatorOptions options = Roomy();
  options.max_events = 2;
  options.key_func = [](const corev1::EventMutable&) -> EventAggregatorKeys {
    throw std::runtime_error("no key");
  };
  options.message_func = [](const corev1::EventMutable&) -> std::string {
    throw std::runtime_error("no message");
  };
  options.spam_key_func = [](const corev1::EventMutable&) -> std::string {
    throw std::runtime_error("no limit");
  };
  EventCorrelator correlator(sim_.env(), options);
  EXPECT_EQ(Next(correlator, NewEvent("one")).event.message, "one");
  EXPECT_EQ(Next(correlator, NewEvent("two")).event.message, "(combined from similar events): two");
  EXPECT_FALSE(IsLeftOut(Next(correlator, NewEvent("one", "web-1"))));
}

TEST_F(CorrelatorTest, FromTheTenthMessageOnTheyAreCombined_EV10) {
  EventCorrelator correlator(sim_.env(), Roomy());
  for (int i = 1; i < 10; ++i) {
    const EventCorrelator::Correlated alone =
        Next(correlator, NewEvent("page " + std::to_string(i)));
    EXPECT_EQ(alone.event.message, "page " + std::to_string(i));
    EXPECT_FALSE(Repeats(alone));
  }
  for (int i = 10; i < 500; ++i) {
    corev1::EventMutable event = NewEvent("page " + std::to_string(i));
    event.metadata.name = "web-0." + std::to_string(i);
    const EventCorrelator::Correlated together = Next(correlator, event);
    EXPECT_EQ(together.event.message, "(combined from similar events): page " + std::to_string(i));
    EXPECT_EQ(together.event.count, i - 9);
    EXPECT_EQ(Repeats(together), i > 10);
    EXPECT_EQ(together.event.metadata.name, "web-0.10") << "one object for all of them";
  }
  sim_.RunFor(minutes(10) + seconds(1));
  EXPECT_EQ(Next(correlator, NewEvent("page 500")).event.message, "page 500") << "a new interval";
}

TEST_F(CorrelatorTest, EachMessageExtendsTheInterval_EV10) {
  EventCorrelator correlator(sim_.env(), Roomy());
  for (int i = 1; i <= 12; ++i) {
    const EventCorrelator::Correlated next =
        Next(correlator, NewEvent("page " + std::to_string(i)));
    EXPECT_EQ(next.event.message.starts_with("(combined"), i >= 10) << i;
    sim_.RunFor(minutes(9));
  }
}

TEST_F(CorrelatorTest, TheSameEventCounts_EV11) {
  EventCorrelator correlator(sim_.env(), Roomy());
  corev1::EventMutable event = NewEvent("one page");
  EXPECT_FALSE(Repeats(Next(correlator, event)));
  for (int n = 2; n <= 50; ++n) {
    event.metadata.name = "web-0." + std::to_string(n);
    event.firstTimestamp = event.lastTimestamp = metav1::Time(100 + n);
    EventCorrelator::Correlated again = correlator.Correlate(event);
    EXPECT_TRUE(Repeats(again));
    EXPECT_EQ(again.event.count, n);
    EXPECT_EQ(again.event.metadata.name, "web-0.1") << "the object that there is";
    EXPECT_EQ(again.event.firstTimestamp, metav1::Time(100));
    EXPECT_EQ(again.event.lastTimestamp, metav1::Time(100 + n));
    if (n > 2) {
      EXPECT_EQ(again.event.metadata.resourceVersion, std::to_string(n - 1));
    }
    again.event.metadata.resourceVersion = std::to_string(n);
    correlator.Observed(again.key, again.event);
  }
}

TEST_F(CorrelatorTest, EventsAboveRateOfOneObject_AreLeftOut_EV12) {
  EventCorrelator correlator(sim_.env(), {});
  for (int i = 1; i <= 25; ++i) {
    EXPECT_FALSE(IsLeftOut(Next(correlator, NewEvent("page " + std::to_string(i))))) << i;
  }
  EXPECT_TRUE(IsLeftOut(Next(correlator, NewEvent("page 26"))));
  EXPECT_FALSE(IsLeftOut(Next(correlator, NewEvent("page 1", "web-1")))) << "another object";
  corev1::EventMutable warning = NewEvent("page 26");
  warning.type = kEventTypeWarning;
  EXPECT_FALSE(IsLeftOut(Next(correlator, warning))) << "another type";
  sim_.RunFor(minutes(4));
  EXPECT_TRUE(IsLeftOut(Next(correlator, NewEvent("page 27"))));
  sim_.RunFor(minutes(1) + seconds(1));
  EXPECT_FALSE(IsLeftOut(Next(correlator, NewEvent("page 28"))));
  EXPECT_TRUE(IsLeftOut(Next(correlator, NewEvent("page 29"))));
}

TEST_F(CorrelatorTest, FullCache_ForgetsLeastRecentlyUsed) {
  EventCorrelatorOptions options = Roomy();
  options.cache_size = 2;
  EventCorrelator correlator(sim_.env(), options);
  Next(correlator, NewEvent("m", "a"));
  Next(correlator, NewEvent("m", "b"));
  EXPECT_EQ(Next(correlator, NewEvent("m", "a")).event.count, 2);
  Next(correlator, NewEvent("m", "c"));
  EXPECT_EQ(Next(correlator, NewEvent("m", "a")).event.count, 3);
  EXPECT_EQ(Next(correlator, NewEvent("m", "b")).event.count, 1);
}

TEST_F(CorrelatorTest, EventName_IsObjectNameWithSuffixElseUuid_EV13) {
  EXPECT_THAT(EventName("web-0", sim_.env()), MatchesRegex("web-0\\.[0-9a-f]+"));
  EXPECT_THAT(EventName("a.b-c", sim_.env()), StartsWith("a.b-c."));
  const std::string uuid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
  for (const std::string& bad :
       {std::string(250, 'a'), std::string("system:node:n"), std::string("Upper"),
        std::string("-dash"), std::string("dash-"), std::string("two..dots"), std::string()}) {
    EXPECT_THAT(EventName(bad, sim_.env()), MatchesRegex(uuid)) << bad;
  }
  EXPECT_NE(EventName("Upper", sim_.env()), EventName("Upper", sim_.env()));
  EXPECT_NE(EventName("web-0", sim_.env()), EventName("web-0", sim_.env())) << "at one instant";
}

}  // namespace
}  // namespace kinformer::internal::events
