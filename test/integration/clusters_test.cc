// A program with three clusters: its metrics and log lines name the cluster.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/workqueue/work_queue.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;

// A server, and the client, informer and queue that a program has for it.
struct Member {
  Member(Simulation& sim, const std::string& name, int nodes) : server(sim) {
    for (int i = 0; i < nodes; ++i) {
      server.Load("{apiVersion: v1, kind: Node, metadata: {name: node-" + std::to_string(i) + "}}")
          .OrExit();
    }
    client = std::make_unique<Client>(
        Client::ForTransport(sim.env(), server.transport(), {.qps = -1, .cluster_name = name}));
    factory = std::make_unique<SharedInformerFactory>(*client);
    static_cast<void>(factory->InformerFor<corev1::Node>({.name = "nodes"}));
    queue =
        std::make_unique<WorkQueue<std::string>>(client->env(), WorkQueueOptions{.name = "work"});
    queue->Add("a");
    factory->Start();
  }

  ApiServer server;
  std::unique_ptr<Client> client;
  std::unique_ptr<SharedInformerFactory> factory;
  std::unique_ptr<WorkQueue<std::string>> queue;
};

class Clusters : public ::testing::Test {
 protected:
  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kDebug);
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
};

TEST_F(Clusters, MetricsOfEachHaveItsName) {
  Member east(sim_, "east", 1);
  Member west(sim_, "west", 2);
  Member plain(sim_, "", 3);
  sim_.RunFor(std::chrono::seconds(5));
  const std::string text = metrics_->Text();
  EXPECT_THAT(text, HasSubstr("informer_store_objects{name=\"nodes\",cluster=\"east\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("informer_store_objects{name=\"nodes\",cluster=\"west\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("informer_store_objects{name=\"nodes\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"work\",cluster=\"east\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"work\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("rest_client_requests_total{code=\"200\",method=\"GET\",host=\"" +
                              east.client->Describe() + "\",cluster=\"east\"}"));
  for (const char* cluster : {"east", "west"}) {
    EXPECT_THAT(text, HasSubstr("informer_store_resource_version{name=\"nodes\",cluster=\"" +
                                std::string(cluster) + "\"}"));
  }
}

TEST_F(Clusters, LogLinesOfEachHaveItsName) {
  Member east(sim_, "east", 1);
  Member west(sim_, "west", 1);
  Member plain(sim_, "", 1);
  sim_.RunFor(std::chrono::seconds(5));
  log_->lines.clear();
  for (Member* member : {&west, &plain}) {
    member->server.faults().Add(
        {.resource = "nodes", .action = apiserver::FaultAction::kRespond, .status = 403});
    member->server.With([](apiserver::ApiServer& api) { api.CloseWatches(); });
  }
  sim_.RunFor(std::chrono::minutes(2));
  EXPECT_EQ(log_->Count("cluster=east"), 0U) << log_->text();
  const std::size_t all = log_->lines.size();
  EXPECT_GE(all, 2U);
  EXPECT_EQ(log_->Count("cluster=west") * 2, all) << log_->text();
}

// Instruments and log lines belong to the Env, which keeps the name when the client is gone.
TEST_F(Clusters, MetricsOfAQueue_OutliveItsClient) {
  auto east = std::make_unique<Member>(sim_, "east", 1);
  Env& env = east->client->env();
  WorkQueue<std::string> queue(env, {.name = "later"});
  east.reset();
  sim_.RunFor(std::chrono::seconds(1));
  queue.Add("a");
  EXPECT_THAT(metrics_->Text(), HasSubstr("workqueue_depth{name=\"later\",cluster=\"east\"} 1\n"));
}

}  // namespace
}  // namespace kinformer::testing
