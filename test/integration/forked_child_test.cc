// Destroys in a forked child objects that the parent has made and uses. The child must end, leave
// the parent's connections alone, and take no lock: a thread that exists only in the parent may
// hold it. Builds with sanitizers check that in the locks themselves (base/core/mutex.h).

#include <chrono>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/assume_cache.h"
#include "kinformer/cache/delta_fifo.h"
#include "kinformer/cache/event_reader.h"
#include "kinformer/cache/real_fifo.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/retry_watcher.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"
#include "kinformer/endpoints/endpoint_server.h"
#include "kinformer/endpoints/healthz.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/events/event_sink.h"
#include "kinformer/events/events.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/webhook/webhook_listener.h"
#include "kinformer/webhook/webhook_server.h"
#include "kinformer/workqueue/priority_queue.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

#include "integration/embedded_server.h"
#include "support/child_status.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::seconds;

class ForkedChildTest : public ::testing::Test {
 protected:
  ForkedChildTest() { server_.Put("a", "1"); }

  [[nodiscard]] Env& env() { return runtime_.env(); }

  // Runs `what` in a forked child, and expects that it returns there.
  static void InChild(const std::function<void()>& what) {
    const int status = StatusOfChild([&] {
      what();
      _exit(7);
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
  // Runs the test in a child; the parent continues afterwards.
  template <class Thing>
  static void DestroyedInChild(Thing& thing) {
    InChild([&] { thing.reset(); });
  }

  EmbeddedServer server_{{.tls = false}};
  Runtime runtime_;
  std::optional<Client> client_{Client::NewForConfig(env(), server_.ClientConfig()).OrExit()};
};

TEST_F(ForkedChildTest, AClient) {
  ASSERT_TRUE(client_->GetRaw("/version").ok());
  InChild([&] {
    if (!client_->GetRaw("/version").ok()) client_.reset();
  });
  EXPECT_TRUE(client_->GetRaw("/version").ok());
}

TEST_F(ForkedChildTest, AFactoryWithItsInformersListersHandlersAndReaders) {
  auto factory = std::make_unique<SharedInformerFactory>(*client_);
  auto informer = std::make_unique<SharedInformer<ConfigMap>>(factory->InformerFor<ConfigMap>());
  auto lister = std::make_unique<Lister<ConfigMap>>(informer->lister());
  auto scoped = std::make_unique<EventHandlerRegistration::ScopedRegistration>(
      informer->AddEventHandler({.on_add = [](const Added<ConfigMap>&) {}}).OrExit().Scoped());
  auto reader = std::make_unique<EventReader<ConfigMap>>(NewEventReader(*informer).OrExit());
  auto assumed = std::make_unique<AssumeCache<ConfigMap>>(*informer);
  factory->Start();
  ASSERT_TRUE(factory->WaitForCacheSync({}, {.timeout = seconds(60)}).ok());
  auto snapshot = std::make_unique<Snapshot<ConfigMap>>(informer->lister().Snapshot());
  InChild([&] {
    snapshot.reset();
    assumed.reset();
    reader.reset();
    scoped.reset();
    lister.reset();
    informer.reset();
    factory.reset();
  });
  InChild([&] {
    factory->Shutdown();
    factory.reset();
    informer.reset();
  });
  server_.Put("b", "1");
  EXPECT_TRUE(Eventually([&] { return informer->Stats().objects == 2; }));
}

TEST_F(ForkedChildTest, Queues) {
  auto rate_limited = std::make_unique<RateLimitingQueue<ObjectName>>(env());
  auto by_priority = std::make_unique<PriorityQueue<ObjectName>>(env());
  std::thread waits([&] { EXPECT_TRUE(rate_limited->Get().has_value()); });
  by_priority->Add({"default", "a"});
  DestroyedInChild(rate_limited);
  DestroyedInChild(by_priority);
  rate_limited->Add({"default", "a"});
  waits.join();
  EXPECT_EQ(by_priority->Len(), 1U);
}

TEST_F(ForkedChildTest, TheBoxesOfAnInformer) {
  const auto source = [&] { return NewListWatch<ConfigMap>(*client_, "default"); };
  auto fifo = std::make_unique<RealFIFO<ConfigMap>>(env());
  auto watcher = std::make_unique<Watcher<ConfigMap>>(
      NewRetryWatcher<ConfigMap>(env(), "1", source()).OrExit());
  DestroyedInChild(fifo);
  DestroyedInChild(watcher);
  server_.Put("b", "1");
  EXPECT_TRUE(watcher->Next().ok());
}

TEST_F(ForkedChildTest, AManagerWithItsControllers) {
  auto manager = Manager::New(*client_, {.leader_election = true,
                                         .leader_election_id = "forked",
                                         .leader_election_namespace = "default",
                                         .metrics_bind_address = "127.0.0.1:0",
                                         .health_probe_bind_address = "127.0.0.1:0",
                                         .serve_webhooks = false})
                     .OrExit();
  std::promise<void> reconciled;
  std::once_flag once;
  ControllerBuilder(*manager)
      .For<ConfigMap>()
      .Complete([&](const ReconcileContext&, const Request&) {
        std::call_once(once, [&] { reconciled.set_value(); });
        return Result<ReconcileResult>(
            ReconcileResult{.requeue_after = std::chrono::milliseconds(1)});
      })
      .OrExit();
  std::stop_source stop;
  std::thread runs([&] { EXPECT_TRUE(manager->Start(stop.get_token()).ok()); });
  reconciled.get_future().wait();
  DestroyedInChild(manager);
  stop.request_stop();
  runs.join();
}

TEST_F(ForkedChildTest, BroadcastersOfEvents) {
  auto core = std::make_unique<EventBroadcaster>(env());
  core->StartRecordingToSink(NewEventSink(*client_));
  auto series = std::make_unique<events::EventBroadcaster>(env());
  series->StartRecordingToSink(events::NewEventSink(*client_));
  DestroyedInChild(core);
  DestroyedInChild(series);
}

TEST_F(ForkedChildTest, ALeaderElector) {
  std::promise<void> leads;
  auto elector =
      LeaderElector::NewForLease(
          env(), server_.ClientConfig(), {.namespace_ = "default", .name = "forked"},
          {.callbacks = {.on_started_leading = [&](const std::stop_token&) { leads.set_value(); },
                         .on_stopped_leading = [] {}}})
          .OrExit();
  std::stop_source stop;
  std::thread runs([&] { elector->Run(stop.get_token()); });
  leads.get_future().wait();
  DestroyedInChild(elector);
  EXPECT_TRUE(elector->IsLeader());
  stop.request_stop();
  runs.join();
}

TEST_F(ForkedChildTest, Servers) {
  auto endpoints = EndpointServer::Listen(env(), "127.0.0.1:0").OrExit();
  endpoints->Handle("/healthz", std::make_shared<healthz::Handler>(env(), healthz::Checks{}));
  auto webhooks = std::make_unique<WebhookServer>(env());
  const CertificatePair made = server_.MakeCertificate();
  auto listener = WebhookListener::Listen(
                      env(), *webhooks,
                      {.port = 0, .certificate = CertificatePair{made.cert_pem, made.key_pem}})
                      .OrExit();
  auto api = std::make_unique<ApiServer>();
  api->Listen().OrExit();
  const Client other =
      Client::NewForConfig(env(), Config::FromKubeconfig(api->kubeconfig()).OrExit()).OrExit();
  ASSERT_TRUE(other.GetRaw("/version").ok());
  InChild([&] {
    listener.reset();
    webhooks.reset();
    endpoints.reset();
    api.reset();
  });
  EXPECT_TRUE(other.GetRaw("/version").ok());
}

}  // namespace
}  // namespace kinformer::testing
