// Writers who undo each other are named and held to a pace, and no event is lost by that; what only
// looks like a fight is none.

#include <chrono>
#include <cstddef>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/handler.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"
#include "kinformer/testing/fake.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using Map = corev1::ConfigMap;

const GroupVersionResource kMaps{"", "v1", "configmaps"};
const ObjectName kName{"default", "a"};

class FightsTest : public ::testing::Test {
 protected:
  using Work = std::function<Result<void>(const DelegatingClient& client, const Map::Mutable& map)>;

  // Starts a process with a controller of ConfigMaps that does `work` for each.
  Replica& Begin(const std::string& name, Work work, ControllerOptions options = {}) {
    return env_.AddReplica(name, [&](Manager& manager) {
      ControllerBuilder(manager)
          .For<Map>()
          .Named(name)
          .WithOptions(options)
          .Complete([this, name, work = std::move(work), client = manager.GetClient()](
                        const ReconcileContext& context,
                        const Request& request) -> Result<ReconcileResult> {
            if (request.namespace_ != "default") return ReconcileResult{};
            ++reconciles_[name];
            const auto map = client.Get<Map>(request, context.call());
            if (!map) return IgnoreNotFound(map.error());
            if (auto done = work(client, (**map).DeepCopy()); !done) return done.error();
            return ReconcileResult{};
          })
          .OrExit();
    });
  }
  // Returns work that sets the label `color`, as `manager`.
  static Work Paints(const std::string& color, const std::string& manager) {
    return [color, manager](const DelegatingClient& client, Map::Mutable map) -> Result<void> {
      if (map.metadata.labels["color"] == color) return {};
      map.metadata.labels["color"] = color;
      const auto written = client.Update(map, {.fieldManager = manager});
      if (!written && !IsConflict(written.error())) return written.error();
      return {};
    };
  }
  // One that knows of no fights.
  static ControllerOptions Reckless() { return {.fights = FightOptions{.enabled = false}}; }

  // By a client, so that fields have owners from the beginning.
  void Make(const std::string& name = "a") {
    Map::Mutable map;
    map.metadata.name = name;
    map.metadata.labels["a"] = "b";
    EXPECT_TRUE(env_.Blocking([&] { env_.client().For<Map>("default").Create(map).OrExit(); }));
  }
  void Patch(const std::string& patch) {
    env_.server().Patch(kMaps, kName, json::Parse(patch).OrExit()).OrExit();
  }
  [[nodiscard]] std::string Color() {
    const auto map = env_.server().Get(kMaps, kName);
    return map ? (*map)["metadata"]["labels"]["color"].StringOrEmpty() : "";
  }
  [[nodiscard]] std::string Metric(const std::string& name, const std::string& controller) const {
    const std::string text = metrics_->Text();
    const std::string line = name + "{controller=\"" + controller + "\"} ";
    const std::size_t at = text.find(line);
    if (at == std::string::npos) return "";
    return text.substr(at + line.size(), text.find('\n', at) - at - line.size());
  }
  [[nodiscard]] std::size_t FightsInTheLog() const { return log_->Count("a fight: "); }
  // The writes of a process after which it made no other one for about ten seconds or more.
  [[nodiscard]] std::size_t WritesUntilPaced(const std::string& name) const {
    const std::vector<SteadyTime>& at = writes_.at(name);
    std::size_t i = at.size() - 1;
    while (i > 0 && at[i] - at[i - 1] >= seconds(10)) --i;
    return i + 1;
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  const std::shared_ptr<kinformer::internal::base::FieldsLog> log_ =
      std::make_shared<kinformer::internal::base::FieldsLog>();
  std::map<std::string, std::vector<SteadyTime>> writes_;  // of each process
  std::map<std::string, int> reconciles_;
  Fake fake_;
  Environment env_{{.server = {.field_owners = true},
                    .on_write =
                        [this](const Replica& replica, const HttpRequest&) {
                          writes_[replica.name()].push_back(env_.env().Now());
                        },
                    .fake = fake_,
                    .log = log_,
                    .metrics = metrics_}};
};

TEST_F(FightsTest, TwoWriters_AreNamedWithinTenRoundsAndPaced) {
  Begin("blue", Paints("blue", "operator"));
  Begin("red", Paints("red", "painter"), Reckless());
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(5));
  EXPECT_LE(WritesUntilPaced("blue"), 11U) << "the first one undoes nothing";
  EXPECT_LE(writes_["blue"].size(), 11U + 30U);
  EXPECT_GE(writes_["blue"].size(), 30U) << "it goes on";
  EXPECT_EQ(Metric("kinformer_fights_found_total", "blue"), "1");
  EXPECT_EQ(Metric("kinformer_fights_under_way", "blue"), "1");
  EXPECT_EQ(FightsInTheLog(), 1U);
  EXPECT_THAT(log_->text(), HasSubstr("controller=blue key=default/a object=ConfigMap default/a "
                                      "field=metadata.labels.color manager=operator "
                                      "by=\"painter\""));
  EXPECT_THAT(log_->text(), HasSubstr("values=\"blue\" and \"red\""));
}

TEST_F(FightsTest, BothKnowOfFights_BothAreNamed) {
  Begin("blue", Paints("blue", "operator"));
  Begin("red", Paints("red", "painter"));
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(5));
  EXPECT_EQ(FightsInTheLog(), 2U);
  EXPECT_THAT(log_->text(), HasSubstr("manager=painter by=\"operator\""));
  EXPECT_LE(writes_["red"].size(), 11U + 30U);
}

TEST_F(FightsTest, Off_NobodyIsHeld) {
  Begin("blue", Paints("blue", "operator"), Reckless());
  Begin("red", Paints("red", "painter"), Reckless());
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(seconds(20));
  EXPECT_GT(writes_["blue"].size(), 100U);
  EXPECT_EQ(FightsInTheLog(), 0U);
  EXPECT_EQ(Metric("kinformer_fights_found_total", "blue"), "");
}

TEST_F(FightsTest, TheObjectGetsAnEvent) {
  Begin("blue", Paints("blue", "operator"));
  Begin("red", Paints("red", "painter"), Reckless());
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(1));
  std::vector<std::string> messages;
  EXPECT_TRUE(env_.Blocking([&] {
    const auto events = env_.client().For<corev1::Event>("default").List().OrExit();
    for (const corev1::Event event : events) {
      if (event.reason() != "FieldFight") continue;
      EXPECT_EQ(event.involvedObject().name(), "a");
      EXPECT_EQ(event.type(), "Warning");
      messages.emplace_back(event.message());
    }
  }));
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_THAT(messages[0],
              HasSubstr(R"("operator" and "painter" undo each other in metadata.labels.color)"));
}

TEST_F(FightsTest, TheOtherGivesUp_TheLastStateIsReconciledAndTheFightEnds) {
  Begin("blue", Paints("blue", "operator"));
  Replica& red = Begin("red", Paints("red", "painter"), Reckless());
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(1));
  ASSERT_EQ(FightsInTheLog(), 1U);
  EXPECT_TRUE(env_.RunUntil([&] { return Color() == "red"; }, minutes(1)));
  red.Crash();
  env_.RunFor(seconds(11));
  EXPECT_EQ(Color(), "blue") << "the event that came while it was held has waited";
  env_.RunFor(minutes(3));
  EXPECT_EQ(Metric("kinformer_fights_under_way", "blue"), "0");
  EXPECT_EQ(log_->Count("a fight has ended"), 1U);
  Patch(R"({"metadata":{"labels":{"color":"green"}}})");
  env_.RunFor(seconds(1));
  EXPECT_EQ(Color(), "blue") << "nothing is held any more";
}

TEST_F(FightsTest, OtherObjects_AreNotHeld) {
  Begin("blue", Paints("blue", "operator"));
  Begin(
      "red",
      [red = Paints("red", "painter")](const DelegatingClient& client, const Map::Mutable& map) {
        return map.metadata.name == "a" ? red(client, map) : Result<void>();
      },
      Reckless());
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(1));
  ASSERT_EQ(FightsInTheLog(), 1U);
  for (int i = 0; i < 20; ++i) {
    const std::string name = "b" + std::to_string(i);
    Make(name);
    env_.RunFor(milliseconds(200));
    const auto map = env_.server().Get(kMaps, {"default", name}).OrExit();
    EXPECT_EQ(map["metadata"]["labels"]["color"].StringOrEmpty(), "blue") << name;
  }
}

// ---- Five ways in which a breaker that counts events, and drops them, has hurt its users. This
// one goes by values, causes and uids, and drops nothing.

// crossplane 7200: the object was made anew while its name was held.
TEST_F(FightsTest, ObjectIsMadeAnew_IsReconciledAtOnce) {
  Begin("blue", Paints("blue", "operator"));
  Replica& red = Begin("red", Paints("red", "painter"), Reckless());
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(1));
  ASSERT_EQ(FightsInTheLog(), 1U);
  red.Crash();
  const std::size_t writes = writes_["blue"].size();
  EXPECT_TRUE(env_.RunUntil([&] { return writes_["blue"].size() > writes; }, minutes(1)) ||
              Color() == "blue");
  static_cast<void>(env_.server().Delete(kMaps, kName));
  env_.RunFor(milliseconds(100));
  Make();
  env_.RunFor(milliseconds(500));
  EXPECT_EQ(Color(), "blue");
}

// crossplane 7703: events came while the breaker was open, and none afterwards.
TEST_F(FightsTest, EventsThatComeWhileItIsHeld_AreReconciledAtTheEnd) {
  Begin("blue",
        [blue = Paints("blue", "operator")](const DelegatingClient& client,
                                            Map::Mutable map) -> Result<void> {
          if (map.data["seen"] != map.data["wanted"]) {
            map.data["seen"] = map.data["wanted"];
            map.metadata.labels["color"] = "blue";
            const auto written = client.Update(map, {.fieldManager = "operator"});
            if (!written) return written.error();
            return {};
          }
          return blue(client, map);
        });
  Replica& red = Begin("red", Paints("red", "painter"), Reckless());
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(1));
  ASSERT_EQ(FightsInTheLog(), 1U);
  Patch(R"({"data":{"wanted":"more"}})");
  red.Crash();
  env_.RunFor(seconds(11));
  const auto map = env_.server().Get(kMaps, kName).OrExit();
  EXPECT_EQ(map["data"]["seen"].StringOrEmpty(), "more");
}

// crossplane 6910: many changes of one object within the first moments of its life.
TEST_F(FightsTest, ManyQuickChangesAtTheBeginning_AreNoFight) {
  Begin("blue", [](const DelegatingClient& client, Map::Mutable map) -> Result<void> {
    const int step = std::stoi("0" + map.data["step"]);
    if (step >= 60) return {};
    map.data["step"] = std::to_string(step + 1);
    map.data["phase"] = step < 59 ? "creating" : "ready";
    const auto written = client.Update(map);
    if (!written && !IsConflict(written.error())) return written.error();
    return {};
  });
  Begin("red", [](const DelegatingClient& client, Map::Mutable map) -> Result<void> {
    if (map.data["copy"] == map.data["step"]) return {};
    map.data["copy"] = map.data["step"];
    const auto written = client.Update(map, {.fieldManager = "copier"});
    if (!written && !IsConflict(written.error())) return written.error();
    return {};
  });
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(1));
  const auto map = env_.server().Get(kMaps, kName).OrExit();
  EXPECT_EQ(map["data"]["phase"].StringOrEmpty(), "ready") << "it was not held up";
  EXPECT_EQ(FightsInTheLog(), 0U);
}

// crossplane 7108: an object with so many parts that their events alone exceed any count.
TEST_F(FightsTest, ObjectWithManyParts_IsNoFight) {
  Begin("blue", [](const DelegatingClient& client, Map::Mutable map) -> Result<void> {
    if (map.metadata.name != "a") return {};
    std::size_t ready = 0;
    for (const auto& part : *client.List<Map>({.namespace_ = "default"})) {
      if (part->data()["ready"] == "yes") ++ready;
    }
    const std::string count = std::to_string(ready);
    if (map.data["ready"] == count) return {};
    map.data["ready"] = count;
    const auto written = client.Update(map);
    if (!written) return written.error();
    return {};
  });
  env_.RunFor(seconds(5));
  Make();
  for (int i = 0; i < 120; ++i) Make("part-" + std::to_string(i));
  env_.RunFor(seconds(1));
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 120; ++i) {
      env_.server()
          .Patch(kMaps, {"default", "part-" + std::to_string(i)},
                 *json::Parse(round % 2 == 0 ? R"({"data":{"ready":"yes"}})"
                                             : R"({"data":{"ready":"no"}})"))
          .OrExit();
      // Others write the object too, in other fields.
      Patch(R"({"data":{"other":")" + std::to_string(i) + R"("}})");
      env_.RunFor(milliseconds(20));
    }
  }
  EXPECT_EQ(FightsInTheLog(), 0U);
}

// crossplane 7114: events of objects that have nothing to do with it.
TEST_F(FightsTest, EventsThatChangeNothing_AreNoFightAndCostNoDelay) {
  Begin("blue", Paints("blue", "operator"));
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(seconds(1));
  for (int i = 0; i < 2000; ++i) {
    Patch(R"({"data":{"revision":")" + std::to_string(i) + R"("}})");
    env_.RunFor(milliseconds(5));
  }
  EXPECT_EQ(FightsInTheLog(), 0U);
  Patch(R"({"metadata":{"labels":{"color":"red"}}})");
  env_.RunFor(milliseconds(500));
  EXPECT_EQ(Color(), "blue");
}

// crossplane 7114, as it came about: each change of a stranger wakes all, by a map function.
TEST_F(FightsTest, EventsOfStrangersThatAreMappedToAll_AreNoFightAndCostNoDelay) {
  env_.AddReplica("blue", [&](Manager& manager) {
    ControllerBuilder(manager)
        .For<Map>()
        .Named("blue")
        .Watches<corev1::Secret>(handler::EnqueueRequestsFromMapFunc<corev1::Secret>(
            [](const corev1::Secret&) { return std::vector<Request>{kName}; }))
        .Complete([this, client = manager.GetClient(), paint = Paints("blue", "operator")](
                      const ReconcileContext& context,
                      const Request& request) -> Result<ReconcileResult> {
          ++reconciles_["blue"];
          const auto map = client.Get<Map>(request, context.call());
          if (!map) return IgnoreNotFound(map.error());
          if (auto done = paint(client, (**map).DeepCopy()); !done) return done.error();
          return ReconcileResult{};
        })
        .OrExit();
  });
  env_.RunFor(seconds(5));
  Make();
  const GroupVersionResource secrets{"", "v1", "secrets"};
  const ObjectName revision{"default", "revision"};
  env_.server()
      .Create(secrets, *json::Parse(R"({"metadata":{"namespace":"default","name":"revision"}})"))
      .OrExit();
  for (int i = 0; i < 500; ++i) {
    env_.server()
        .Patch(secrets, revision,
               *json::Parse(R"({"metadata":{"labels":{"n":")" + std::to_string(i) + "\"}}}"))
        .OrExit();
    env_.RunFor(milliseconds(20));
    if (i % 100 != 0) continue;
    Patch(R"({"metadata":{"labels":{"color":"red"}}})");
    env_.RunFor(milliseconds(500));
    EXPECT_EQ(Color(), "blue") << i;
    env_.RunFor(seconds(35));
  }
  EXPECT_EQ(FightsInTheLog(), 0U);
  EXPECT_GT(reconciles_["blue"], 500);
}

// ---- Fights of other kinds

TEST_F(FightsTest, ControllerThatUndoesItsOwnWrite_IsAFightWithItself) {
  Begin("blue", [](const DelegatingClient& client, Map::Mutable map) -> Result<void> {
    map.metadata.labels["color"] = map.metadata.labels["color"] == "blue" ? "red" : "blue";
    const auto written = client.Update(map, {.fieldManager = "operator"});
    if (!written) return written.error();
    return {};
  });
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(2));
  EXPECT_EQ(FightsInTheLog(), 1U);
  EXPECT_THAT(log_->text(), HasSubstr("manager=operator by=itself"));
  EXPECT_LE(WritesUntilPaced("blue"), 11U);
}

TEST_F(FightsTest, WebhookThatSetsAnotherValue_IsAFightWithTheServer) {
  fake_.PrependReactor("update", "configmaps", [](Action& action) {
    action.object.Ensure("metadata", "labels", "color") = "red";
    return Reaction::PassOn();
  });
  // Looks again after a second, since it does not know that it cannot have its way.
  env_.AddReplica("blue", [&](Manager& manager) {
    ControllerBuilder(manager)
        .For<Map>()
        .Named("blue")
        .Complete([client = manager.GetClient(), paint = Paints("blue", "operator")](
                      const ReconcileContext& context,
                      const Request& request) -> Result<ReconcileResult> {
          const auto map = client.Get<Map>(request, context.call());
          if (!map) return IgnoreNotFound(map.error());
          if (auto done = paint(client, (**map).DeepCopy()); !done) return done.error();
          return ReconcileResult{.requeue_after = seconds(1)};
        })
        .OrExit();
  });
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(3));
  EXPECT_EQ(FightsInTheLog(), 1U);
  EXPECT_THAT(log_->text(), HasSubstr("field=metadata.labels.color manager=operator "
                                      "by=the server"));
  EXPECT_LE(WritesUntilPaced("blue"), 11U);
}

TEST_F(FightsTest, SecretsAreNotTold) {
  Begin("blue", [](const DelegatingClient& client, Map::Mutable map) -> Result<void> {
    if (map.data["password"] == "hunter2") return {};
    map.data["password"] = "hunter2";
    const auto written = client.Update(map, {.fieldManager = "operator"});
    if (!written && !IsConflict(written.error())) return written.error();
    return {};
  });
  Begin(
      "red",
      [](const DelegatingClient& client, Map::Mutable map) -> Result<void> {
        if (map.data["password"] == "swordfish") return {};
        map.data["password"] = "swordfish";
        const auto written = client.Update(map, {.fieldManager = "painter"});
        if (!written && !IsConflict(written.error())) return written.error();
        return {};
      },
      Reckless());
  env_.RunFor(seconds(5));
  Make();
  env_.RunFor(minutes(1));
  EXPECT_EQ(FightsInTheLog(), 1U);
  EXPECT_THAT(log_->text(), HasSubstr("field=data.password"));
  EXPECT_THAT(log_->text(), HasSubstr("values=not told"));
  EXPECT_EQ(log_->text().find("hunter2"), std::string::npos);
  EXPECT_EQ(log_->text().find("swordfish"), std::string::npos);
}

TEST_F(FightsTest, SomebodyChangesItNowAndThen_IsNoFight) {
  Begin("blue", Paints("blue", "operator"));
  env_.RunFor(seconds(5));
  Make();
  for (int i = 0; i < 30; ++i) {
    Patch(R"({"metadata":{"labels":{"color":"red"}}})");
    env_.RunFor(seconds(1));
    EXPECT_EQ(Color(), "blue") << i;
    env_.RunFor(seconds(35));
  }
  EXPECT_EQ(FightsInTheLog(), 0U);
}

}  // namespace
}  // namespace kinformer::testing
