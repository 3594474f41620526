#include "kinformer/client/retry_watcher.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "client/testing/fake_lister_watcher.h"
#include "client/testing/pod_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Text(const ResourceWatchEvent<Pod>& event) {
  static const char* const kSigns[] = {"+", "~", "-", "bookmark "};
  return kSigns[static_cast<int>(event.type)] + event.object->name() + "@" + event.resourceVersion;
}

// Collects the errors of unreadable objects.
class WhyLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    for (const LogField& field : fields) {
      if (field.key == "err") why.emplace_back(field.value);
    }
  }
  std::vector<std::string> why{};
};

class RetryWatcherTest : public ::testing::Test {
 protected:
  RetryWatcherTest() { server_.Put("a"); }
  void Open(const std::string& rv = "1") {
    watcher_ = NewRetryWatcher<Pod>(sim_.env(), rv, server_.NewListerWatcher()).value();
    sim_.RunReady();
  }
  // Takes all waiting events, then the final error if the watch has ended.
  std::vector<std::string> Take() {
    std::vector<std::string> events;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          for (;;) {
            const auto next = watcher_->Next({.timeout = milliseconds(1)});
            if (!next && next.error().reason() == Reason::kDeadlineExceeded) return;
            if (!next) error_ = next.error();
            closed_ = next && !*next;
            if (closed_) return;
            if (next) events.push_back(Text(**next));
          }
        },
        seconds(10)));
    return events;
  }

  // Takes `count` events.
  void TakeOnly(int count) {
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          for (int i = 0; i < count; ++i) EXPECT_TRUE(watcher_->Next({.timeout = seconds(1)}));
        },
        seconds(10)));
  }
  // Adds `count` objects.
  void PutMany(int count) {
    for (int i = 0; i < count; ++i) server_.Put("p" + std::to_string(i));
  }

  const std::shared_ptr<WhyLog> log_ = std::make_shared<WhyLog>();
  Simulation sim_{{.log = log_}};
  internal::client::FakeServer server_{sim_.env()};
  std::optional<Watcher<Pod>> watcher_;
  std::optional<Error> error_;
  bool closed_ = false;
};

TEST_F(RetryWatcherTest, NoVersionToStartFrom_RWA01) {
  for (const char* rv : {"", "0"}) {
    const auto refused = NewRetryWatcher<Pod>(sim_.env(), rv, server_.NewListerWatcher());
    ASSERT_FALSE(refused) << rv;
    EXPECT_EQ(refused.error().reason(), Reason::kInvalidArgument);
  }
}

TEST_F(RetryWatcherTest, OpeningFailsForAWhile_RWA02) {
  server_.watch_errors = {Error(Reason::kConnectionRefused, "refused"),
                          Error(Reason::kInternalError, "500").WithHttpStatus(500),
                          Error(Reason::kTimeout, "504").WithHttpStatus(504),
                          Error(Reason::kExpired, "410").WithHttpStatus(410)};
  server_.Put("b");
  Open();
  EXPECT_EQ(server_.requests.size(), 1U);
  sim_.RunFor(milliseconds(3500));
  EXPECT_EQ(server_.requests.size(), 4U);
  EXPECT_THAT(Take(), IsEmpty());
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Take(), ElementsAre("+b@2"));
  EXPECT_EQ(server_.requests.back(), "WATCH rv=1 bookmarks");
}

// A ListerWatcher that cannot describe what it watches.
class NamelessListWatch final : public ListerWatcher {
 public:
  explicit NamelessListWatch(std::unique_ptr<ListerWatcher> inner) : inner_(std::move(inner)) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    return inner_->List(options, receiver);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    return inner_->Watch(options, receiver);
  }
  [[nodiscard]] bool SetEntryOptions(const EntryOptions& options) override {
    return inner_->SetEntryOptions(options);
  }
  [[nodiscard]] bool IsWatchListSemanticsUnSupported() const override { return true; }
  [[nodiscard]] std::string Describe() const override { throw std::runtime_error("no name"); }

 private:
  const std::unique_ptr<ListerWatcher> inner_;
};

TEST_F(RetryWatcherTest, AWatchThatThrowsWhenAskedForItsNameIsOpenedAgain) {
  server_.watch_errors = {Error(Reason::kConnectionRefused, "refused")};
  watcher_ = NewRetryWatcher<Pod>(sim_.env(), "1",
                                  std::make_unique<NamelessListWatch>(server_.NewListerWatcher()))
                 .value();
  sim_.RunFor(seconds(5));
  server_.Put("b");
  sim_.RunReady();
  EXPECT_THAT(Take(), ElementsAre("+b@2"));
}

TEST_F(RetryWatcherTest, OnlyWhatIsLater_RWA03) {
  server_.Put("b");
  server_.Put("c");
  Open("2");
  server_.Put("a", "new");
  server_.Delete("b");
  sim_.RunReady();
  EXPECT_THAT(Take(), ElementsAre("+c@3", "~a@4", "-b@5"));
}

TEST_F(RetryWatcherTest, GoneIsTheEnd_RWA04) {
  Open();
  server_.Put("b");
  server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  sim_.RunFor(seconds(10));
  EXPECT_THAT(Take(), ElementsAre("+b@2"));
  ASSERT_TRUE(error_);
  EXPECT_TRUE(IsResourceExpired(*error_));
  EXPECT_TRUE(closed_);
  EXPECT_EQ(server_.requests.size(), 1U);
}

TEST_F(RetryWatcherTest, ForbiddenIsTheEnd_RWA05) {
  for (const Error& refused : {Error(Reason::kForbidden, "no").WithHttpStatus(403),
                               Error(Reason::kUnauthorized, "who").WithHttpStatus(401)}) {
    server_.requests.clear();
    server_.watch_errors = {refused};
    error_.reset();
    Open();
    sim_.RunFor(seconds(10));
    EXPECT_THAT(Take(), IsEmpty());
    ASSERT_TRUE(error_);
    EXPECT_EQ(error_->reason(), refused.reason());
    EXPECT_THAT(error_->message(), HasSubstr("permission"));
    EXPECT_TRUE(closed_);
    EXPECT_EQ(server_.requests.size(), 1U);
  }
}

TEST_F(RetryWatcherTest, ErrorsThatAreRetried_RWA06) {
  Open();
  const std::vector<Error> errors = {Error(Reason::kTimeout, "504").WithHttpStatus(504),
                                     Error(Reason::kInternalError, "500").WithHttpStatus(500),
                                     Error(Reason::kUnknown, "418").WithHttpStatus(418),
                                     Error(Reason::kDecode, "not a Status")};
  for (const Error& error : errors) {
    server_.FailWatches(error);
    sim_.RunFor(milliseconds(1100));
    EXPECT_EQ(server_.open_watches(), 1U) << error;
  }
  server_.Put("b");
  sim_.RunReady();
  EXPECT_THAT(Take(), ElementsAre("+b@2"));
  EXPECT_FALSE(error_);
  // The server may ask for a longer pause.
  server_.FailWatches(
      Error(Reason::kInternalError, "500").WithHttpStatus(500).WithRetryAfter(seconds(7)));
  sim_.RunFor(milliseconds(6900));
  EXPECT_EQ(server_.open_watches(), 0U);
  sim_.RunFor(milliseconds(200));
  EXPECT_EQ(server_.open_watches(), 1U);
  // A pause of three years is not accepted.
  server_.FailWatches(Error(Reason::kInternalError, "500")
                          .WithHttpStatus(500)
                          .WithRetryAfter(seconds(100'000'000)));
  sim_.RunFor(seconds(119));
  EXPECT_EQ(server_.open_watches(), 0U);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.open_watches(), 1U);
}

TEST_F(RetryWatcherTest, Reopening_JudgesErrorsLikeFirstOpening) {
  Open();
  // A refusal of a watch that is already open is treated as a temporary fault.
  server_.FailWatches(Error(Reason::kForbidden, "no").WithHttpStatus(403));
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.open_watches(), 1U);
  // A server that lacks the version now may have it later.
  server_.watch_errors = {Error(Reason::kExpired, "410").WithHttpStatus(410)};
  server_.EndWatches();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.open_watches(), 1U);
  server_.watch_errors = {Error(Reason::kForbidden, "no").WithHttpStatus(403)};
  server_.EndWatches();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.open_watches(), 0U);
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_TRUE(error_);
}

TEST_F(RetryWatcherTest, GoneIsTheEndHoweverItIsSaid_RWA04) {
  for (const Error& gone :
       {Error(Reason::kGone, "gone").WithHttpStatus(410), Error(Reason::kExpired, "expired")}) {
    error_.reset();
    Open();
    server_.FailWatches(gone);
    sim_.RunFor(seconds(5));
    EXPECT_THAT(Take(), IsEmpty());
    ASSERT_TRUE(error_) << gone;
    EXPECT_EQ(error_->reason(), gone.reason());
  }
  // After Stop the reader gets no error.
  error_.reset();
  Open();
  server_.FailWatches(Error(Reason::kGone, "gone").WithHttpStatus(410));
  sim_.RunFor(seconds(5));
  watcher_->Stop();
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_TRUE(closed_);
  EXPECT_FALSE(error_);
}

TEST_F(RetryWatcherTest, AWatchMayTakeFiveToTenMinutes) {
  for (int i = 0; i < 100; ++i) Open();
  const auto [least, most] = std::minmax_element(server_.timeouts.begin(), server_.timeouts.end());
  EXPECT_GE(*least, 300);
  EXPECT_LE(*least, 330);
  EXPECT_GE(*most, 570);
  EXPECT_LE(*most, 600);
}

TEST_F(RetryWatcherTest, ClosedAgainAndAgain_RWA07) {
  server_.set_rv(10);
  Open("10");
  std::vector<std::string> wanted;
  for (std::uint64_t i = 0; i < 4; ++i) {
    server_.set_rv(20 + 10 * i);
    const std::string name = "p" + std::to_string(i);
    wanted.push_back("+" + name + "@" + server_.Put(name));
    sim_.RunReady();
    i % 2 == 0 ? server_.EndWatches() : server_.BreakWatches();
    sim_.RunFor(seconds(2));
  }
  EXPECT_EQ(Take(), wanted);
  EXPECT_THAT(server_.requests,
              ElementsAre("WATCH rv=10 bookmarks", "WATCH rv=21 bookmarks", "WATCH rv=31 bookmarks",
                          "WATCH rv=41 bookmarks", "WATCH rv=51 bookmarks"));
}

TEST_F(RetryWatcherTest, AWatchThatLivedIsResumedAtOnce_RWA07) {
  Open();
  sim_.RunFor(seconds(60));
  server_.EndWatches();
  sim_.RunFor(milliseconds(1));
  EXPECT_EQ(server_.requests.size(), 2U);
  server_.EndWatches();
  sim_.RunFor(milliseconds(900));
  EXPECT_EQ(server_.requests.size(), 2U);
}

TEST_F(RetryWatcherTest, StoppedUnread_RWA08_SD06) {
  Open();
  server_.Put("b");
  sim_.RunReady();
  watcher_->Stop();
  watcher_->Stop();
  sim_.RunReady();
  EXPECT_EQ(server_.open_watches(), 0U);
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_TRUE(closed_);
  watcher_.reset();
}

TEST_F(RetryWatcherTest, LosingTheLastHandleEndsIt) {
  Open();
  std::optional<Watcher<Pod>> copy = watcher_;
  watcher_.reset();
  sim_.RunReady();
  EXPECT_EQ(server_.open_watches(), 1U);
  copy.reset();
  EXPECT_EQ(server_.open_watches(), 0U);
}

TEST_F(RetryWatcherTest, BookmarksMoveItOnUnseen) {
  Open();
  server_.set_rv(40);
  server_.Bookmark();
  server_.EndWatches();
  sim_.RunFor(seconds(2));
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_EQ(server_.requests.back(), "WATCH rv=40 bookmarks");
}

TEST_F(RetryWatcherTest, AnEventWithoutAVersionEndsIt) {
  Open();
  server_.Send(WatchEventType::kAdded, internal::client::MakePod("default", "x", ""));
  server_.Put("b");
  sim_.RunFor(seconds(5));
  EXPECT_THAT(Take(), IsEmpty());
  ASSERT_TRUE(error_);
  EXPECT_EQ(error_->reason(), Reason::kInternalError);
  EXPECT_EQ(server_.open_watches(), 0U);
}

TEST_F(RetryWatcherTest, UnreadableObjectsAreLeftOut) {
  Open();
  server_.SendUnreadable(WatchEventType::kAdded, "x", "7");
  server_.EndWatches();
  sim_.RunFor(seconds(2));
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_EQ(server_.requests.back(), "WATCH rv=7 bookmarks");
  EXPECT_THAT(log_->why, ElementsAre("Decode: spec.size: bad bytes"));
}

TEST_F(RetryWatcherTest, ASlowReaderClosesTheWatchAndMissesNothing) {
  Open();
  std::vector<std::string> wanted;
  const auto put = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string name = "p" + std::to_string(i);
      wanted.push_back("+" + name + "@" + server_.Put(name));
    }
    sim_.RunFor(seconds(2));
  };
  put(0, 5000);
  EXPECT_EQ(server_.open_watches(), 0U);
  put(5000, 6000);
  EXPECT_EQ(server_.requests.size(), 1U);
  EXPECT_EQ(Take(), wanted);
  EXPECT_EQ(server_.requests.size(), 2U);
  EXPECT_EQ(server_.open_watches(), 1U);
}

TEST_F(RetryWatcherTest, Watch_ClosesAtFullBuffer_ReopensAtHalf) {
  Open();
  PutMany(4095);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.open_watches(), 1U);
  server_.Put("one more");
  // Even if the watch ends by itself at this moment, it is not opened again.
  server_.EndWatches();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.open_watches(), 0U);
  TakeOnly(2047);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.open_watches(), 0U);
  TakeOnly(1);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.open_watches(), 1U);
  // From here on it works as before.
  server_.EndWatches();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.open_watches(), 1U);
  PutMany(2048);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.open_watches(), 0U);
  EXPECT_EQ(Take().size(), 4096U);
}

TEST_F(RetryWatcherTest, AReaderMayGiveUpWaiting) {
  Open();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(watcher_->Next({.stop = stop.get_token()}).error().reason(), Reason::kCanceled);
  std::optional<Reason> on_loop;
  sim_.env().loop().Post([&] { on_loop = watcher_->Next().error().reason(); });
  sim_.RunReady();
  EXPECT_EQ(on_loop, Reason::kWouldDeadlock);
  server_.Put("b");
  sim_.RunReady();
  EXPECT_THAT(Take(), ElementsAre("+b@2"));
}

}  // namespace
}  // namespace kinformer
