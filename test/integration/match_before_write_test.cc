// Writes of a DelegatingClient that would change nothing are not sent, and all others are.

#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/task.h"
#include "kinformer/cache/transform.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/async_delegating_client.h"
#include "kinformer/controller/cached_resource_client.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::minutes;
using std::chrono::seconds;
using ConfigMap = corev1::ConfigMap;
using Deployment = appsv1::Deployment;

const ObjectName kName{"default", "settings"};

class MatchBeforeWrite : public ::testing::Test {
 protected:
  void Run(Closure body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), minutes(10))); }
  void Use(SharedInformerFactoryOptions factory, DelegatingClientOptions options = {}) {
    factory_ = std::make_shared<SharedInformerFactory>(client_, std::move(factory));
    cached_ = DelegatingClient(client_, factory_, std::move(options));
  }
  // Returns the number of requests that the server gets from `work`.
  std::uint64_t Sent(const std::function<void()>& work) {
    const auto count = [this] {
      return server_.With([](apiserver::ApiServer& server) { return server.Stats().requests; });
    };
    const std::uint64_t before = count();
    work();
    return count() - before;
  }
  static ConfigMap::Mutable Map(const std::string& color) {
    ConfigMap::Mutable map;
    map.metadata.namespace_ = kName.namespace_;
    map.metadata.name = kName.name;
    map.data["color"] = color;
    return map;
  }
  // Makes the object, without the client under test, and lets that one's cache have it.
  ConfigMap::Mutable Made() {
    client_.For<ConfigMap>("default").Create(Map("blue")).OrExit();
    return Copy();
  }
  ConfigMap::Mutable Copy() {
    const Ref<ConfigMap> map = cached_.Get<ConfigMap>(kName).OrExit();
    return map->DeepCopy();
  }
  // Another client changes the object, and the cache shows it.
  void Theirs(const std::string& patch) {
    client_.For<ConfigMap>("default").Patch(kName.name, {.body = patch}).OrExit();
    sim_.env().SleepFor(seconds(1));
  }
  [[nodiscard]] std::string Counted(const std::string& verb) const {
    const std::string text = metrics_->Text();
    const std::string line = "kinformer_writes_matched_total{verb=\"" + verb + "\"} ";
    const std::size_t at = text.find(line);
    if (at == std::string::npos) return "";
    return text.substr(at + line.size(), text.find('\n', at) - at - line.size());
  }
  std::string Color() { return Copy().data["color"]; }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_}};
  ApiServer server_{sim_, {.field_owners = true}};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  std::shared_ptr<SharedInformerFactory> factory_ =
      std::make_shared<SharedInformerFactory>(client_);
  DelegatingClient cached_{client_, factory_};
};

TEST_F(MatchBeforeWrite, UpdateOfAnUnchangedCopy_IsNotSent) {
  Run([&] {
    ConfigMap::Mutable map = Made();
    EXPECT_EQ(Sent([&] {
                const auto same = cached_.Update(map).OrExit();
                EXPECT_EQ(same->metadata().resourceVersion(), map.metadata.resourceVersion);
              }),
              0U);
    EXPECT_EQ(Counted("update"), "1");
    map.data["color"] = "red";
    EXPECT_EQ(Sent([&] { cached_.Update(map).OrExit(); }), 1U);
    EXPECT_EQ(Color(), "red");
    EXPECT_EQ(Counted("update"), "1");
  });
}

TEST_F(MatchBeforeWrite, UpdateOfAnotherVersion_IsSent) {
  Run([&] {
    ConfigMap::Mutable map = Made();
    const ConfigMap::Mutable old = map;
    Theirs(R"({"data":{"size":"9"}})");
    EXPECT_EQ(Sent([&] {
                const auto refused = cached_.Update(old);
                ASSERT_FALSE(refused.ok());
                EXPECT_EQ(refused.error().reason(), Reason::kConflict);
              }),
              1U);
    map = Copy();
    map.metadata.resourceVersion.clear();
    EXPECT_EQ(Sent([&] { cached_.Update(map).OrExit(); }), 1U) << "without a version";
  });
}

// The cache still has the old color, which is what is wanted.
TEST_F(MatchBeforeWrite, OwnWriteThatTheCacheDoesNotShow_IsNoMatch) {
  Run([&] {
    server_.faults().Add({.verb = "watch",
                          .resource = "configmaps",
                          .action = FaultAction::kDrip,
                          .delay = seconds(2)});
    Made();
    cached_.Patch<ConfigMap>(kName, {.body = R"({"data":{"color":"red"}})"}).OrExit();
    EXPECT_EQ(Sent([&] {
                cached_.Patch<ConfigMap>(kName, {.body = R"({"data":{"color":"blue"}})"}).OrExit();
              }),
              1U);
    EXPECT_EQ(Color(), "blue");
  });
}

TEST_F(MatchBeforeWrite, Patches_OfWhatIsThere_AreNotSent) {
  Run([&] {
    const auto version = Made().metadata.resourceVersion;
    const auto sent = [&](PatchType type, const std::string& body) {
      return Sent([&] { cached_.Patch<ConfigMap>(kName, {type, body}).OrExit(); });
    };
    EXPECT_EQ(sent(PatchType::kMergePatch, R"({"data":{"color":"blue","gone":null}})"), 0U);
    EXPECT_EQ(sent(PatchType::kMergePatch, R"({"data":{"color":"blue","gone":null}})"), 0U);
    EXPECT_EQ(sent(PatchType::kStrategicMerge, R"({"data":{"color":"blue"}})"), 0U);
    const std::string replace = R"([{"op":"replace","path":"/data/color","value":"blue"}])";
    EXPECT_EQ(sent(PatchType::kJsonPatch, replace), 0U);
    EXPECT_EQ(Counted("patch"), "4");
    EXPECT_EQ(sent(PatchType::kMergePatch, R"({"data":{"size":"9"}})"), 1U);
    EXPECT_NE(Copy().metadata.resourceVersion, version);
  });
}

TEST_F(MatchBeforeWrite, Apply_OfWhatIsApplied_IsNotSent) {
  Run([&] {
    const auto apply = [&](const std::string& color) {
      return Sent([&] { cached_.Apply(Map(color), {.fieldManager = "me"}).OrExit(); });
    };
    Made();
    EXPECT_EQ(apply("blue"), 1U) << "the color has to get its owner";
    static_cast<void>(Color());  // the cache has it
    EXPECT_EQ(apply("blue"), 0U);
    EXPECT_EQ(apply("blue"), 0U);
    Theirs(R"({"data":{"size":"9"}})");
    EXPECT_EQ(apply("blue"), 0U) << "fields of others do not matter";
    Theirs(R"({"data":{"color":"red"}})");
    EXPECT_EQ(
        Sent([&] { cached_.Apply(Map("blue"), {.fieldManager = "me", .force = true}).OrExit(); }),
        1U);
    EXPECT_EQ(Color(), "blue");
    EXPECT_EQ(Counted("apply"), "3");
  });
}

TEST_F(MatchBeforeWrite, ApplyThatChangesOnlyTheOwner_IsSent) {
  Run([&] {
    Made();
    cached_.Apply(Map("blue"), {.fieldManager = "me"}).OrExit();
    static_cast<void>(Color());
    EXPECT_EQ(Sent([&] { cached_.Apply(Map("blue"), {.fieldManager = "you"}).OrExit(); }), 1U);
    ConfigMap::Mutable nothing = Map("");
    nothing.data.clear();
    static_cast<void>(Color());
    EXPECT_EQ(Sent([&] { cached_.Apply(nothing, {.fieldManager = "me"}).OrExit(); }), 1U)
        << "the color is no longer applied";
  });
}

// The entry names the arguments as one field. Only an answer of the server tells that they are.
TEST_F(MatchBeforeWrite, ApplyWithAnAtomicList_IsLearnedFromTheFirstAnswer) {
  Run([&] {
    Deployment::Mutable web;
    web.metadata.namespace_ = "default";
    web.metadata.name = "web";
    const std::map<std::string, std::string> labels{{"app", "web"}};
    web.spec.selector.emplace().matchLabels = labels;
    web.spec.template_.metadata.labels = labels;
    web.spec.template_.spec.containers.push_back({.name = "web", .image = "web:1", .args = {"-v"}});
    const auto apply = [&] {
      return Sent([&] { cached_.Apply(web, {.fieldManager = "me"}).OrExit(); });
    };
    const auto scale = [&](const char* replicas) {
      client_.For<Deployment>("default")
          .Patch("web", {.body = std::string(R"({"spec":{"replicas":)") + replicas + "}}"})
          .OrExit();
      sim_.env().SleepFor(seconds(1));
    };
    static_cast<void>(cached_.List<Deployment>());
    EXPECT_EQ(apply(), 1U);
    sim_.env().SleepFor(seconds(1));
    EXPECT_EQ(apply(), 0U);
    scale("2");
    EXPECT_EQ(apply(), 0U);
    cached_ = DelegatingClient(client_, factory_);  // has learned nothing yet
    EXPECT_EQ(apply(), 1U);
    scale("3");
    EXPECT_EQ(apply(), 0U);
  });
}

TEST_F(MatchBeforeWrite, DryRuns_AreSent) {
  Run([&] {
    const ConfigMap::Mutable map = Made();
    EXPECT_EQ(Sent([&] { cached_.Update(map, {.dryRun = {"All"}}).OrExit(); }), 1U);
    EXPECT_EQ(Sent([&] {
                cached_.Patch<ConfigMap>(kName, {.body = "{}"}, {.dryRun = {"All"}}).OrExit();
              }),
              1U);
    const DelegatingClient dry(client_, factory_, {.dry_run = true});
    EXPECT_EQ(Sent([&] { dry.Update(map).OrExit(); }), 1U);
  });
}

TEST_F(MatchBeforeWrite, SwitchedOff_AllAreSent) {
  Use({}, {.match_before_write = false});
  Run([&] {
    const ConfigMap::Mutable map = Made();
    EXPECT_EQ(Sent([&] { cached_.Update(map).OrExit(); }), 1U);
    EXPECT_EQ(Sent([&] { cached_.Patch<ConfigMap>(kName, {.body = "{}"}).OrExit(); }), 1U);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Sent([&] { cached_.Apply(Map("blue"), {.fieldManager = "me"}).OrExit(); }), 1U);
    }
  });
}

TEST_F(MatchBeforeWrite, ClientThatDoesNotWaitForItsWrites_SendsAll) {
  Use({}, {.read_your_writes_timeout = seconds(0)});
  Run([&] {
    const ConfigMap::Mutable map = Made();
    EXPECT_EQ(Sent([&] { cached_.Update(map).OrExit(); }), 1U);
  });
}

TEST_F(MatchBeforeWrite, WithoutACache_AllAreSent) {
  Run([&] {
    const Ref<ConfigMap> made = client_.For<ConfigMap>("default").Create(Map("blue")).OrExit();
    const ConfigMap::Mutable map = made->DeepCopy();
    EXPECT_EQ(Sent([&] { cached_.Update(map).OrExit(); }), 1U) << "and no informer is made";
    static_cast<void>(cached_.GetMetadata<ConfigMap>(kName).OrExit());
    EXPECT_EQ(Sent([&] { cached_.Update(map).OrExit(); }), 1U) << "only the metadata";
  });
}

TEST_F(MatchBeforeWrite, TransformedCache_IsNotReliedOn) {
  Use({.transform = TransformOf<ConfigMap>([](const Ref<ConfigMap>& map) {
         ConfigMap::Mutable less = map->DeepCopy();
         less.data.clear();
         return WithContent(map, less);
       })});
  Run([&] {
    const ConfigMap::Mutable map = Made();
    EXPECT_TRUE(map.data.empty());
    EXPECT_EQ(Sent([&] { static_cast<void>(cached_.Update(map)); }), 1U)
        << "the server still has the data";
  });
}

TEST_F(MatchBeforeWrite, CacheWithoutManagedFields_MatchesAllButApplies) {
  Use({.drop_managed_fields = true});
  Run([&] {
    Made();
    cached_.Apply(Map("blue"), {.fieldManager = "me"}).OrExit();
    ConfigMap::Mutable map = Copy();
    EXPECT_EQ(Sent([&] { cached_.Update(map).OrExit(); }), 0U);
    Theirs(R"({"data":{"size":"9"}})");
    EXPECT_EQ(Sent([&] { cached_.Apply(Map("blue"), {.fieldManager = "me"}).OrExit(); }), 1U);
    EXPECT_EQ(Sent([&] { cached_.Apply(Map("blue"), {.fieldManager = "me"}).OrExit(); }), 0U)
        << "the answer has told that it changes nothing";
  });
}

TEST_F(MatchBeforeWrite, ObjectThatIsBeingDeleted_IsSent) {
  Run([&] {
    ConfigMap::Mutable map = Map("blue");
    map.metadata.finalizers = {"example.com/keep"};
    client_.For<ConfigMap>("default").Create(map).OrExit();
    static_cast<void>(Color());
    cached_.Delete<ConfigMap>(kName).OrExit();
    map = Copy();
    EXPECT_TRUE(map.metadata.deletionTimestamp.has_value());
    EXPECT_EQ(Sent([&] { cached_.Update(map).OrExit(); }), 1U);
  });
}

TEST_F(MatchBeforeWrite, StatusAndRunTimeKinds_Match) {
  Use({}, {.cache_unstructured = true});
  Run([&] {
    const RestMapping maps{{"", "v1", "configmaps"}, {"", "v1", "ConfigMap"}, true};
    client_.For<ConfigMap>("default").Create(Map("blue")).OrExit();
    const Ref<Unstructured> there = cached_.Get(maps, kName).OrExit();
    json::Value map = there->DeepCopy();
    EXPECT_EQ(Sent([&] { cached_.Update(maps, map).OrExit(); }), 0U);
    EXPECT_EQ(Sent([&] {
                cached_.Patch(maps, kName, {.body = R"({"data":{"color":"blue"}})"}).OrExit();
              }),
              0U);
    map.Ensure("data").Set("color", "red");
    EXPECT_EQ(Sent([&] { cached_.Update(maps, map).OrExit(); }), 1U);

    corev1::Pod::Mutable pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = "web-0";
    pod.spec.containers.push_back({.name = "web", .image = "web:1"});
    client_.For<corev1::Pod>("default").Create(pod).OrExit();
    const Ref<corev1::Pod> web = cached_.Get<corev1::Pod>({"default", "web-0"}).OrExit();
    pod = web->DeepCopy();
    EXPECT_EQ(Sent([&] { cached_.UpdateStatus(pod).OrExit(); }), 0U);
    pod.status.phase = "Running";
    EXPECT_EQ(Sent([&] { cached_.UpdateStatus(pod).OrExit(); }), 1U);
  });
}

TEST_F(MatchBeforeWrite, Coroutines_DoTheSame) {
  Run([&] {
    const ConfigMap::Mutable map = Made();
    const AsyncDelegatingClient awaited(cached_);
    const auto writes = [](const AsyncDelegatingClient& client,
                           const ConfigMap::Mutable& same) -> Task<Result<void>> {
      const auto updated = co_await client.Update(same);
      if (!updated) co_return updated.error();
      const ObjectName name = kName;
      const Patch patch{.body = R"({"data":{"color":"blue"}})"};
      const auto patched = co_await client.Patch<ConfigMap>(name, patch);
      if (!patched) co_return patched.error();
      const ConfigMap::Mutable blue = Map("blue");
      const ApplyOptions as_me{.fieldManager = "me"};
      const auto applied = co_await client.Apply(blue, as_me);
      if (!applied) co_return applied.error();
      co_return Result<void>();
    };
    EXPECT_EQ(Sent([&] { BlockOn(sim_.env(), writes(awaited, map)).OrExit(); }), 1U);
    const ConfigMap::Mutable now = Copy();
    EXPECT_EQ(Sent([&] { BlockOn(sim_.env(), writes(awaited, now)).OrExit(); }), 0U);
  });
}

TEST_F(MatchBeforeWrite, CreateOrUpdate_ThatChangesNothing_IsNotSent) {
  Run([&] {
    Made();
    EXPECT_EQ(Sent([&] {
                controllerutil::CreateOrUpdate(ForResource<ConfigMap>(cached_, "default"),
                                               kName.name,
                                               [](ConfigMap::Mutable& map) {
                                                 map.data["color"] = "blue";
                                                 return Result<void>();
                                               })
                    .OrExit();
              }),
              0U);
  });
}

TEST_F(MatchBeforeWrite, PartOfAnObjectOfAnotherKind_IsSent) {
  Run([&] {
    static_cast<void>(cached_.List<Deployment>());
    Deployment::Mutable web;
    web.metadata.namespace_ = "default";
    web.metadata.name = "web";
    web.spec.replicas = 1;
    const std::map<std::string, std::string> labels{{"app", "web"}};
    web.spec.selector.emplace().matchLabels = labels;
    web.spec.template_.metadata.labels = labels;
    web.spec.template_.spec.containers.push_back({.name = "web", .image = "web:1"});
    client_.For<Deployment>("default").Create(web).OrExit();
    static_cast<void>(cached_.Get<Deployment>({"default", "web"}));
    EXPECT_EQ(Sent([&] {
                static_cast<void>(cached_.SubResource("scale").Patch<Deployment>(
                    {"default", "web"}, {.body = R"({"spec":{"replicas":1}})"}));
              }),
              1U);
  });
}

}  // namespace
}  // namespace kinformer::testing
