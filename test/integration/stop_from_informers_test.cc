// Each function that a program gives to an informer, or to what an informer is made of, ends the
// informer once. It must not hang, and nothing of the program may be called afterwards.

#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/batch_event_handler.h"
#include "kinformer/cache/event_reader.h"
#include "kinformer/cache/index.h"
#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/testing/api_server.h"

#include "integration/ending_place.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::minutes;
using std::chrono::seconds;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

json::Value Map(const std::string& name, const std::string& value) {
  return json::Value::MakeObject(
      {{"apiVersion", "v1"},
       {"kind", "ConfigMap"},
       {"metadata", json::Value::MakeObject({{"name", name}, {"namespace", "default"}})},
       {"data", json::Value::MakeObject({{"key", value}})}});
}

// A ListerWatcher of the program's own. Asks the server by another one.
class OwnListWatch final : public ListerWatcher {
 public:
  OwnListWatch(EndingPlace& place, std::unique_ptr<ListerWatcher> inner)
      : place_(place), inner_(std::move(inner)) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    place_.Reach("List");
    return inner_->List(options, receiver);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    place_.Reach("Watch");
    return inner_->Watch(options, receiver);
  }
  std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string>)>& answer) override {
    place_.Reach("CurrentVersion");
    return inner_->CurrentVersion(answer);
  }
  std::unique_ptr<ListWatchCall> ListMetadata(const std::string& namespace_,
                                              const ListOptions& options,
                                              ListReceiver& receiver) override {
    place_.Reach("ListMetadata");
    return inner_->ListMetadata(namespace_, options, receiver);
  }
  [[nodiscard]] ListScope Scope() const override {
    place_.Reach("Scope");
    return inner_->Scope();
  }
  bool SetEntryOptions(const EntryOptions& options) override {
    place_.Reach("SetEntryOptions");
    return inner_->SetEntryOptions(options);
  }
  [[nodiscard]] bool IsWatchListSemanticsUnSupported() const override {
    place_.Reach("IsWatchListSemanticsUnSupported");
    return inner_->IsWatchListSemanticsUnSupported();
  }
  void WatchListDeclined() override {
    place_.Reach("WatchListDeclined");
    inner_->WatchListDeclined();
  }
  [[nodiscard]] std::string Describe() const override { return inner_->Describe(); }

 private:
  EndingPlace& place_;
  const std::unique_ptr<ListerWatcher> inner_;
};

class OwnProvider final : public ListerWatcherProvider {
 public:
  OwnProvider(EndingPlace& place, Client client) : place_(place), client_(std::move(client)) {}
  [[nodiscard]] Env& env() const override { return client_.env(); }
  [[nodiscard]] std::unique_ptr<ListerWatcher> NewListWatch(
      const KindInfo& type, const std::string& namespace_,
      const std::function<void(ListOptions&)>& tweak) override {
    place_.Reach("Provider");
    return std::make_unique<OwnListWatch>(place_,
                                          internal::NewListWatch(client_, type, namespace_, tweak));
  }

 private:
  EndingPlace& place_;
  const Client client_;
};

class OwnHandler final : public ResourceEventHandler<ConfigMap> {
 public:
  explicit OwnHandler(EndingPlace& place) : place_(place) {}
  void OnAdd(const Added<ConfigMap>&) override { place_.Reach("OnAdd"); }
  void OnUpdate(const Updated<ConfigMap>&) override { place_.Reach("OnUpdate"); }
  void OnDelete(const Deleted<ConfigMap>&) override { place_.Reach("OnDelete"); }

 private:
  EndingPlace& place_;
};

// An informer of a factory, and one that stands alone, with a function of each kind.
class Program {
 public:
  Program(ApiServer& server, EndingPlace& place)
      : place_(place),
        client_(Client::ForTransport(server.env(), server.transport())),
        other_client_(Client::ForTransport(server.env(), server.transport())) {
    MakeFactory();
    MakeInformer();
    AddHandlers();
    apart.emplace(
        client_.env(),
        [this](const std::string& namespace_) {
          place_.Reach("NamespacedListWatch");
          return NewListWatch<ConfigMap>(other_client_, namespace_);
        },
        InformerOptions<ConfigMap>{.namespaces = {"default"}});
  }

  void Start() {
    factory->Start();
    apart->Start();
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
  auto Indexes(const char* function) {
    return [this, function](ConfigMap, IndexValues&) { place_.Reach(function); };
  }

  void MakeFactory() {
    SharedInformerFactoryOptions options;
    options.tweak_list_options = [this](ListOptions&) { place_.Reach("Tweak"); };
    if (place_.Is("FactoryTrace")) options.trace = Reaches("FactoryTrace");
    options.transform = [this](const Ref<Object>& object) -> Result<Ref<Object>> {
      place_.Reach("FactoryTransform");
      return object;
    };
    factory = std::make_unique<SharedInformerFactory>(
        std::make_shared<OwnProvider>(place_, client_), std::move(options));
  }

  void MakeInformer() {
    InformerOptions<ConfigMap> options;
    options.indexers["plain"] = Indexes("Index");
    options.indexers.emplace("ordered", OrderedIndexFunc<ConfigMap>(Indexes("OrderedIndex")));
    if (place_.Is("Trace")) options.trace = Reaches("Trace");
    if (place_.Is("List")) options.initial_list = InitialList::kList;
    options.drop_managed_fields = place_.Is("SetEntryOptions");
    informer = factory->InformerFor<ConfigMap>(std::move(options));
    if (!place_.Is("FactoryTransform")) {
      informer
          ->SetTransform([this](const Ref<ConfigMap>& map) -> Result<Ref<ConfigMap>> {
            place_.Reach("Transform");
            return map;
          })
          .OrExit();
    }
    informer->SetWatchErrorHandler(Reaches("WatchErrorHandler")).OrExit();
  }

  void AddHandlers() {
    informer->AddEventHandler(std::make_shared<OwnHandler>(place_)).OrExit();
    informer
        ->AddEventHandler({.on_add = Reaches("FuncsOnAdd"),
                           .on_update = Reaches("FuncsOnUpdate"),
                           .on_delete = Reaches("FuncsOnDelete")})
        .OrExit();
    const EventFilter<ConfigMap> filter{.object = Accepts("FilterObject"),
                                        .deleted = Accepts("FilterDeleted")};
    informer
        ->AddEventHandler(
            FilteringResourceEventHandler<ConfigMap>(filter, {.on_add = Reaches("FilteredOnAdd")}))
        .OrExit();
    AddBatchEventHandler<ConfigMap>(*informer, Reaches("Batch")).OrExit();
    reader.emplace(NewEventReader(*informer, {.on_readable = Reaches("Readable")}).OrExit());
  }

  EndingPlace& place_;
  const Client client_;
  const Client other_client_;  // what one learns of the server, the other does not know

 public:
  std::unique_ptr<SharedInformerFactory> factory;
  std::optional<SharedInformer<ConfigMap>> informer;
  std::optional<SharedInformer<ConfigMap>> apart;
  std::optional<EventReader<ConfigMap>> reader;
};

struct End {
  const char* name;
  std::function<void(Program&)> end;
  friend std::ostream& operator<<(std::ostream& out, const End& of) { return out << of.name; }
};

const End kEnds[] = {{"Stop",
                      [](Program& p) {
                        p.informer->Stop();
                        p.apart->Stop();
                      }},
                     {"Shutdown",
                      [](Program& p) {
                        p.factory->Shutdown();
                        p.apart->Stop();
                      }},
                     {"Destruction", [](Program& p) {
                        p.reader.reset();
                        p.factory.reset();
                        p.informer.reset();
                        p.apart.reset();
                      }}};

class StopFromInformer : public ::testing::TestWithParam<std::tuple<const char*, End>> {
 protected:
  StopFromInformer() { server_.Create(kConfigMaps, Map("first", "0")).OrExit(); }

  // Creates, changes and deletes an object.
  void Change(const std::string& name) {
    server_.Create(kConfigMaps, Map(name, "1")).OrExit();
    sim_.RunFor(seconds(1));
    server_.Patch(kConfigMaps, {"default", name}, json::Parse(R"({"data":{"key":"2"}})").OrExit())
        .OrExit();
    sim_.RunFor(seconds(1));
    server_.Delete(kConfigMaps, {"default", name}).OrExit();
    sim_.RunFor(seconds(1));
  }
  // Makes the server do what leads to the function.
  void Provoke(const EndingPlace& place) {
    if (place.Is("WatchErrorHandler")) {
      server_.faults().Add(
          {.verb = "watch", .action = apiserver::FaultAction::kRespond, .count = 3, .status = 500});
    } else if (place.Is("WatchListDeclined")) {
      server_.faults().Add({.verb = "watch",
                            .only_initial_events = true,
                            .action = apiserver::FaultAction::kRespond,
                            .status = 400});
    }
  }

  Simulation sim_{{.seed = 31}};
  ApiServer server_{sim_};
};

TEST_P(StopFromInformer, AnInformerEndsAndCallsNothingMore) {
  const auto& [function, end] = GetParam();
  EndingPlace place(function);
  {
    Program program(server_, place);
    Provoke(place);
    place.Arm([&program, &of = end] { of.end(program); });
    program.Start();
    sim_.RunFor(seconds(5));
    if (place.Is("CurrentVersion")) server_.transport()->CutSoon(0);
    if (!place.reached()) Change("more");
    ASSERT_TRUE(sim_.RunUntil([&] { return place.ended(); }, minutes(10))) << place.reached();
    sim_.RunFor(seconds(30));
    if (program.informer) {
      EXPECT_TRUE(program.informer->IsStopped());
    }
    const int calls = place.calls();
    Change("late");
    sim_.RunFor(minutes(5));
    EXPECT_EQ(place.calls(), calls) << "nothing is called once it has ended";
  }
  sim_.RunReady();
}

const char* const kFunctions[] = {
    "OnAdd",
    "OnUpdate",
    "OnDelete",
    "FuncsOnAdd",
    "FuncsOnUpdate",
    "FuncsOnDelete",
    "FilterObject",
    "FilterDeleted",
    "Batch",
    "Readable",
    "Tweak",
    "FactoryTrace",
    "Trace",
    "FactoryTransform",
    "Transform",
    "Index",
    "OrderedIndex",
    "WatchErrorHandler",
    "List",
    "Watch",
    "CurrentVersion",
    "ListMetadata",
    "Scope",
    "SetEntryOptions",
    "Provider",
    "IsWatchListSemanticsUnSupported",
    "WatchListDeclined",
    "NamespacedListWatch",
};

INSTANTIATE_TEST_SUITE_P(All, StopFromInformer,
                         ::testing::Combine(::testing::ValuesIn(kFunctions),
                                            ::testing::ValuesIn(kEnds)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param).name;
                         });

// Each waits for the other, and neither can return first.
TEST(StopFromTwoInformers, HandlersThatEndEachOtherAtOnceBothReturn) {
  for (const bool shuts_down : {true, false}) {
    SCOPED_TRACE(shuts_down);
    Simulation sim({.seed = 42});
    ApiServer server(sim);
    server.Create(kConfigMaps, Map("first", "0")).OrExit();
    {
      SharedInformerFactory factory(Client::ForTransport(server.env(), server.transport()));
      SharedInformer<ConfigMap> informer = factory.InformerFor<ConfigMap>();
      EventHandlerRegistration handlers[2];
      int begun = 0;
      int returned = 0;
      for (int i = 0; i < 2; ++i) {
        handlers[i] =
            informer
                .AddEventHandler({.on_add =
                                      [&, i](const Added<ConfigMap>&) {
                                        ++begun;
                                        while (begun < 2) sim.env().SleepFor(seconds(1));
                                        if (shuts_down) {
                                          factory.Shutdown();
                                        } else {
                                          EXPECT_TRUE(
                                              informer.RemoveEventHandler(handlers[1 - i]).ok());
                                        }
                                        ++returned;
                                      }})
                .OrExit();
      }
      factory.Start();
      EXPECT_TRUE(sim.RunUntil([&] { return returned == 2; }, minutes(1)));
      server.Create(kConfigMaps, Map("second", "0")).OrExit();
      sim.RunFor(minutes(1));
      EXPECT_EQ(begun, 2) << "nothing is called once it has ended";
    }
    sim.RunReady();
  }
}

}  // namespace
}  // namespace kinformer::testing
