#include "kinformer/cache/wait_for_cache_sync.h"

#include <chrono>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "cache/informer/testing/informer_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Keeps the lines that name a controller, with the informer or the error.
class ControllerLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kInfo; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    std::string line(message);
    bool named = false;
    for (const LogField& field : fields) {
      named = named || field.key == "controller";
      line += " " + field.value;
    }
    if (named) lines.push_back(std::move(line));
  }
  Texts lines{};
};

// A ListerWatcher for pods that describes itself by another name.
class NamedListerWatcher final : public ListerWatcher {
 public:
  NamedListerWatcher(std::unique_ptr<ListerWatcher> next, const char* name)
      : next_(std::move(next)), name_(name) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& o, ListReceiver& r) override {
    return next_->List(o, r);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& o, WatchReceiver& r) override {
    return next_->Watch(o, r);
  }
  bool SetEntryOptions(const EntryOptions& o) override { return next_->SetEntryOptions(o); }
  [[nodiscard]] bool IsWatchListSemanticsUnSupported() const override {
    return next_->IsWatchListSemanticsUnSupported();
  }
  [[nodiscard]] std::string Describe() const override { return name_; }

 private:
  const std::unique_ptr<ListerWatcher> next_;
  const char* const name_;
};

class WaitForCacheSyncTest : public ::testing::Test {
 protected:
  SharedInformer<Pod> Make(internal::client::FakeServer& server, const char* name) {
    server.Put("a");
    return SharedInformer<Pod>(
        sim_.env(), std::make_unique<NamedListerWatcher>(server.NewListerWatcher(), name),
        {.name = name});
  }
  template <class Wait>
  Result<void> Blocking(Wait wait) {
    Result<void> result;
    EXPECT_TRUE(sim_.RunBlocking([&] { result = wait(); }, std::chrono::minutes(5)));
    return result;
  }
  // Delays the server's answers by this time.
  void UpIn(internal::client::FakeServer& server, Duration delay) {
    server.down = Error(Reason::kConnectionRefused, "refused");
    timers_.push_back(
        sim_.env().loop().RunAt(sim_.env().Now() + delay, [&server] { server.down.reset(); }));
  }

  const std::shared_ptr<ControllerLog> log_ = std::make_shared<ControllerLog>();
  Simulation sim_{{.log = log_}};
  internal::client::FakeServer first_{sim_.env()};
  internal::client::FakeServer second_{sim_.env()};
  internal::client::FakeServer third_{sim_.env()};
  SharedInformer<Pod> pods_ = Make(first_, "pods");
  SharedInformer<Pod> nodes_ = Make(second_, "nodes");
  SharedInformer<Pod> services_ = Make(third_, "services");
  std::vector<Timer> timers_;
};

TEST_F(WaitForCacheSyncTest, NothingToWaitFor_WF01_WF02) {
  EXPECT_TRUE(Blocking([&] { return WaitForCacheSync(sim_.env(), {}); }));
  EXPECT_THAT(log_->lines, IsEmpty());
  EXPECT_TRUE(Blocking([&] { return WaitForNamedCacheSync(sim_.env(), "mine", {}); }));
  EXPECT_THAT(log_->lines,
              ElementsAre("waiting for caches to sync mine", "all caches are synced mine"));
}

TEST_F(WaitForCacheSyncTest, SeveralDoneAtDifferentTimesSilently_WF03) {
  UpIn(second_, seconds(20));
  pods_.Start();
  nodes_.Start();
  EXPECT_TRUE(Blocking([&] { return WaitForCacheSync(sim_.env(), {pods_, nodes_}); }));
  EXPECT_TRUE(pods_.HasSynced() && nodes_.HasSynced());
  EXPECT_THAT(log_->lines, IsEmpty());
}

TEST_F(WaitForCacheSyncTest, NamedWait_LogsEachCacheInOrderOfSync_WF04) {
  UpIn(first_, seconds(40));
  UpIn(second_, seconds(5));
  pods_.Start();
  nodes_.Start();
  services_.Start();
  EXPECT_TRUE(Blocking(
      [&] { return WaitForNamedCacheSync(sim_.env(), "mine", {pods_, nodes_, services_}); }));
  EXPECT_THAT(log_->lines,
              ElementsAre("waiting for caches to sync mine", "a cache has synced mine services",
                          "a cache has synced mine nodes", "a cache has synced mine pods",
                          "all caches are synced mine"));
}

TEST_F(WaitForCacheSyncTest, CacheNeverSyncs_TimeoutNamesIt_WF05) {
  second_.down = Error(Reason::kConnectionRefused, "refused");
  pods_.Start();
  nodes_.Start();
  const Result<void> late = Blocking([&] {
    return WaitForNamedCacheSync(sim_.env(), "mine", {pods_, nodes_}, {}, {.timeout = seconds(9)});
  });
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(late.error().message(), StartsWith("mine: "));
  EXPECT_THAT(late.error().message(), HasSubstr("nodes"));
  EXPECT_THAT(late.error().message(), Not(HasSubstr("pods")));
  EXPECT_THAT(late.error().message(), HasSubstr("refused"));
  ASSERT_EQ(log_->lines.size(), 3U);
  EXPECT_THAT(log_->lines.back(), StartsWith("caches have not synced mine DeadlineExceeded"));
}

TEST_F(WaitForCacheSyncTest, CancelledBeforehandWhatIsDoneCountsAsDone_WF06) {
  pods_.Start();
  sim_.RunReady();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(Blocking([&] { return WaitForCacheSync(sim_.env(), {pods_}, stop.get_token()); }));
  second_.down = third_.down = Error(Reason::kConnectionRefused, "refused");
  nodes_.Start();
  services_.Start();
  const Result<void> stopped = Blocking([&] {
    return WaitForNamedCacheSync(sim_.env(), "mine", {services_, pods_, nodes_}, stop.get_token());
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().reason(), Reason::kCanceled);
  const std::string message = stopped.error().message();
  EXPECT_THAT(message, Not(HasSubstr("pods"))) << "it has synced";
  EXPECT_LT(message.find("nodes"), message.find("services")) << message;
  EXPECT_THAT(message, HasSubstr("services"));
  ASSERT_EQ(log_->lines.size(), 3U);
  EXPECT_EQ(log_->lines[1], "a cache has synced mine pods");
}

TEST_F(WaitForCacheSyncTest, TheErrorSaysOfEachWhatItWaitsFor) {
  // On the loop's thread the call does not wait.
  std::string message;
  sim_.env().loop().Post([&] {
    nodes_.Start();
    message = WaitForCacheSync(sim_.env(), {pods_, nodes_}).error().message();
  });
  sim_.RunReady();
  EXPECT_THAT(message, ::testing::EndsWith("nodes (waiting for the server); pods (not started)"));
  first_.down = Error(Reason::kTooManyRequests, "slow").WithHttpStatus(429);
  third_.down = Error(Reason::kInternalError, "bad").WithHttpStatus(500);
  pods_.Start();
  services_.Start();
  const Result<void> late = Blocking([&] {
    return WaitForCacheSync(sim_.env(), {services_, pods_, nodes_}, {}, {.timeout = seconds(9)});
  });
  EXPECT_THAT(late.error().message(),
              ::testing::MatchesRegex(".*: pods \\(the server asks to wait: .*slow\\); "
                                      "services \\(last error: .*bad\\)"));
}

TEST_F(WaitForCacheSyncTest, InformerNotStarted_WaitFailsAtOnce) {
  pods_.Start();
  const Result<void> never =
      Blocking([&] { return WaitForCacheSync(sim_.env(), {pods_, nodes_}); });
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().reason(), Reason::kNotSynced);
}

}  // namespace
}  // namespace kinformer
