// Each function that a program gives to a manager's controllers, sources, locks and queues ends
// once what calls it. The manager must end and must not call the program afterwards.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/controller/handler.h"
#include "kinformer/controller/manager.h"
#include "kinformer/controller/object_reconciler.h"
#include "kinformer/controller/pace.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/controller/source.h"
#include "kinformer/leaderelection/lease_lock.h"
#include "kinformer/leaderelection/resource_lock.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/workqueue/rate_limiter.h"
#include "kinformer/workqueue/rate_limiting_queue.h"
#include "kinformer/workqueue/worker.h"

#include "base/core/testing/fields_log.h"
#include "integration/ending_place.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using Queue = RequestQueue<Request>;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

json::Value Object(const char* kind, const std::string& name) {
  return json::Value::MakeObject(
      {{"apiVersion", "v1"},
       {"kind", kind},
       {"metadata", json::Value::MakeObject({{"name", name}, {"namespace", "default"}})}});
}

class OwnHandler final : public handler::EventHandler<ConfigMap> {
 public:
  explicit OwnHandler(EndingPlace& place) : place_(place) {}
  void Create(const Added<ConfigMap>&, const Queue&) override { place_.Reach("Create"); }
  void Update(const Updated<ConfigMap>&, const Queue&) override { place_.Reach("Update"); }
  void Delete(const Deleted<ConfigMap>&, const Queue&) override { place_.Reach("Delete"); }
  void Generic(const GenericEvent<ConfigMap>&, const Queue&) override { place_.Reach("Generic"); }
  [[nodiscard]] bool OnlyEnqueues() const override {
    place_.Reach("OnlyEnqueues");
    return false;
  }

 private:
  EndingPlace& place_;
};

class OwnReconciler final : public Reconciler {
 public:
  explicit OwnReconciler(EndingPlace& place) : place_(place) {}
  Result<ReconcileResult> Reconcile(const ReconcileContext&, const Request&) override {
    place_.Reach("Reconcile");
    return ReconcileResult{};
  }

 private:
  EndingPlace& place_;
};

class OwnSource final : public source::Source {
 public:
  explicit OwnSource(EndingPlace& place) : place_(place) {}
  Result<void> Start(const std::stop_token&, const Queue&) override {
    place_.Reach("SourceStart");
    return {};
  }
  Result<void> WaitForSync(const std::stop_token&, Duration) override {
    place_.Reach("SourceWaitForSync");
    return {};
  }
  void Stop() override {}
  [[nodiscard]] std::string Describe() const override {
    place_.Reach("SourceDescribe");
    return "own";
  }
  [[nodiscard]] std::optional<Duration> ProgressAge() const override {
    place_.Reach("SourceProgressAge");
    // One that is too old is described in the log.
    return place_.Is("SourceDescribe") ? hours(2) : hours(0);
  }

 private:
  EndingPlace& place_;
};

class OwnRunnable final : public Runnable {
 public:
  explicit OwnRunnable(EndingPlace& place) : place_(place) {}
  Result<void> Start(const std::stop_token&) override { return {}; }
  [[nodiscard]] bool HasWarmup() const override {
    place_.Reach("RunnableHasWarmup");
    return false;
  }
  [[nodiscard]] RunnableGroup group() const override {
    place_.Reach("RunnableGroup");
    return RunnableGroup::kOthers;
  }
  [[nodiscard]] std::string name() const override {
    place_.Reach("RunnableName");
    return "own";
  }

 private:
  EndingPlace& place_;
};

class OwnLock final : public ResourceLock {
 public:
  OwnLock(EndingPlace& place, std::unique_ptr<ResourceLock> inner)
      : place_(place), inner_(std::move(inner)) {}
  Result<LeaderElectionRecord> Get(const CallOptions& call) override {
    place_.Reach("LockGet");
    return inner_->Get(call);
  }
  Result<void> Create(const LeaderElectionRecord& record, const CallOptions& call) override {
    place_.Reach("LockCreate");
    return inner_->Create(record, call);
  }
  Result<void> Update(const LeaderElectionRecord& record, const CallOptions& call) override {
    place_.Reach("LockUpdate");
    return inner_->Update(record, call);
  }
  void RecordEvent(std::string_view text) override {
    place_.Reach("LockRecordEvent");
    inner_->RecordEvent(text);
  }
  [[nodiscard]] const std::string& Identity() const override { return inner_->Identity(); }
  [[nodiscard]] const std::string& Describe() const override { return inner_->Describe(); }

 private:
  EndingPlace& place_;
  const std::unique_ptr<ResourceLock> inner_;
};

// A manager that leads by a lock of its own, with controllers that watch in each way.
class Program {
 public:
  Program(Simulation& sim, ApiServer& server, EndingPlace& place)
      : env_(sim.env()),
        place_(place),
        client_(Client::ForTransport(sim.env(), server.transport())),
        channel(sim.env()),
        source(std::make_shared<OwnSource>(place)) {
    ManagerOptions options{
        .leader_election = true,
        .leader_election_resource_lock = [this]() -> Result<std::unique_ptr<ResourceLock>> {
          return std::make_unique<OwnLock>(
              place_,
              NewLeaseLock(client_, {.namespace_ = "default", .name = "scene", .identity = "me"})
                  .OrExit());
        },
        .leader_election_release_on_cancel = true,
        .metrics_bind_address = "0",
        .serve_webhooks = false};
    manager = Manager::New(client_, std::move(options)).OrExit();
    WatchInEachWay();
    ReconcileInEachWay();
    AddIndexes();
  }
  ~Program() { stop.request_stop(); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void Start() {
    thread_ = env_.NewThread("manager", [this] {
      outcome = manager->Start(stop.get_token());
      ended = true;
    });
  }

 private:
  auto Reaches(const char* function) {
    return [this, function](const auto&...) { place_.Reach(function); };
  }
  auto Accepts(const char* function) {
    return [this, function](const auto&...) {
      place_.Reach(function);
      return true;
    };
  }
  auto Succeeds(const char* function) {
    return [this, function](const auto&...) {
      place_.Reach(function);
      return Result<ReconcileResult>(ReconcileResult{});
    };
  }

  void WatchInEachWay() {
    using Predicate = predicate::Predicate<ConfigMap>;
    const Predicate each{.create = Accepts("PredicateCreate"),
                         .update = Accepts("PredicateUpdate"),
                         .delete_ = Accepts("PredicateDelete"),
                         .generic = Accepts("PredicateGeneric")};
    const std::shared_ptr<handler::EventHandler<ConfigMap>> own =
        std::make_shared<OwnHandler>(place_);
    const auto funcs = handler::HandlerOf<ConfigMap>({.create = Reaches("FuncsCreate"),
                                                      .update = Reaches("FuncsUpdate"),
                                                      .delete_ = Reaches("FuncsDelete"),
                                                      .generic = Reaches("FuncsGeneric")});
    const auto map = handler::EnqueueRequestsFromMapFunc<ConfigMap>([this](const ConfigMap&) {
      place_.Reach("Map");
      return std::vector<Request>{{"default", "mapped"}};
    });
    controller = ControllerBuilder(*manager)
                     .Named("watches")
                     .WithOptions({.pace_of =
                                       [this](const ObjectName&) {
                                         place_.Reach("PaceOf");
                                         return Pace{};
                                       },
                                   .max_cache_age = hours(1),
                                   .is_leader = Accepts("IsLeader"),
                                   .catch_up = [this](const std::stop_token&) -> Result<void> {
                                     place_.Reach("CatchUp");
                                     return {};
                                   }})
                     .Watches<ConfigMap>(own, each)
                     .Watches<ConfigMap>(funcs)
                     .Watches<ConfigMap>(
                         map, predicate::NewPredicateFuncs<ConfigMap>(Accepts("PredicateFilter")))
                     .WatchesRawSource(source::Channel<ConfigMap>(channel, own, each))
                     .WatchesRawSource(source::Channel<ConfigMap>(channel, funcs))
                     .WatchesRawSource(source)
                     .Build(Succeeds("Build"))
                     .OrExit();
  }

  void ReconcileInEachWay() {
    const auto reconcile = [this](const char* name, auto reconciler) {
      ControllerBuilder(*manager)
          .Named(name)
          .For<ConfigMap>()
          .Complete(std::move(reconciler))
          .OrExit();
    };
    reconcile("complete", Succeeds("Complete"));
    reconcile("class", std::make_shared<OwnReconciler>(place_));
    reconcile("object", AsReconciler<ConfigMap>(manager->GetClient(), Succeeds("AsReconciler")));
  }

  void AddIndexes() {
    const auto index = [this](const char* function) {
      return [this, function](const auto&, IndexValues&) { place_.Reach(function); };
    };
    const DelegatingClient& client = manager->GetClient();
    client.IndexField<ConfigMap>("data.key", index("IndexField")).OrExit();
    client.IndexMetadataField<corev1::Secret>("metadata.uid", index("IndexMetadataField")).OrExit();
  }

  Env& env_;
  EndingPlace& place_;
  const Client client_;

 public:
  std::stop_source stop;
  EventChannel<ConfigMap> channel;
  std::shared_ptr<source::Source> source;
  std::unique_ptr<Manager> manager;
  std::shared_ptr<Controller> controller;
  Result<void> outcome{};
  bool ended = false;

 private:
  std::unique_ptr<Thread> thread_;
};

struct End {
  const char* name;
  std::function<void(Program&)> end;
  friend std::ostream& operator<<(std::ostream& out, const End& of) { return out << of.name; }
};

// An end may be refused, and then says so.
void Tell(const Result<void>& result) {
  if (result || result.error().reason() != Reason::kWouldDeadlock) return;
  EXPECT_GT(result.error().message().size(), 20U) << result.error();
}

const End kEnds[] = {{"Stop", [](Program& p) { p.stop.request_stop(); }},
                     {"Shutdown",
                      [](Program& p) {
                        p.channel.Close();
                        p.manager->GetCache().Shutdown();
                      }},
                     {"Removal", [](Program& p) {
                        Tell(p.controller->Unwatch(p.source));
                        Tell(p.manager->Remove(p.controller));
                      }}};

class StopFromController : public ::testing::TestWithParam<std::tuple<const char*, End>> {
 protected:
  StopFromController() { server_.Create(kConfigMaps, Object("ConfigMap", "first")).OrExit(); }

  // Lets each kind of event happen.
  void Change(Program& program, const std::string& name) {
    server_.Create(kConfigMaps, Object("ConfigMap", name)).OrExit();
    server_.Create({"", "v1", "secrets"}, Object("Secret", name)).OrExit();
    sim_.RunFor(seconds(2));
    server_.Patch(kConfigMaps, {"default", name}, json::Parse(R"({"data":{"key":"2"}})").OrExit())
        .OrExit();
    sim_.RunFor(seconds(2));
    server_.Delete(kConfigMaps, {"default", name}).OrExit();
    sim_.RunFor(seconds(2));
    Ref<ConfigMap> sent;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          const Client client = Client::ForTransport(sim_.env(), server_.transport());
          sent = client.For<ConfigMap>("default").Get("first").OrExit();
        },
        minutes(1)));
    static_cast<void>(program.channel.Send(sent));
    sim_.RunFor(seconds(2));
  }

  Simulation sim_{{.seed = 35}};
  ApiServer server_{sim_};
};

TEST_P(StopFromController, TheManagerEndsAndCallsNothingMore) {
  const auto& [function, end] = GetParam();
  EndingPlace place(function);
  {
    Program program(sim_, server_, place);
    place.Arm([&program, &of = end] { of.end(program); });
    program.Start();
    sim_.RunFor(seconds(10));
    if (!place.reached()) Change(program, "more");
    if (!place.reached()) {
      Tell(program.manager->Add(std::make_shared<OwnRunnable>(place)));
    }
    ASSERT_TRUE(sim_.RunUntil([&] { return place.ended(); }, minutes(10))) << place.reached();
    program.stop.request_stop();
    ASSERT_TRUE(sim_.RunUntil([&] { return program.ended; }, minutes(10)));
    EXPECT_TRUE(program.outcome.ok() || std::string(end.name) != "Stop") << program.outcome.error();
    const int calls = place.calls();
    Change(program, "late");
    sim_.RunFor(minutes(5));
    EXPECT_EQ(place.calls(), calls) << "nothing is called once it has ended";
  }
  sim_.RunReady();
}

const char* const kFunctions[] = {
    "Create",
    "Update",
    "Delete",
    "Generic",
    "OnlyEnqueues",
    "FuncsCreate",
    "FuncsUpdate",
    "FuncsDelete",
    "FuncsGeneric",
    "Map",
    "PredicateCreate",
    "PredicateUpdate",
    "PredicateDelete",
    "PredicateFilter",
    "PredicateGeneric",
    "CatchUp",
    "PaceOf",
    "IsLeader",
    "Build",
    "Complete",
    "Reconcile",
    "AsReconciler",
    "SourceStart",
    "SourceDescribe",
    "SourceWaitForSync",
    "SourceProgressAge",
    "RunnableName",
    "RunnableGroup",
    "RunnableHasWarmup",
    "LockGet",
    "LockCreate",
    "LockUpdate",
    "LockRecordEvent",
    "IndexField",
    "IndexMetadataField",
};

INSTANTIATE_TEST_SUITE_P(All, StopFromController,
                         ::testing::Combine(::testing::ValuesIn(kFunctions),
                                            ::testing::ValuesIn(kEnds)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param).name;
                         });

// ---- workers of a queue

class OwnLimiter final : public RateLimiter<std::string> {
 public:
  explicit OwnLimiter(EndingPlace& place) : place_(place) {}
  [[nodiscard]] Duration When(const std::string&) override {
    place_.Reach("When");
    return milliseconds(1);
  }
  void Forget(const std::string&) override { place_.Reach("Forget"); }
  [[nodiscard]] int NumRequeues(const std::string&) const override {
    place_.Reach("NumRequeues");
    return 0;
  }

 private:
  EndingPlace& place_;
};

class StopFromWorkers : public ::testing::TestWithParam<const char*> {
 protected:
  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.seed = 36, .log = log_}};
};

TEST_P(StopFromWorkers, WorkersEndWithTheQueue) {
  EndingPlace place(GetParam());
  RateLimitingQueue<std::string> queue(sim_.env(), std::make_unique<OwnLimiter>(place));
  place.Arm([&] { queue.ShutDown(); });
  bool failed = false;
  const auto work = [&](const std::string&) -> Result<void> {
    place.Reach("Work");
    if (!std::exchange(failed, true)) return Error(Reason::kUnknown, "once more");
    return {};
  };
  {
    Workers workers = RunWorkers(sim_.env(), queue, 2, work);
    const auto single = sim_.env().NewThread("single", [&] {
      while (ProcessNextWorkItem(sim_.env(), queue, work)) {
      }
    });
    queue.Add("a");
    ASSERT_TRUE(sim_.RunUntil([&] { return place.ended(); }, minutes(1)));
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          workers.Join();
          single->Join();
        },
        minutes(1)));
    const int calls = place.calls();
    queue.Add("b");
    sim_.RunFor(minutes(1));
    EXPECT_EQ(place.calls(), calls);
  }
}

INSTANTIATE_TEST_SUITE_P(All, StopFromWorkers,
                         ::testing::Values("Work", "When", "Forget", "NumRequeues"),
                         [](const auto& test) { return std::string(test.param); });

// They would wait for the thread that asks.
TEST_F(StopFromWorkers, WorkersThatStopThemselvesEndWithWordsInTheLog) {
  RateLimitingQueue<std::string> queue(sim_.env());
  Workers workers;
  int calls = 0;
  workers = RunWorkers(sim_.env(), queue, 2, [&](const std::string&) -> Result<void> {
    ++calls;
    workers.Stop();
    return {};
  });
  queue.Add("a");
  EXPECT_TRUE(sim_.RunUntil([&] { return calls == 1; }, minutes(1)));
  EXPECT_TRUE(sim_.RunBlocking([&] { workers.Stop(); }, minutes(1)));
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(log_->text(), HasSubstr("a thread cannot wait for its own end"));
}

}  // namespace
}  // namespace kinformer::testing
