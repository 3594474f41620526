// Gaps that a watch reveals by itself.

#include "cache/apply/gap_detector.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/internal/block_builder.h"

#include "cache/informer/testing/informer_fixture.h"
#include "cache/watch/testing/reflector_fixture.h"

namespace kinformer {
namespace {

using internal::ObjectRef;
using internal::client::MakePod;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(GapDetector, LogsTheKeyOfTheFirstGapOfEachList) {
  const auto log = std::make_shared<internal::cache::RecordingLog>();
  Simulation sim({.log = log});
  int relists = 0;
  const std::string name = "pods";
  internal::cache::GapDetector gaps(sim.env(), name, [&] { ++relists; });
  using Verdict = internal::cache::GapDetector::Verdict;
  const auto judge = [&](const std::string& pod) {
    return gaps.Judge(DeltaType::kUpdated, *MakePod("default", pod, "9"), nullptr);
  };
  EXPECT_EQ(judge("a"), Verdict::kFits) << "nothing is known before the first list";
  gaps.Listed("5");
  EXPECT_EQ(judge("a"), Verdict::kGap);
  EXPECT_EQ(judge("b"), Verdict::kGap);
  EXPECT_EQ(log->lines, (Texts{"the watch lacks events; will list again default/a"}));
  EXPECT_EQ(relists, 1);
  gaps.Listed("10");
  EXPECT_EQ(judge("c"), Verdict::kGap);
  EXPECT_EQ(log->lines.back(), "the watch lacks events; will list again default/c");
  EXPECT_EQ(relists, 1) << "not within a minute";
  sim.RunFor(seconds(61));
  EXPECT_EQ(relists, 2);
}

// Keeps the log field that says which event revealed the gap.
class ToldLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    for (const LogField& field : fields) {
      if (field.key == "it_told_of") told = field.value;
    }
  }
  std::string told{};
};

class JudgeTest : public testing::Test {
 protected:
  using GapDetector = internal::cache::GapDetector;
  using Verdict = GapDetector::Verdict;

  static ObjectRef Make(const std::string& version, const std::string& uid,
                        const std::string& value = "x") {
    return internal::BuildFromJson(internal::client::PodType(),
                                   R"({"metadata":{"name":"a","namespace":"ns","uid":")" + uid +
                                       R"(","resourceVersion":")" + version +
                                       R"("},"spec":{"nodeName":")" + value + R"("}})")
        .OrExit();
  }
  // Returns the verdict of a new detector, after a list.
  Verdict Judge(DeltaType type, const ObjectRef& object, const ObjectRef& stored = {}) {
    GapDetector gaps(sim_.env(), name_, {});
    gaps.Listed("1");
    if (distrusts_) gaps.DistrustUids();
    log_->told.clear();
    return gaps.Judge(type, *object, stored.get());
  }

  const std::shared_ptr<ToldLog> log_ = std::make_shared<ToldLog>();
  Simulation sim_{{.log = log_}};
  const std::string name_ = "pods";
  bool distrusts_ = false;
};

TEST_F(JudgeTest, SaysWhatTheWatchToldOf) {
  const auto told = [&](DeltaType type, const ObjectRef& object, const ObjectRef& stored = {}) {
    EXPECT_EQ(Judge(type, object, stored), Verdict::kGap);
    return log_->told;
  };
  EXPECT_EQ(told(DeltaType::kUpdated, Make("9", "u")), "a change of what is not there");
  EXPECT_EQ(told(DeltaType::kDeleted, Make("9", "u")), "a deletion of what is not there");
  EXPECT_EQ(told(DeltaType::kAdded, Make("9", "u"), Make("5", "u")),
            "an addition of what is there");
  EXPECT_EQ(told(DeltaType::kDeleted, Make("9", "u"), Make("5", "v")),
            "a deletion of another object than the one that is there");
  for (const DeltaType type : {DeltaType::kAdded, DeltaType::kUpdated}) {
    EXPECT_EQ(told(type, Make("9", "u"), Make("5", "v")),
              "another object, and no deletion of the one before");
  }
  EXPECT_EQ(Judge(DeltaType::kAdded, Make("9", "u")), Verdict::kFits);
  EXPECT_EQ(log_->told, "");
}

TEST_F(JudgeTest, WithoutAUidNobodyKnowsWhetherItIsAnother) {
  GapDetector gaps(sim_.env(), name_, {});
  EXPECT_TRUE(gaps.DifferentUids(*Make("1", "u"), *Make("1", "v")));
  EXPECT_FALSE(gaps.DifferentUids(*Make("1", "u"), *Make("1", "u")));
  EXPECT_FALSE(gaps.DifferentUids(*Make("1", ""), *Make("1", "v")));
  EXPECT_FALSE(gaps.DifferentUids(*Make("1", "u"), *Make("1", "")));
  EXPECT_FALSE(gaps.DifferentUids(*Make("1", ""), *Make("1", "")));
  for (const auto& [object, stored] : {std::pair("", "u"), {"u", ""}, {"", ""}}) {
    for (const DeltaType type : {DeltaType::kAdded, DeltaType::kUpdated, DeltaType::kDeleted}) {
      EXPECT_EQ(Judge(type, Make("9", object), Make("5", stored)), Verdict::kFits);
    }
  }
  distrusts_ = true;
  for (const char* stored : {"u", "v"}) {
    for (const DeltaType type : {DeltaType::kAdded, DeltaType::kUpdated, DeltaType::kDeleted}) {
      EXPECT_EQ(Judge(type, Make("9", "u"), Make("5", stored)), Verdict::kFits);
    }
  }
}

// Defaults and conversions change an object without a new version.
TEST_F(JudgeTest, TheSameVersionIsAReplayWhereNothingElseDiffers) {
  for (const DeltaType type : {DeltaType::kAdded, DeltaType::kUpdated}) {
    EXPECT_EQ(Judge(type, Make("5", "u"), Make("5", "u")), Verdict::kReplay);
    EXPECT_EQ(Judge(type, Make("5", "u", "y"), Make("5", "u")), Verdict::kFits);
    EXPECT_EQ(Judge(type, Make("5", "v"), Make("5", "u")), Verdict::kGap);
    EXPECT_EQ(Judge(type, Make("4", "u", "y"), Make("5", "u")), Verdict::kReplay);
  }
  EXPECT_EQ(Judge(DeltaType::kDeleted, Make("5", "u"), Make("5", "u")), Verdict::kFits);
  EXPECT_EQ(Judge(DeltaType::kDeleted, Make("4", "u"), Make("5", "u")), Verdict::kReplay);
}

// The server has version 1 of a and version 2 of b.
class GapTest : public InformerTest {
 protected:
  void Begin() {
    server_.Put("a", "1");
    server_.Put("b", "1");
    informer_.emplace(Make());
    recorder_ = Record(*informer_);
    informer_->Start();
    sim_.RunFor(seconds(5));
    ASSERT_TRUE(informer_->HasSynced());
  }
  void Send(WatchEventType type, const std::string& name, const std::string& rv,
            const std::string& uid = "") {
    server_.Send(type, MakePod("default", name, rv, uid, "sent"));
  }
  [[nodiscard]] std::uint64_t Gaps() const { return informer_->Stats().gaps; }
  [[nodiscard]] std::uint64_t Lists() const { return informer_->Stats().AllLists(); }
  // Lets time pass, so that the next gap counts separately.
  void ExpectRelist(const std::string& what) {
    const std::uint64_t lists = Lists();
    const std::uint64_t gaps = Gaps();
    EXPECT_GE(gaps, 1U) << what;
    sim_.RunFor(minutes(30));
    EXPECT_EQ(Lists(), lists + 1) << what;
    EXPECT_EQ(Gaps(), gaps) << what;
    ExpectEqual(*informer_, server_);
  }

  std::optional<SharedInformer<Pod>> informer_;
  std::shared_ptr<Recorder> recorder_;
};
TEST_F(GapTest, EachSignOfAGapIsARelist) {
  Begin();
  const auto sign = [&](const std::string& what, const std::function<void()>& send) {
    const std::uint64_t before = Gaps();
    send();
    Settle();
    EXPECT_EQ(Gaps(), before + 1) << what;
    ExpectRelist(what);
  };
  server_.set_rv(1000);
  sign("MODIFIED of an absent key", [&] { Send(WatchEventType::kModified, "c", "10"); });
  sign("ADDED of a present key", [&] { Send(WatchEventType::kAdded, "a", "11"); });
  sign("another uid", [&] { Send(WatchEventType::kModified, "a", "12", "other"); });
  sign("another uid, added", [&] { Send(WatchEventType::kAdded, "a", "13", "other"); });
  sign("DELETED of an absent key", [&] { Send(WatchEventType::kDeleted, "c", "14"); });
  sign("DELETED of another uid", [&] { Send(WatchEventType::kDeleted, "a", "15", "other"); });
}

TEST_F(GapTest, OrdinaryHistory_HasNoGaps) {
  Begin();
  server_.Put("c", "1");
  server_.Put("c", "2");
  server_.Delete("c");
  server_.Put("c", "3", "another");
  server_.Put("a", "2");
  server_.Delete("b");
  server_.EndWatches();
  sim_.RunFor(minutes(5));
  EXPECT_EQ(Gaps(), 0U);
  EXPECT_EQ(Lists(), 1U);
  ExpectEqual(*informer_, server_);
}

TEST_F(GapTest, ADeletionOfAnotherUidEndsTheObjectThatWasThere) {
  Begin();
  recorder_->words.clear();
  std::string uid;
  bool unknown = false;
  informer_
      ->AddEventHandler({.on_delete =
                             [&](const Deleted<Pod>& e) {
                               uid = e.object.uid();
                               unknown = e.final_state_unknown;
                             }})
      .OrExit();
  Settle();
  Send(WatchEventType::kDeleted, "a", "15", "other");
  Settle();
  EXPECT_EQ(recorder_->words, (Texts{"-a?"}));
  EXPECT_EQ(uid, "uid-a");
  EXPECT_TRUE(unknown);
}

TEST_F(GapTest, UnreadableObjects_AreNoGaps) {
  Begin();
  server_.SendUnreadable(WatchEventType::kAdded, "c", "3");
  Settle();
  Send(WatchEventType::kModified, "c", "4");
  server_.SendUnreadable(WatchEventType::kModified, "a", "5");
  Settle();
  Send(WatchEventType::kAdded, "a", "6", "other");
  Settle();
  EXPECT_EQ(Gaps(), 0U);
}

TEST_F(GapTest, WatchFromVersionZero_HasNoGaps) {
  server_.watch_list_unsupported = true;
  informer_.emplace(Make());
  recorder_ = Record(*informer_);
  informer_->Start();
  sim_.RunFor(seconds(5));
  ASSERT_EQ(informer_->LastSyncResourceVersion(), "0");
  Send(WatchEventType::kAdded, "a", "5");
  Send(WatchEventType::kAdded, "a", "6");
  Send(WatchEventType::kModified, "c", "7");
  Settle();
  EXPECT_EQ(Gaps(), 0U);
  EXPECT_EQ(informer_->Snapshot().size(), 2U);
}

TEST_F(GapTest, UidsThatATransformMadeSayNothing) {
  server_.Put("a", "1");
  informer_.emplace(Make());
  recorder_ = Record(*informer_);
  int calls = 0;
  informer_
      ->SetTransform([&](const Ref<Pod>& pod) -> Result<Ref<Pod>> {
        const ObjectRef& object = pod.object();
        return Ref<Pod>(MakePod(object->namespace_(), object->name(), object->resourceVersion(),
                                "made-up-" + std::to_string(++calls), "x"));
      })
      .OrExit();
  informer_->Start();
  sim_.RunFor(seconds(5));
  server_.Put("a", "2");
  server_.Put("a", "3");
  server_.Delete("a");
  Settle();
  EXPECT_EQ(Gaps(), 0U);
}

// A server that shows gaps again and again.
TEST_F(GapTest, RelistsBecauseOfGapsAreRare) {
  Begin();
  server_.set_rv(1'000'000);
  std::vector<Duration> between;
  std::uint64_t lists = Lists();
  SteadyTime last = sim_.env().Now();
  int rv = 2'000'000;
  while (between.size() < 8) {
    Send(WatchEventType::kDeleted, "nobody", std::to_string(++rv));
    server_.set_rv(static_cast<std::uint64_t>(rv));
    sim_.RunFor(seconds(1));
    ASSERT_LT(rv, 2'010'000);
    if (Lists() == lists) continue;
    lists = Lists();
    between.push_back(sim_.env().Now() - last);
    last = sim_.env().Now();
  }
  EXPECT_LE(between[0], seconds(4));
  const std::vector<int> pauses = {1, 2, 4, 8, 10, 10, 10};
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    EXPECT_GE(between[i + 1], minutes(pauses[i]) - seconds(40)) << i;
    EXPECT_LE(between[i + 1], minutes(pauses[i]) + seconds(70)) << i;
  }
}

}  // namespace
}  // namespace kinformer
