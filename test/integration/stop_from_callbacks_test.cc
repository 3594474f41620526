// Each function that a program passes to the library may end something. No combination of function
// and end may crash or hang; if it would have to wait, it returns an error.

#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/until.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/controller.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/controller/manager.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/leaderelection/lease_lock.h"
#include "kinformer/webhook/webhook_server.h"
#include "kinformer/workqueue/rate_limiting_queue.h"
#include "kinformer/workqueue/worker.h"

#include "integration/embedded_server.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::hours;
using std::chrono::milliseconds;

enum class Place : std::uint8_t {
  kHandler,
  kFilter,
  kTransform,
  kIndexFunction,
  kTrace,
  kWatchErrorHandler,
  kWorker,
  kLimiterWhen,
  kLimiterForget,
  kReconcile,
  kControllerLimiterWhen,
  kControllerLimiterForget,
  kPredicateOfCreations,
  kPredicateOfUpdates,
  kMapFunction,
  kPredicateOfAChannel,
  kSourceStart,
  kSourceWaitForSync,
  kSourceStop,
  kRunnable,
  kRunnableReady,
  kRunnableWarmup,
  kWebhook,
  kStartedLeading,
  kStoppedLeading,
  kNewLeader,
};
struct NamedPlace {
  Place place;
  const char* name;
};
void PrintTo(const NamedPlace& place, std::ostream* out) { *out << place.name; }

class Scene;
struct End {
  const char* name;
  std::function<void(Scene&)> end;
};
void PrintTo(const End& end, std::ostream* out) { *out << end.name; }

// Reports the calls of its functions.
template <class Item>
class Limiter final : public RateLimiter<Item> {
 public:
  Limiter(std::function<void()> when, std::function<void()> forget)
      : when_(std::move(when)), forget_(std::move(forget)) {}
  [[nodiscard]] Duration When(const Item&) override {
    when_();
    return milliseconds(1);
  }
  void Forget(const Item&) override { forget_(); }
  [[nodiscard]] int NumRequeues(const Item&) const override { return 0; }

 private:
  const std::function<void()> when_;
  const std::function<void()> forget_;
};

// A program with one of everything that calls back. One of these places ends something, once.
class Scene {
 public:
  Scene(EmbeddedServer& server, Place place, const End& end)
      : server_(server), place_(place), end_(end.end) {
    MakeInformer();
    MakeController();
    MakeElector();
    webhooks
        .Register("/ask",
                  [this](const admission::Request&) {
                    Reach(Place::kWebhook);
                    return admission::Allowed("");
                  })
        .OrExit();
  }
  ~Scene() { Finish(); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // Starts everything, and makes sure that the place is reached.
  void Run() {
    factory->Start();
    ASSERT_TRUE(Eventually([&] { return informer->HasSynced(); }));
    armed_ = true;
    threads_.emplace_back([this] { static_cast<void>(manager->Start(stop.get_token())); });
    threads_.emplace_back([this] { elector->Run(elector_stop.get_token()); });
    switch (place_) {
      case Place::kWatchErrorHandler:
        server_.AnswerWith([](const HttpRequest& request) -> std::optional<ScriptedResponse> {
          if (request.target.find("/configmaps") == std::string::npos) return std::nullopt;
          return StatusFailure(500, "InternalError", "not now");
        });
        server_.CloseConnections();
        break;
      case Place::kPredicateOfAChannel:
        static_cast<void>(channel.Send(first_));
        break;
      case Place::kWebhook:
        runtime.env().loop().Post([this] {
          HttpRequest request{.method = "POST", .target = "/ask"};
          request.headers.Add("Content-Type", "application/json");
          request.body = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",
                             "request":{"uid":"u","operation":"DELETE"}})";
          answer_ = webhooks.Handle(std::move(request));
        });
        break;
      case Place::kSourceStop:
        ASSERT_TRUE(Eventually([&] { return source_synced.load(); }));
        stop.request_stop();
        break;
      case Place::kStoppedLeading:
        ASSERT_TRUE(Eventually([&] { return elector->IsLeader(); }));
        elector_stop.request_stop();
        break;
      default:
        Change();
    }
    EXPECT_TRUE(Eventually([&] { return ended_.load(); })) << "the place is not reached";
  }

  void Reach(Place place) {
    if (place != place_ || !armed_.load() || reached_.exchange(true)) return;
    end_(*this);
    ended_ = true;
  }
  // Records the result of an end.
  void Told(const Result<void>& result) {
    if (result.ok() || result.error().reason() != Reason::kWouldDeadlock) return;
    EXPECT_GT(result.error().message().size(), 20U) << result.error();
    refused = true;
  }

 private:
  class Source final : public source::Source {
   public:
    explicit Source(Scene& scene) : scene_(scene) {}
    Result<void> Start(const std::stop_token&, const RequestQueue<Request>&) override {
      scene_.Reach(Place::kSourceStart);
      return {};
    }
    Result<void> WaitForSync(const std::stop_token&, Duration) override {
      scene_.Reach(Place::kSourceWaitForSync);
      scene_.source_synced = true;
      return {};
    }
    void Stop() override { scene_.Reach(Place::kSourceStop); }
    [[nodiscard]] std::string Describe() const override { return "the scene's"; }

   private:
    Scene& scene_;
  };
  class Probe final : public Runnable {
   public:
    explicit Probe(Scene& scene) : scene_(scene) {}
    Result<void> Start(const std::stop_token& token) override {
      scene_.Reach(Place::kRunnable);
      return Wait(token);
    }
    Result<void> WaitUntilReady(const std::stop_token&) override {
      scene_.Reach(Place::kRunnableReady);
      return {};
    }
    [[nodiscard]] bool HasWarmup() const override { return true; }
    Result<void> Warmup(const std::stop_token& token) override {
      scene_.Reach(Place::kRunnableWarmup);
      return Wait(token);
    }
    [[nodiscard]] RunnableGroup group() const override { return RunnableGroup::kOthers; }
    [[nodiscard]] std::string name() const override { return "probe"; }

   private:
    Result<void> Wait(const std::stop_token& token) {
      while (SleepUnlessStopped(scene_.runtime.env(), token, hours(1))) {
      }
      return {};
    }
    Scene& scene_;
  };

  void MakeInformer() {
    InformerOptions<ConfigMap> options;
    options.indexers["scene"] = [this](ConfigMap, IndexValues&) { Reach(Place::kIndexFunction); };
    options.trace = [this](const TraceEvent&) { Reach(Place::kTrace); };
    informer = factory->InformerFor<ConfigMap>(std::move(options));
    informer
        ->SetTransform([this](const Ref<ConfigMap>& map) {
          Reach(Place::kTransform);
          return Result<Ref<ConfigMap>>(map);
        })
        .OrExit();
    informer->SetWatchErrorHandler([this](const Error&) { Reach(Place::kWatchErrorHandler); })
        .OrExit();
    const auto add = [adder = queue->Adder(), other = lone_queue->Adder(), this](const auto& e) {
      adder.Add(e.object_name());
      other.Add(e.object_name());
      Reach(Place::kHandler);
    };
    registration = informer
                       ->AddEventHandler(FilteringResourceEventHandler<ConfigMap>(
                           [this](ConfigMap) {
                             Reach(Place::kFilter);
                             return true;
                           },
                           {.on_add = add, .on_update = add, .on_delete = add}))
                       .OrExit();
    workers = RunWorkers(runtime.env(), *queue, 2, [this](const ObjectName&) -> Result<void> {
      Reach(Place::kWorker);
      if (place_ == Place::kLimiterWhen && !reached_.load()) {
        return Error(Reason::kUnknown, "again, please");
      }
      return {};
    });
    first_ = client.For<ConfigMap>("default").Get("first").OrExit();
  }

  void MakeController() {
    using Predicate = predicate::Predicate<ConfigMap>;
    controller =
        Controller::New(
            runtime.env(), ReconcilerOf<Request>([this](const ReconcileContext&, const Request&) {
              Reach(Place::kReconcile);
              if (place_ == Place::kControllerLimiterWhen && !reached_.load()) {
                return Result<ReconcileResult>(Error(Reason::kUnknown, "again, please"));
              }
              return Result<ReconcileResult>(ReconcileResult{});
            }),
            {.name = "scene"},
            std::make_unique<Limiter<Request>>([this] { Reach(Place::kControllerLimiterWhen); },
                                               [this] { Reach(Place::kControllerLimiterForget); }))
            .OrExit();
    const Predicate of_watch{.create =
                                 [this](const Added<ConfigMap>&) {
                                   Reach(Place::kPredicateOfCreations);
                                   return true;
                                 },
                             .update =
                                 [this](const Updated<ConfigMap>&) {
                                   Reach(Place::kPredicateOfUpdates);
                                   return true;
                                 }};
    const Predicate of_channel{.generic = [this](const GenericEvent<ConfigMap>&) {
      Reach(Place::kPredicateOfAChannel);
      return true;
    }};
    const auto enqueue = handler::EnqueueRequestForObject<ConfigMap>();
    controller->Watch(source::Kind<ConfigMap>(manager->GetCache(), enqueue, of_watch)).OrExit();
    controller
        ->Watch(source::Kind<ConfigMap>(
            manager->GetCache(),
            handler::EnqueueRequestsFromMapFunc<ConfigMap>([this](const ConfigMap&) {
              Reach(Place::kMapFunction);
              return std::vector<Request>{{"default", "mapped"}};
            })))
        .OrExit();
    of_the_channel = source::Channel<ConfigMap>(channel, enqueue, of_channel);
    controller->Watch(of_the_channel).OrExit();
    controller->Watch(source).OrExit();
    manager->Add(controller).OrExit();
    manager->Add(probe).OrExit();
  }

  void MakeElector() {
    LeaderElectionConfig config;
    config.callbacks.on_started_leading = [this](const std::stop_token&) {
      Reach(Place::kStartedLeading);
    };
    config.callbacks.on_stopped_leading = [this] { Reach(Place::kStoppedLeading); };
    config.callbacks.on_new_leader = [this](const std::string&) { Reach(Place::kNewLeader); };
    elector = LeaderElector::New(
                  runtime.env(),
                  NewLeaseLock(client, {.namespace_ = "default", .name = "scene", .identity = "me"})
                      .OrExit(),
                  std::move(config))
                  .OrExit();
  }

  // Creates, changes and deletes objects until the function was called.
  void Change() {
    for (int i = 0; i < 2000 && !reached_.load(); ++i) {
      server_.Put("more-" + std::to_string(i % 3), std::to_string(i));
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

  // Ends everything, like a program that exits.
  void Finish() {
    stop.request_stop();
    elector_stop.request_stop();
    for (std::thread& thread : threads_) thread.join();
    server_.AnswerWith({});
    workers.Stop();
    std::atomic<bool> gone{false};
    runtime.env().loop().Post([&] {
      answer_.reset();
      gone = true;
    });
    EXPECT_TRUE(Eventually([&] { return gone.load(); }));
  }

  EmbeddedServer& server_;
  const Place place_;
  const std::function<void(Scene&)> end_;
  std::atomic<bool> armed_{false};
  std::atomic<bool> reached_{false};
  std::atomic<bool> ended_{false};
  Ref<ConfigMap> first_{};
  std::unique_ptr<ResponseStream> answer_;
  std::vector<std::thread> threads_;

 public:
  std::atomic<bool> source_synced{false};
  std::atomic<bool> refused{false};
  std::stop_source stop;
  std::stop_source elector_stop;
  Runtime runtime;
  Client client{Client::NewForConfig(runtime.env(), server_.ClientConfig()).OrExit()};
  WebhookServer webhooks{runtime.env()};
  std::unique_ptr<RateLimitingQueue<ObjectName>> queue{
      std::make_unique<RateLimitingQueue<ObjectName>>(
          runtime.env(),
          std::make_unique<Limiter<ObjectName>>([this] { Reach(Place::kLimiterWhen); },
                                                [this] { Reach(Place::kLimiterForget); }))};
  std::unique_ptr<WorkQueue<ObjectName>> lone_queue{
      std::make_unique<WorkQueue<ObjectName>>(runtime.env())};
  EventChannel<ConfigMap> channel{runtime.env()};
  std::unique_ptr<SharedInformerFactory> factory{std::make_unique<SharedInformerFactory>(client)};
  std::optional<SharedInformer<ConfigMap>> informer;
  EventHandlerRegistration registration;
  Workers workers;
  std::unique_ptr<Manager> manager{
      Manager::New(client, {.metrics_bind_address = "0", .serve_webhooks = false}).OrExit()};
  std::shared_ptr<source::Source> source{std::make_shared<Source>(*this)};
  std::shared_ptr<source::Source> of_the_channel;
  std::shared_ptr<Runnable> probe{std::make_shared<Probe>(*this)};
  std::shared_ptr<Controller> controller;
  std::unique_ptr<LeaderElector> elector;
};

std::vector<End> Ends() {
  return {
      {"StopsEverything",
       [](Scene& s) {
         s.stop.request_stop();
         s.elector_stop.request_stop();
       }},
      {"ShutsTheCachesDown",
       [](Scene& s) {
         s.factory->Shutdown();
         s.manager->GetCache().Shutdown();
       }},
      {"DestroysTheFactory", [](Scene& s) { s.factory.reset(); }},
      {"DestroysFactoryAndInformer",
       [](Scene& s) {
         s.factory.reset();
         s.registration = {};
         s.informer.reset();
       }},
      {"StopsTheInformer",
       [](Scene& s) {
         s.Told(s.informer->RemoveIndexers({"scene"}));
         s.Told(s.informer->RemoveEventHandler(s.registration));
         s.informer->Stop();
         s.Told(s.informer->WaitForCacheSync({}, {.timeout = milliseconds(1)}));
       }},
      {"EndsTheQueues",
       [](Scene& s) {
         s.queue->ShutDown();
         s.lone_queue.reset();
         s.channel.Close();
       }},
      {"RemovesRunnables",
       [](Scene& s) {
         s.Told(s.manager->Remove(s.probe));
         s.Told(s.manager->Remove(s.controller));
         s.Told(s.manager->Add(s.probe));  // has ended, or is there still
       }},
      {"RemovesSources",
       [](Scene& s) {
         s.Told(s.controller->Unwatch(s.source));
         s.Told(s.controller->Unwatch(s.of_the_channel));
         s.Told(s.controller->Watch(
             source::Func("late", [](const auto&, const auto&) { return Result<void>(); })));
       }},
      {"RunsItAgain",
       [](Scene& s) {
         std::stop_source stopped;
         stopped.request_stop();
         s.Told(s.manager->Start(stopped.get_token()));
         s.Told(s.controller->Start(stopped.get_token()));
         s.elector_stop.request_stop();
       }},
  };
}

const NamedPlace kPlaces[] = {
    {Place::kHandler, "Handler"},
    {Place::kFilter, "Filter"},
    {Place::kTransform, "Transform"},
    {Place::kIndexFunction, "IndexFunction"},
    {Place::kTrace, "Trace"},
    {Place::kWatchErrorHandler, "WatchErrorHandler"},
    {Place::kWorker, "Worker"},
    {Place::kLimiterWhen, "LimiterWhen"},
    {Place::kLimiterForget, "LimiterForget"},
    {Place::kReconcile, "Reconcile"},
    {Place::kControllerLimiterWhen, "ControllerLimiterWhen"},
    {Place::kControllerLimiterForget, "ControllerLimiterForget"},
    {Place::kPredicateOfCreations, "PredicateOfCreations"},
    {Place::kPredicateOfUpdates, "PredicateOfUpdates"},
    {Place::kMapFunction, "MapFunction"},
    {Place::kPredicateOfAChannel, "PredicateOfAChannel"},
    {Place::kSourceStart, "SourceStart"},
    {Place::kSourceWaitForSync, "SourceWaitForSync"},
    {Place::kSourceStop, "SourceStop"},
    {Place::kRunnable, "Runnable"},
    {Place::kRunnableReady, "RunnableReady"},
    {Place::kRunnableWarmup, "RunnableWarmup"},
    {Place::kWebhook, "Webhook"},
    {Place::kStartedLeading, "StartedLeading"},
    {Place::kStoppedLeading, "StoppedLeading"},
    {Place::kNewLeader, "NewLeader"},
};

class StopFromCallbacks : public ::testing::TestWithParam<std::tuple<NamedPlace, End>> {
 protected:
  StopFromCallbacks() { server_.Put("first", "1"); }
  EmbeddedServer server_{{.tls = false}};
};

TEST_P(StopFromCallbacks, NeitherCrashesNorHangs) {
  const auto& [place, end] = GetParam();
  Scene scene(server_, place.place, end);
  ASSERT_NO_FATAL_FAILURE(scene.Run());
  const bool on_the_loop = place.place == Place::kTransform || place.place == Place::kIndexFunction;
  if (on_the_loop &&
      (std::string(end.name) == "StopsTheInformer" || std::string(end.name) == "RunsItAgain")) {
    EXPECT_TRUE(scene.refused) << "nothing may wait there";
  }
  if (place.place == Place::kRunnable && std::string(end.name) == "RemovesRunnables") {
    EXPECT_TRUE(scene.refused) << "it cannot wait for itself";
  }
}

INSTANTIATE_TEST_SUITE_P(All, StopFromCallbacks,
                         ::testing::Combine(::testing::ValuesIn(kPlaces),
                                            ::testing::ValuesIn(Ends())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace kinformer::testing
