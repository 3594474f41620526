// Changes of objects after the request that caused them: garbage collection, expiry, tokens,
// namespaces.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/registry/object_rules.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};

class LifecycleTest : public ::testing::Test {
 protected:
  // Makes a ConfigMap with owners, given by uid; a "!" after a uid makes the reference block the
  // owner. Returns the ConfigMap's uid.
  std::string Make(std::string_view name, const std::vector<std::string>& owners = {},
                   std::string_view more = "", std::string_view ns = "default") {
    std::string references;
    for (std::string uid : owners) {
      const bool blocks = uid.ends_with('!');
      if (blocks) uid.pop_back();
      references += (references.empty() ? "" : ",") +
                    (R"({"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":")" + uid + "\"") +
                    (blocks ? R"(,"blockOwnerDeletion":true})" : "}");
    }
    const Reply made =
        server_.Do("POST", "/api/v1/namespaces/" + std::string(ns) + "/configmaps",
                   R"({"metadata":{"name":")" + std::string(name) + R"(","ownerReferences":[)" +
                       references + "]" + std::string(more) + "}}");
    EXPECT_EQ(made.status, 201) << made.body;
    return made.Json().At("/metadata/uid").StringOrEmpty();
  }
  void Delete(std::string_view name, std::string_view policy) {
    const Reply reply = server_.Do("DELETE", std::string(kMaps) + "/" + std::string(name) +
                                                 "?propagationPolicy=" + std::string(policy));
    EXPECT_EQ(reply.status, 200) << reply.body;
    server_.sim().RunReady();
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    const json::Value list = server_.Get(kMaps).Json();
    for (const json::Value& item : list["items"].items()) {
      names.push_back(item.At("/metadata/name").StringOrEmpty());
    }
    return names;
  }
  std::size_t Owners(std::string_view name) {
    return server_.Get(std::string(kMaps) + "/" + std::string(name))
        .Json()
        .At("/metadata/ownerReferences")
        .size();
  }

  TestServer server_;
};

TEST_F(LifecycleTest, BackgroundTakesWhatHasNoOtherOwner_SRV126) {
  const std::string owner = Make("owner");
  const std::string other = Make("other");
  const std::string child = Make("child", {owner});
  Make("grandchild", {child});
  Make("shared", {owner, other});
  Delete("owner", "Background");
  EXPECT_THAT(Names(), ElementsAre("other", "shared"));
  EXPECT_EQ(Owners("shared"), 1U);
}

TEST_F(LifecycleTest, OwnersOfAnotherNamespaceDoNotCount_SRV126) {
  ASSERT_TRUE(server_.server().Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: far}").ok());
  const std::string owner = Make("owner");
  Make("child", {owner}, "", "far");
  Delete("owner", "Background");
  EXPECT_EQ(server_.Get("/api/v1/namespaces/far/configmaps/child").status, 200);
}

TEST_F(LifecycleTest, ADependentThatComesLateGoesToo_SRV126) {
  const std::string owner = Make("owner");
  Delete("owner", "Background");
  Make("late", {owner});
  Make("invented", {"00000000-0000-4000-8000-000000000000"});
  server_.sim().RunReady();
  EXPECT_THAT(Names(), ElementsAre("invented"));
}

TEST_F(LifecycleTest, OrphansStay_SRV127) {
  const std::string owner = Make("owner");
  Make("child", {owner});
  Delete("owner", "Orphan");
  EXPECT_THAT(Names(), ElementsAre("child"));
  EXPECT_THAT(server_.Get(std::string(kMaps) + "/child").body, Not(HasSubstr("ownerReferences")));
}

TEST_F(LifecycleTest, ForegroundWaitsForThoseThatBlock_SRV128) {
  const std::string owner = Make("owner");
  const std::string child = Make("child", {owner + "!"});
  Make("grandchild", {child + "!"}, R"(,"finalizers":["x.io/hold"])");
  Make("loose", {owner}, R"(,"finalizers":["x.io/hold"])");
  Delete("owner", "Foreground");
  EXPECT_THAT(Names(), ElementsAre("child", "grandchild", "loose", "owner"));
  for (const char* name : {"child", "grandchild", "loose"}) {
    const Reply reply = server_.Get(std::string(kMaps) + "/" + name);
    EXPECT_THAT(reply.body, HasSubstr("deletionTimestamp")) << name;
  }
  server_.Do("PATCH", std::string(kMaps) + "/grandchild", R"({"metadata":{"finalizers":null}})",
             kMerge);
  server_.sim().RunReady();
  EXPECT_THAT(Names(), ElementsAre("loose")) << "who does not block is not waited for";
}

TEST_F(LifecycleTest, TwoThatOwnEachOtherGo_SRV128) {
  const std::string a = Make("a");
  const std::string b = Make("b", {a + "!"});
  server_.Do("PATCH", std::string(kMaps) + "/a",
             R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"b",
                 "blockOwnerDeletion":true,"uid":")" +
                 b + "\"}]}}",
             kMerge);
  Delete("a", "Foreground");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(LifecycleTest, ALaterPolicyReplacesTheFirst_SRV128) {
  const std::string owner = Make("owner");
  Make("child", {owner + "!"}, R"(,"finalizers":["x.io/hold"])");
  Delete("owner", "Foreground");
  EXPECT_THAT(Names(), ElementsAre("child", "owner"));
  Delete("owner", "Background");
  EXPECT_THAT(Names(), ElementsAre("child"));
}

TEST_F(LifecycleTest, ACircleOfThreeGoesHoweverManyAreDeleted_SRV128) {
  for (const std::vector<std::string>& deleted :
       {std::vector<std::string>{"a"}, {"b", "a"}, {"a", "b", "c"}}) {
    const std::string a = Make("a", {}, R"(,"finalizers":["x.io/hold"])");
    const std::string b = Make("b", {a + "!"});
    const std::string c = Make("c", {b + "!"});
    server_.Do("PATCH", std::string(kMaps) + "/a",
               R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"c",
                   "blockOwnerDeletion":true,"uid":")" +
                   c + "\"}]}}",
               kMerge);
    for (const std::string& name : deleted) {
      server_.Do("DELETE", std::string(kMaps) + "/" + name + "?propagationPolicy=Foreground");
    }
    server_.sim().RunReady();
    EXPECT_THAT(Names(), ::testing::Contains("a")) << "it has a finalizer of its own";
    server_.Do("PATCH", std::string(kMaps) + "/a", R"({"metadata":{"finalizers":null}})", kMerge);
    server_.sim().RunReady();
    EXPECT_THAT(Names(), IsEmpty()) << deleted.size();
  }
}

TEST(LifecycleWithDelay, DependentsGoAWhileAfterTheirOwner) {
  TestServer server({.garbage_collection_delay = seconds(1)});
  server.MakeConfigMap("default", "owner");
  const std::string uid =
      server.Get(std::string(kMaps) + "/owner").Json().At("/metadata/uid").StringOrEmpty();
  server.Do("POST", kMaps,
            R"({"metadata":{"name":"child","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",
                "name":"owner","uid":")" +
                uid + "\"}]}}");
  server.Do("DELETE", std::string(kMaps) + "/owner");
  server.sim().RunFor(std::chrono::milliseconds(900));
  EXPECT_EQ(server.Get(std::string(kMaps) + "/child").status, 200);
  server.sim().RunFor(std::chrono::milliseconds(200));
  EXPECT_EQ(server.Get(std::string(kMaps) + "/child").status, 404);
}

TEST(LifecycleWithoutCollection, FinalizersSayWhatAControllerManagerHasToDo) {
  TestServer server({.garbage_collection = false});
  for (const auto& [policy, finalizer] :
       {std::pair("Foreground", "foregroundDeletion"), {"Orphan", "orphan"}}) {
    server.MakeConfigMap("default", "a");
    const std::string path = std::string(kMaps) + "/a";
    EXPECT_EQ(server.Do("DELETE", path + "?propagationPolicy=" + policy).status, 200);
    server.sim().RunReady();
    EXPECT_EQ(server.Get(path).Json().At("/metadata/finalizers/0").StringOrEmpty(), finalizer);
    server.Do("PATCH", path, R"({"metadata":{"finalizers":null}})", kMerge);
    EXPECT_EQ(server.Get(path).status, 404);
  }
}

TEST(LifecycleWithoutFinalization, ANamespaceWaitsForFinalize) {
  TestServer server({.namespace_finalization = false});
  server.Do("POST", "/api/v1/namespaces", R"({"metadata":{"name":"left"}})");
  server.MakeConfigMap("left", "a");
  EXPECT_EQ(server.Do("DELETE", "/api/v1/namespaces/left").status, 200);
  server.sim().RunFor(minutes(1));
  EXPECT_EQ(server.Get("/api/v1/namespaces/left/configmaps/a").status, 200);
  EXPECT_EQ(server.Get("/api/v1/namespaces/left").Json().At("/status/phase").StringOrEmpty(),
            "Terminating");
  server.Do("DELETE", "/api/v1/namespaces/left/configmaps");
  server.sim().RunFor(minutes(1));
  EXPECT_EQ(server
                .Do("PUT", "/api/v1/namespaces/left/finalize",
                    R"({"metadata":{"name":"left"},"spec":{"finalizers":[]}})")
                .status,
            200);
  EXPECT_EQ(server.Get("/api/v1/namespaces/left").status, 404);
}

TEST_F(LifecycleTest, EventsExpireAnHourAfterTheirLastWrite) {
  const std::string events = "/api/v1/namespaces/default/events";
  for (const char* name : {"a", "b"}) {
    server_.Do("POST", events,
               R"({"metadata":{"name":")" + std::string(name) +
                   R"("},"involvedObject":{"namespace":"default"}})");
  }
  const std::string version =
      server_.Get(events).Json().At("/metadata/resourceVersion").StringOrEmpty();
  server_.sim().RunFor(minutes(30));
  server_.Do("PATCH", events + "/b", R"({"count":2})", kMerge);
  server_.sim().RunFor(minutes(31));
  EXPECT_EQ(server_.Get(events + "/a").status, 404);
  EXPECT_EQ(server_.Get(events + "/b").status, 200);
  server_.sim().RunFor(minutes(30));
  EXPECT_EQ(server_.Get(events + "/b").status, 404);
  auto watch = server_.Open(events + "?watch=1&resourceVersion=" + version);
  EXPECT_THAT(watch->Events(),
              ElementsAre(StartsWith("MODIFIED default/b"), StartsWith("DELETED default/a"),
                          StartsWith("DELETED default/b")));
}

TEST_F(LifecycleTest, TokensExpireAndGoWithWhatTheyAreBoundTo) {
  ASSERT_TRUE(server_.server()
                  .Load("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: sa}\n---\n"
                        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n")
                  .ok());
  const std::string path = "/api/v1/namespaces/default/serviceaccounts/sa/token";
  const auto token = [&](std::string_view spec) {
    const Reply reply = server_.Do("POST", path, R"({"spec":)" + std::string(spec) + "}");
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply.Json().At("/status/token").StringOrEmpty();
  };
  const auto known = [&](const std::string& text) {
    const Reply reply = server_.Do("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                                   R"({"spec":{"token":")" + text + "\"}}");
    return reply.Json().At("/status/authenticated").AsBool().value_or(false);
  };
  const std::string short_lived = token(R"({"expirationSeconds":600})");
  const std::string plain = token("{}");
  const std::string bound =
      token(R"({"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s"}})");
  EXPECT_NE(short_lived, plain);
  EXPECT_TRUE(known(short_lived) && known(plain) && known(bound));
  EXPECT_FALSE(known(plain + "x"));
  server_.sim().RunFor(seconds(601));
  EXPECT_FALSE(known(short_lived));
  server_.Do("DELETE", "/api/v1/namespaces/default/secrets/s");
  EXPECT_FALSE(known(bound));
  EXPECT_TRUE(known(plain));
  server_.Do("DELETE", "/api/v1/namespaces/default/serviceaccounts/sa");
  ASSERT_TRUE(
      server_.server().Load("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: sa}").ok());
  EXPECT_FALSE(known(plain)) << "another account of that name";
}

// Whoever may request tokens decides how much memory they take, and for how long.
TEST_F(LifecycleTest, TokensThatFillTheirRoom_PushOutThoseOfTheirAccount) {
  ASSERT_TRUE(server_.server()
                  .Load("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: quiet}\n---\n"
                        "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: loud}\n")
                  .ok());
  const auto token = [&](const std::string& account, const std::string& spec) {
    const Reply reply =
        server_.Do("POST", "/api/v1/namespaces/default/serviceaccounts/" + account + "/token",
                   R"({"spec":)" + spec + "}");
    EXPECT_EQ(reply.status, 201) << reply.body.substr(0, 500);
    return reply.Json().At("/status/token").StringOrEmpty();
  };
  const auto known = [&](const std::string& text, const std::string& audience) {
    const Reply reply =
        server_.Do("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                   R"({"spec":{"token":")" + text + R"(","audiences":[")" + audience + "\"]}}");
    return reply.Json().At("/status/authenticated").AsBool().value_or(false);
  };
  const std::string quiet = token("quiet", R"({"audiences":["a"],"expirationSeconds":600})");
  const std::string much(1'000'000, 'x');
  std::vector<std::string> loud;
  for (int i = 0; i < 20; ++i) {
    loud.push_back(token("loud", R"({"expirationSeconds":)" + std::to_string(1000 + i) +
                                     R"(,"audiences":["a",")" + much + "\"]}"));
  }
  EXPECT_TRUE(known(quiet, "a")) << "though it expires first";
  EXPECT_TRUE(known(loud.back(), "a"));
  int good = 0;
  for (const std::string& each : loud) good += known(each, "a") ? 1 : 0;
  EXPECT_EQ(good, 16) << "of 16 MiB";
  EXPECT_FALSE(known(loud.front(), "a"));
}

TEST_F(LifecycleTest, ANamespaceSaysWhatIsLeftInIt_SRV130) {
  ASSERT_TRUE(
      server_.server().Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: going}").ok());
  Make("held", {}, R"(,"finalizers":["x.io/hold"])", "going");
  server_.Do("DELETE", "/api/v1/namespaces/going");
  server_.sim().RunReady();
  const json::Value left = server_.Get("/api/v1/namespaces/going").Json();
  EXPECT_EQ(left.At("/status/conditions/0/message").StringOrEmpty(),
            "Some resources are remaining: configmaps. has 1 resource instances");
  EXPECT_EQ(left.At("/status/conditions/1/message").StringOrEmpty(),
            "Some content in the namespace has finalizers remaining: x.io/hold in 1 resource "
            "instances");
  server_.Do("PATCH", "/api/v1/namespaces/going/configmaps/held",
             R"({"metadata":{"finalizers":null}})", kMerge);
  server_.sim().RunReady();
  EXPECT_EQ(server_.Get("/api/v1/namespaces/going").status, 404);
}

// Generated names are random; a second Env with the same seed predicts them.
TEST_F(LifecycleTest, GeneratedNamesTaken_IsAConflict_SRV67) {
  Simulation twin({.seed = 1});
  Env& ours = server_.sim().env();
  const auto catch_up = [&] {
    const std::uint64_t drawn = ours.Random();
    int steps = 1;
    while (twin.env().Random() != drawn && steps < 10'000) ++steps;
    return steps;
  };
  (void)server_.Get(kMaps);  // consumes the random numbers drawn only once
  catch_up();
  server_.MakeConfigMap("default", "probe");
  const int draws_per_create = catch_up() - 1;
  for (int i = 0; i < 8 * draws_per_create; ++i) (void)twin.env().Random();
  for (int i = 0; i < 8; ++i) server_.MakeConfigMap("default", GenerateName(twin.env(), "x-"));
  const Reply reply = server_.Do("POST", kMaps, R"({"metadata":{"generateName":"x-"}})");
  EXPECT_EQ(reply.status, 409) << reply.body;
  EXPECT_EQ(reply.Json().At("/details/retryAfterSeconds").AsInt64(), 1);
  EXPECT_THAT(reply.body, HasSubstr("already exists, the server was not able to generate a unique "
                                    "name for the object"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
