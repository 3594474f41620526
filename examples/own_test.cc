// Example of a test for a program that watches a cluster, with an API server inside the test. The
// program counts failed pods; the test lets a pod fail, breaks the watch, and checks the count.
// First with threads and real time, then in a simulation.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/testing/api_server.h"

namespace corev1 = kinformer::corev1;
using kinformer::apiserver::FaultAction;
using std::chrono::minutes;

namespace {

const kinformer::GroupVersionResource kPods{"", "v1", "pods"};

// The program under test.
class FailureCounter {
 public:
  explicit FailureCounter(kinformer::SharedInformerFactory& factory) {
    const auto count = [this](const kinformer::Updated<corev1::Pod>& e) {
      if (e.new_object.status().phase() == "Failed") ++failures_;
    };
    handler_ =
        factory.InformerFor<corev1::Pod>().AddEventHandler({.on_update = count}).OrExit().Scoped();
  }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  std::atomic<int> failures_ = 0;
  kinformer::EventHandlerRegistration::ScopedRegistration handler_;  // first to be destroyed
};

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: default}
spec: {containers: [{name: web, image: web}]}
)";

kinformer::json::Value Failed() {
  return kinformer::json::Parse(R"({"status": {"phase": "Failed"}})").OrExit();
}

void Expect(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "FAIL: " << what << '\n';
  std::exit(1);
}

void InRealTime() {
  kinformer::testing::ApiServer server;
  server.Load(kPod).OrExit();
  auto client = kinformer::Client::ForTransport(server.env(), server.transport());

  kinformer::SharedInformerFactory factory(client);
  const FailureCounter counter(factory);
  factory.Start();
  kinformer::StopSource stop;
  factory.WaitForCacheSync(stop.token()).OrExit();

  server.Patch(kPods, {"default", "web-0"}, Failed()).OrExit();
  for (int i = 0; i < 1000 && counter.failures() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Expect(counter.failures() == 1, "one failure is counted");
  factory.Shutdown();
}

void InSimulatedTime() {
  kinformer::Simulation sim;
  kinformer::testing::ApiServer server(sim);
  server.Load(kPod).OrExit();
  auto client = kinformer::Client::ForTransport(sim.env(), server.transport());

  kinformer::SharedInformerFactory factory(client);
  const FailureCounter counter(factory);
  factory.Start();
  Expect(sim.RunUntil([&] { return factory.InformerFor<corev1::Pod>().HasSynced(); }, minutes(1)),
         "the cache syncs");

  // The watch ends, and the server refuses all requests for ten minutes, in which the pod fails.
  server.faults().Add({.action = FaultAction::kRefuse, .lasts = minutes(10)});
  server.With([](kinformer::apiserver::ApiServer& api) { api.CloseWatches(); });
  sim.RunFor(std::chrono::seconds(1));
  server.Patch(kPods, {"default", "web-0"}, Failed()).OrExit();
  sim.RunFor(minutes(9));
  Expect(counter.failures() == 0, "nothing is heard of it yet");
  Expect(sim.RunUntil([&] { return counter.failures() == 1; }, minutes(5)), "it is counted later");
  Expect(sim.RunBlocking([&] { factory.Shutdown(); }, minutes(1)), "the factory stops");
}

}  // namespace

int main() {
  InRealTime();
  InSimulatedTime();
  std::cout << "passed" << std::endl;
}
