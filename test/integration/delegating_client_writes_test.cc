// Writes that a DelegatingClient remembers: for caches that it has not read yet or that start
// later, for deletions of many objects, and the limits.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class UnseenWritesTest : public DelegatingClientTest {
 protected:
  // Starts an informer that is synced and lags, and that the client has not read.
  template <class T>
  void StartedByTheFactory(const std::string& resource, Duration lag = kLag) {
    Lag(resource, lag);
    factory_->InformerFor<T>();
    factory_->Start();
    ASSERT_TRUE(factory_->WaitForCacheSync().ok());
  }
  // Lists return an earlier state from now on, and watches send the later events with a delay.
  void ListsAreOld(std::int64_t versions) {
    server_.faults().Add({.verb = "watch",
                          .only_initial_events = true,
                          .action = FaultAction::kRespond,
                          .status = 400});
    server_.faults().Add({.verb = "list", .action = FaultAction::kStaleRead, .versions = versions});
    server_.faults().Add({.verb = "watch", .action = FaultAction::kDelay, .delay = kLag});
  }
  // The server applies the write at once but answers after the delay.
  void AnswersLate(const std::string& verb, Duration delay) {
    server_.faults().Add({.verb = verb, .action = FaultAction::kDrip, .count = 1, .delay = delay});
  }
  void DenyKubePublic() {
    for (const char* verb : {"list", "watch"}) {
      server_.faults().Add({.verb = verb,
                            .namespace_ = "kube-public",
                            .action = FaultAction::kRespond,
                            .status = 403});
    }
  }
  void MakeKept(const std::string& name) {
    ConfigMap::Mutable map = Map(name);
    map.metadata.finalizers = {"example.com/keep"};
    ASSERT_TRUE(client_.For<ConfigMap>("default").Create(map).ok());
  }
};

TEST_F(UnseenWritesTest, ADeleteBeforeTheFirstRead) {
  Run([&] {
    Make("default", "a", "web");
    StartedByTheFactory<ConfigMap>("configmaps");
    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue") << "the watch lags";
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

TEST_F(UnseenWritesTest, ADeleteTellsWhetherItsObjectStays) {
  Run([&] {
    MakeKept("a");
    Make("default", "b", "web");
    StartedByTheFactory<ConfigMap>("configmaps");
    const Deletion<ConfigMap> kept = cached_.DeleteForAnswer<ConfigMap>(Named("a")).OrExit();
    EXPECT_TRUE(kept.pending);
    ASSERT_TRUE(kept.object);
    EXPECT_EQ(kept.uid, kept.object->metadata().uid());
    const Ref<ConfigMap> read = cached_.Get<ConfigMap>(Named("a")).OrExit();
    EXPECT_TRUE(read->metadata().deletionTimestamp()) << "reads wait for it";

    const Deletion<Unstructured> gone = cached_.DeleteForAnswer(kMaps, Named("b")).OrExit();
    EXPECT_FALSE(gone.pending);
    EXPECT_FALSE(gone.object);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("b"))), "NotFound");
    EXPECT_TRUE(IsNotFound(cached_.DeleteForAnswer<ConfigMap>(Named("b")).error()));
  });
}

// It has worked: the code says so.
TEST_F(UnseenWritesTest, ADeleteWhoseAnswerIsUnreadableIsSeen) {
  Run([&] {
    Make("default", "a", "web");
    Make("default", "b", "web");
    StartedByTheFactory<ConfigMap>("configmaps");
    server_.faults().Add({.verb = "delete", .action = FaultAction::kGarbage, .text = "garbage"});
    EXPECT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
    EXPECT_EQ(cached_.DeleteForAnswer<ConfigMap>(Named("b")).error().reason(), Reason::kDecode);
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("b"))), "blue") << "the watch lags";
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("b"))), "NotFound");
  });
}

TEST_F(UnseenWritesTest, ADeletionOfManyBeforeTheFirstRead) {
  Run([&] {
    MakeFour();
    StartedByTheFactory<ConfigMap>("configmaps");
    ASSERT_TRUE(cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default"}).ok());
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue") << "the watch lags";
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("c", "d"));
  });
}

TEST_F(UnseenWritesTest, AnEvictionBeforeTheFirstRead) {
  Run([&] {
    Pod::Mutable pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = "p";
    pod.spec.containers.push_back({.name = "c", .image = "i"});
    ASSERT_TRUE(client_.For<Pod>("default").Create(pod).ok());
    StartedByTheFactory<Pod>("pods");
    policyv1::Eviction::Mutable eviction;
    eviction.deleteOptions.emplace().gracePeriodSeconds = 0;
    ASSERT_TRUE(cached_.SubResource("eviction").Create<Pod>(Named("p"), eviction).ok());
    EXPECT_TRUE(InCache<Pod>(Named("p")).ok()) << "the watch lags";
    EXPECT_EQ(cached_.Get<Pod>(Named("p")).error().reason(), Reason::kNotFound);
  });
}

TEST_F(UnseenWritesTest, UntypedDelete_IsSeenByTypedReads) {
  Run([&] {
    Make("default", "a", "web");
    StartedByTheFactory<ConfigMap>("configmaps");
    ASSERT_TRUE(cached_.Delete(kMaps, Named("a")).ok());
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
  });
}

// Another thread's read makes the cache, which is older than the write.
TEST_F(UnseenWritesTest, ACacheThatComesBetweenAWriteAndItsAnswer) {
  Run([&] {
    ListsAreOld(1);
    AnswersLate("create", seconds(3));
    const auto writer = sim_.env().NewThread("writer", [&] {
      ASSERT_TRUE(cached_.Create(Map("a")).ok());
      EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
    });
    sim_.env().SleepFor(seconds(2));
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("other"))), "NotFound");
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "NotFound") << "it lags";
    writer->Join();
  });
}

TEST_F(UnseenWritesTest, CacheReleased_WritesMeanwhileAreSeenByTheNextCache) {
  Run([&] {
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    factory_->Release(factory_->InformerFor<ConfigMap>());
    sim_.env().SleepFor(seconds(1));
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    ListsAreOld(1);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
  });
}

TEST_F(UnseenWritesTest, ObjectDeletedBeforeTheCache_IsNotFound) {
  Run([&] {
    Make("default", "a", "web");
    ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("a")).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 0U) << "no cache has to show it";
    ListsAreOld(1);
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), IsEmpty());
  });
}

// It matches, but was created after the deletion.
TEST_F(UnseenWritesTest, ObjectsCreatedDuringDeleteAllOf_AreNotAwaited) {
  Run([&] {
    Make("default", "a", "web");
    ASSERT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("a"));
    AnswersLate("deletecollection", seconds(3));
    const auto deleter = sim_.env().NewThread("deleter", [&] {
      ASSERT_TRUE(cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default"}).ok());
    });
    sim_.env().SleepFor(seconds(1));
    Make("default", "a", "web", "red");
    Make("default", "b", "web");
    sim_.env().SleepFor(seconds(1));
    ASSERT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "red") << "before the answer";
    deleter->Join();
    EXPECT_EQ(TimeOf([&] {
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "red");
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("b"))), "blue");
                EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("a", "b"));
              }),
              Duration(0));
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

TEST_F(UnseenWritesTest, ADeniedNamespaceHoldsUpNoOther) {
  Run([&] {
    DenyKubePublic();
    Use({.namespaces = {"default", "kube-public"}});
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    factory_->InformerFor<ConfigMap>();
    factory_->Start();
    sim_.env().SleepFor(seconds(1));
    EXPECT_EQ(TimeOf([&] {
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue");
                EXPECT_THAT(NamesOf(cached_.List<ConfigMap>({.namespace_ = "default"})),
                            ElementsAre("a"));
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>({"kube-system", "a"})), "OutOfScope");
              }),
              Duration(0));
    EXPECT_EQ(cached_.UnseenWrites(), 1U) << "the version is still to come in the other one";
  });
}

// The first read, when no namespace is cached yet.
TEST_F(UnseenWritesTest, ADeniedNamespaceHoldsUpNoFirstRead) {
  Run([&] {
    DenyKubePublic();
    Make("default", "a", "web");
    Use({.namespaces = {"default", "kube-public"}});
    factory_->InformerFor<ConfigMap>();
    factory_->Start();
    EXPECT_LE(TimeOf([&] { EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue"); }),
              seconds(1));
    const auto denied =
        cached_.WithDeadline(sim_.env().Now() + seconds(3)).Get<ConfigMap>({"kube-public", "a"});
    EXPECT_EQ(denied.error().reason(), Reason::kDeadlineExceeded);
  });
}

TEST_F(UnseenWritesTest, UnselectedWriteBeforeTheFirstRead_DelaysNoRead) {
  Run([&] {
    Make("default", "seen", "web");
    Use({.label_selector = Labels("app=web")});
    StartedByTheFactory<ConfigMap>("configmaps", seconds(60));
    ASSERT_TRUE(cached_.Create(Map("other")).ok());
    EXPECT_EQ(TimeOf([&] {
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("seen"))), "blue");
                EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("other"))), "OutOfScope");
                EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("seen"));
              }),
              Duration(0));
  });
}

// A read that waits for many writes keeps waiting when they are replaced by one version.
TEST_F(UnseenWritesTest, WaitingList_KeepsWaitingWhenWritesBecomeOneVersion) {
  Run([&] {
    Lag("configmaps", seconds(100));
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(cached_.Create(Map(std::to_string(i))).ok());
    ASSERT_EQ(cached_.UnseenWrites(), 10'000U);
    Result<std::vector<Ref<ConfigMap>>> list = Error(Reason::kUnknown, "");
    const auto reader = sim_.env().NewThread("reader", [&] { list = cached_.List<ConfigMap>(); });
    sim_.env().SleepFor(seconds(1));
    ASSERT_TRUE(cached_.Create(Map("last")).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 1U);
    reader->Join();
    ASSERT_FALSE(list.ok()) << list->size() << " objects";
    EXPECT_EQ(list.error().reason(), Reason::kStale);
  });
}

// The last answer has an older version: once it is a removal, whose answer may have the version
// that the object had before.
TEST_F(UnseenWritesTest, KeptVersion_IsTheNewestInAnyOrderOfAnswers) {
  Run([&] {
    for (const bool removal : {false, true}) {
      const std::string where = removal ? "kube-public" : "default";
      Use({.namespaces = {where}});
      // Only a few events arrive.
      server_.faults().Clear();
      server_.faults().Add({.verb = "watch",
                            .action = FaultAction::kDrip,
                            .delay = seconds(10),
                            .chunk_bytes = 1000});
      ASSERT_TRUE(cached_.List<ConfigMap>().ok());
      const auto first = cached_.Create(Map("first", "blue", where)).OrExit();
      for (int i = 0; i < 9'999; ++i) {
        ASSERT_TRUE(cached_.Create(Map(std::to_string(i), "blue", where)).ok());
      }
      json::Value answer = json::Parse(Object(first.object().get()).ToJson()).OrExit();
      answer.Set("apiVersion", "v1");
      answer.Set("kind", "ConfigMap");
      if (removal) answer.Ensure("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
      server_.faults().Add({.verb = "patch",
                            .action = FaultAction::kRespond,
                            .count = 1,
                            .status = 200,
                            .text = answer.Dump(),
                            .content_type = "application/json"});
      ASSERT_TRUE(cached_.Patch<ConfigMap>({where, "first"}, {.body = "{}"}).ok());
      if (removal) {
        ASSERT_TRUE(cached_.Create(Map("last", "blue", where)).ok());
      }
      EXPECT_LE(cached_.UnseenWrites(), 2U);
      sim_.env().SleepFor(seconds(60));
      EXPECT_EQ(ColorOf(InCache<ConfigMap>({where, "first"})), "blue");
      EXPECT_EQ(ColorOf(InCache<ConfigMap>({where, "5000"})), "NotFound");
      EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>({where, "5000"})), "Stale");
    }
  });
}

TEST_F(UnseenWritesTest, DeletionsAreKeptOncePerObject) {
  Run([&] {
    for (int i = 0; i < 9; ++i) Make("default", "m" + std::to_string(i), "web");
    MakeKept("kept");
    Lag("configmaps", hours(1));
    ASSERT_EQ(cached_.List<ConfigMap>().OrExit().size(), 10U);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default"}).ok());
    }
    EXPECT_EQ(cached_.UnseenWrites(), 10U);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(cached_.Delete<ConfigMap>(Named("kept")).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 11U);
    EXPECT_EQ(cached_.Get<ConfigMap>(Named("kept")).error().reason(), Reason::kStale);
    EXPECT_EQ(cached_.List<ConfigMap>().error().reason(), Reason::kStale);
  });
}

TEST_F(UnseenWritesTest, DeletionsOfWhatTheCacheNeverShowsAreBounded) {
  Run([&] {
    Lag("configmaps", hours(1));
    ASSERT_TRUE(cached_.List<ConfigMap>().ok());
    for (int i = 0; i < 20'100; ++i) {
      const std::string name = std::to_string(i);
      ASSERT_TRUE(cached_.Create(Map(name)).ok());
      ASSERT_TRUE(cached_.Delete<ConfigMap>(Named(name)).ok());
    }
    EXPECT_LE(cached_.UnseenWrites(), 20'000U);
  });
}

}  // namespace
}  // namespace kinformer::testing
