// Waits of a client for simulated workloads, in simulated time.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/batchv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/workload_script.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/await_condition.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using std::chrono::seconds;
namespace conditions = wait::conditions;

constexpr const char* kObjects = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: db}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: agent}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: good}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: good}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: bad}
spec:
  backoffLimit: 1
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: bad}]}}
)";

class LivingWorkloads : public ::testing::Test {
 protected:
  static std::shared_ptr<const apiserver::WorkloadScript> Script() {
    auto script = std::make_shared<apiserver::WorkloadScript>();
    script->pods.push_back({.image = "bad", .exit_code = 1});
    return script;
  }
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1))); }

  Simulation sim_;
  ApiServer server_{sim_, {.simulate_workloads = Script()}};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
};

TEST_F(LivingWorkloads, ClientWaits_EndAsOnACluster) {
  sim_.RunFor(seconds(1));  // the nodes are there
  server_.Load(kObjects).OrExit();
  Run([&] {
    EXPECT_TRUE(AwaitCondition(client_.For<appsv1::Deployment>("default"), "web",
                               conditions::DeploymentRolledOut()));
    EXPECT_TRUE(AwaitCondition(client_.For<appsv1::StatefulSet>("default"), "db",
                               conditions::StatefulSetRolledOut()));
    EXPECT_TRUE(AwaitCondition(client_.For<appsv1::DaemonSet>("default"), "agent",
                               conditions::DaemonSetRolledOut()));
    EXPECT_TRUE(
        AwaitCondition(client_.For<corev1::Pod>("default"), "db-1", conditions::PodReady()));
    EXPECT_TRUE(
        AwaitCondition(client_.For<batchv1::Job>("default"), "good", conditions::JobComplete()));
    EXPECT_TRUE(
        AwaitCondition(client_.For<batchv1::Job>("default"), "bad", conditions::JobFailed()));
  });
}

TEST_F(LivingWorkloads, DeletedPod_GoesAndComesBack) {
  sim_.RunFor(seconds(1));
  server_.Load(kObjects).OrExit();
  Run([&] {
    const auto pods = client_.For<corev1::Pod>("default");
    const Ref<corev1::Pod> pod = AwaitCondition(pods, "db-0", conditions::PodReady()).OrExit();
    const std::string uid(pod->metadata().uid());
    ASSERT_TRUE(pods.Delete("db-0"));
    EXPECT_TRUE(AwaitCondition(pods, "db-0", conditions::Deleted(uid)));
    const Ref<corev1::Pod> next = AwaitCondition(pods, "db-0", conditions::PodReady()).OrExit();
    EXPECT_NE(next->metadata().uid(), uid);
  });
}

}  // namespace
}  // namespace kinformer::testing
