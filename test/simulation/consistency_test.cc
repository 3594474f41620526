// The consistency check: finds and repairs differences that no watch event shows, reports nothing
// else as a difference, and has the documented cost.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"

#include "simulation/consistency_fixture.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using apiserver::FaultRule;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(ConsistencyTest, ARestoredServerThatHasOvertakenIsHealedWithinAMinute) {
  Begin();
  RestoreAndOvertake();
  sim_.RunFor(seconds(5));
  ASSERT_FALSE(Equal()) << "the watch alone shows nothing of it";
  EXPECT_TRUE(sim_.RunUntil([this] { return Equal(); }, seconds(55)));
  EXPECT_EQ(Stats().gaps, 0U);
  EXPECT_EQ(Stats().status.epochs, 0U);
  EXPECT_EQ(Stats().inconsistencies, 1U);
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_NE(log_->lines.front().find("default/found"), std::string::npos) << log_->lines.front();
  EXPECT_NE(log_->lines.front().find("default/lost"), std::string::npos) << log_->lines.front();
  EXPECT_NE(metrics_->Text().find("informer_inconsistencies_total{name=\"configmaps\"} 1"),
            std::string::npos)
      << metrics_->Text();
  // No difference is found after the repair.
  sim_.RunFor(minutes(10));
  EXPECT_NE(metrics_->Text().find("informer_consistency_checks_total{name=\"configmaps\"} " +
                                  std::to_string(Stats().consistency_checks)),
            std::string::npos)
      << metrics_->Text();
  EXPECT_EQ(Stats().inconsistencies, 1U);
  EXPECT_GE(Stats().consistency_checks, 10U);
}

TEST_F(ConsistencyTest, EachOfSeveralNamespacesIsComparedWithItsOwnList) {
  for (int i = 0; i < 3; ++i) Put("elsewhere", "map-" + std::to_string(i), "first");
  Begin({.namespaces = {"default", "elsewhere"}});
  RestoreAndOvertake();
  sim_.RunFor(seconds(5));
  ASSERT_TRUE(sim_.RunUntil([this] { return Equal(); }, minutes(2)));
  std::string lines;
  for (const std::string& line : log_->lines) lines += line + "\n";
  // One object that only the list has, and one that only the cache has.
  for (const char* key : {"default/found", "default/lost"}) {
    EXPECT_NE(lines.find(key), std::string::npos) << key << " in " << lines;
  }
  const std::uint64_t found = Stats().inconsistencies;
  sim_.RunFor(minutes(10));
  EXPECT_EQ(Stats().inconsistencies, found);
}

// "default" is among the other namespaces, or has its own selector.
TEST_F(ConsistencyTest, NamespacesWithTheirOwnSelectorsAreComparedWithWhatTheySelect) {
  for (const std::string own : {"elsewhere", "default"}) {
    Put("elsewhere", "map-0", "first");
    BeginApart(own);
    RestoreAndOvertake();
    sim_.RunFor(seconds(5));
    ASSERT_TRUE(sim_.RunUntil([this] { return Equal(); }, minutes(2))) << own;
    std::string lines;
    for (const std::string& line : log_->lines) lines += line + "\n";
    for (const char* key : {"default/found", "default/lost"}) {
      EXPECT_NE(lines.find(key), std::string::npos) << key << " in " << lines;
    }
    // Objects that are not selected, or no longer selected, are not differences.
    const std::uint64_t found = Stats().inconsistencies;
    Put(own, "hidden", "hidden");
    Put(own, "map-0", "hidden");
    sim_.RunFor(minutes(10));
    EXPECT_EQ(Stats().inconsistencies, found) << own;
    EXPECT_GE(Stats().consistency_checks, 20U);
    EXPECT_FALSE(Cached().contains(own + "/hidden"));
    EXPECT_FALSE(Cached().contains(own + "/map-0"));
    informer_->Stop();
    sim_.RunReady();
    informer_.reset();
    factory_.reset();
    log_->lines.clear();
    for (const char* name : {"hidden", "map-0"}) {
      server_.Delete(kConfigMaps, {own, name}).OrExit();
    }
    server_.Delete(kConfigMaps, {"default", "found"}).OrExit();
  }
}

TEST_F(ConsistencyTest, ObjectsLeftOut_AreNoDifference) {
  Begin({.max_objects = 5, .limit_policy = LimitPolicy::kServePart});
  EXPECT_EQ(Stats().left_out, 3U);
  for (int i = 0; i < 10; ++i) {
    sim_.RunFor(minutes(1));
    for (int map = 0; map < 8; ++map) {
      Put("default", "map-" + std::to_string(map), std::to_string(i));
    }
  }
  sim_.RunFor(minutes(1));
  EXPECT_GE(Stats().consistency_checks, 10U);
  EXPECT_EQ(Stats().inconsistencies, 0U);
  EXPECT_EQ(Stats().gaps, 0U);
  EXPECT_EQ(Stats().AllLists(), 1U);
  EXPECT_EQ(Stats().objects, 5U);
  EXPECT_NE(metrics_->Text().find("informer_left_out_objects{name=\"configmaps\"} 3"),
            std::string::npos)
      << metrics_->Text();
}

// An object that had no room, and was lost with the old history, is only known as a number.
TEST_F(ConsistencyTest, ACacheThatIsFullIsHealedToo) {
  for (const LimitPolicy policy : {LimitPolicy::kNotSynced, LimitPolicy::kServePart}) {
    Make({.max_objects = 8, .limit_policy = policy});
    informer_->Start();
    sim_.RunFor(seconds(2));
    const std::int64_t backup = server_.current_resource_version();
    Put("default", "lost", "old-history");
    sim_.RunFor(seconds(2));
    ASSERT_EQ(Stats().left_out, 1U);
    transport_->Down();
    sim_.RunReady();
    const std::int64_t reached = server_.current_resource_version();
    server_.Restore(backup).OrExit();
    for (int i = 0; server_.current_resource_version() <= reached; ++i) {
      Put("default", "map-1", "changed-" + std::to_string(i));
    }
    transport_->Up();
    EXPECT_TRUE(sim_.RunUntil([this] { return Equal() && Stats().left_out == 0; }, minutes(1)));
    EXPECT_TRUE(informer_->HasSynced());
    ASSERT_EQ(log_->lines.size(), 1U);
    EXPECT_NE(log_->lines.front().find("what had found no room"), std::string::npos)
        << log_->lines.front();
    log_->lines.clear();
    informer_->Stop();
    sim_.RunReady();
  }
}

TEST_F(ConsistencyTest, PeriodZero_ChecksNothing) {
  Begin({.consistency_check_period = Duration(0)});
  RestoreAndOvertake();
  sim_.RunFor(minutes(30));
  EXPECT_FALSE(Equal());
  EXPECT_EQ(Stats().consistency_checks, 0U);
}

TEST_F(ConsistencyTest, ThePeriodCanBeSet) {
  Begin({.consistency_check_period = minutes(10)});
  const std::uint64_t before = handler_.lists;
  sim_.RunFor(hours(2));
  EXPECT_GE(Stats().consistency_checks, 12U);
  EXPECT_LE(Stats().consistency_checks, 19U);
  EXPECT_EQ(handler_.lists - before, Stats().consistency_checks);
}

// An idle informer with a small cache: slightly more than one request a minute.
TEST_F(ConsistencyTest, CostsARequestForEach2500ObjectsAMinute) {
  Begin();
  std::uint64_t before = handler_.lists;
  sim_.RunFor(hours(1));
  EXPECT_GE(handler_.lists - before, 60U);
  EXPECT_LE(handler_.lists - before, 93U);
  EXPECT_EQ(handler_.lists - before, Stats().consistency_checks);
  for (int i = 0; i < 6000; ++i) Put("many", "map-" + std::to_string(i), "x");
  sim_.RunFor(minutes(2));
  before = handler_.lists;
  const std::uint64_t checks = Stats().consistency_checks;
  sim_.RunFor(minutes(30));
  EXPECT_EQ(handler_.lists - before, 3 * (Stats().consistency_checks - checks));
  EXPECT_EQ(Stats().AllLists(), 1U);
  EXPECT_EQ(Stats().inconsistencies, 0U);
}

TEST_F(ConsistencyTest, LargeCache_ChecksAFewPagesPerPeriod) {
  for (int i = 0; i < 12'000; ++i) {
    Put("ns-" + std::to_string(i % 5), "map-" + std::to_string(i), "x");
  }
  Begin();
  const std::uint64_t before = handler_.lists;
  sim_.RunFor(minutes(20));
  // Never more than four pages in a period.
  EXPECT_LE(handler_.lists - before, 4U * 31);
  EXPECT_GE(Stats().consistency_checks, 10U);
  EXPECT_EQ(Stats().inconsistencies, 0U);
  RestoreAndOvertake();
  EXPECT_TRUE(sim_.RunUntil([this] { return Stats().inconsistencies > 0; }, minutes(10)));
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(Equal());
  EXPECT_EQ(Stats().gaps, 0U);
}

// The randomly chosen namespace may have a list of its own.
TEST_F(ConsistencyTest, LargeCache_ChecksSkipNamespacesOfOtherParts) {
  for (int i = 0; i < 12'000; ++i) {
    Put(i % 2 == 0 ? "elsewhere" : "default", "many-" + std::to_string(i), "first");
  }
  BeginApart("elsewhere");
  sim_.RunFor(minutes(20));
  EXPECT_GE(Stats().consistency_checks, 30U);
  EXPECT_EQ(Stats().inconsistencies, 0U);
  EXPECT_EQ(Stats().AllLists(), 2U);
}

TEST_F(ConsistencyTest, ForbiddenLists_TurnChecksOffWithOneLogLine) {
  server_.faults().Add({.verb = "list", .action = FaultAction::kRespond, .status = 403});
  Begin();
  sim_.RunFor(minutes(30));
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_EQ(log_->lines.front().find(std::string(kOff) + ": its list is refused"), 0U);
  EXPECT_EQ(Stats().consistency_checks, 0U);
  EXPECT_EQ(Stats().errors, 0U);
  EXPECT_LE(handler_.lists, 1U);
}

TEST_F(ConsistencyTest, GoesOnAfterATokenWasNotAccepted) {
  FaultRule rule{.verb = "list", .action = FaultAction::kRespond, .status = 401};
  rule.count = 5;
  server_.faults().Add(rule);
  Begin();
  sim_.RunFor(minutes(20));
  EXPECT_TRUE(log_->lines.empty());
  EXPECT_GT(Stats().consistency_checks, 0U);
}

TEST_F(ConsistencyTest, AServerThatFailsNowAndThenIsAskedAgain) {
  FaultRule rule{.verb = "list", .action = FaultAction::kRespond, .status = 500};
  rule.count = 5;
  server_.faults().Add(rule);
  Begin();
  sim_.RunFor(minutes(20));
  EXPECT_TRUE(log_->lines.empty());
  EXPECT_GE(Stats().consistency_checks, 10U);
}

// One of several servers lags.
TEST_F(ConsistencyTest, StaleAnswers_DoNotEndChecks) {
  Put("default", "map-1", "second");
  FaultRule rule{.verb = "list", .action = FaultAction::kStaleRead, .versions = 3};
  rule.count = 2;
  Begin();
  server_.faults().Add(rule);
  sim_.RunFor(minutes(3));
  EXPECT_TRUE(log_->lines.empty());
  RestoreAndOvertake();
  sim_.RunFor(minutes(2));
  EXPECT_TRUE(Equal());
}

TEST_F(ConsistencyTest, UnknownVersions_PauseChecksAndRetry) {
  Put("default", "map-1", "second");
  FaultRule rule{.verb = "list", .action = FaultAction::kStaleRead, .versions = 3};
  rule.count = 3;
  Begin();
  server_.faults().Add(rule);
  sim_.RunFor(minutes(30));
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_EQ(log_->lines.front(),
            std::string(kOff) + ": the server does not list at a version that it is asked for");
  EXPECT_EQ(Stats().consistency_checks, 0U);
  sim_.RunFor(minutes(10));
  EXPECT_GE(Stats().consistency_checks, 5U);
  EXPECT_EQ(log_->lines.size(), 1U);
}

TEST_F(ConsistencyTest, RenamingTransform_TurnsChecksOff) {
  Make({});
  informer_
      ->SetTransform(
          [](const Ref<corev1::ConfigMap>& map) -> Result<Ref<corev1::ConfigMap>> { return map; })
      .OrExit();
  Sync();
  sim_.RunFor(minutes(5));
  EXPECT_GE(Stats().consistency_checks, 5U);
  EXPECT_TRUE(log_->lines.empty()) << "one that keeps what objects are known by is no matter";
  const std::uint64_t before = Stats().consistency_checks;
  informer_->Stop();
  sim_.RunReady();
  // Returns the objects unchanged, except for one that is sent with another's content.
  Ref<corev1::ConfigMap> other = informer_->lister().Namespace("default").Get("map-0").OrExit();
  Make({});
  informer_
      ->SetTransform([other](const Ref<corev1::ConfigMap>& map) -> Result<Ref<corev1::ConfigMap>> {
        return map->metadata().name() == "map-1" ? other : map;
      })
      .OrExit();
  Sync();
  sim_.RunFor(minutes(5));
  EXPECT_GE(before, 5U);
  EXPECT_EQ(Stats().consistency_checks, 0U);
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_NE(log_->lines.front().find("the transform changes names"), std::string::npos);
}

TEST_F(ConsistencyTest, Selector_AppliesToTheComparedList) {
  Put("other", "map", "second");
  Begin({}, "default", [](ListOptions& options) { options.labelSelector = "value=second"; });
  for (int i = 0; i < 100; ++i) {
    Put("default", "map-" + std::to_string(i % 8), i % 3 == 0 ? "second" : "first");
    sim_.RunFor(seconds(7));
  }
  EXPECT_GE(Stats().consistency_checks, 10U);
  EXPECT_EQ(Stats().inconsistencies, 0U);
  // There, too, the check finds missing objects.
  const std::int64_t backup = server_.current_resource_version();
  Put("default", "lost", "second");
  sim_.RunFor(seconds(2));
  ASSERT_TRUE(informer_->lister().Namespace("default").Get("lost").ok());
  transport_->Down();
  sim_.RunReady();
  server_.Restore(backup).OrExit();
  Put("default", "other", "first");
  Put("default", "other", "first-again");
  transport_->Up();
  const auto gone = [this] { return !informer_->lister().Namespace("default").Get("lost").ok(); };
  EXPECT_TRUE(sim_.RunUntil(gone, seconds(60)));
  EXPECT_EQ(Stats().inconsistencies, 1U);
}

// The server is restored between the answer to a list and the first watch: the watch waits for a
// future version, and no request has checked the version.
TEST_F(ConsistencyTest, AWatchInTheFutureIsFoundWithinAMinute) {
  Begin({.initial_list = InitialList::kList});
  const std::int64_t backup = server_.current_resource_version();
  for (int i = 0; i < 10; ++i) Put("default", "map-1", "v" + std::to_string(i));
  sim_.RunFor(seconds(1));
  // Forces a list.
  const std::uint64_t lists = Stats().AllLists();
  FaultRule old{.verb = "watch", .action = FaultAction::kWatchError, .count = 1, .status = 410};
  server_.faults().Add(old);
  server_.CloseWatches();
  ASSERT_TRUE(sim_.RunUntil([&] { return Stats().AllLists() > lists; }, minutes(1)));
  server_.Restore(backup).OrExit();
  EXPECT_TRUE(sim_.RunUntil([this] { return Equal(); }, seconds(60)));
  sim_.RunFor(minutes(10));
  EXPECT_TRUE(Equal());
  EXPECT_LE(Stats().inconsistencies, 1U);
}

// A server that always contradicts itself must be listed less and less often.
class Disagreeing final : public ListerWatcher {
 public:
  explicit Disagreeing(std::unique_ptr<ListerWatcher> inner) : inner_(std::move(inner)) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    return inner_->List(options, receiver);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    return inner_->Watch(options, receiver);
  }
  std::unique_ptr<ListWatchCall> ListMetadata(const std::string& namespace_,
                                              const ListOptions& options,
                                              ListReceiver& receiver) override {
    hiding_.receiver = &receiver;
    return inner_->ListMetadata(namespace_, options, hiding_);
  }
  [[nodiscard]] bool SetEntryOptions(const EntryOptions& options) override {
    return inner_->SetEntryOptions(options);
  }
  [[nodiscard]] bool IsWatchListSemanticsUnSupported() const override {
    return inner_->IsWatchListSemanticsUnSupported();
  }
  void WatchListDeclined() override { inner_->WatchListDeclined(); }
  [[nodiscard]] std::string Describe() const override { return inner_->Describe(); }

 private:
  // Removes one object from the list.
  struct Hiding final : ListReceiver {
    void OnItem(AnyRef object) override {
      if (object.object()->name() != "map-3") receiver->OnItem(std::move(object));
    }
    void OnUnreadable(std::string_view ns, std::string_view name, const Error& error) override {
      receiver->OnUnreadable(ns, name, error);
    }
    void OnDone(Result<ListMeta> result) override { receiver->OnDone(std::move(result)); }
    ListReceiver* receiver = nullptr;
  };
  const std::unique_ptr<ListerWatcher> inner_;
  Hiding hiding_;
};

TEST_F(ConsistencyTest, RelistsWithoutEffect_BecomeRare) {
  SharedInformer<corev1::ConfigMap> informer(
      sim_.env(),
      std::make_unique<Disagreeing>(NewListWatch<corev1::ConfigMap>(client_, "default")), {});
  informer_ = std::make_unique<SharedInformer<corev1::ConfigMap>>(std::move(informer));
  Sync();
  sim_.RunFor(hours(2));
  EXPECT_GE(Stats().inconsistencies, 100U);
  EXPECT_GE(Stats().AllLists(), 10U);
  EXPECT_LE(Stats().AllLists(), 18U);
  EXPECT_EQ(log_->lines.size() + 1, Stats().AllLists());
  EXPECT_NE(log_->lines.back().find("default/map-3"), std::string::npos);
}

// A busy collection, a handler that blocks everything, broken watches, relists and epochs.
TEST_F(ConsistencyTest, FindsNothingWhereNothingIsMissing) {
  std::uint64_t checks = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const OverflowPolicy overflow : {OverflowPolicy::kCoalesce, OverflowPolicy::kBlock}) {
      Make({.consistency_check_period = seconds(4)});
      informer_
          ->AddEventHandler(
              {.on_update = [this](const auto&) { sim_.env().SleepFor(milliseconds(30)); }},
              {.overflow = overflow, .max_events = 20})
          .OrExit();
      Sync();
      std::uint64_t dice = seed;
      const auto draw = [&dice](std::uint64_t n) {
        dice = dice * 6364136223846793005ULL + 1442695040888963407ULL;
        return (dice >> 33) % n;
      };
      std::int64_t backup = 0;
      for (int step = 0; step < 3000; ++step) {
        const std::string name = "map-" + std::to_string(draw(40));
        if (draw(4) == 0 && server_.Get(kConfigMaps, {"default", name}).ok()) {
          server_.Delete(kConfigMaps, {"default", name}).OrExit();
        } else {
          Put("default", name, "v" + std::to_string(step));
        }
        if (draw(150) == 0) server_.CloseWatches();
        if (draw(150) == 0) server_.Compact(server_.current_resource_version());
        if (draw(200) == 0) transport_->CutSoon(3000);
        if (draw(300) == 0) backup = server_.current_resource_version();
        // Restores to a version that was not overtaken: the request for the current version shows
        // it, unless a handler keeps the watch closed.
        const bool asks = overflow != OverflowPolicy::kBlock;
        if (draw(400) == 0 && asks && backup != 0 && server_.Restore(backup).ok()) {
          backup = 0;
          sim_.RunFor(seconds(10));
        }
        sim_.RunFor(milliseconds(draw(60)));
      }
      EXPECT_TRUE(sim_.RunUntil([this] { return Equal(); }, minutes(10)));
      checks += Stats().consistency_checks;
      EXPECT_EQ(Stats().inconsistencies, 0U) << "seed " << seed;
      EXPECT_TRUE(log_->lines.empty()) << log_->lines.front();
      informer_->Stop();
      sim_.RunReady();
      informer_.reset();
      sim_.RunReady();
    }
  }
  // Lists in between postpone checks.
  EXPECT_GE(checks, 50U);
}

}  // namespace
}  // namespace kinformer::testing
