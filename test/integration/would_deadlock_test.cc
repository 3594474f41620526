// Blocking calls inside an index function, which has no caller for an error. Each is refused at
// once, and the log has the error.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/wait.h"
#include "kinformer/cache/delta_fifo.h"
#include "kinformer/cache/event_reader.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/list_pager.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/retry_watcher.h"
#include "kinformer/controller/controller.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/controller/manager.h"
#include "kinformer/testing/api_server.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Not;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

json::Value Map(const std::string& name) {
  return json::Value::MakeObject(
      {{"apiVersion", "v1"},
       {"kind", "ConfigMap"},
       {"metadata", json::Value::MakeObject({{"name", name}, {"namespace", "default"}})}});
}

// Everything in a program that an index function might call.
class Program {
 public:
  Program(Simulation& sim, ApiServer& server)
      : env(sim.env()),
        client(Client::ForTransport(sim.env(), server.transport(), {.qps = -1})),
        factory(client),
        informer(factory.InformerFor<ConfigMap>({.indexers = {{"calls",
                                                               [this](ConfigMap, auto&) {
                                                                 if (const auto now =
                                                                         std::exchange(call, {}))
                                                                   said = now(*this);
                                                               }}}})),
        never_synced(env, NewListWatch<ConfigMap>(client, "default")),
        handler(never_synced.AddEventHandler({.on_add = [](const auto&) {}}).OrExit()),
        reader(NewEventReader(never_synced).OrExit()),
        pager(client.For<ConfigMap>("default")),
        watcher(
            NewRetryWatcher<ConfigMap>(env, "1000000", NewListWatch<ConfigMap>(client)).OrExit()),
        fifo(env),
        reflector(env, NewListWatch<ConfigMap>(client, "default"), Store<ConfigMap>(env)),
        channel(env),
        full(source::Channel<ConfigMap>(channel, handler::EnqueueRequestForObject<ConfigMap>(), {},
                                        {.buffer_size = 1})),
        manager(
            Manager::New(client, {.metrics_bind_address = "0", .serve_webhooks = false}).OrExit()),
        controller(Controller::New(env, ReconcilerOf<Request>([](const auto&, const auto&) {
                                     return Result<ReconcileResult>(ReconcileResult{});
                                   }),
                                   {.name = "idle"})
                       .OrExit()) {}

  Env& env;
  Client client;
  SharedInformerFactory factory;
  std::function<Result<void>(Program&)> call{};  // called once
  std::optional<Result<void>> said{};
  SharedInformer<ConfigMap> informer;
  SharedInformer<ConfigMap> never_synced;
  EventHandlerRegistration handler;
  EventReader<ConfigMap> reader;
  ListPager<ConfigMap> pager;
  Watcher<ConfigMap> watcher;
  DeltaFIFO<ConfigMap> fifo;
  Reflector<ConfigMap> reflector;
  EventChannel<ConfigMap> channel;
  std::shared_ptr<source::Source> full;
  std::unique_ptr<Manager> manager;
  std::shared_ptr<Controller> controller;
};

template <class T>
Result<void> Outcome(const Result<T>& result) {
  return result.ok() ? Result<void>() : Result<void>(result.error());
}

struct Case {
  const char* name;
  std::function<Result<void>(Program&)> call;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class WouldDeadlock : public ::testing::TestWithParam<Case> {};

TEST_P(WouldDeadlock, InsideAnIndexFunction_IsAnErrorInTheLog) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.seed = 5, .log = log});
  // The log allows one line per minute per process, and all simulations start at the same time.
  static int simulations = 0;
  sim.RunFor(minutes(10) * ++simulations);
  ApiServer server(sim);
  server.Create(kConfigMaps, Map("first")).OrExit();
  {
    Program program(sim, server);
    program.factory.Start();
    ASSERT_TRUE(sim.RunUntil([&] { return program.informer.HasSynced(); }, minutes(1)));
    log->lines.clear();
    program.call = GetParam().call;
    server.Create(kConfigMaps, Map("second")).OrExit();
    ASSERT_TRUE(sim.RunUntil([&] { return program.said.has_value(); }, minutes(1)));
    ASSERT_FALSE(program.said->ok());
    EXPECT_EQ(program.said->error().reason(), Reason::kWouldDeadlock) << program.said->error();
    EXPECT_THAT(program.said->error().message(), Not(::testing::IsEmpty()));
    EXPECT_EQ(log->Count("err=" + program.said->error().message()), 1U) << log->text();
    sim.RunFor(seconds(1));
    EXPECT_TRUE(program.informer.lister().Get("default", "second").ok()) << "nothing is lost";
  }
  sim.RunReady();
}

Ref<ConfigMap> First(Program& p) { return p.informer.lister().Get("default", "first").OrExit(); }

INSTANTIATE_TEST_SUITE_P(
    All, WouldDeadlock,
    ::testing::Values(
        Case{"Get", [](Program& p) { return Outcome(p.client.For<ConfigMap>("x").Get("y")); }},
        Case{"List", [](Program& p) { return Outcome(p.client.For<ConfigMap>("x").List()); }},
        Case{"ListPager", [](Program& p) { return Outcome(p.pager.List()); }},
        Case{"EachListItem",
             [](Program& p) {
               return p.pager.EachListItem({},
                                           [](const Ref<ConfigMap>&) { return Result<void>(); });
             }},
        Case{"Discovery",
             [](Program& p) { return Outcome(p.client.Discovery().MappingFor("pods")); }},
        Case{"WaitForCacheSync", [](Program& p) { return p.never_synced.WaitForCacheSync(); }},
        Case{"WaitForCacheSyncOfAFactory",
             [](Program& p) {
               static_cast<void>(p.factory.InformerFor<corev1::Pod>());
               p.factory.Start();
               return Outcome(p.factory.WaitForCacheSync());
             }},
        Case{"WaitForResourceVersion",
             [](Program& p) { return p.informer.WaitForResourceVersion("1000000"); }},
        Case{"WaitForSyncOfAHandler",
             [](Program& p) {
               p.never_synced.Start();
               return p.handler.WaitForSync();
             }},
        Case{
            "AddIndexers",
            [](Program& p) { return p.informer.AddIndexers({{"more", [](ConfigMap, auto&) {}}}); }},
        Case{"RemoveIndexers", [](Program& p) { return p.informer.RemoveIndexers({"calls"}); }},
        Case{"EventReader",
             [](Program& p) {
               std::vector<ReadEvent<ConfigMap>> batch;
               return p.reader.Next(batch);
             }},
        Case{"Watcher", [](Program& p) { return Outcome(p.watcher.Next()); }},
        Case{"DeltaFIFO",
             [](Program& p) {
               return p.fifo.Pop([](const Deltas<ConfigMap>&, bool) { return Result<void>(); });
             }},
        Case{"Reflector", [](Program& p) { return p.reflector.Run({}); }},
        Case{"Poll",
             [](Program& p) {
               return wait::PollUntilTimeout(p.env, {}, seconds(1), seconds(5),
                                             [] { return Result<bool>(false); });
             }},
        Case{"ExponentialBackoff",
             [](Program& p) {
               return wait::ExponentialBackoff(p.env, {}, {.duration = seconds(1), .steps = 2},
                                               [] { return Result<bool>(false); });
             }},
        Case{"EventChannel",
             [](Program& p) {
               static_cast<void>(p.channel.Send(First(p)));  // the channel has room for one
               return p.channel.Send(First(p));
             }},
        Case{"Manager", [](Program& p) { return p.manager->Start({}); }},
        Case{"WaitUntilElected", [](Program& p) { return p.manager->WaitUntilElected({}); }},
        Case{"Controller", [](Program& p) { return p.controller->Start({}); }}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace kinformer::testing
