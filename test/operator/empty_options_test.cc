// Every function with options accepts {} for them without ambiguity.

#include <gtest/gtest.h>
#include <memory>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/assume_cache.h"
#include "kinformer/cache/dynamic_shared_informer_factory.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/list_pager.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/cluster.h"
#include "kinformer/controller/controller.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/manager.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/events/events.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/webhook/webhook_server.h"
#include "kinformer/workqueue/delaying_queue.h"
#include "kinformer/workqueue/flowcontrol.h"
#include "kinformer/workqueue/priority_queue.h"
#include "kinformer/workqueue/rate_limiting_queue.h"
#include "kinformer/workqueue/work_queue.h"

namespace kinformer {
namespace {

TEST(EmptyOptions, InTheirPlace_AreOptions) {
  Simulation sim;
  Env& env = sim.env();
  testing::ApiServer server(sim, {});
  const Client client = Client::ForTransport(env, server.transport(), {});

  WorkQueue<ObjectName> work(env, {});
  DelayingQueue<ObjectName> delaying(env, {});
  RateLimitingQueue<ObjectName> limited(env, {});
  RateLimitingQueue<ObjectName> by_bucket(
      env, std::make_unique<BucketRateLimiter<ObjectName>>(env, 1.0, 1), {});
  PriorityQueue<ObjectName> prioritised(env, {});
  PriorityQueue<ObjectName> prioritised_by_bucket(
      env, std::make_unique<BucketRateLimiter<ObjectName>>(env, 1.0, 1), {});
  flowcontrol::Backoff backoff(env, {});

  const auto factory =
      std::make_shared<SharedInformerFactory>(client, SharedInformerFactoryOptions{});
  SharedInformerFactory another(client, {});
  DynamicSharedInformerFactory dynamic(client, {});
  SharedInformer<corev1::Pod> pods = factory->InformerFor<corev1::Pod>({});
  SharedInformer<corev1::Pod> alone(env, NewListWatch<corev1::Pod>(client), {});
  EXPECT_TRUE(pods.AddEventHandler(ResourceEventHandlerFuncs<corev1::Pod>{}, {}).ok());
  const DelegatingClient cached(client, factory, {});
  ListPager<corev1::Pod> pager(client.For<corev1::Pod>(), {});

  EventBroadcaster broadcaster(env, {});
  events::EventBroadcaster series(env, {});
  WebhookServer webhooks(env, {});
  const Cluster cluster(client, {});
  EXPECT_EQ(Controller::New(env, nullptr, {}).error().reason(), Reason::kInvalidArgument);
  EXPECT_TRUE(Manager::New(client, {.metrics_bind_address = "0"}).ok());
}

}  // namespace
}  // namespace kinformer
