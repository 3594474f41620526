// Sinks that write events to an API server.

#include "kinformer/events/event_sink.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/eventsv1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/events.h"

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::minutes;

// Writes with a sink to a server that answers `answer`. `Event` is the sink's kind of events.
template <class Event, class Sink>
void CheckSink(std::unique_ptr<Sink> (*make)(const Client&), const std::string& path) {
  Simulation sim;
  testing::ScriptedServer server;
  {
    const Client client = Client::ForTransport(
        sim.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim.env(), server)),
        {.qps = -1, .prefer_json = true});
    const std::unique_ptr<Sink> sink = make(client);
    Event event;
    event.metadata.namespace_ = "n";
    event.metadata.name = "web.1";
    EXPECT_TRUE(sim.RunBlocking(
        [&] {
          const std::string stored =
              R"({"metadata":{"namespace":"n","name":"web.1","resourceVersion":"7"}})";
          server.script = {testing::Json(stored, 201), testing::Json(stored),
                           testing::StatusFailure(403, "Forbidden", "no events"),
                           testing::StatusFailure(404, "NotFound", "no such event")};
          EXPECT_EQ(sink->Create(event, {}).OrExit().metadata.resourceVersion, "7");
          const Patch patch{.type = PatchType::kMergePatch, .body = R"({"count":2})"};
          EXPECT_EQ(sink->Patch(event, patch, {}).OrExit().metadata.resourceVersion, "7");
          EXPECT_EQ(sink->Create(event, {}).error().reason(), Reason::kForbidden);
          EXPECT_EQ(sink->Patch(event, patch, {}).error().reason(), Reason::kNotFound);
        },
        minutes(1)));
  }
  sim.RunReady();
  ASSERT_EQ(server.requests.size(), 4U);
  EXPECT_EQ(server.requests[0].method, "POST");
  EXPECT_EQ(server.requests[0].target, path);
  EXPECT_EQ(server.requests[1].method, "PATCH");
  EXPECT_EQ(server.requests[1].target, path + "/web.1");
  EXPECT_EQ(server.requests[1].body, R"({"count":2})");
  EXPECT_EQ(server.requests[1].headers.Get("Content-Type"), "application/merge-patch+json");
}

TEST(EventSinks, EventsOfBothGroups_AreCreatedAndPatched) {
  CheckSink<corev1::EventMutable>(&NewEventSink, "/api/v1/namespaces/n/events");
  CheckSink<eventsv1::EventMutable>(&events::NewEventSink,
                                    "/apis/events.k8s.io/v1/namespaces/n/events");
}

}  // namespace
}  // namespace kinformer
