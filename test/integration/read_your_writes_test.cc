// Read-your-own-writes of a DelegatingClient: each guarantee of its header, with lagging watches.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/client/discovery.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/object/object.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReadYourWritesTest : public DelegatingClientTest {
 protected:
  // Makes a cache of ConfigMaps that is synced and lags.
  void Synced() {
    Lag("configmaps");
    ASSERT_EQ(NamesOf(cached_.List<ConfigMap>({.namespace_ = "default"})),
              std::vector<std::string>());
  }
};

TEST_F(ReadYourWritesTest, AGetWaitsForTheWritesOfItsKey) {
  Run([&] {
    Synced();
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "NotFound") << "the watch lags";
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue") << "it is the cache that was read";

    ASSERT_TRUE(cached_.Update(Map("a", "red")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "red");

    ASSERT_TRUE(
        cached_.Patch<ConfigMap>(Named("a"), {.body = R"({"data":{"color":"green"}})"}).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "green");

    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "green");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
  });
}

TEST_F(ReadYourWritesTest, OtherKeysDoNotWait) {
  Run([&] {
    ASSERT_TRUE(cached_.Create(Map("other")).ok());
    Lag("configmaps");
    ASSERT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("other"))), "blue");
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    EXPECT_EQ(TimeOf([&] {
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("other"))), "blue");
                EXPECT_EQ(NamesOf(cached_.List<ConfigMap>({.namespace_ = "kube-system"})),
                          std::vector<std::string>());
              }),
              Duration(0));
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "NotFound");
  });
}

// Reads do not wait for objects that the selectors of their namespace exclude.
TEST_F(ReadYourWritesTest, TheSelectorsOfItsNamespaceSayWhatIsWaitedFor) {
  const LabelSelector web = LabelSelector::Parse("app=web").OrExit();
  const auto labeled = [](const std::string& name, const std::string& app,
                          const std::string& namespace_ = "default") {
    ConfigMap::Mutable map = Map(name, "blue", namespace_);
    map.metadata.labels["app"] = app;
    return map;
  };
  Run([&] {
    Lag("configmaps");
    Use({.by_namespace = {{"default", {.label_selector = web}}, {"", {}}}});
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    ASSERT_TRUE(cached_.Create(labeled("a", "db")).ok());
    EXPECT_EQ(TimeOf([&] { EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "OutOfScope"); }),
              Duration(0));
    ASSERT_TRUE(cached_.Create(labeled("a", "db", "kube-public")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>({"kube-public", "a"})), "NotFound") << "the watch lags";
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>({"kube-public", "a"})), "blue");
    ASSERT_TRUE(cached_.Create(labeled("b", "web")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("b"))), "OutOfScope");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("b"))), "blue");
    // The object is no longer selected: the read waits until the cache has removed it.
    ASSERT_TRUE(cached_.Update(labeled("b", "db")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("b"))), "blue");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("b"))), "OutOfScope");
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.namespace_ = "default"})), IsEmpty());
    ASSERT_TRUE(cached_.Delete<ConfigMap>({"kube-public", "a"}).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>({"kube-public", "a"})), "NotFound");
  });
}

TEST_F(ReadYourWritesTest, AListWaitsForTheWritesOfItsType) {
  Run([&] {
    Synced();
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    ASSERT_TRUE(cached_.Create(Map("b")).ok());
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.namespace_ = "default"})), ElementsAre("a", "b"));
    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("b"));
  });
}

TEST_F(ReadYourWritesTest, ReadAfterFiveSeconds_IsStale) {
  Run([&] {
    Lag("configmaps", seconds(60));
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    Result<Ref<ConfigMap>> map = Error(Reason::kUnknown, "");
    EXPECT_EQ(TimeOf([&] { map = cached_.Get<ConfigMap>(Named("a")); }), seconds(5));
    ASSERT_FALSE(map.ok());
    EXPECT_EQ(map.error().reason(), Reason::kStale);
    EXPECT_THAT(map.error().message(), HasSubstr("default/a"));
    EXPECT_EQ(cached_.List<ConfigMap>().error().reason(), Reason::kStale);
    // The deadline of the reconcile or of the call comes first.
    const DelegatingClient bounded = cached_.WithDeadline(sim_.env().Now() + seconds(1));
    EXPECT_EQ(TimeOf([&] { map = bounded.Get<ConfigMap>(Named("a")); }), seconds(1));
    EXPECT_EQ(map.error().reason(), Reason::kStale);
    EXPECT_EQ(TimeOf([&] { map = cached_.Get<ConfigMap>(Named("a"), {.timeout = seconds(2)}); }),
              seconds(2));
    EXPECT_EQ(map.error().reason(), Reason::kStale);
    // The event arrives, and the read succeeds.
    sim_.env().SleepFor(seconds(60));
    EXPECT_EQ(TimeOf([&] { map = cached_.Get<ConfigMap>(Named("a")); }), seconds(0));
    EXPECT_EQ(ColorOf(map), "blue");
  });
}

TEST_F(ReadYourWritesTest, StopEndsAWait) {
  Run([&] {
    Lag("configmaps", seconds(60));
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    for (const bool with_call : {false, true}) {
      std::stop_source stop;
      const Timer timer =
          sim_.env().loop().RunAt(sim_.env().Now() + seconds(1), [&stop] { stop.request_stop(); });
      Result<Ref<ConfigMap>> map = Error(Reason::kUnknown, "");
      EXPECT_EQ(TimeOf([&] {
                  map = with_call
                            ? cached_.Get<ConfigMap>(Named("a"), {.stop = stop.get_token()})
                            : cached_.WithStopToken(stop.get_token()).Get<ConfigMap>(Named("a"));
                }),
                seconds(1));
      EXPECT_EQ(map.error().reason(), Reason::kCanceled);
    }
  });
}

TEST_F(ReadYourWritesTest, OnALoopItWouldDeadlock) {
  Run([&] {
    Synced();
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    Result<Ref<ConfigMap>> of_key = Error(Reason::kUnknown, "");
    Result<Ref<ConfigMap>> of_other = Error(Reason::kUnknown, "");
    Result<std::vector<Ref<ConfigMap>>> list = Error(Reason::kUnknown, "");
    bool done = false;
    sim_.env().loop().Post([&] {
      of_key = cached_.Get<ConfigMap>(Named("a"));
      of_other = cached_.Get<ConfigMap>(Named("b"));
      list = cached_.List<ConfigMap>();
      done = true;
    });
    while (!done) sim_.env().SleepFor(milliseconds(1));
    EXPECT_EQ(of_key.error().reason(), Reason::kWouldDeadlock);
    EXPECT_EQ(of_other.error().reason(), Reason::kNotFound) << "nothing to wait for";
    EXPECT_EQ(list.error().reason(), Reason::kWouldDeadlock);
  });
}

TEST_F(ReadYourWritesTest, SettledWritesLeaveWithTheEvent) {
  Run([&] {
    Synced();
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(cached_.Create(Map("m" + std::to_string(i))).ok());
    }
    EXPECT_GT(cached_.UnseenWrites(), 0U);
    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("m0")).ok());
    sim_.env().SleepFor(2 * kLag);
    EXPECT_EQ(cached_.UnseenWrites(), 0U) << "though nobody has read";
  });
}

TEST_F(ReadYourWritesTest, DryRunsAreNotWaitedFor) {
  Run([&] {
    Synced();
    ASSERT_TRUE(cached_.Create(Map("a"), {.dryRun = {"All"}}).ok());
    EXPECT_EQ(TimeOf([&] { EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound"); }),
              Duration(0));
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    ASSERT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    ASSERT_TRUE(cached_.Update(Map("a", "red"), {.dryRun = {"All"}}).ok());
    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("a"), {.dryRun = {"All"}}).ok());
    ASSERT_TRUE(
        cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default"}, {.dryRun = {"All"}}).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
  });
}

TEST_F(ReadYourWritesTest, OnlyWhatTheSelectorsSelectIsWaitedFor) {
  Run([&] {
    Use({.label_selector = LabelSelector::Parse("app=web").OrExit(),
         .field_selector = FieldSelector::Parse("metadata.name!=never").OrExit()});
    Synced();
    ConfigMap::Mutable selected = Map("a");
    selected.metadata.labels["app"] = "web";
    EXPECT_EQ(TimeOf([&] {
                ASSERT_TRUE(cached_.Create(Map("other")).ok());
                ConfigMap::Mutable never = selected;
                never.metadata.name = "never";
                ASSERT_TRUE(cached_.Create(never).ok());
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("other"))), "OutOfScope");
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("never"))), "OutOfScope");
                EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), IsEmpty());
              }),
              Duration(0));
    ASSERT_TRUE(cached_.Create(selected).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    // An object that is no longer selected: reads wait until the cache has removed it.
    ASSERT_TRUE(cached_.Update(Map("a")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "OutOfScope");
    selected.metadata.name = "b";
    ASSERT_TRUE(cached_.Create(selected).ok());
    ASSERT_TRUE(cached_.Update(Map("b")).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("b"))), "OutOfScope");
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

TEST_F(ReadYourWritesTest, OnlyWhatIsInTheNamespacesIsWaitedFor) {
  Run([&] {
    Use({.namespaces = {"default", "kube-public"}});
    Lag("configmaps");
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    ASSERT_TRUE(cached_.Create(Map("a", "blue", "kube-system")).ok());
    EXPECT_EQ(TimeOf([&] {
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>({"kube-system", "a"})), "OutOfScope");
                EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), IsEmpty());
              }),
              Duration(0));
    ASSERT_TRUE(cached_.Create(Map("b", "blue", "kube-public")).ok());
    EXPECT_EQ(TimeOf([&] {
                EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.namespace_ = "default"})), IsEmpty());
              }),
              Duration(0));
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("b"));
  });
}

TEST_F(ReadYourWritesTest, ADeleteIsSeenAsADeletionTimestamp) {
  Run([&] {
    Synced();
    ConfigMap::Mutable kept = Map("a");
    kept.metadata.finalizers = {"example.com/keep"};
    ASSERT_TRUE(cached_.Create(kept).ok());
    ASSERT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    const auto deleting = cached_.Get<ConfigMap>(Named("a")).OrExit();
    EXPECT_TRUE(deleting->metadata().deletionTimestamp().has_value());
    // A patch that removes the last finalizer removes the object.
    ASSERT_TRUE(
        cached_.Patch<ConfigMap>(Named("a"), {.body = R"({"metadata":{"finalizers":null}})"}).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

// kube-apiserver answers with the object as it was sent, with its previous version.
TEST_F(ReadYourWritesTest, FinalizerRemovalAnsweredWithOldVersion_IsAwaited) {
  Run([&] {
    Synced();
    ConfigMap::Mutable kept = Map("a");
    kept.metadata.finalizers = {"example.com/keep"};
    ASSERT_TRUE(cached_.Create(kept).ok());
    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    const auto deleting = cached_.Get<ConfigMap>(Named("a")).OrExit();
    json::Value answer = json::Parse(Object(deleting.object().get()).ToJson()).OrExit();
    answer.Ensure("metadata").Erase("finalizers");
    const kinformer::Patch remove{.body = R"({"metadata":{"finalizers":null}})"};
    ASSERT_TRUE(client_.For<ConfigMap>("default").Patch("a", remove).ok());
    server_.faults().Add({.verb = "patch",
                          .action = apiserver::FaultAction::kRespond,
                          .count = 1,
                          .status = 200,
                          .text = answer.Dump(),
                          .content_type = "application/json"});
    ASSERT_TRUE(cached_.Patch<ConfigMap>(Named("a"), remove).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
  });
}

TEST_F(ReadYourWritesTest, ADeleteIsSeenAsAnotherObject) {
  Run([&] {
    Synced();
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    const auto first = cached_.Get<ConfigMap>(Named("a")).OrExit();
    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    const ResourceClient<ConfigMap> other = client_.For<ConfigMap>("default");
    ASSERT_TRUE(other.Create(Map("a", "green")).ok());
    const auto second = cached_.Get<ConfigMap>(Named("a")).OrExit();
    EXPECT_NE(second->metadata().uid(), first->metadata().uid());
    EXPECT_EQ(second->data()["color"], "green");
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

// The cache has not seen the object yet, and must not show it after the deletion either.
TEST_F(ReadYourWritesTest, ADeleteOfWhatTheCacheHasNotSeen) {
  Run([&] {
    // The whole create event arrives while the deletion is still on its way.
    server_.faults().Add({.verb = "watch",
                          .action = apiserver::FaultAction::kDrip,
                          .delay = milliseconds(500),
                          .chunk_bytes = 200});
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    ASSERT_TRUE(client_.For<ConfigMap>("default").Create(Map("a")).ok());
    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    EXPECT_EQ(TimeOf([&] { EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound"); }),
              Duration(0));
    bool shown = false;
    for (int i = 0; i < 100; ++i) {
      shown = shown || InCache<ConfigMap>(Named("a")).ok();
      if (i % 2 == 0) {
        EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
      } else {
        EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), IsEmpty());
      }
      sim_.env().SleepFor(milliseconds(100));
    }
    EXPECT_TRUE(shown) << "the cache itself has shown it for a while";
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

TEST_F(ReadYourWritesTest, AnAnswerWithoutAVersionIsSettledByAGet) {
  Run([&] {
    Synced();
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    ASSERT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    const auto answer_without_version = [&] {
      server_.faults().Add({.verb = "patch",
                            .action = apiserver::FaultAction::kRespond,
                            .count = 1,
                            .status = 200,
                            .text = R"({"apiVersion":"v1","kind":"ConfigMap",)"
                                    R"("metadata":{"name":"a","namespace":"default"}})",
                            .content_type = "application/json"});
      ASSERT_TRUE(cached_.Patch<ConfigMap>(Named("a"), {.body = R"({"data":{"size":"9"}})"}).ok());
    };
    ASSERT_TRUE(client_.For<ConfigMap>("default").Update(Map("a", "red")).ok());
    answer_without_version();
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "red");
    // The object may be deleted by then.
    ASSERT_TRUE(client_.For<ConfigMap>("default").Delete("a").ok());
    answer_without_version();
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "red");
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
  });
}

TEST_F(ReadYourWritesTest, ADeletionOfManyMarksWhatTheCacheHas) {
  Run([&] {
    Synced();
    for (const char* name : {"a", "b", "kept"}) {
      ConfigMap::Mutable map = Map(name);
      map.metadata.labels["app"] = name == std::string("kept") ? "db" : "web";
      if (name == std::string("b")) map.metadata.finalizers = {"example.com/keep"};
      ASSERT_TRUE(cached_.Create(map).ok());
    }
    ASSERT_EQ(NamesOf(cached_.List<ConfigMap>()).size(), 3U);
    // Also an object that was written but is not in the cache yet.
    ConfigMap::Mutable late = Map("late");
    late.metadata.labels["app"] = "web";
    ASSERT_TRUE(cached_.Create(late).ok());
    const ReadOptions web{.namespace_ = "default",
                          .label_selector = LabelSelector::Parse("app=web").OrExit()};
    ASSERT_TRUE(cached_.DeleteAllOf<ConfigMap>(web).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue");
    EXPECT_EQ(TimeOf([&] { EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("kept"))), "blue"); }),
              Duration(0));
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
    const auto deleting = cached_.Get<ConfigMap>(Named("b")).OrExit();
    EXPECT_TRUE(deleting->metadata().deletionTimestamp().has_value());
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("b", "kept"));
    // An object that is being deleted does not change, so reads do not wait for it.
    ASSERT_TRUE(cached_.DeleteAllOf<ConfigMap>(web).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

TEST_F(ReadYourWritesTest, RestoredServer_EndsTheWait) {
  Run([&] {
    Lag("configmaps", seconds(60));
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    const auto backup = server_.With(
        [](apiserver::ApiServer& server) { return server.current_resource_version(); });
    ASSERT_TRUE(cached_.Create(Map("seen")).ok());
    sim_.env().SleepFor(seconds(61));
    ASSERT_EQ(ColorOf(InCache<ConfigMap>(Named("seen"))), "blue") << "so it notices";
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(cached_.Create(Map("lost" + std::to_string(i))).ok());
    }
    server_.faults().Clear();
    ASSERT_TRUE(
        server_.With([&](apiserver::ApiServer& server) { return server.Restore(backup); }).ok());
    server_.transport()->Down();
    server_.transport()->Up();
    const auto map = cached_.Get<ConfigMap>(Named("lost7"), {.timeout = seconds(120)});
    ASSERT_FALSE(map.ok());
    EXPECT_EQ(map.error().reason(), Reason::kEpochChanged) << map.error();
    sim_.env().SleepFor(seconds(5));
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("lost7"))), "NotFound") << "nobody waits again";
    EXPECT_EQ(log_->Count("the server went back in time: nobody waits"), 1U);
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue") << "of the new history";
  });
}

TEST_F(ReadYourWritesTest, AnAnswerNeverHidesSomethingNewer) {
  Run([&] {
    Synced();
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    ASSERT_TRUE(client_.For<ConfigMap>("default").Update(Map("a", "newer")).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "newer");
    // The answer arrives late, when the cache has a later version.
    const auto delayed = server_.faults().Add(
        {.verb = "update", .action = apiserver::FaultAction::kDelay, .count = 1, .delay = kLag});
    ASSERT_TRUE(cached_.Update(Map("a", "mine")).ok());
    EXPECT_EQ(server_.faults().hits(delayed), 1U);
    ASSERT_TRUE(client_.For<ConfigMap>("default").Update(Map("a", "newest")).ok());
    sim_.env().SleepFor(2 * kLag);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "newest");
  });
}

TEST_F(ReadYourWritesTest, WritesBeforeTheCache_AreSeen) {
  Run([&] {
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(cached_.Create(Map("m" + std::to_string(i))).ok());
    }
    // The first list returns an earlier state, and the watch sends later events with a delay.
    server_.faults().Add({.verb = "watch",
                          .only_initial_events = true,
                          .action = apiserver::FaultAction::kRespond,
                          .status = 400});
    server_.faults().Add(
        {.verb = "list", .action = apiserver::FaultAction::kStaleRead, .versions = 3});
    server_.faults().Add(
        {.verb = "watch", .action = apiserver::FaultAction::kDelay, .delay = kLag});
    EXPECT_EQ(NamesOf(cached_.List<ConfigMap>({.namespace_ = "default"})).size(), 5U);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("m4"))), "blue");
  });
}

TEST_F(ReadYourWritesTest, TypedDynamicAndMetadataReads_EachWaitForWrites) {
  Run([&] {
    Use({}, {.cache_unstructured = true});
    Lag("configmaps");
    const RestMapping mapping{{"", "v1", "configmaps"}, {"", "v1", "ConfigMap"}, true};
    ASSERT_TRUE(cached_.GetMetadata<ConfigMap>(Named("a")).error().reason() == Reason::kNotFound);
    ASSERT_TRUE(cached_.Get(mapping, Named("a")).error().reason() == Reason::kNotFound);
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    const auto metadata = cached_.GetMetadata<ConfigMap>(Named("a"));
    ASSERT_TRUE(metadata.ok()) << metadata.error();
    EXPECT_EQ((*metadata)->metadata().name(), "a");
    const auto dynamic = cached_.Get(mapping, Named("a"));
    ASSERT_TRUE(dynamic.ok()) << dynamic.error();
    json::Value changed = (*dynamic)->DeepCopy();
    changed.Ensure("data", "color") = "red";
    ASSERT_TRUE(cached_.Update(mapping, changed).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "red");
    ASSERT_TRUE(cached_.Delete(mapping, Named("a")).ok());
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), IsEmpty());
    EXPECT_EQ(cached_.ListMetadata<ConfigMap>().OrExit().size(), 0U);
    EXPECT_EQ(cached_.List(mapping).OrExit().size(), 0U);
  });
}

TEST_F(ReadYourWritesTest, UncachedReads_DoNotWait) {
  Run([&] {
    Use({.by_resource = {{ResourceOf<ConfigMap>(), {.cached = false}}}});
    Lag("configmaps");
    ASSERT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(TimeOf([&] {
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
                EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.namespace_ = "default"})),
                            ElementsAre("a"));
              }),
              Duration(0));
  });
}

TEST_F(ReadYourWritesTest, TimeoutZero_ReadsDoNotWait) {
  Run([&] {
    Use({}, {.read_your_writes_timeout = Duration(0)});
    Synced();
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

// A list waits for writes made before it, not for later ones.
TEST_F(ReadYourWritesTest, AListIsNotHeldUpByLaterWrites) {
  Run([&] {
    // The watch is slower than the writer, so the cache always lacks something.
    server_.faults().Add({.verb = "watch",
                          .action = apiserver::FaultAction::kDrip,
                          .delay = milliseconds(100),
                          .chunk_bytes = 300});
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    ASSERT_TRUE(cached_.Create(Map("first")).ok());
    std::stop_source stop;
    const auto writer = sim_.env().NewThread("writer", [&] {
      for (int i = 0; !stop.stop_requested(); ++i) {
        static_cast<void>(cached_.Create(Map("m" + std::to_string(i))));
        sim_.env().SleepFor(milliseconds(20));
      }
    });
    Result<std::vector<Ref<ConfigMap>>> list = Error(Reason::kUnknown, "");
    EXPECT_LE(TimeOf([&] { list = cached_.List<ConfigMap>(); }), seconds(1));
    EXPECT_TRUE(list.ok()) << list.error();
    EXPECT_GT(cached_.UnseenWrites(), 0U);
    stop.request_stop();
    writer->Join();
  });
}

TEST_F(ReadYourWritesTest, ManyUnseenWrites_AreKeptAsOneVersion) {
  Run([&] {
    Lag("configmaps", seconds(100));
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    int made = 0;
    const auto make = [&](int count) {
      for (int i = 0; i < count; ++i) {
        ASSERT_TRUE(cached_.Create(Map(std::to_string(made++))).ok());
      }
    };
    make(10'000);
    EXPECT_EQ(cached_.UnseenWrites(), 10'000U);
    make(1);
    EXPECT_EQ(cached_.UnseenWrites(), 1U);
    EXPECT_EQ(cached_.Get<ConfigMap>(Named("7")).error().reason(), Reason::kStale);
    // The version counts as one of as many again.
    make(9'999);
    EXPECT_EQ(cached_.UnseenWrites(), 10'000U);
    make(1);
    EXPECT_EQ(cached_.UnseenWrites(), 1U);
    make(50);
    EXPECT_EQ(cached_.UnseenWrites(), 51U);
    EXPECT_EQ(cached_.Get<ConfigMap>(Named("7")).error().reason(), Reason::kStale);
    EXPECT_EQ(cached_.Get<ConfigMap>(Named("20050")).error().reason(), Reason::kStale);
    sim_.env().SleepFor(seconds(100));
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("7"))), "blue");
  });
}

}  // namespace
}  // namespace kinformer::testing
