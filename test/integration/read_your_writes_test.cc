// Read-your-own-writes of a DelegatingClient: each promise of its header, with watches that lag.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/delegating_client.h"

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
  // A cache of config maps that is synced and lags.
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

TEST_F(ReadYourWritesTest, AfterFiveSecondsTheReadIsStale) {
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
    // The reconcile's deadline, or the call's, comes first.
    const DelegatingClient bounded = cached_.WithDeadline(sim_.env().Now() + seconds(1));
    EXPECT_EQ(TimeOf([&] { map = bounded.Get<ConfigMap>(Named("a")); }), seconds(1));
    EXPECT_EQ(map.error().reason(), Reason::kStale);
    EXPECT_EQ(TimeOf([&] { map = cached_.Get<ConfigMap>(Named("a"), {.timeout = seconds(2)}); }),
              seconds(2));
    EXPECT_EQ(map.error().reason(), Reason::kStale);
    // It comes, and then all is well.
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

}  // namespace
}  // namespace kinformer::testing
