// Custom resources in a complete server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/testing/custom_resource_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
const HeaderList kTable = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}};

TEST_F(CustomResources, ConditionsAndNames_SRV191) {
  const json::Value made = server_.Do("POST", kDefinitions, DefinitionWith().Dump()).Json();
  EXPECT_EQ(
      made["status"].Dump(),
      R"({"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":["v1"]})");
  const json::Value status = server_.Get(kDefinition).Json()["status"];
  EXPECT_EQ(status["acceptedNames"].Dump({.sort_keys = true}),
            R"({"kind":"Car","listKind":"CarList","plural":"cars","shortNames":["cr"],)"
            R"("singular":"car"})");
  const json::Value& named = status["conditions"][0];
  EXPECT_EQ(named["type"].StringOrEmpty() + named["status"].StringOrEmpty() +
                named["reason"].StringOrEmpty(),
            "NamesAcceptedTrueNoConflicts");
  const json::Value& established = status["conditions"][1];
  EXPECT_EQ(established["type"].StringOrEmpty() + established["status"].StringOrEmpty() +
                established["reason"].StringOrEmpty(),
            "EstablishedTrueInitialNamesAccepted");
  EXPECT_EQ(Make("a", R"({"color":"red"})").status, 201);
}

TEST_F(CustomResources, DefinitionsThatMakeNoSenseAreRefused) {
  struct Case {
    const char* id;
    std::function<void(json::Value&)> change;
    const char* message;
  };
  const auto version = [](json::Value& d) -> json::Value& {
    return d.Ensure("spec", "versions", 0);
  };
  for (const Case& c : std::vector<Case>{
           {"name", [](auto& d) { d.Ensure("metadata", "name") = "x.y"; },
            R"(metadata.name: Invalid value: "x.y": must be spec.names.plural+"."+spec.group)"},
           {"group",
            [](auto& d) {
              d.Ensure("spec", "group") = "shop";
              d.Ensure("metadata", "name") = "cars.shop";
            },
            R"(spec.group: Invalid value: "shop": should be a domain with at least one dot)"},
           {"protected",
            [](auto& d) {
              d.Ensure("spec", "group") = "a.k8s.io";
              d.Ensure("metadata", "name") = "cars.a.k8s.io";
            },
            "metadata.annotations[api-approved.kubernetes.io]: Required value"},
           {"scope", [](auto& d) { d.Ensure("spec", "scope") = "Foo"; },
            R"(spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced")"},
           {"no kind", [](auto& d) { d.Ensure("spec", "names").Erase("kind"); },
            "[spec.names.singular: Required value, spec.names.kind: Required value, "
            "spec.names.listKind: Required value]"},
           {"list kind", [](auto& d) { d.Ensure("spec", "names", "listKind") = "Car"; },
            "kind and listKind may not be the same"},
           {"no versions", [](auto& d) { d.Ensure("spec", "versions") = json::Value::MakeArray(); },
            "[spec.versions: Invalid value: []: must have exactly one version marked as storage "
            "version, status.storedVersions: Invalid value: null: must have at least one stored "
            "version]"},
           {"two stored", [](auto& d) { d.Ensure("spec", "versions", 1, "storage") = true; },
            "must have exactly one version marked as storage version"},
           {"same names", [](auto& d) { d.Ensure("spec", "versions", 1, "name") = "v1"; },
            "must contain unique version names"},
           {"webhook", [](auto& d) { d.Ensure("spec", "conversion", "strategy") = "Webhook"; },
            "spec.conversion.webhookClientConfig: Required value: required when strategy is set "
            "to"},
           {"no schema", [&](auto& d) { version(d).Erase("schema"); },
            "spec.versions[0].schema.openAPIV3Schema: Required value"},
           {"schema", [&](auto& d) { SpecOf(d).Ensure("properties", "color").Erase("type"); },
            "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[color].type: "
            "Required value: must not be empty for specified object fields"},
           {"column",
            [&](auto& d) { version(d).Ensure("additionalPrinterColumns", 0, "type") = "x"; },
            R"(spec.versions[0].additionalPrinterColumns[0].type: Invalid value: "x": must be )"
            R"(one of boolean,date,integer,number,string)"},
           {"scale",
            [&](auto& d) {
              version(d).Ensure("subresources", "scale", "statusReplicasPath") = ".spec.count";
            },
            "should be a json path under .status"},
           {"field",
            [&](auto& d) { version(d).Ensure("selectableFields", 0, "jsonPath") = ".spec"; },
            "must point to a field of type string, boolean or integer"},
           {"warning", [&](auto& d) { version(d).Ensure("deprecationWarning") = "x"; },
            "can only be set for deprecated versions"},
       }) {
    const Reply reply = server_.Do("POST", kDefinitions, DefinitionWith(c.change).Dump());
    EXPECT_EQ(reply.status, 422) << c.id;
    EXPECT_THAT(reply.Json()["message"].StringOrEmpty(), HasSubstr(c.message)) << c.id;
  }
  EXPECT_EQ(server_.Get(kCars).status, 404);
}

TEST_F(CustomResources, SchemaOfTheOnlyVersion_ErrorsNameSpecValidation) {
  const Reply reply = server_.Do(
      "POST", kDefinitions, DefinitionWith([](json::Value& d) {
                              json::Array& versions = d.Ensure("spec", "versions").EnsureArray();
                              versions.resize(1);
                              SpecOf(d).Ensure("type") = "foo";
                            }).Dump());
  EXPECT_THAT(
      reply.Json()["message"].StringOrEmpty(),
      HasSubstr("spec.validation.openAPIV3Schema.properties[spec].type: Unsupported value"));
}

TEST_F(CustomResources, Writes_SRV192To194) {
  Define();
  const Reply made = Make("a", R"({"color":"red","zz":1})");
  EXPECT_EQ(made.Json()["spec"].Dump(), R"({"color":"red","wheels":4})") << "SRV192, SRV193";
  EXPECT_EQ(made.headers.Get("Warning"), R"(299 - "unknown field \"spec.zz\"")");
  const Reply strict = Make("b", R"({"color":"red","zz":1})", "?fieldValidation=Strict");
  EXPECT_EQ(strict.status, 400);
  EXPECT_EQ(strict.Json()["message"].StringOrEmpty(),
            "Car in version \"v1\" cannot be handled as a Car: strict decoding error: unknown "
            "field \"spec.zz\"");
  EXPECT_EQ(
      Make("c", R"({"color":"red","zz":1})", "?fieldValidation=Ignore").headers.Get("Warning"), "");

  const Reply wrong = Make("d", R"({"color":1,"wheels":2})");
  EXPECT_EQ(wrong.status, 422) << "SRV194";
  const json::Value status = wrong.Json();
  EXPECT_EQ(status["reason"].StringOrEmpty(), "Invalid");
  EXPECT_EQ(status.At("/details/kind").StringOrEmpty(), "Car");
  EXPECT_EQ(
      status.At("/details/causes/0").Dump(),
      R"({"reason":"FieldValueTypeInvalid","message":"Invalid value: \"integer\": spec.color )"
      R"(in body must be of type string: \"integer\"","field":"spec.color"})");
  EXPECT_EQ(status.At("/details/causes/1/message").StringOrEmpty(),
            "Invalid value: 2: spec.wheels in body should be greater than or equal to 3");

  EXPECT_EQ(server_.Do("PATCH", kCar, R"({"spec":{"wheels":1}})", kMerge).status, 422);
  EXPECT_EQ(server_.Do("PATCH", kCar, R"({"spec":{"color":null}})", kMerge).status, 422);
  EXPECT_EQ(server_
                .Do("PATCH", std::string(kCar) + "?fieldValidation=Strict", R"({"spec":{"zz":1}})",
                    kMerge)
                .status,
            422);
  const Reply nulls = server_.Do("PATCH", kCar, R"({"spec":{"wheels":null}})", kMerge);
  EXPECT_EQ(nulls.Json().At("/spec/wheels").AsInt64(), 4);
  EXPECT_EQ(nulls.Json().At("/metadata/generation").AsInt64(), 1) << "nothing has changed";
  EXPECT_EQ(server_.Do("POST", kCars, R"({"kind":"Bus","metadata":{"name":"x"}})").status, 422);
  EXPECT_EQ(server_.Do("POST", kCars, R"({"metadata":{"name":"x"}})").status, 400);
  EXPECT_EQ(
      server_
          .Do("POST", kCars, R"({"kind":"Car","metadata":{"name":"x","labels":{"a":1}},"spec":{}})")
          .status,
      400);
}

TEST_F(CustomResources, StatusAndScale_AreSubresources_SRV102_SRV103_SRV195) {
  Define();
  const Reply made =
      server_.Do("POST", kCars, CarBody("a", R"({"color":"red"})", R"(,"status":{"phase":"A"})"));
  EXPECT_TRUE(made.Json()["status"].is_null());
  const std::string status = std::string(kCar) + "/status";
  const json::Value patched = server_
                                  .Do("PATCH", status,
                                      R"({"metadata":{"labels":{"a":"b"}},"spec":{"color":"blue"},)"
                                      R"("status":{"phase":"B","count":2,"selector":"a=b"}})",
                                      kMerge)
                                  .Json();
  EXPECT_EQ(patched.At("/spec/color").StringOrEmpty(), "red") << "SRV102";
  EXPECT_TRUE(patched.At("/metadata/labels").is_null());
  EXPECT_EQ(patched.At("/metadata/generation").AsInt64(), 1) << "SRV195";
  EXPECT_EQ(server_.Do("PATCH", status, R"({"status":{"phase":"Q"}})", kMerge).status, 422);
  const json::Value main =
      server_.Do("PATCH", kCar, R"({"spec":{"color":"green"},"status":{"phase":"A"}})", kMerge)
          .Json();
  EXPECT_EQ(main.At("/status/phase").StringOrEmpty(), "B");
  EXPECT_EQ(main.At("/metadata/generation").AsInt64(), 2);

  const std::string scale = std::string(kCar) + "/scale";
  const Reply without = server_.Get(scale);
  EXPECT_EQ(without.status, 500);
  EXPECT_THAT(without.body, HasSubstr(R"(the spec replicas field \".spec.count\" does not exist)"));
  EXPECT_EQ(without.Json().At("/details/causes/0/message").StringOrEmpty(),
            R"(the spec replicas field ".spec.count" does not exist)");
  const json::Value scaled =
      server_.Do("PATCH", scale, R"({"spec":{"replicas":3}})", kMerge).Json();
  EXPECT_EQ(scaled["spec"].Dump(), R"({"replicas":3})") << "SRV103";
  EXPECT_EQ(scaled["status"].Dump(), R"({"replicas":2,"selector":"a=b"})");
  const json::Value car = server_.Get(kCar).Json();
  EXPECT_EQ(car.At("/spec/count").AsInt64(), 3);
  EXPECT_EQ(car.At("/metadata/generation").AsInt64(), 3);
  EXPECT_EQ(car.At("/metadata/resourceVersion"), scaled.At("/metadata/resourceVersion"));

  json::Value sent = scaled;
  sent.Ensure("spec", "replicas") = 5;
  EXPECT_EQ(server_.Do("PUT", scale, sent.Dump()).status, 200);
  EXPECT_EQ(server_.Do("PUT", scale, sent.Dump()).status, 409) << "the version is an old one";
  sent.Ensure("metadata").Erase("resourceVersion");
  sent.Ensure("spec", "replicas") = -1;
  const Reply negative = server_.Do("PUT", scale, sent.Dump());
  EXPECT_EQ(negative.status, 422);
  EXPECT_EQ(negative.Json()["message"].StringOrEmpty(),
            "Car.shop.example \"a\" is invalid: .spec.count: Invalid value: -1: should be a "
            "non-negative integer");
  sent.Ensure("metadata", "name") = "b";
  EXPECT_EQ(server_.Do("PUT", scale, sent.Dump()).status, 400);
}

TEST_F(CustomResources, Versions_SRV196) {
  Define();
  auto watch = server_.Open("/apis/shop.example/v2/cars?watch=1&resourceVersion=" + Version());
  server_.sim().RunReady();
  const json::Value one = Make("a", R"({"color":"red"})").Json();
  server_.sim().RunReady();
  watch->Pull();
  const std::vector<json::Value> frames = watch->Frames();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].At("/object/apiVersion").StringOrEmpty(), "shop.example/v2");
  EXPECT_EQ(frames[0].At("/object/metadata/resourceVersion"), one.At("/metadata/resourceVersion"));
  EXPECT_EQ(watch->reply().headers.Get("Warning"), R"(299 - "shop.example/v2 Car is deprecated")");

  const std::string v2 = "/apis/shop.example/v2/namespaces/default/cars";
  EXPECT_EQ(server_.Get(v2 + "/a/status").status, 404) << "only v1 has it";
  EXPECT_EQ(server_.Get(v2 + "?fieldSelector=spec.color%3Dred").status, 400);
  EXPECT_EQ(
      server_.Get(std::string(kCars) + "?fieldSelector=spec.color%3Dred").Json()["items"].size(),
      1U)
      << "SRV57";
  EXPECT_EQ(server_.Get("/apis/shop.example/v3/cars").status, 404);
  EXPECT_EQ(server_.Get(v2, kTable).Json().At("/columnDefinitions/1/name").StringOrEmpty(), "Age");
  EXPECT_EQ(server_.Get(kCars, kTable).Json().At("/rows/0/cells").Dump(), R"(["a","red"])")
      << "SRV197";

  // Fields unknown to the storage version are dropped; its defaults are stored, but hidden here.
  const json::Value two =
      server_
          .Do("POST", v2,
              R"({"apiVersion":"shop.example/v2","kind":"Car","metadata":{"name":"b"},)"
              R"("spec":{"color":"red"}})")
          .Json();
  EXPECT_EQ(two["spec"].Dump(), R"({"color":"red"})");
  const std::string resources = server_.Get("/apis/shop.example/v2").body;
  EXPECT_EQ(resources.find("cars/status"), std::string::npos);
  EXPECT_THAT(server_.Get("/apis/shop.example/v1").body, HasSubstr("cars/scale"));
  const json::Value document = server_.Get("/openapi/v3/apis/shop.example/v1").Json();
  EXPECT_EQ(document["components"]["schemas"]["example.shop.v1.Car"]["properties"]["spec"]
                    ["properties"]["color"]["description"]
                        .StringOrEmpty(),
            "the paint");
}

TEST_F(CustomResources, OldObjectsGetNewDefaults_SRV193) {
  Define();
  const json::Value old = Make("a", R"({"color":"red"})").Json();
  const std::string before = Version();
  auto watch = server_.Open(std::string(kCars) + "?watch=1&resourceVersion=" + before);
  EXPECT_EQ(Redefine([](json::Value& d) {
              SpecOf(d).Ensure("properties", "doors") =
                  yaml::Parse("{type: integer, default: 5}").OrExit();
              SpecOf(d).Ensure("properties", "color", "enum") = json::Value::MakeArray({"blue"});
            }).status,
            200);
  EXPECT_THAT(watch->Events(), IsEmpty());
  EXPECT_TRUE(watch->ended()) << "what it was told before is not what it would be told now";
  const json::Value now = server_.Get(kCar).Json();
  EXPECT_EQ(now.At("/spec/doors").AsInt64(), 5);
  EXPECT_EQ(now.At("/metadata/resourceVersion"), old.At("/metadata/resourceVersion"));
  auto again = server_.Open(std::string(kCars) + "?watch=1&resourceVersion=" + before);
  EXPECT_THAT(again->Frames().at(0).At("/object/reason").StringOrEmpty(), "Expired");
  auto fresh = server_.Open(std::string(kCars) + "?watch=1&resourceVersion=" + Version());
  EXPECT_FALSE(fresh->ended());
  // Values that became invalid by the change may stay, but no new ones are accepted.
  EXPECT_EQ(server_.Do("PATCH", kCar, R"({"spec":{"count":1}})", kMerge).status, 200);
  EXPECT_EQ(server_.Do("PATCH", kCar, R"({"spec":{"color":"pink"}})", kMerge).status, 422);
  EXPECT_THAT(fresh->Events(), ElementsAre(HasSubstr("MODIFIED default/a")));
}

TEST_F(CustomResources, DefinitionUpdate_ChangesAllButScopeKindAndStoredVersions) {
  Define();
  for (const auto& [pointer, field] : std::vector<std::pair<const char*, const char*>>{
           {"/spec/scope", "spec.scope"}, {"/spec/names/kind", "spec.names.kind"}}) {
    const Reply reply = Redefine([&](json::Value& d) {
      ASSERT_TRUE(d.SetPointer(pointer, field[5] == 's' ? "Cluster" : "Bus").ok());
    });
    EXPECT_EQ(reply.status, 422);
    EXPECT_THAT(reply.Json()["message"].StringOrEmpty(), HasSubstr("field is immutable"));
  }
  // Changes a short name and the storage version.
  EXPECT_EQ(Redefine([](json::Value& d) {
              d.Ensure("spec", "names", "shortNames") = json::Value::MakeArray({"c"});
              d.Ensure("spec", "versions", 0, "storage") = false;
              d.Ensure("spec", "versions", 1, "storage") = true;
            }).status,
            200);
  const json::Value status = server_.Get(kDefinition).Json()["status"];
  EXPECT_EQ(status["storedVersions"].Dump(), R"(["v1","v2"])");
  EXPECT_EQ(status["acceptedNames"]["shortNames"].Dump(), R"(["c"])");
  EXPECT_THAT(server_.Get("/apis/shop.example/v1").body, HasSubstr(R"("shortNames":["c"])"));
  // A stored version cannot be removed before status.storedVersions omits it.
  const auto drop = [](json::Value& d) {
    json::Array& versions = d.Ensure("spec", "versions").EnsureArray();
    versions.erase(versions.begin());
  };
  EXPECT_THAT(Redefine(drop).Json()["message"].StringOrEmpty(),
              HasSubstr("status.storedVersions[0]: Invalid value: \"v1\": missing from "
                        "spec.versions"));
  EXPECT_EQ(server_
                .Do("PATCH", std::string(kDefinition) + "/status",
                    R"({"status":{"storedVersions":["v2"]}})", kMerge)
                .status,
            200);
  EXPECT_EQ(Redefine(drop).status, 200);
  EXPECT_EQ(server_.Get(kCars).status, 404);
}

TEST_F(CustomResources, NamesOfOthers_SRV199) {
  Define();
  const auto other = [](json::Value& d) {
    d.Ensure("metadata", "name") = "buses.shop.example";
    d.Ensure("spec", "names") =
        yaml::Parse("{plural: buses, kind: Car, shortNames: [cr, b]}").OrExit();
  };
  Define(other);
  const std::string buses = std::string(kDefinitions) + "/buses.shop.example";
  json::Value status = server_.Get(buses).Json()["status"];
  EXPECT_EQ(status.At("/conditions/0/reason").StringOrEmpty(), "ListKindConflict");
  EXPECT_EQ(status.At("/conditions/0/message").StringOrEmpty(), "\"CarList\" is already in use");
  EXPECT_EQ(status.At("/conditions/1/reason").StringOrEmpty(), "NotAccepted");
  EXPECT_EQ(status["acceptedNames"].Dump({.sort_keys = true}), R"({"kind":"","plural":"buses"})");
  EXPECT_EQ(server_.Get("/apis/shop.example/v1/buses").status, 404);
  // Deleting the definition frees its names.
  EXPECT_EQ(server_.Do("DELETE", kDefinition).status, 200);
  server_.sim().RunFor(std::chrono::seconds(1));
  status = server_.Get(buses).Json()["status"];
  EXPECT_EQ(status.At("/conditions/0/status").StringOrEmpty(), "True");
  EXPECT_EQ(server_.Get("/apis/shop.example/v1/buses").status, 200);
}

TEST_F(CustomResources, NamesOfBuiltInResources) {
  Define([](json::Value& d) {
    d.Ensure("metadata") = yaml::Parse(
                               "{name: cars.coordination.k8s.io, annotations: "
                               "{api-approved.kubernetes.io: 'https://example.com/1'}}")
                               .OrExit();
    d.Ensure("spec", "group") = "coordination.k8s.io";
    d.Ensure("spec", "names", "kind") = "Lease";
  });
  const json::Value conditions =
      server_.Get(std::string(kDefinitions) + "/cars.coordination.k8s.io")
          .Json()
          .At("/status/conditions");
  EXPECT_EQ(conditions[0]["reason"].StringOrEmpty(), "ListKindConflict");
  EXPECT_EQ(conditions[2]["type"].StringOrEmpty(), "KubernetesAPIApprovalPolicyConformant");
  EXPECT_EQ(conditions[2]["message"].StringOrEmpty(), "approved in https://example.com/1");
}

TEST_F(CustomResources, DeletionTakesObjectsAlong_SRV198) {
  Define();
  ASSERT_EQ(Make("a", R"({"color":"red"})").status, 201);
  ASSERT_EQ(Make("b", R"({"color":"red"})").status, 201);
  ASSERT_EQ(server_.Do("PATCH", kCar, R"({"metadata":{"finalizers":["x.y/z"]}})", kMerge).status,
            200);
  auto watch = server_.Open(std::string(kCars) + "?watch=1&resourceVersion=" + Version());
  auto definitions =
      server_.Open(std::string(kDefinitions) + "?watch=1&resourceVersion=" + Version());
  const json::Value deleted = server_.Do("DELETE", kDefinition).Json();
  EXPECT_EQ(deleted.At("/status/conditions/2/reason").StringOrEmpty(), "InstanceDeletionPending");
  EXPECT_EQ(deleted.At("/metadata/finalizers").Dump(),
            R"(["customresourcecleanup.apiextensions.k8s.io"])");
  const Reply late = Make("c", R"({"color":"red"})");
  EXPECT_EQ(late.status, 403);
  EXPECT_THAT(late.body, HasSubstr("create not allowed while custom resource definition is "
                                   "terminating"));
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(server_.Get(kDefinition).Json().At("/status/conditions/2/reason").StringOrEmpty(),
            "InstanceDeletionInProgress");
  EXPECT_THAT(watch->Events(),
              ElementsAre(HasSubstr("MODIFIED default/a"), HasSubstr("DELETED default/b")));
  EXPECT_FALSE(watch->ended());
  EXPECT_EQ(server_.Do("PATCH", kCar, R"({"metadata":{"finalizers":null}})", kMerge).status, 200);
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_THAT(watch->Events(), ElementsAre(HasSubstr("DELETED default/a")));
  EXPECT_TRUE(watch->ended());
  EXPECT_FALSE(watch->reply().aborted);
  EXPECT_EQ(server_.Get(kDefinition).status, 404);
  EXPECT_EQ(server_.Get(kCars).status, 404);
  EXPECT_THAT(definitions->Events().back(), HasSubstr("DELETED"));
  Define();
  EXPECT_EQ(server_.Get(kCars).Json()["items"].size(), 0U);
  EXPECT_EQ(Make("a", R"({"color":"red"})").status, 201);
}

TEST_F(CustomResources, RecreatedDefinition_EarlierVersionsAreExpired) {
  Define();
  ASSERT_EQ(Make("a", R"({"color":"red"})").status, 201);
  const std::string before = Version();
  EXPECT_EQ(server_.Do("DELETE", kDefinition).status, 200);
  server_.sim().RunFor(std::chrono::seconds(1));
  Define();
  const std::string cars(kCars);
  auto watch = server_.Open(cars + "?watch=1&resourceVersion=" + before);
  const std::vector<json::Value> frames = watch->Frames();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].At("/object/reason").StringOrEmpty(), "Expired");
  EXPECT_EQ(server_.Get(cars + "?resourceVersionMatch=Exact&resourceVersion=" + before).status,
            410);
  auto later = server_.Open(cars + "?watch=1&resourceVersion=" + Version());
  ASSERT_EQ(Make("b", R"({"color":"red"})").status, 201);
  EXPECT_EQ(later->Events().size(), 1U);
}

TEST_F(CustomResources, ARestoredDefinitionServesWhatItSaysOnceItIsWritten) {
  Define();
  const std::int64_t before = server_.server().current_resource_version();
  EXPECT_EQ(Redefine([](json::Value& d) {
              SpecOf(d).Ensure("properties", "doors") =
                  yaml::Parse("{type: integer, default: 5}").OrExit();
            }).status,
            200);
  EXPECT_EQ(Make("a", R"({"color":"red"})").Json().At("/spec/doors").AsInt64(), 5);
  server_.server().Restore(before).OrExit();
  EXPECT_EQ(server_.Do("PATCH", kDefinition, R"({"metadata":{"labels":{"a":"b"}}})", kMerge).status,
            200);
  EXPECT_TRUE(Make("b", R"({"color":"red"})").Json().At("/spec/doors").is_null());
  EXPECT_EQ(server_.Do("DELETE", kDefinition).status, 200);
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(server_.Get(kDefinition).status, 404);
}

// Large definitions, which are handled off the loop, give the same results.
TEST_F(CustomResources, LargeDefinitions) {
  const auto large = [](json::Value& d) {
    SpecOf(d).Ensure("properties", "color").Set("description", std::string(100'000, 'x'));
  };
  auto watch = server_.Open(std::string(kDefinitions) + "?watch=1&resourceVersion=" + Version());
  Define(large);
  const json::Value status = server_.Get(kDefinition).Json()["status"];
  EXPECT_EQ(status["acceptedNames"].Dump(),
            R"({"plural":"cars","singular":"car","shortNames":["cr"],"kind":"Car",)"
            R"("listKind":"CarList"})");
  EXPECT_EQ(Make("a", R"({"color":"red"})").status, 201);
  // A definition that waits for its names gets them when the other is deleted, and is then served.
  json::Value other = DefinitionWith(large);
  other.Ensure("metadata").Set("name", "autos.shop.example");
  other.Ensure("spec", "names").Set("plural", "autos");
  ASSERT_EQ(server_.Do("POST", kDefinitions, other.Dump()).status, 201);
  EXPECT_EQ(server_.Get("/apis/shop.example/v1/autos").status, 404);
  EXPECT_EQ(server_.Do("DELETE", kDefinition).status, 200);
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(server_.Get(kDefinition).status, 404);
  EXPECT_EQ(server_.Get(kCars).status, 404);
  EXPECT_EQ(server_.Get("/apis/shop.example/v1/autos").status, 200);
  watch->Pull(std::size_t{4} << 20);
  const std::vector<std::string> events = watch->Events();
  ASSERT_EQ(events.size(), 8U);
  EXPECT_THAT(events[0], HasSubstr("ADDED cars"));
  EXPECT_THAT(events[1], HasSubstr("MODIFIED cars"));
  EXPECT_THAT(events[2], HasSubstr("ADDED autos"));
  EXPECT_THAT(events[3], HasSubstr("MODIFIED autos"));
  EXPECT_THAT(events[4], HasSubstr("MODIFIED cars"));
  EXPECT_THAT(events[5], HasSubstr("MODIFIED cars"));
  EXPECT_THAT(events[6], HasSubstr("DELETED cars"));
  EXPECT_THAT(events[7], HasSubstr("MODIFIED autos"));
  EXPECT_EQ(server_.Do("DELETE", kDefinitions).status, 200);
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(server_.Get("/apis/shop.example/v1/autos").status, 404);
}

TEST_F(CustomResources, WithoutTheStatusSubresourceStatusIsData) {
  Define([](json::Value& d) { d.Ensure("spec", "versions", 0).Erase("subresources"); });
  const json::Value made =
      server_.Do("POST", kCars, CarBody("a", R"({"color":"red"})", R"(,"status":{"phase":"A"})"))
          .Json();
  EXPECT_EQ(made.At("/status/phase").StringOrEmpty(), "A");
  const json::Value patched =
      server_.Do("PATCH", kCar, R"({"status":{"phase":"B"}})", kMerge).Json();
  EXPECT_EQ(patched.At("/metadata/generation").AsInt64(), 2) << "SRV195";
  EXPECT_EQ(server_.Get(std::string(kCar) + "/status").status, 404);
  EXPECT_EQ(server_.Do("POST", "/apis/shop.example/v1/cars", CarBody("z", "{}")).status, 404);
}

TEST_F(CustomResources, ValidationRules_HoldForObjectsAndChanges) {
  const auto with_rule = [](const char* rules) {
    return DefinitionWith([&](json::Value& d) {
             SpecOf(d).Ensure("x-kubernetes-validations") = yaml::Parse(rules).OrExit();
           })
        .Dump();
  };
  const Reply bad = server_.Do("POST", kDefinitions, with_rule("[{rule: 'self.wheels >>> 3'}]"));
  EXPECT_EQ(bad.status, 422) << bad.body;
  EXPECT_THAT(bad.body, HasSubstr("x-kubernetes-validations[0].rule"));
  const Reply reply = server_.Do(
      "POST", kDefinitions,
      with_rule("[{rule: 'self.wheels > 3'}, {rule: 'self.wheels >= oldSelf.wheels', message: "
                "wheels are lost, reason: FieldValueForbidden}]"));
  EXPECT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.headers.Get("Warning"), "");
  const Reply refused = server_.Do("POST", kCars, CarBody("a", R"({"color": "red", "wheels": 3})"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("failed rule: self.wheels \\u003e 3"));
  EXPECT_EQ(server_.Do("POST", kCars, CarBody("a", R"({"color": "red", "wheels": 6})")).status,
            201);
  const Reply lost = server_.Do("PATCH", kCar, R"({"spec": {"wheels": 4}})", kMerge);
  EXPECT_EQ(lost.status, 422);
  EXPECT_THAT(lost.body, HasSubstr("Forbidden: wheels are lost"));
  EXPECT_EQ(server_.Do("PATCH", kCar, R"({"spec": {"wheels": 8}})", kMerge).status, 200);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
