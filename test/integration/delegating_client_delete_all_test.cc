// Deletions of many objects by a DelegatingClient, and the reads that follow.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/controller/delegating_client.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DeletionsOfMany : public DelegatingClientTest {
 protected:
  void DeleteAll(const ReadOptions& which = {.namespace_ = "default"}) {
    const Result<void> done = cached_.DeleteAllOf<ConfigMap>(which);
    ASSERT_TRUE(done.ok()) << done.error();
  }
  void Deny(const std::string& verb) { server_.faults().Add({.verb = verb, .status = 403}); }
};

TEST_F(DeletionsOfMany, UnchangedObjects_AreNotReadOneByOne) {
  Run([&] {
    MakeFour();
    Lag("configmaps");
    ASSERT_THAT(NamesOf(cached_.List<ConfigMap>()), SizeIs(4));
    Deny("get");
    DeleteAll();
    EXPECT_EQ(log_->text(), "");
    EXPECT_EQ(cached_.UnseenWrites(), 2U);
    EXPECT_EQ(ColorOf(InCache<ConfigMap>(Named("a"))), "blue") << "the watch lags";
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("c", "d"));
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

TEST_F(DeletionsOfMany, EachCacheOfTheKind_IsWaitedFor) {
  Run([&] {
    MakeFour();
    Lag("configmaps");
    ASSERT_THAT(NamesOf(cached_.List<ConfigMap>()), SizeIs(4));
    factory_->MetadataInformerFor<ConfigMap>();
    ASSERT_THAT(cached_.ListMetadata<ConfigMap>().OrExit(), SizeIs(4));
    DeleteAll();
    EXPECT_THAT(cached_.ListMetadata<ConfigMap>().OrExit(), SizeIs(2));
    DeleteAll({.namespace_ = "kube-system"});
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), ElementsAre("d"));
    EXPECT_THAT(cached_.ListMetadata<ConfigMap>().OrExit(), SizeIs(1));
  });
}

TEST_F(DeletionsOfMany, OwnObjectThatTheCacheLacks_StaysHidden) {
  Run([&] {
    // The whole create event arrives while the deletion is still on its way.
    server_.faults().Add({.verb = "watch",
                          .action = FaultAction::kDrip,
                          .delay = milliseconds(500),
                          .chunk_bytes = 200});
    ASSERT_THAT(NamesOf(cached_.List<ConfigMap>()), IsEmpty());
    ASSERT_TRUE(cached_.Create(Map("a")).ok());
    DeleteAll();
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "NotFound");
      EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), IsEmpty());
      sim_.env().SleepFor(milliseconds(100));
    }
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
  });
}

// The cache is made between the request and its answer, and begins with an older state.
TEST_F(DeletionsOfMany, CacheMadeMeanwhile_IsWaitedFor) {
  Run([&] {
    Make("default", "a", "web");
    server_.faults().Add({.verb = "watch",
                          .only_initial_events = true,
                          .action = FaultAction::kRespond,
                          .status = 400});
    server_.faults().Add({.verb = "list", .action = FaultAction::kStaleRead, .versions = 1});
    server_.faults().Add({.verb = "watch", .action = FaultAction::kDelay, .delay = kLag});
    server_.faults().Add({.verb = "deletecollection",
                          .action = FaultAction::kDrip,
                          .count = 1,
                          .delay = seconds(3)});
    std::string color;
    const auto deleter = sim_.env().NewThread("deleter", [&] {
      DeleteAll();
      color = ColorOf(cached_.Get<ConfigMap>(Named("a")));
    });
    sim_.env().SleepFor(seconds(2));
    EXPECT_EQ(ColorOf(cached_.Get<ConfigMap>(Named("a"))), "blue") << "the list is older";
    deleter->Join();
    EXPECT_EQ(color, "NotFound");
  });
}

TEST_F(DeletionsOfMany, ClientThatNeverWaits_RecordsNothing) {
  Run([&] {
    MakeFour();
    Lag("configmaps");
    Use({}, {.read_your_writes_timeout = Duration(0)});
    ASSERT_THAT(NamesOf(cached_.List<ConfigMap>()), SizeIs(4));
    DeleteAll();
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    ASSERT_TRUE(cached_.Delete<ConfigMap>({"kube-system", "c"}).ok());
    EXPECT_EQ(cached_.UnseenWrites(), 0U);
    EXPECT_THAT(NamesOf(cached_.List<ConfigMap>()), SizeIs(4)) << "the watch lags";
  });
}

TEST_F(DeletionsOfMany, SelectorOfNothing_SendsNothing) {
  Run([&] {
    MakeFour();
    Deny("deletecollection");
    DeleteAll({.namespace_ = "default", .label_selector = LabelSelector::Nothing()});
    EXPECT_FALSE(cached_.DeleteAllOf<ConfigMap>({.namespace_ = "default"}).ok());
  });
}

}  // namespace
}  // namespace kinformer::testing
