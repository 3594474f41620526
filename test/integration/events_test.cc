// Events of both API versions at the embedded API server, in simulated time.

#include "kinformer/events/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/eventsv1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::UnorderedElementsAre;

corev1::ObjectReferenceMutable About(const std::string& name) {
  corev1::ObjectReferenceMutable about;
  about.kind = "Pod";
  about.apiVersion = "v1";
  about.namespace_ = "default";
  about.name = name;
  return about;
}

class EventsAtAServer : public ::testing::Test {
 protected:
  // Runs blocking calls on a thread of the simulation.
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(5))); }
  // Core events that match `selector`, as "web-0 Printed x2".
  std::vector<std::string> CoreEvents(const FieldSelector& selector = {}) {
    std::vector<std::string> found;
    Run([&] {
      const auto listed = client_.For<corev1::Event>().List({.fieldSelector = selector.ToString()});
      for (const corev1::Event event : std::move(listed).value()) {
        found.push_back(std::string(event.involvedObject().name()) + " " +
                        std::string(event.reason()) + " x" + std::to_string(event.count()));
      }
    });
    return found;
  }
  // Series of events that match `selector`, as "web-0 Printed x2 Printing".
  std::vector<std::string> Series(const FieldSelector& selector = {}) {
    std::vector<std::string> found;
    Run([&] {
      const auto listed =
          client_.For<eventsv1::Event>().List({.fieldSelector = selector.ToString()});
      for (const eventsv1::Event view : std::move(listed).value()) {
        const eventsv1::EventMutable event = view.DeepCopy();
        found.push_back(event.regarding.name + " " + event.reason + " x" +
                        std::to_string(event.series ? event.series->count : 1) + " " +
                        event.action);
      }
    });
    return found;
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport());
};

TEST_F(EventsAtAServer, CountsOfCoreEvents_EV01) {
  auto broadcaster = std::make_unique<EventBroadcaster>(sim_.env());
  broadcaster->StartRecordingToSink(NewEventSink(client_));
  const auto recorder = broadcaster->NewRecorder({.component = "printer", .host = {}});
  for (const char* about : {"web-0", "web-0", "web-1", "web-0"}) {
    recorder->Event(About(about), kEventTypeNormal, "Printed", "two pages");
  }
  Run([&] { broadcaster.reset(); });
  EXPECT_THAT(CoreEvents(), UnorderedElementsAre("web-0 Printed x3", "web-1 Printed x1"));
  EXPECT_THAT(CoreEvents(events::GetFieldSelector<corev1::Event>(About("web-1"))),
              UnorderedElementsAre("web-1 Printed x1"));
}

TEST_F(EventsAtAServer, SeriesOfEvents_EV14) {
  auto broadcaster = std::make_unique<events::EventBroadcaster>(sim_.env());
  broadcaster->StartRecordingToSink(events::NewEventSink(client_));
  const auto recorder = broadcaster->NewRecorder("example.com/printer");
  const auto print = [&](const std::string& about) {
    recorder->Event(About(about), About("disk"), kEventTypeNormal, "Printed", "Printing",
                    "two pages");
  };
  for (const char* about : {"web-0", "web-0", "web-1", "web-0"}) print(about);
  sim_.RunFor(seconds(10));
  EXPECT_THAT(Series(),
              UnorderedElementsAre("web-0 Printed x2 Printing", "web-1 Printed x1 Printing"));
  EXPECT_THAT(Series(events::GetFieldSelector<eventsv1::Event>(About("web-1"))),
              UnorderedElementsAre("web-1 Printed x1 Printing"));
  Run([&] { broadcaster.reset(); });
  EXPECT_THAT(Series(),
              UnorderedElementsAre("web-0 Printed x3 Printing", "web-1 Printed x1 Printing"));
}

}  // namespace
}  // namespace kinformer::testing
