// Writes that are answered without the object's version: when they are read back, and by whom.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/autoscalingv1_mutable.h"
#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/client/discovery.h"
#include "kinformer/controller/delegating_client.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::hours;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using Deployment = appsv1::Deployment;

class UnsettledWritesOfClient : public DelegatingClientTest {
 protected:
  void MakePod(const std::string& name) {
    Pod::Mutable pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = name;
    pod.spec.containers.push_back({.name = "c", .image = "i"});
    ASSERT_TRUE(client_.For<Pod>("default").Create(pod).ok());
  }
  void MakeWeb() {
    Deployment::Mutable web;
    web.metadata.namespace_ = "default";
    web.metadata.name = "web";
    web.metadata.labels["app"] = "web";
    web.spec.replicas = 1;
    web.spec.selector.emplace().matchLabels["app"] = "web";
    web.spec.template_.metadata.labels["app"] = "web";
    web.spec.template_.spec.containers.push_back({.name = "c", .image = "i"});
    ASSERT_TRUE(client_.For<Deployment>("default").Create(web).ok());
  }
  // The answer is a Status.
  void Evict(const std::string& name) {
    policyv1::Eviction::Mutable eviction;
    eviction.deleteOptions.emplace().gracePeriodSeconds = 0;
    ASSERT_TRUE(cached_.SubResource("eviction").Create<Pod>(Named(name), eviction).ok());
  }
  // The answer is a Scale, which has the Deployment's version but not its labels.
  void ScaleTo(int replicas) {
    autoscalingv1::Scale::Mutable scale;
    scale.spec.replicas = replicas;
    ASSERT_TRUE(cached_.SubResource("scale").Update<Deployment>(Named("web"), scale).ok());
  }
  std::string Replicas() {
    const auto web = cached_.Get<Deployment>(Named("web"));
    return web.ok() ? std::to_string((*web)->spec().replicas().value_or(-1))
                    : std::string(ReasonName(web.error().reason()));
  }
};

TEST_F(UnsettledWritesOfClient, OnlyCachedKindsOfClientsThatWait_AreKept) {
  struct Row {
    const char* what;
    bool cached;
    Duration timeout;
    std::size_t kept;
  };
  for (const Row& row :
       {Row{"cached", true, seconds(5), 1}, Row{"hardly waits", true, nanoseconds(1), 1},
        Row{"never waits", true, seconds(0), 0}, Row{"not cached", false, seconds(5), 0},
        Row{"neither", false, seconds(0), 0}}) {
    SCOPED_TRACE(row.what);
    Run([&] {
      MakePod("p");
      Use({.by_resource = {{ResourceOf<Pod>(), {.cached = row.cached}}}},
          {.read_your_writes_timeout = row.timeout});
      Evict("p");
      EXPECT_EQ(cached_.UnseenWrites(), row.kept);
      if (row.timeout == nanoseconds(1)) return;
      EXPECT_EQ(cached_.Get<Pod>(Named("p")).error().reason(), Reason::kNotFound);
      EXPECT_EQ(cached_.UnseenWrites(), 0U);
    });
  }
}

TEST_F(UnsettledWritesOfClient, ReadAtItsDeadline_SendsNothing) {
  Run([&] {
    MakePod("p");
    ASSERT_TRUE(cached_.List<Pod>().ok());
    server_.faults().Add({.verb = "get", .action = FaultAction::kRefuse});
    Evict("p");
    ASSERT_EQ(cached_.UnseenWrites(), 1U);
    server_.faults().Clear();
    for (const Duration left : {seconds(-1), seconds(0)}) {
      const DelegatingClient late = cached_.WithDeadline(sim_.env().Now() + left);
      const Error stale = late.Get<Pod>(Named("p")).error();
      EXPECT_EQ(stale.reason(), Reason::kStale);
      EXPECT_THAT(stale.message(), HasSubstr("DeadlineExceeded: the caller's time is up"));
      EXPECT_EQ(cached_.UnseenWrites(), 1U);
    }
    const DelegatingClient hurried = cached_.WithDeadline(sim_.env().Now() + nanoseconds(1));
    const auto pod = hurried.Get<Pod>(Named("p"));
    ASSERT_FALSE(pod.ok());
    EXPECT_THAT(pod.error().message(), Not(HasSubstr("the caller's time is up")));
    EXPECT_EQ(cached_.Get<Pod>(Named("p")).error().reason(), Reason::kNotFound);
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

// The cache does not show the object yet, and selects by a label that a Scale does not have.
TEST_F(UnsettledWritesOfClient, ScaleOfAnObjectThatTheCacheLacks_IsAwaited) {
  Run([&] {
    Lag("deployments");
    Use({.label_selector = Labels("app=web")});
    ASSERT_TRUE(cached_.List<Deployment>().ok());
    MakeWeb();
    ScaleTo(5);
    EXPECT_EQ(InCache<Deployment>(Named("web")).error().reason(), Reason::kOutOfScope);
    EXPECT_EQ(Replicas(), "5");
  });
}

// The cache is made between the write and its answer, and begins with an older state.
TEST_F(UnsettledWritesOfClient, CacheMadeDuringAScale_WaitsForIt) {
  Run([&] {
    MakeWeb();
    Use({.label_selector = Labels("app=web")});
    server_.faults().Add({.verb = "watch",
                          .only_initial_events = true,
                          .action = FaultAction::kRespond,
                          .status = 400});
    server_.faults().Add({.verb = "list", .action = FaultAction::kStaleRead, .versions = 2});
    server_.faults().Add({.verb = "watch", .action = FaultAction::kDelay, .delay = kLag});
    server_.faults().Add(
        {.verb = "update", .action = FaultAction::kDrip, .count = 1, .delay = seconds(3)});
    std::string replicas;
    const auto writer = sim_.env().NewThread("writer", [&] {
      ScaleTo(5);
      replicas = Replicas();
    });
    sim_.env().SleepFor(seconds(2));
    EXPECT_EQ(Replicas(), "OutOfScope") << "the list is older than the object";
    writer->Join();
    EXPECT_EQ(replicas, "5");
  });
}

TEST_F(UnsettledWritesOfClient, UnseenWrites_CountBothKinds) {
  Run([&] {
    MakePod("p");
    Lag("pods", hours(1));
    ASSERT_TRUE(cached_.List<Pod>().ok());
    ASSERT_TRUE(
        cached_.Patch<Pod>(Named("p"), {.body = R"({"metadata":{"labels":{"a":"b"}}})"}).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 1U);
    server_.faults().Add({.verb = "get", .action = FaultAction::kRefuse});
    Evict("p");
    EXPECT_EQ(cached_.UnseenWrites(), 2U);
  });
}

}  // namespace
}  // namespace kinformer::testing
