// Events that count as the same, limits of the correlator, and patches and names of events.

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/events/event_recorder.h"

#include "base/core/testing/fields_log.h"
#include "controller/events/event_correlator.h"
#include "controller/events/event_name.h"
#include "controller/events/event_parts.h"

namespace kinformer::internal::events {
namespace {

using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

corev1::EventMutable NewEvent(const std::string& message) {
  corev1::EventMutable event;
  event.metadata.name = "a.1";
  event.involvedObject.name = "a";
  event.type = kEventTypeNormal;
  event.reason = "Printed";
  event.message = message;
  event.count = 1;
  event.firstTimestamp = event.lastTimestamp = metav1::Time(100);
  return event;
}

struct Part {
  const char* name;
  void (*change)(corev1::EventMutable&);
  bool has_limit_of_its_own;
};

// The message, the reason and the field tell events apart, but share a rate limit.
TEST(EventKeys, EachPart_TellsEventsApart) {
  Simulation sim;
  for (const Part& part :
       std::vector<Part>{{"component", [](auto& e) { e.source.component = "x"; }, true},
                         {"host", [](auto& e) { e.source.host = "x"; }, true},
                         {"kind", [](auto& e) { e.involvedObject.kind = "x"; }, true},
                         {"namespace", [](auto& e) { e.involvedObject.namespace_ = "x"; }, true},
                         {"name", [](auto& e) { e.involvedObject.name = "x"; }, true},
                         {"uid", [](auto& e) { e.involvedObject.uid = "x"; }, true},
                         {"apiVersion", [](auto& e) { e.involvedObject.apiVersion = "x"; }, true},
                         {"type", [](auto& e) { e.type = "x"; }, true},
                         {"fieldPath", [](auto& e) { e.involvedObject.fieldPath = "x"; }, false},
                         {"reason", [](auto& e) { e.reason = "x"; }, false},
                         {"message", [](auto& e) { e.message = "x"; }, false}}) {
    SCOPED_TRACE(part.name);
    corev1::EventMutable other = NewEvent("m");
    part.change(other);
    EventCorrelator roomy(sim.env(), {.burst_size = 100});
    EXPECT_EQ(roomy.Correlate(NewEvent("m")).write, EventWrite::kCreate);
    const EventCorrelator::Correlated again = roomy.Correlate(NewEvent("m"));
    EXPECT_EQ(again.write, EventWrite::kPatch);
    EXPECT_EQ(again.event.count, 2) << "though the first one is not written yet";
    EXPECT_EQ(roomy.Correlate(other).write, EventWrite::kCreate);
    EventCorrelator strict(sim.env(), {.burst_size = 1});
    EXPECT_EQ(strict.Correlate(NewEvent("m")).write, EventWrite::kCreate);
    EXPECT_EQ(strict.Correlate(other).write,
              part.has_limit_of_its_own ? EventWrite::kCreate : EventWrite::kSkipped);
  }
}

TEST(EventCorrelatorLimits, SkippedEvents_DoNotDelayTheNext) {
  Simulation sim;
  EventCorrelator correlator(sim.env(), {.burst_size = 2, .qps = 1});
  const auto skipped = [&] {
    return correlator.Correlate(NewEvent("m")).write == EventWrite::kSkipped;
  };
  EXPECT_FALSE(skipped());
  EXPECT_FALSE(skipped());
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(skipped());
  sim.RunFor(seconds(1) - nanoseconds(1000));
  EXPECT_TRUE(skipped());
  sim.RunFor(nanoseconds(1000));
  EXPECT_FALSE(skipped());
  EXPECT_TRUE(skipped());
}

TEST(EventCorrelatorLimits, SimilarEvents_AreCombinedWithinTheInterval) {
  Simulation sim;
  for (const auto& [pause, combined] : std::vector<std::pair<Duration, bool>>{
           {minutes(10), true}, {minutes(10) + nanoseconds(1), false}}) {
    EventCorrelator correlator(sim.env(), {.burst_size = 100});
    for (int i = 0; i < 9; ++i) {
      static_cast<void>(correlator.Correlate(NewEvent("m" + std::to_string(i))));
    }
    sim.RunFor(pause);
    EXPECT_EQ(correlator.Correlate(NewEvent("m9")).event.message,
              combined ? "(combined from similar events): m9" : "m9");
  }
}

TEST(EventCorrelatorLimits, RepeatedMessage_StaysCombined) {
  Simulation sim;
  EventCorrelator correlator(sim.env(), {.max_events = 2, .burst_size = 100});
  const auto message = [&](const char* text) {
    return correlator.Correlate(NewEvent(text)).event.message;
  };
  EXPECT_EQ(message("a"), "a");
  EXPECT_EQ(message("a"), "a") << "one message is not many";
  EXPECT_EQ(message("b"), "(combined from similar events): b");
  EXPECT_EQ(message("b"), "(combined from similar events): b");
  EXPECT_EQ(message("c"), "(combined from similar events): c");
  EXPECT_EQ(message("c"), "(combined from similar events): c");
}

TEST(EventPatches, CountTimeAndMessage_ArePatched) {
  Simulation sim;
  EventCorrelator correlator(sim.env(), {});
  corev1::EventMutable event = NewEvent("two pages");
  event.count = 7;
  event.lastTimestamp = metav1::Time(60);
  const Patch patch = correlator.PatchOf(event);
  EXPECT_EQ(patch.type, PatchType::kMergePatch);
  EXPECT_EQ(patch.body,
            R"({"count":7,"lastTimestamp":"1970-01-01T00:01:00Z","message":"two pages"})");
}

// The suffix is the time, with random bits below a millisecond.
TEST(EventNames, Suffix_IsTheTime) {
  Simulation sim({.start = WallTime(seconds(1'700'000'000))});
  const std::uint64_t now = 1'700'000'000'000'000'000;
  std::uint64_t bits_seen = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string name = EventName("web-0", sim.env());
    ASSERT_TRUE(name.starts_with("web-0.")) << name;
    const std::uint64_t number = std::stoull(name.substr(6), nullptr, 16);
    EXPECT_EQ(number >> 20, now >> 20) << name;
    bits_seen |= number & 0xFFFFF;
  }
  EXPECT_EQ(bits_seen, 0xFFFFFU) << "each of the lowest bits is random";
}

TEST(EventNames, Namespace_IsDefaultForObjectsOfTheCluster) {
  Simulation sim;
  for (const auto& [about, stored] : std::vector<std::pair<std::string, std::string>>{
           {"", "default"}, {"kube-system", "kube-system"}}) {
    corev1::ObjectReferenceMutable reference;
    reference.name = "web";
    reference.namespace_ = about;
    metav1::ObjectMetaMutable metadata;
    SetEventName(reference, sim.env(), metadata);
    EXPECT_EQ(metadata.namespace_, stored);
    EXPECT_TRUE(metadata.name.starts_with("web.")) << metadata.name;
  }
}

struct Given {
  const char* kind;
  const char* name;
  const char* type;
  const char* complaint;  // null: it is an event
};

TEST(InvalidEvents, Complaint_NamesComponentReasonAndMessage) {
  const std::string nothing = "an event is about nothing: its reference has no kind or no name";
  const std::string no_type = "an event's type is neither Normal nor Warning";
  for (const Given& given : std::vector<Given>{{"Pod", "a", "Normal", nullptr},
                                               {"Pod", "a", "Warning", nullptr},
                                               {"Pod", "", "Normal", nothing.c_str()},
                                               {"", "a", "Normal", nothing.c_str()},
                                               {"", "", "Strange", nothing.c_str()},
                                               {"Pod", "a", "Strange", no_type.c_str()},
                                               {"Pod", "a", "", no_type.c_str()}}) {
    const auto log = std::make_shared<base::FieldsLog>(LogLevel::kError);
    Simulation sim({.log = log});
    corev1::ObjectReferenceMutable about;
    about.kind = given.kind;
    about.name = given.name;
    EXPECT_EQ(IsEvent(about, given.type, "Printed", "two pages", "printer", sim.env()),
              given.complaint == nullptr)
        << given.kind << given.name << given.type;
    EXPECT_EQ(log->text(),
              given.complaint == nullptr
                  ? ""
                  : given.complaint +
                        std::string(" component=printer reason=Printed message=two pages\n"));
  }
}

}  // namespace
}  // namespace kinformer::internal::events
