#include "kinformer/data_consistency_detector.h"

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/log.h"
#include "kinformer/metrics.h"

#include "cache/informer/testing/informer_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using internal::ObjectRef;
using internal::cache::FakeServer;
using internal::cache::MakePod;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Forwards to a FakeServer's, records the options of lists, and may change their items.
class BentListWatch final : public ListerWatcher {
 public:
  BentListWatch(FakeServer& server, std::vector<ListOptions>& lists,
                const std::function<void(ListReceiver&)>& extra)
      : inner_(server.NewListerWatcher()), lists_(lists), extra_(extra) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& o, ListReceiver& r) override {
    lists_.push_back(o);
    if (!extra_) return inner_->List(o, r);
    return std::make_unique<BentCall>(*inner_, o, r, extra_);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& o, WatchReceiver& r) override {
    return inner_->Watch(o, r);
  }
  bool SetEntryOptions(const EntryOptions& o) override { return inner_->SetEntryOptions(o); }
  bool IsWatchListSemanticsUnSupported() const override { return false; }
  std::string Describe() const override { return "pods"; }

 private:
  class BentCall final : public ListWatchCall, public ListReceiver {
   public:
    BentCall(ListerWatcher& inner, const ListOptions& o, ListReceiver& r,
             std::function<void(ListReceiver&)> extra)
        : receiver_(r), extra_(std::move(extra)), call_(inner.List(o, *this)) {}
    void OnItem(ObjectRef object) override {
      if (object->name() != "hidden") receiver_.OnItem(std::move(object));
    }
    void OnUnreadable(std::string_view ns, std::string_view name, const Error& e) override {
      receiver_.OnUnreadable(ns, name, e);
    }
    void OnDone(Result<ListMeta> result) override {
      if (result) extra_(receiver_);
      receiver_.OnDone(std::move(result));
    }

   private:
    ListReceiver& receiver_;
    const std::function<void(ListReceiver&)> extra_;
    const std::unique_ptr<ListWatchCall> call_;
  };

  const std::unique_ptr<ListerWatcher> inner_;
  std::vector<ListOptions>& lists_;
  const std::function<void(ListReceiver&)>& extra_;
};

// Ignores all events.
class DeafReceiver final : public WatchReceiver {
 public:
  void OnStarted() override {}
  void OnEvent(const WatchEvent&) override {}
  void OnDone(Result<void>) override {}
};

// Collects the names of objects that are reported as different.
class DifferencesLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kError; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    for (const LogField& field : fields) {
      if (field.key == "only_watched") only_watched = field.value;
      if (field.key == "only_listed") only_listed = field.value;
      if (field.key == "different") different = field.value;
    }
  }
  std::string only_watched{};
  std::string only_listed{};
  std::string different{};
};

class DataConsistencyTest : public ::testing::Test {
 protected:
  DataConsistencyTest() {
    for (const char* name : {"a", "b", "c"}) server_.Put(name, "1");
  }
  std::unique_ptr<ListerWatcher> Detector() {
    return NewDataConsistencyDetector(
        sim_.env(), std::make_unique<BentListWatch>(server_, lists_, extra_),
        {.on_checked = [&](const DataConsistencyReport& r) { reports_.push_back(r); }});
  }
  // Runs a watch-list with these options; lists_ then has the requests of the check.
  void WatchList(ListOptions options, Duration time = seconds(1)) {
    lists_.clear();
    reports_.clear();
    options.sendInitialEvents = true;
    const std::unique_ptr<ListerWatcher> detector = Detector();
    DeafReceiver deaf;
    std::unique_ptr<ListWatchCall> call;
    sim_.env().loop().Post([&] { call = detector->Watch(options, deaf); });
    sim_.RunFor(time);
    call.reset();
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  const std::shared_ptr<DifferencesLog> log_ = std::make_shared<DifferencesLog>();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
  FakeServer server_{sim_.env()};
  std::vector<ListOptions> lists_;
  std::function<void(ListReceiver&)> extra_{};
  std::vector<DataConsistencyReport> reports_;
};

TEST_F(DataConsistencyTest, WL_18_To_WL_21_AListThatEqualsTheStream) {
  for (const QueueKind queue : {QueueKind::kInOrder, QueueKind::kDeltaFIFO}) {
    for (const bool transforms : {false, true}) {
      reports_.clear();
      SharedInformer<Pod> informer(sim_.env(), Detector(), {.queue = queue});
      if (transforms) {
        ASSERT_TRUE(informer.SetTransform([](const Ref<Pod>& pod) -> Result<Ref<Pod>> {
          return Ref<Pod>(MakePod("default", pod->name(), "1", pod->uid(), "cut"));
        }));
      }
      informer.Start();
      sim_.RunFor(seconds(1));
      ASSERT_EQ(reports_.size(), 1U);
      EXPECT_TRUE(reports_[0].Equal());
      EXPECT_EQ(reports_[0].objects, 3U);
      EXPECT_EQ(informer.Snapshot().size(), 3U);
    }
  }
  EXPECT_THAT(metrics_->Text(), ::testing::Not(HasSubstr("kinformer_watchlist_inconsistencies")));
}

TEST_F(DataConsistencyTest, WhatOnCheckedThrowsHarmsNobody) {
  int checked = 0;
  const auto on_checked = [&](const DataConsistencyReport&) {
    ++checked;
    throw std::runtime_error("no");
  };
  SharedInformer<Pod> informer(
      sim_.env(), NewDataConsistencyDetector(
                      sim_.env(), std::make_unique<BentListWatch>(server_, lists_, extra_),
                      {.on_checked = on_checked}));
  informer.Start();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(checked, 1);
  server_.Put("d", "1");
  sim_.RunFor(seconds(1));
  EXPECT_EQ(informer.Snapshot().size(), 4U);
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"on_checked\"} 1"));
}

TEST_F(DataConsistencyTest, WL_22_WL_23_ListsOnceAtExactlyThatVersion) {
  WatchList({.labelSelector = "a=b", .fieldSelector = "c=d", .timeoutSeconds = 39});
  ASSERT_EQ(lists_.size(), 1U);
  EXPECT_EQ(lists_[0].resourceVersion, "3");
  EXPECT_EQ(lists_[0].resourceVersionMatch, "Exact");
  EXPECT_EQ(lists_[0].timeoutSeconds, 39);
  EXPECT_EQ(lists_[0].labelSelector, "a=b");
  EXPECT_EQ(lists_[0].fieldSelector, "c=d");
  EXPECT_FALSE(lists_[0].sendInitialEvents);
  EXPECT_FALSE(lists_[0].allowWatchBookmarks);
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].resourceVersion, "3");
}

TEST_F(DataConsistencyTest, WL_24_WL_25_WL_26_WhenTheLimitIsKept) {
  WatchList({.resourceVersion = "0", .limit = 2});
  ASSERT_EQ(lists_.size(), 1U);
  EXPECT_EQ(lists_[0].limit, 0) << "WL-24";

  WatchList({.resourceVersion = "2", .limit = 2});
  ASSERT_EQ(lists_.size(), 2U) << "WL-25: in two pages";
  EXPECT_EQ(lists_[0].limit, 2);
  EXPECT_EQ(lists_[1].continue_, "2");
  EXPECT_EQ(lists_[1].resourceVersion, "");
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_TRUE(reports_[0].Equal());

  WatchList({.resourceVersion = "0", .limit = 5});
  ASSERT_EQ(lists_.size(), 1U);
  EXPECT_EQ(lists_[0].limit, 5) << "WL-26";
  WatchList({.resourceVersion = "0", .limit = 3});
  EXPECT_EQ(lists_.at(0).limit, 3) << "that is all";
  WatchList({.resourceVersion = "0", .limit = 1});
  EXPECT_EQ(lists_.at(0).limit, 0);
}

TEST_F(DataConsistencyTest, WL_27_NothingOnBothSides) {
  for (const char* name : {"a", "b", "c"}) server_.Delete(name);
  WatchList({});
  EXPECT_EQ(lists_.size(), 1U);
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_TRUE(reports_[0].Equal());
}

TEST_F(DataConsistencyTest, WL_28_WL_29_NoCheckWithAContinueTokenOrAtZero) {
  WatchList({.continue_ = "2"});
  EXPECT_THAT(lists_, IsEmpty());
  for (const char* name : {"a", "b", "c"}) server_.Delete(name);
  server_.set_rv(0);
  WatchList({});
  EXPECT_THAT(lists_, IsEmpty());
  EXPECT_THAT(reports_, IsEmpty());
}

TEST_F(DataConsistencyTest, WL_30_ADifferenceIsNamedAndCounted) {
  server_.Put("hidden", "1");
  extra_ = [](ListReceiver& receiver) {
    receiver.OnItem(MakePod("default", "extra", "1"));
    receiver.OnItem(MakePod("default", "b", "2", "", "other"));
  };
  WatchList({});
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_FALSE(reports_[0].Equal());
  EXPECT_THAT(reports_[0].only_listed, ElementsAre(ObjectName{"default", "extra"}));
  EXPECT_THAT(reports_[0].only_watched, ElementsAre(ObjectName{"default", "hidden"}));
  EXPECT_THAT(reports_[0].different, ElementsAre(ObjectName{"default", "b"}));
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("kinformer_watchlist_inconsistencies_total{name=\"pods\"} 1"));
}

TEST_F(DataConsistencyTest, TheLogNamesTenOfEachSort) {
  for (const int extra : {2, 10, 12}) {
    extra_ = [&](ListReceiver& receiver) {
      for (int i = 0; i < extra; ++i) {
        receiver.OnItem(MakePod("default", "x" + std::to_string(10 + i), "1"));
      }
      receiver.OnItem(MakePod("default", "b", "2", "", "other"));
    };
    WatchList({});
    EXPECT_EQ(log_->only_watched, "");
    EXPECT_EQ(log_->different, "default/b");
    if (extra == 2) {
      EXPECT_EQ(log_->only_listed, "default/x10, default/x11");
    } else {
      EXPECT_THAT(log_->only_listed,
                  ::testing::EndsWith(extra == 10 ? "default/x18, default/x19"
                                                  : "default/x18, default/x19 and 2 more"));
    }
  }
}

TEST_F(DataConsistencyTest, WhatCannotBeReadIsTheSameOnlyIfNeitherCan) {
  server_.never_ends_initial_events = true;
  const auto check = [&](bool readable_there, bool readable_here) {
    reports_.clear();
    extra_ = [=](ListReceiver& receiver) {
      if (readable_here) {
        receiver.OnItem(MakePod("default", "bad", "4"));
      } else {
        receiver.OnUnreadable("default", "bad", Error(Reason::kDecode, "bad bytes"));
      }
    };
    SharedInformer<Pod> informer(sim_.env(), Detector());
    informer.Start();
    sim_.RunReady();
    if (readable_there) {
      server_.Send(WatchEventType::kAdded, MakePod("default", "bad", "4"));
    } else {
      server_.SendUnreadable(WatchEventType::kAdded, "bad", "4");
    }
    server_.SendBookmark("4", true);
    sim_.RunFor(milliseconds(10));
    return reports_.size() == 1 && reports_[0].Equal();
  };
  EXPECT_TRUE(check(true, true));
  EXPECT_TRUE(check(false, false));
  EXPECT_FALSE(check(true, false));
  EXPECT_FALSE(check(false, true));
}

TEST_F(DataConsistencyTest, WL_31_TheListIsRepeatedUntilItSucceeds) {
  for (int i = 0; i < 4; ++i) {
    server_.list_errors.emplace_back(Error(Reason::kInternalError, "500").WithHttpStatus(500));
  }
  SharedInformer<Pod> informer(sim_.env(), Detector());
  informer.Start();
  sim_.RunFor(milliseconds(3500));
  EXPECT_EQ(lists_.size(), 4U);
  EXPECT_THAT(reports_, IsEmpty());
  EXPECT_TRUE(informer.HasSynced());
  sim_.RunFor(seconds(1));
  EXPECT_EQ(lists_.size(), 5U);
  EXPECT_EQ(reports_.size(), 1U);
}

// Objects of a failed list are not part of the next one.
TEST_F(DataConsistencyTest, ARepeatedListBeginsWithNothing) {
  bool first = true;
  extra_ = [&](ListReceiver& receiver) {
    if (!std::exchange(first, false)) return;
    receiver.OnItem(MakePod("default", "extra", "1"));
    server_.list_errors = {Error(Reason::kInternalError, "500").WithHttpStatus(500)};
  };
  WatchList({.resourceVersion = "2", .limit = 2}, seconds(5));
  EXPECT_EQ(lists_.size(), 4U) << "two pages, of which one failed, and two more";
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_TRUE(reports_[0].Equal());
}

TEST_F(DataConsistencyTest, AForgottenVersionIsNotComparedAnyMore) {
  for (const Reason reason : {Reason::kExpired, Reason::kGone}) {
    lists_.clear();
    server_.list_errors = {Error(reason, "too old").WithHttpStatus(410)};
    SharedInformer<Pod> informer(sim_.env(), Detector());
    informer.Start();
    sim_.RunFor(seconds(10));
    EXPECT_EQ(lists_.size(), 1U);
    EXPECT_THAT(reports_, IsEmpty());
  }
}

TEST_F(DataConsistencyTest, WhatHappensDuringTheStreamCounts) {
  server_.never_ends_initial_events = true;
  SharedInformer<Pod> informer(sim_.env(), Detector());
  informer.Start();
  sim_.RunReady();
  server_.Delete("a");
  server_.Put("b", "2");
  server_.Put("d", "1");
  server_.SendBookmark(server_.rv(), true);
  sim_.RunFor(milliseconds(10));
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_TRUE(reports_[0].Equal());
  EXPECT_EQ(reports_[0].objects, 3U);
}

TEST_F(DataConsistencyTest, MayGoWhileItLists) {
  server_.list_errors = {Error(Reason::kInternalError, "500").WithHttpStatus(500)};
  {
    SharedInformer<Pod> informer(sim_.env(), Detector());
    informer.Start();
    sim_.RunReady();
  }
  sim_.RunFor(seconds(10));
  EXPECT_THAT(reports_, IsEmpty());
}

}  // namespace
}  // namespace kinformer
