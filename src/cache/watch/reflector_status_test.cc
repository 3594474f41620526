#include "cache/watch/reflector_status.h"

#include <chrono>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class LevelLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kDebug; }
  void Log(LogLevel level, std::string_view message, std::initializer_list<LogField>) override {
    if (message.find("will retry") != std::string_view::npos) levels.push_back(level);
    last = message;
  }
  std::string last{};
  std::vector<LogLevel> levels{};
};

class ReflectorStatusTest : public ::testing::Test {
 protected:
  const std::shared_ptr<LevelLog> log_ = std::make_shared<LevelLog>();
  Simulation sim_{{.log = log_}};
  const std::string name_ = "pods";
  ReflectorStatus status_{sim_.env(), name_, std::make_shared<InformerObservers>(), nullptr};
};

TEST_F(ReflectorStatusTest, BeginsWithNothing) {
  const InformerStatus status = status_.Status();
  EXPECT_EQ(status.state, InformerState::kNotStarted);
  EXPECT_EQ(status.state_age, Duration(0));
  EXPECT_EQ(status.retry_in, std::nullopt);
  EXPECT_EQ(status.progress_age, std::nullopt);
  EXPECT_EQ(status.epochs, 0U);
  EXPECT_EQ(status.epoch_age, std::nullopt);
  InformerStats stats;
  status_.AddTo(stats);
  EXPECT_EQ(stats.lists + stats.watch_lists + stats.watches + stats.errors + stats.refusals, 0U);
}

TEST_F(ReflectorStatusTest, TheTimeUntilTheNextAttemptEndsAtNothing) {
  status_.OnWatchError(Error(Reason::kInternalError, "no").WithHttpStatus(500));
  status_.OnWaiting(sim_.env().Now() + seconds(3));
  EXPECT_EQ(status_.Status().state, InformerState::kBackingOff);
  EXPECT_EQ(status_.Status().retry_in, seconds(3));
  sim_.RunFor(seconds(2));
  EXPECT_EQ(status_.Status().retry_in, seconds(1));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(status_.Status().retry_in, seconds(0));
  sim_.RunFor(seconds(5));
  EXPECT_EQ(status_.Status().retry_in, seconds(0)) << "not negative";
  status_.OnListing();
  EXPECT_EQ(status_.Status().retry_in, std::nullopt);
}

TEST_F(ReflectorStatusTest, AgesCountFromWhatBegan) {
  status_.OnListing();
  sim_.RunFor(seconds(2));
  status_.OnListing();
  EXPECT_EQ(status_.Status().state_age, seconds(2)) << "the same state goes on";
  status_.OnWatching();
  status_.OnProgress(sim_.env().Now());
  status_.OnEpochChanged();
  sim_.RunFor(seconds(3));
  EXPECT_EQ(status_.Status().state_age, seconds(3));
  EXPECT_EQ(status_.Status().progress_age, seconds(3));
  EXPECT_EQ(status_.Status().epoch_age, seconds(3));
  status_.OnProgress(sim_.env().Now() - seconds(9));
  EXPECT_EQ(status_.Status().progress_age, seconds(3)) << "what is older proves nothing new";
}

TEST_F(ReflectorStatusTest, StatesFollowTheLastError) {
  const auto after = [this](int http_status, Reason reason = Reason::kInternalError) {
    status_.OnWatchError(Error(reason, "no").WithHttpStatus(http_status));
    status_.OnWaiting(sim_.env().Now());
    return status_.Status().state;
  };
  EXPECT_EQ(after(401, Reason::kUnauthorized), InformerState::kForbidden);
  EXPECT_EQ(after(403, Reason::kForbidden), InformerState::kForbidden);
  EXPECT_EQ(after(404, Reason::kNotFound), InformerState::kAbsent);
  EXPECT_EQ(after(429, Reason::kTooManyRequests), InformerState::kRefused);
  EXPECT_EQ(after(500), InformerState::kBackingOff);
  status_.OnWatchBroken();
  EXPECT_TRUE(status_.LastError().has_value());
  status_.OnListed(InitialList::kList);
  EXPECT_FALSE(status_.LastError().has_value());
  status_.OnWaiting(sim_.env().Now());
  EXPECT_EQ(status_.Status().state, InformerState::kBackingOff);
  InformerStats stats;
  status_.AddTo(stats);
  EXPECT_EQ(stats.errors, 5U);
  EXPECT_EQ(stats.refusals, 1U);
  EXPECT_EQ(stats.lists, 1U);
}

TEST_F(ReflectorStatusTest, TooManyRequests_IsLoggedAsWait) {
  status_.OnWatchError(Error(Reason::kTooManyRequests, "no").WithHttpStatus(429));
  EXPECT_EQ(log_->last, "the server asks to wait, will retry");
  status_.OnWatchError(Error(Reason::kInternalError, "no").WithHttpStatus(500));
  EXPECT_EQ(log_->last, "list or watch failed, will retry");
}

// An expired history is normal, and a missing definition is logged once.
TEST_F(ReflectorStatusTest, ExpectedAndRepeatedErrors_AreNoWarnings) {
  const auto level = [this](const Error& error) {
    log_->levels.clear();
    status_.OnWatchError(error);
    return log_->levels.size() == 1 ? log_->levels.front() : LogLevel::kError;
  };
  const Error absent = Error(Reason::kNotFound, "no such resource").WithHttpStatus(404);
  const Error expired = Error(Reason::kExpired, "too old").WithHttpStatus(410);
  const Error failure = Error(Reason::kInternalError, "no").WithHttpStatus(500);
  EXPECT_EQ(level(expired), LogLevel::kDebug);
  EXPECT_EQ(level(expired), LogLevel::kDebug);
  EXPECT_EQ(level(absent), LogLevel::kWarning);
  sim_.RunFor(minutes(10));
  EXPECT_EQ(level(absent), LogLevel::kDebug);
  EXPECT_EQ(level(failure), LogLevel::kWarning);
  EXPECT_EQ(level(failure), LogLevel::kDebug) << "once a minute";
  sim_.RunFor(minutes(1));
  EXPECT_EQ(level(failure), LogLevel::kWarning);
  EXPECT_EQ(level(absent), LogLevel::kWarning);
  status_.OnListed(InitialList::kList);
  EXPECT_EQ(level(absent), LogLevel::kWarning) << "it was there meanwhile";
}

}  // namespace
}  // namespace kinformer::internal::cache
