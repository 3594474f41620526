// testing::Fake: its log, its reactors, and how they meet the server in memory. The ids are those
// of client-go's fake client; what its tracker does, the server does here.

#include "kinformer/testing/fake.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/runnable.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/testing/environment.h"

#include "testing/fake_fixture.h"

namespace kinformer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Text(const Action& action) {
  std::ostringstream out;
  out << action;
  return out.str();
}

TEST_F(FakeTest, ChangingAnObjectAfterItsCreateChangesNothingOnTheServer_FK_01) {
  json::Value own = json::Value::MakeObject(
      {{"metadata", json::Value::MakeObject({{"namespace", "default"}, {"name", "b"}})}});
  json::Value answer = server_.Create(kConfigMaps, own).OrExit();
  answer.Ensure("data", "colour") = "red";
  EXPECT_FALSE(server_.Get(kConfigMaps, {"default", "b"}).OrExit().contains("data"));

  Run([&] {
    corev1::ConfigMapMutable map = Map("a", "blue");
    maps_.Create(map).OrExit();
    map.data["colour"] = "red";
    const auto stored = maps_.Get("a").OrExit();
    EXPECT_EQ(stored->data()["colour"], "blue");
  });
}

TEST_F(FakeTest, ReactorThatPassesOn_ChangesWhatLaterOnesAndTheServerSee_FK_02) {
  std::vector<std::string> seen;
  fake_.AddReactor("create", "*", [&](Action& action) -> Reaction {
    seen.push_back(std::as_const(action.object)["data"]["colour"].StringOrEmpty());
    action.object.Ensure("data", "colour") = "red";
    return Reaction::PassOn();
  });
  fake_.AddReactor("create", "configmaps", [&](Action& action) -> Reaction {
    seen.push_back(std::as_const(action.object)["data"]["colour"].StringOrEmpty());
    return Reaction::PassOn();
  });
  Run([&] { EXPECT_EQ(ColourOf(maps_.Create(Map("a", "blue"))), "red"); });
  EXPECT_THAT(seen, ElementsAre("blue", "red"));
  const std::vector<Action> actions = fake_.Actions();
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_EQ(actions[0].object["data"]["colour"].StringOrEmpty(), "blue");
}

TEST_F(FakeTest, PatchOfAMissingObjectIsNotFound_FK_04) {
  Run([&] {
    for (const auto& [type, body] :
         {std::pair(PatchType::kMergePatch, "{}"), std::pair(PatchType::kStrategicMerge, "{}"),
          std::pair(PatchType::kJsonPatch, "[]")}) {
      EXPECT_TRUE(IsNotFound(maps_.Patch("none", {type, body})));
    }
  });
  EXPECT_THAT(fake_.Actions(), SizeIs(3));
}

// The server records no owners of fields, so a test that needs a conflict makes it.
TEST_F(FakeTest, ApplyCreatesAndUpdatesAndConflictsWhereAReactorSaysSo) {
  const auto apply = [&](const std::string& body) {
    return maps_.Patch("m", {PatchType::kApply, body}, {.fieldManager = "one"});
  };
  const std::string head = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},)";
  fake_.AddReactor("patch", "configmaps", [](Action& action) -> Reaction {
    if (action.patch_type != PatchType::kApply ||
        std::as_const(action.object)["data"]["colour"] != json::Value("green")) {
      return Reaction::PassOn();
    }
    return Error(Reason::kConflict, "Apply failed with 1 conflict").WithHttpStatus(409);
  });
  Run([&] {
    EXPECT_EQ(ColourOf(apply(head + R"("data":{"colour":"blue"}})")), "blue") << "it is created";
    EXPECT_EQ(ColourOf(apply(head + R"("data":{"colour":"red"}})")), "red");
    EXPECT_TRUE(IsConflict(apply(head + R"("data":{"colour":"green"}})")));
    EXPECT_EQ(ColourOf(maps_.Get("m")), "red");
    EXPECT_FALSE(apply(R"({"data":{"colour":"white"}})").ok()) << "neither kind nor metadata";
  });
}

TEST_F(FakeTest, GetFindsTheExactNameOnly_FK_06) {
  Run([&] {
    for (const char* name : {"web-0", "web", "webs"}) maps_.Create(Map(name, name)).OrExit();
    EXPECT_EQ(ColourOf(maps_.Get("web")), "web");
    EXPECT_TRUE(IsNotFound(maps_.Get("we")));
    EXPECT_TRUE(IsNotFound(maps_.Get("web-")));
  });
}

TEST(ActionTest, PatternsCoverVerbsResourcesAndSubresources_FK_07) {
  const Action pods{.verb = "get", .resource = {"", "v1", "pods"}};
  Action status = pods;
  status.subresource = "status";
  struct Row {
    const char* verb;
    const char* resource;
    bool covers_pods;
    bool covers_status;
  };
  for (const Row& row : {Row{"*", "*", true, true}, Row{"get", "*", true, true},
                         Row{"list", "*", false, false}, Row{"*", "pods", true, true},
                         Row{"*", "pods/status", false, true}, Row{"*", "pods/scale", false, false},
                         Row{"*", "pod", false, false}, Row{"*", "status", false, false}}) {
    EXPECT_EQ(pods.Matches(row.verb, row.resource), row.covers_pods) << row.resource;
    EXPECT_EQ(status.Matches(row.verb, row.resource), row.covers_status) << row.resource;
  }
  const Action all{.verb = "deletecollection", .resource = {"", "v1", "pods"}};
  EXPECT_TRUE(all.Matches("delete-collection", "pods")) << "as client-go's fakes call it";
  EXPECT_FALSE(all.Matches("delete", "pods"));
}

TEST_F(FakeTest, ActionsHaveAllThatARequestSays) {
  Run([&] {
    maps_.Create(Map("a", "blue")).OrExit();
    (void)maps_.Patch("a", {PatchType::kMergePatch, R"({"data":{"colour":"red"}})"});
    (void)maps_.List({.labelSelector = "app=web"});
    (void)maps_.Delete("a", {.gracePeriodSeconds = 0});
    (void)client_.For<corev1::Pod>("default").Patch("p", {PatchType::kApply, "kind: Pod"},
                                                    {.fieldManager = "me"}, "status");
    (void)client_.GetRaw("/version?timeout=3s");
    (void)client_.For<corev1::Namespace>().Get("default");
  });
  const std::vector<Action> actions = fake_.Actions();
  ASSERT_THAT(actions, SizeIs(7));
  EXPECT_EQ(actions[0].object["data"]["colour"].StringOrEmpty(), "blue") << "sent as protobuf";
  EXPECT_EQ(actions[0].name, "a");
  EXPECT_EQ(actions[1], (Action{.verb = "patch",
                                .resource = kConfigMaps,
                                .namespace_ = "default",
                                .name = "a",
                                .object = json::Parse(R"({"data":{"colour":"red"}})").OrExit(),
                                .patch_type = PatchType::kMergePatch}));
  EXPECT_EQ(Text(actions[1]), R"(patch configmaps default/a (merge) {"data":{"colour":"red"}})");
  EXPECT_EQ(Text(actions[2]), "list configmaps default/ labels \"app=web\"");
  EXPECT_EQ(actions[3].object["gracePeriodSeconds"].AsInt64(), 0);
  EXPECT_EQ(Text(actions[4]), R"(patch pods/status default/p (apply) {"kind":"Pod"})");
  EXPECT_EQ(actions[5], (Action{.verb = "get", .path = "/version"}));
  EXPECT_EQ(Text(actions[6]), "get namespaces default");

  EXPECT_THAT(fake_.Writes(), SizeIs(4));
  fake_.ClearActions();
  EXPECT_THAT(fake_.Actions(), IsEmpty());
}

TEST_F(FakeTest, ActionsHaveTheOptionsOfTheirCalls) {
  Run([&] {
    (void)maps_.Create(
        Map("a", "blue"),
        {.dryRun = {"All"}, .fieldManager = "me & you", .fieldValidation = "Strict"});
    (void)maps_.Get("a", {.resourceVersion = "0"});
    (void)maps_.Patch("a", {PatchType::kApply, "kind: ConfigMap"},
                      {.force = true, .fieldManager = "me"});
    (void)maps_.List({.labelSelector = "app in (a,b)",
                      .fieldSelector = "metadata.name=a",
                      .resourceVersion = "7",
                      .resourceVersionMatch = "Exact",
                      .limit = 3,
                      .continue_ = "there",
                      .timeoutSeconds = 9});
    (void)maps_.Delete("a", {.gracePeriodSeconds = 5,
                             .uid = "u-1",
                             .resourceVersion = "12",
                             .propagationPolicy = "Orphan",
                             .dryRun = {"All"}});
    (void)maps_.Delete("a");
    (void)client_.GetRaw("/api/v1/namespaces/a/services/http:s:80/proxy/x?k=1&l=%20&k=2");
  });
  const std::vector<Action> actions = fake_.Actions();
  ASSERT_THAT(actions, SizeIs(7));
  for (const CreateOptions& create :
       {actions[0].GetCreateOptions(), actions[0].GetUpdateOptions()}) {
    EXPECT_THAT(create.dryRun, ElementsAre("All"));
    EXPECT_EQ(create.fieldManager, "me & you");
    EXPECT_EQ(create.fieldValidation, "Strict");
  }
  EXPECT_EQ(actions[1].GetGetOptions().resourceVersion, "0");
  EXPECT_EQ(actions[2].GetPatchOptions().force, true);
  EXPECT_EQ(actions[2].GetPatchOptions().fieldManager, "me");
  EXPECT_THAT(actions[2].GetPatchOptions().dryRun, IsEmpty());
  const ListOptions list = actions[3].GetListOptions();
  EXPECT_EQ(list.labelSelector, "app in (a,b)");
  EXPECT_EQ(list.fieldSelector, "metadata.name=a");
  EXPECT_EQ(list.resourceVersion, "7");
  EXPECT_EQ(list.resourceVersionMatch, "Exact");
  EXPECT_EQ(list.limit, 3);
  EXPECT_EQ(list.continue_, "there");
  EXPECT_EQ(list.timeoutSeconds, 9);
  EXPECT_FALSE(list.allowWatchBookmarks);
  EXPECT_EQ(list.sendInitialEvents, std::nullopt);
  const DeleteOptions deletion = actions[4].GetDeleteOptions();
  EXPECT_EQ(deletion.gracePeriodSeconds, 5);
  EXPECT_EQ(deletion.uid, "u-1");
  EXPECT_EQ(deletion.resourceVersion, "12");
  EXPECT_EQ(deletion.propagationPolicy, "Orphan");
  EXPECT_THAT(deletion.dryRun, ElementsAre("All"));
  const DeleteOptions plain = actions[5].GetDeleteOptions();
  EXPECT_EQ(plain.gracePeriodSeconds, std::nullopt);
  EXPECT_EQ(plain.uid, "");
  EXPECT_THAT(plain.dryRun, IsEmpty());
  EXPECT_THAT(actions[6].GetParams("k"), ElementsAre("1", "2"));
  EXPECT_THAT(actions[6].GetParams("l"), ElementsAre(" "));
  EXPECT_THAT(actions[6].GetParams("m"), IsEmpty());
}

TEST(ActionTest, TheOptionsOfADeletionMayBeInItsQuery) {
  const Action action{.verb = "delete",
                      .query = "gracePeriodSeconds=0&propagationPolicy=Background&dryRun=All"};
  const DeleteOptions options = action.GetDeleteOptions();
  EXPECT_EQ(options.gracePeriodSeconds, 0);
  EXPECT_EQ(options.propagationPolicy, "Background");
  EXPECT_THAT(options.dryRun, ElementsAre("All"));
  const Action list{.verb = "list", .query = "limit=x"};
  EXPECT_EQ(list.GetListOptions().limit, 0);
  const Action watch{.verb = "watch", .query = "allowWatchBookmarks=true&sendInitialEvents=true"};
  EXPECT_TRUE(watch.GetListOptions().allowWatchBookmarks);
  EXPECT_EQ(watch.GetListOptions().sendInitialEvents, true);
  EXPECT_EQ(watch, Action{.verb = "watch"}) << "the query is not compared";
}

TEST_F(FakeTest, FirstReactorThatDoesNotPassOnAnswers) {
  fake_.AddReactor("get", "configmaps", [](Action&) { return Map("a", "second"); });
  fake_.PrependReactor("*", "*", [](Action& action) -> Reaction {
    if (action.verb != "get") return Reaction::PassOn();
    return Map("a", "first");
  });
  Run([&] { EXPECT_EQ(ColourOf(maps_.Get("a")), "first"); });
  fake_.ClearReactors();
  Run([&] { EXPECT_TRUE(IsNotFound(maps_.Get("a"))); });
}

TEST_F(FakeTest, ErrorOfAReactorIsTheAnswer) {
  fake_.AddReactor("create", "configmaps", [](Action&) {
    return Error(Reason::kForbidden, "quota exceeded").WithDetails({.name = "a"});
  });
  fake_.AddReactor("delete", "*", [](Action&) { return Error(Reason::kTransport, "cable cut"); });
  fake_.AddReactor("deletecollection", "*", [](Action&) { return json::Value(); });
  Run([&] {
    const auto created = maps_.Create(Map("a", "blue"));
    ASSERT_TRUE(IsForbidden(created));
    EXPECT_EQ(created.error().http_status(), 403);
    EXPECT_EQ(created.error().message(), "quota exceeded");
    EXPECT_EQ(created.error().details().name, "a");
    const auto deleted = maps_.Delete("a");
    ASSERT_FALSE(deleted.ok());
    EXPECT_EQ(deleted.error().reason(), Reason::kTransport) << "nothing was answered";
    EXPECT_TRUE(maps_.DeleteCollection().ok());
  });
  EXPECT_FALSE(server_.Get(kConfigMaps, {"default", "a"}).ok()) << "the server saw nothing of it";
}

TEST_F(FakeTest, AnswersOfTheServerCanBeChanged) {
  fake_.AddReactor("get", "*", [](Action&) {
    return Reaction::PassOn([](Result<json::Value> answer) -> Result<json::Value> {
      if (!answer) return Error(Reason::kGone, "was: " + answer.error().message());
      answer->Ensure("data", "colour") = "red";
      return answer;
    });
  });
  Run([&] {
    maps_.Create(Map("a", "blue")).OrExit();
    EXPECT_EQ(ColourOf(maps_.Get("a")), "red");
    const auto none = maps_.Get("none");
    ASSERT_TRUE(IsGone(none));
    EXPECT_EQ(none.error().message(), "was: configmaps \"none\" not found");
  });
}

TEST_F(FakeTest, InterceptorHasAFunctionForEachVerb) {
  std::vector<std::string> called;
  const auto note = [&](const char* name) {
    return [&called, name](Action&) -> Reaction {
      called.emplace_back(name);
      return Reaction::PassOn();
    };
  };
  fake_.Intercept({.get = note("get"),
                   .list = note("list"),
                   .watch = note("watch"),
                   .create = note("create"),
                   .update = note("update"),
                   .patch = note("patch"),
                   .delete_ = note("delete"),
                   .delete_collection = note("delete all"),
                   .subresource = note("subresource")});
  Run([&] {
    const auto created = maps_.Create(Map("a", "blue")).OrExit();
    const corev1::ConfigMapMutable map = created->DeepCopy();
    (void)maps_.Get("a");
    (void)maps_.List();
    (void)maps_.Watch({}, [](const auto&) { return false; }, {.timeout = std::chrono::seconds(1)});
    (void)maps_.Update(map);
    (void)maps_.Patch("a", {PatchType::kMergePatch, "{}"});
    (void)client_.For<corev1::Namespace>().Patch("default", {PatchType::kMergePatch, "{}"}, {},
                                                 "status");
    (void)maps_.Delete("a");
    (void)maps_.DeleteCollection();
  });
  EXPECT_THAT(called, ElementsAre("create", "get", "list", "watch", "update", "patch",
                                  "subresource", "delete", "delete all"));
}

TEST_F(FakeTest, ReactorThatThrowsAnswers500AndIsCounted) {
  fake_.AddReactor("get", "*", [](Action&) -> Reaction { throw std::runtime_error("no luck"); });
  fake_.AddReactor("list", "*", [](Action&) {
    return Reaction::PassOn(
        [](Result<json::Value>) -> Result<json::Value> { throw std::runtime_error("no luck"); });
  });
  Run([&] {
    const auto got = maps_.Get("a");
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().http_status(), 500);
    EXPECT_THAT(got.error().message(), HasSubstr("threw: no luck"));
    EXPECT_THAT(maps_.List().error().message(), HasSubstr("threw: no luck"));
    EXPECT_TRUE(maps_.Create(Map("a", "blue")).ok()) << "later requests pass";
  });
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"a reactor of a Fake\"} 1"));
}

TEST_F(FakeTest, ReactorMayDropTheFakeAndTheClientThatCallIt) {
  auto fake = std::make_unique<Fake>();
  auto client = std::make_unique<Client>(fake->NewClient(server_));
  auto maps = std::make_unique<ResourceClient<corev1::ConfigMap>>(
      client->For<corev1::ConfigMap>("default"));
  fake->AddReactor("get", "*", [&](Action&) -> Reaction {
    fake->ClearReactors();
    fake.reset();
    client.reset();
    return Reaction::PassOn([&](Result<json::Value> answer) {
      client.reset();
      return answer;
    });
  });
  Run([&] { EXPECT_TRUE(IsNotFound(maps->Get("a"))); });
  EXPECT_EQ(fake, nullptr);
}

TEST(FakeInEnvironment, SeesTheRequestsOfReplicasAndAnswersThem) {
  const Fake fake;
  fake.AddReactor("create", "configmaps",
                  [](Action&) { return Error(Reason::kForbidden, "quota exceeded"); });
  Environment env({.fake = fake});
  Result<void> created;
  Replica& replica = env.AddReplica("a", [&](Manager& manager) {
    const auto create = [&, client = manager.GetClient()](const std::stop_token&) -> Result<void> {
      if (auto done = client.Create(Map("a", "blue")); !done) created = done.error();
      return {};
    };
    manager.Add(std::make_shared<RunnableFunc>(create)).OrExit();
  });
  ASSERT_TRUE(env.Settle());
  EXPECT_TRUE(IsForbidden(created));
  EXPECT_THAT(fake.Writes(), SizeIs(1));
  EXPECT_EQ(env.writes(), 0U) << "it never left the replica";
  replica.Stop();
}

}  // namespace
}  // namespace kinformer::testing
