// Definitions of custom resources over time: names that are taken and become free, and deletions.

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;
using ::testing::SizeIs;
using ::testing::StartsWith;

const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kCarPath = "/apis/shop.example/v1/namespaces/default/cars/";
const GroupVersionResource kCars{.group = "shop.example", .version = "v1", .resource = "cars"};

class DefinitionLifecycle : public ::testing::Test {
 protected:
  // `names`: the members of spec.names besides plural.
  void DefineAtOnce(const std::string& plural, const std::string& group, const std::string& names) {
    const Reply made = server_.Do("POST", kDefinitions,
                                  R"({"metadata":{"name":")" + plural + "." + group +
                                      R"(","annotations":{"api-approved.kubernetes.io":
    "https://example.com/1"}},"spec":{"group":")" +
                                      group + R"(","scope":"Namespaced","names":{"plural":")" +
                                      plural + "\"," + names +
                                      R"(},"versions":[{"name":"v1",
    "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
    ASSERT_EQ(made.status, 201) << made.body;
  }
  void Define(const std::string& plural, const std::string& group, const std::string& names) {
    DefineAtOnce(plural, group, names);
    server_.sim().RunReady();
  }
  std::unique_ptr<OpenReply> Watch(std::string_view path) {
    return server_.Open(std::string(path) + "?watch=1&resourceVersion=" +
                        std::to_string(server_.server().current_resource_version()));
  }
  void TakeFinalizers(const std::string& path) {
    EXPECT_EQ(server_.Do("PATCH", path, R"({"metadata":{"finalizers":null}})", kMerge).status, 200)
        << path;
  }
  static std::string Path(const std::string& name) {
    return std::string(kDefinitions) + "/" + name;
  }
  // Returns the reason and message of NamesAccepted, and the status of Established.
  std::string Names(const std::string& name) {
    const json::Value conditions = server_.Get(Path(name)).Json().At("/status/conditions");
    const json::Value& accepted = conditions[0];
    return accepted["type"].StringOrEmpty() + " " + accepted["reason"].StringOrEmpty() + " " +
           accepted["message"].StringOrEmpty() + " " + conditions[1]["status"].StringOrEmpty();
  }
  void MakeCar(const std::string& name, const std::string& finalizers = "[]") {
    const auto made = server_.server().Create(
        kCars, Json(R"({"apiVersion":"shop.example/v1","kind":"Car","metadata":{"name":")" + name +
                    R"(","namespace":"default","finalizers":)" + finalizers + "}}"));
    ASSERT_TRUE(made.ok());
  }

  TestServer server_;
};

constexpr std::string_view kAccepted = "NamesAccepted NoConflicts no conflicts found True";

TEST_F(DefinitionLifecycle, NamesOfBuiltInResources_AreTakenInTheirGroup) {
  struct Row {
    std::string plural;
    std::string group;
    std::string names;
    std::string_view result;
  };
  const std::string net = "networking.k8s.io";
  const std::vector<Row> rows = {
      {"ingresses", net, R"("kind":"Own")",
       "NamesAccepted PluralConflict \"ingresses\" is already in use False"},
      {"a", net, R"("kind":"A","singular":"ingress")",
       "NamesAccepted SingularConflict \"ingress\" is already in use False"},
      {"b", net, R"("kind":"B","shortNames":["ing"])",
       "NamesAccepted ShortNamesConflict \"ing\" is already in use False"},
      {"c", net, R"("kind":"Ingress","singular":"c1","listKind":"Cs")",
       "NamesAccepted KindConflict \"Ingress\" is already in use False"},
      {"d", net, R"("kind":"D","listKind":"IngressList")",
       "NamesAccepted ListKindConflict \"IngressList\" is already in use False"},
      {"e", net, R"("kind":"E")", kAccepted},
      {"f", "storage.k8s.io", R"("kind":"Ingress","singular":"ingress","shortNames":["ing"])",
       kAccepted},
      {"ingresses", "shop.example", R"("kind":"Ingress","shortNames":["ing"])", kAccepted},
  };
  for (const Row& row : rows) {
    Define(row.plural, row.group, row.names);
    EXPECT_EQ(Names(row.plural + "." + row.group), row.result) << row.names;
  }
}

TEST_F(DefinitionLifecycle, NamesOfOtherDefinitions_AreTakenInTheirGroupUntilTheyChange) {
  Define("cars", "shop.example", R"("kind":"Car","shortNames":["c"])");
  Define("cats", "zoo.example", R"("kind":"Car","shortNames":["c"])");
  EXPECT_EQ(Names("cats.zoo.example"), kAccepted) << "of another group";
  Define("coats", "shop.example", R"("kind":"Coat","shortNames":["c"])");
  Define("cups", "shop.example", R"("kind":"Cup","shortNames":["c"])");
  for (const char* name : {"coats.shop.example", "cups.shop.example"}) {
    EXPECT_EQ(Names(name), "NamesAccepted ShortNamesConflict \"c\" is already in use False");
  }
  EXPECT_EQ(server_.Get("/apis/shop.example/v1/coats").status, 404);
  EXPECT_EQ(server_
                .Do("PATCH", Path("cars.shop.example"),
                    R"({"spec":{"names":{"shortNames":["cr"]}}})", kMerge)
                .status,
            200);
  server_.sim().RunReady();
  EXPECT_EQ(Names("cars.shop.example"), kAccepted);
  EXPECT_EQ(Names("coats.shop.example"), kAccepted) << "the first that waits";
  EXPECT_EQ(Names("cups.shop.example"),
            "NamesAccepted ShortNamesConflict \"c\" is already in use False");
  EXPECT_EQ(server_.Get("/apis/shop.example/v1/coats").status, 200);
  server_.Do("DELETE", Path("coats.shop.example"));
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get("/apis/shop.example/v1/coats").status, 404);
  EXPECT_EQ(Names("cups.shop.example"), kAccepted);
}

TEST_F(DefinitionLifecycle, DefinitionThatWaits_MayChangeItsNames) {
  Define("cars", "shop.example", R"("kind":"Car","shortNames":["c"])");
  Define("coats", "shop.example", R"("kind":"Coat","shortNames":["c"])");
  EXPECT_EQ(server_
                .Do("PATCH", Path("coats.shop.example"),
                    R"({"spec":{"names":{"shortNames":["co"]}}})", kMerge)
                .status,
            200);
  EXPECT_EQ(Names("coats.shop.example"), kAccepted);
  EXPECT_EQ(server_.Get("/apis/shop.example/v1/coats").status, 200);
}

TEST_F(DefinitionLifecycle, Definition_ShowsItsStatusLast) {
  Define("cars", "shop.example", R"("kind":"Car")");
  json::Value definition = server_.Get(Path("cars.shop.example")).Json();
  json::Value spec = definition["spec"];
  definition.Erase("spec");
  definition.Ensure("metadata", "labels").Set("a", "b");
  definition.Set("spec", std::move(spec));
  const Reply put = server_.Do("PUT", Path("cars.shop.example"), definition.Dump());
  ASSERT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.Json().At("/metadata/labels/a").StringOrEmpty(), "b");
  EXPECT_LT(put.body.find(R"("spec":{)"), put.body.find(R"("status":{)"));
}

TEST_F(DefinitionLifecycle, DefinitionThatWasNeverServed_GoesAtOnce) {
  Define("cars", "shop.example", R"("kind":"Car")");
  MakeCar("a");
  Define("autos", "shop.example", R"("kind":"Car")");
  EXPECT_EQ(server_.Do("DELETE", Path("autos.shop.example")).status, 200);
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get(Path("autos.shop.example")).status, 404);
  EXPECT_EQ(server_.server().ObjectCount(kCars), 1U) << "those of the other definition stay";
}

TEST_F(DefinitionLifecycle, Deletion_TakesMoreObjectsThanOneTurnHandlesEachTime) {
  for (int round = 0; round < 2; ++round) {
    Define("cars", "shop.example", R"("kind":"Car")");
    for (int i = 0; i < 1100; ++i) MakeCar("car-" + std::to_string(i));
    const auto watch = Watch("/apis/shop.example/v1/cars");
    server_.Do("DELETE", Path("cars.shop.example"));
    server_.sim().RunReady();
    EXPECT_EQ(server_.Get(Path("cars.shop.example")).status, 404) << round;
    EXPECT_EQ(server_.server().ObjectCount(kCars), 0U);
    EXPECT_THAT(watch->Events(), SizeIs(1100));
    EXPECT_TRUE(watch->ended());
  }
}

TEST_F(DefinitionLifecycle, HeldObjects_KeepTheDefinition) {
  Define("cars", "shop.example", R"("kind":"Car")");
  for (const char* name : {"a", "b"}) MakeCar(name, R"(["x.io/hold"])");
  MakeCar("c");
  const std::string definition = Path("cars.shop.example");
  server_.Do("DELETE", definition);
  server_.sim().RunReady();
  const auto reason = [&] {
    return server_.Get(definition).Json().At("/status/conditions/2/reason").StringOrEmpty();
  };
  EXPECT_EQ(reason(), "InstanceDeletionInProgress");
  const std::string cars(kCarPath);
  server_.Do("PATCH", definition, R"({"metadata":{"labels":{"a":"b"}}})", kMerge);
  for (const char* name : {"a", "b"}) {
    server_.sim().RunFor(seconds(1));
    EXPECT_EQ(reason(), "InstanceDeletionInProgress") << name;
    EXPECT_EQ(server_.Get(cars + name).status, 200);
    TakeFinalizers(cars + name);
  }
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get(definition).status, 404);
}

TEST_F(DefinitionLifecycle, SingleHeldObject_KeepsTheDefinition) {
  Define("cars", "shop.example", R"("kind":"Car")");
  MakeCar("a", R"(["x.io/hold"])");
  server_.Do("DELETE", Path("cars.shop.example"));
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get(Path("cars.shop.example")).status, 200);
  TakeFinalizers(std::string(kCarPath) + "a");
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get(Path("cars.shop.example")).status, 404);
}

TEST_F(DefinitionLifecycle, Deletion_SaysThatObjectsAreDeletedIfThereAreAny) {
  for (const int objects : {0, 1, 2}) {
    Define("cars", "shop.example", R"("kind":"Car")");
    for (int i = 0; i < objects; ++i) MakeCar("car-" + std::to_string(i));
    const auto cars = Watch("/apis/shop.example/v1/cars");
    const auto definitions = Watch(kDefinitions);
    server_.Do("DELETE", Path("cars.shop.example"));
    server_.sim().RunReady();
    std::vector<std::string> steps;
    for (const json::Value& frame : definitions->Frames()) {
      const json::Value conditions = frame.At("/object/status/conditions");
      steps.push_back(frame["type"].StringOrEmpty() + " " +
                      conditions[conditions.size() - 1]["reason"].StringOrEmpty());
    }
    std::vector<std::string> expected = {"MODIFIED InstanceDeletionPending"};
    if (objects > 0) expected.emplace_back("MODIFIED InstanceDeletionInProgress");
    expected.push_back("DELETED " + expected.back().substr(9));
    EXPECT_EQ(steps, expected) << objects;
    const std::vector<std::string> events = cars->Events();
    ASSERT_EQ(events.size(), static_cast<std::size_t>(objects));
    for (const std::string& event : events) EXPECT_THAT(event, StartsWith("DELETED default/car-"));
  }
}

// A client that takes the finalizer away gives up the objects, but not those of the next one.
TEST_F(DefinitionLifecycle, DefinitionMadeAgainAtOnce_KeepsItsObjects) {
  Define("cars", "shop.example", R"("kind":"Car")");
  MakeCar("a");
  server_.Do("DELETE", Path("cars.shop.example"));
  TakeFinalizers(Path("cars.shop.example"));
  DefineAtOnce("cars", "shop.example", R"("kind":"Car")");
  MakeCar("b");
  server_.sim().RunReady();
  EXPECT_EQ(Names("cars.shop.example"), kAccepted);
  EXPECT_EQ(server_.Get(Path("cars.shop.example")).Json().At("/status/conditions").size(), 2U);
  EXPECT_EQ(server_.Get(std::string(kCarPath) + "a").status, 404);
  EXPECT_EQ(server_.Get(std::string(kCarPath) + "b").status, 200);
}

TEST_F(DefinitionLifecycle, RestoredDefinition_MayLoseItsFinalizer) {
  Define("cars", "shop.example", R"("kind":"Car")");
  MakeCar("a", R"(["x.io/hold"])");
  server_.Do("DELETE", Path("cars.shop.example"));
  server_.sim().RunReady();
  const std::int64_t before = server_.server().current_resource_version();
  TakeFinalizers(std::string(kCarPath) + "a");
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get(Path("cars.shop.example")).status, 404);
  server_.server().Restore(before).OrExit();
  EXPECT_EQ(server_.Get(Path("cars.shop.example")).status, 200);
  TakeFinalizers(Path("cars.shop.example"));
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get(Path("cars.shop.example")).status, 404);
}

TEST_F(DefinitionLifecycle, DefinitionThatARestoreRemoved_TakesNoNames) {
  Define("cars", "shop.example", R"("kind":"Car","shortNames":["c"])");
  Define("cups", "shop.example", R"("kind":"Cup","shortNames":["c"])");
  const std::int64_t before = server_.server().current_resource_version();
  Define("coats", "shop.example", R"("kind":"Coat","shortNames":["c"])");
  server_.server().Restore(before).OrExit();
  server_.Do("DELETE", Path("cars.shop.example"));
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get(Path("coats.shop.example")).status, 404);
  EXPECT_EQ(Names("cups.shop.example"), kAccepted);
}

class PodGrace : public ::testing::Test {
 protected:
  void MakePod() {
    ASSERT_TRUE(server_.server()
                    .Load("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                          "spec: {nodeName: node-1, containers: [{name: c}]}\n")
                    .ok());
  }
  void Delete(const std::string& grace) {
    EXPECT_EQ(server_.Do("DELETE", path_ + "?gracePeriodSeconds=" + grace).status, 200);
  }
  int Status() { return server_.Get(path_).status; }

  const std::string path_ = "/api/v1/namespaces/default/pods/p";
  TestServer server_{{.pod_grace = true}};
};

TEST_F(PodGrace, Pod_GoesWhenItsGracePeriodEnds) {
  for (const int grace : {1, 2, 30}) {
    MakePod();
    Delete(std::to_string(grace));
    server_.sim().RunFor(seconds(grace) - std::chrono::milliseconds(100));
    EXPECT_EQ(Status(), 200) << grace;
    server_.sim().RunFor(std::chrono::milliseconds(100));
    EXPECT_EQ(Status(), 404) << grace;
  }
}

TEST_F(PodGrace, ShorterGracePeriod_EndsEarlier) {
  MakePod();
  Delete("30");
  server_.sim().RunFor(seconds(1));
  Delete("5");
  server_.sim().RunFor(seconds(4));
  EXPECT_EQ(Status(), 200);
  server_.sim().RunFor(seconds(1));
  EXPECT_EQ(Status(), 404);
}

TEST_F(PodGrace, PodMadeMeanwhile_Stays) {
  MakePod();
  Delete("10");
  server_.sim().RunFor(seconds(1));
  Delete("0");
  EXPECT_EQ(Status(), 404);
  MakePod();
  server_.sim().RunFor(seconds(60));
  EXPECT_EQ(Status(), 200);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
