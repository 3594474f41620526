// EnsureCRD against the embedded API server, in simulated time.

#include "kinformer/client/ensure_crd.h"

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/stop.h"
#include "kinformer/base/task.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/client.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/object/crd.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using json::Value;
using ::testing::HasSubstr;

struct SiteSpec {
  std::int32_t replicas = 1;
};
namespace v1 {
struct Site {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  SiteSpec spec{};
};
using Sites = CustomResource<Site>;
}  // namespace v1
namespace v2 {
struct Site {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v2"};
  SiteSpec spec{};
};
using Sites = CustomResource<Site>;
}  // namespace v2
struct Theme {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1", .namespaced = false};
  std::string colour{};
};
using Themes = CustomResource<Theme>;
// Has the names of Site.
struct Place {
  static constexpr CustomKind kKind{
      .group = "example.com", .version = "v1", .kind = "Site", .plural = "places"};
  std::string name{};
};

class EnsureCRDTest : public ::testing::Test {
 protected:
  void Run(Closure body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  const Patch release_{.type = PatchType::kMergePatch,
                       .body = R"({"metadata":{"finalizers":null}})"};
};

TEST_F(EnsureCRDTest, NewKind_AfterTheCall_IsServed) {
  Run([&] {
    const auto made = EnsureCRD(client_, crd::Definition<v1::Site>().OrExit());
    ASSERT_TRUE(made.ok()) << made.error();
    EXPECT_EQ((*made)["metadata"]["name"], Value("sites.example.com"));
    v1::Sites::Mutable site;
    site.metadata.name = "blue";
    site.spec.replicas = 3;
    const auto created = client_.For<v1::Sites>("default").Create(site);
    ASSERT_TRUE(created.ok()) << created.error();
    EXPECT_EQ((*created)->value().spec.replicas, 3);
    EXPECT_TRUE(client_.Discovery().MappingFor("sites.example.com").ok());
  });
}

TEST_F(EnsureCRDTest, SameDefinition_AppliedAgain_ChangesNothing) {
  Run([&] {
    const Value definition = crd::Definition<v1::Site>().OrExit();
    const Value first = EnsureCRD(client_, definition).OrExit();
    const Value again = EnsureCRD(client_, definition).OrExit();
    EXPECT_EQ(first["metadata"]["resourceVersion"], again["metadata"]["resourceVersion"]);
  });
}

TEST_F(EnsureCRDTest, NewVersion_OfStoredKind_IsServedBesideTheOld) {
  Run([&] {
    ASSERT_TRUE(EnsureCRD(client_, crd::Definition<v1::Site>().OrExit()).ok());
    v1::Sites::Mutable site;
    site.metadata.name = "blue";
    ASSERT_TRUE(client_.For<v1::Sites>("default").Create(site).ok());
    const auto upgraded = EnsureCRD(client_, crd::Definition<v2::Site>().OrExit());
    ASSERT_TRUE(upgraded.ok()) << upgraded.error();
    const Value& versions = (*upgraded)["spec"]["versions"];
    ASSERT_EQ(versions.size(), 2u) << *upgraded;
    EXPECT_EQ(versions[0]["name"], Value("v2"));
    EXPECT_EQ(versions[0]["storage"], Value(true));
    EXPECT_EQ(versions[1]["name"], Value("v1"));
    EXPECT_EQ(versions[1]["storage"], Value(false));
    EXPECT_TRUE(client_.For<v2::Sites>("default").Get("blue").ok());
  });
}

TEST_F(EnsureCRDTest, Several_AwaitedInATask_AreServed) {
  Result<std::vector<Value>> done = Error(Reason::kUnknown, "not called");
  const auto ensure = [](Client client) -> Task<Result<std::vector<Value>>> {
    const std::vector<Value> definitions = crd::Definitions<v1::Site, Theme>().OrExit();
    co_return co_await AsyncEnsureCRDs(client, definitions).WithTimeout(std::chrono::seconds(30));
  };
  Run([&] { done = BlockOn(sim_.env(), ensure(client_)); });
  ASSERT_TRUE(done.ok()) << done.error();
  EXPECT_EQ(done->size(), 2u);
  Run([&] { EXPECT_TRUE(client_.For<Themes>().List().ok()); });
}

TEST_F(EnsureCRDTest, TakenNames_UntilTheTimeout_AreNamed) {
  Run([&] {
    ASSERT_TRUE(EnsureCRD(client_, crd::Definition<v1::Site>().OrExit()).ok());
    const auto begun = sim_.env().Now();
    const auto made =
        EnsureCRD(client_, crd::Definition<Place>().OrExit(), {.timeout = std::chrono::seconds(5)});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().reason(), Reason::kDeadlineExceeded);
    EXPECT_THAT(made.error().message(), HasSubstr("definition places.example.com"));
    EXPECT_THAT(made.error().message(), HasSubstr("not established: "));
    EXPECT_LT(sim_.env().Now() - begun, std::chrono::seconds(6));
  });
}

TEST_F(EnsureCRDTest, DefinitionBeingDeleted_WhenItIsGone_IsMadeAnew) {
  Run([&] {
    Value definition = crd::Definition<v1::Site>().OrExit();
    Value held = definition;
    held.Ensure("metadata", "finalizers").Append("example.com/held");
    const Value first = EnsureCRD(client_, held).OrExit();
    const auto definitions = client_.Dynamic(
        client_.Discovery().MappingFor("customresourcedefinitions.apiextensions.k8s.io").OrExit());
    ASSERT_TRUE(definitions.Delete("sites.example.com").ok());
    const auto release = sim_.env().loop().RunAt(sim_.env().Now() + std::chrono::seconds(3), [&] {
      Spawn(sim_.env(),
            AsyncResourceClient(definitions).Patch("sites.example.com", release_).AsTask());
    });
    const Value second = EnsureCRD(client_, definition).OrExit();
    EXPECT_FALSE(first["metadata"]["uid"] == second["metadata"]["uid"]);
  });
}

TEST_F(EnsureCRDTest, OtherObject_IsRefused) {
  Run([&] {
    EXPECT_EQ(EnsureCRD(client_, Value::MakeObject()).error().reason(), Reason::kInvalidArgument);
    Value wrong = crd::Definition<v1::Site>().OrExit();
    wrong.Ensure("spec", "scope") = "Somewhere";
    const auto refused = EnsureCRD(client_, wrong);
    EXPECT_EQ(refused.error().reason(), Reason::kInvalid);
    EXPECT_THAT(refused.error().message(), HasSubstr("spec.scope"));
  });
}

TEST_F(EnsureCRDTest, StoppedCaller_EndsTheWait) {
  StopSource stop;
  stop.RequestStop();
  Run([&] {
    const auto made =
        EnsureCRD(client_, crd::Definition<v1::Site>().OrExit(), {}, {.stop = stop.token()});
    EXPECT_EQ(made.error().reason(), Reason::kCanceled);
  });
}

}  // namespace
}  // namespace kinformer::testing
