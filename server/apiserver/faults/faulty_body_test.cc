#include "apiserver/faults/faulty_body.h"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "apiserver/faults/testing/scripted_stream.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ReadOnce;
using testing::ScriptedStream;
using State = ResponseStream::State;
using Cut = ConnectionEffect::Cut;

constexpr std::array kSpoiling = {FaultAction::kCutBody,         FaultAction::kEndBody,
                                  FaultAction::kStall,           FaultAction::kGarbage,
                                  FaultAction::kBreakConnection, FaultAction::kStallConnection};

class FaultyBodyTest : public ::testing::Test {
 protected:
  void Make(FaultRule rule, std::vector<ScriptedStream::Step> steps) {
    HttpHeaders headers;
    headers.Add("Content-Type", "text/plain");
    headers.Add("Content-Length", "9");
    auto inner = std::make_unique<ScriptedStream>(std::move(steps), std::move(headers));
    inner_ = inner.get();
    body_ = NewFaultyBody(state_, std::move(inner), std::move(rule));
    wakes_ = 0;
    body_->SetWake([this] { ++wakes_; });
  }
  std::string Read(std::size_t max_bytes = 1000) { return ReadOnce(*body_, max_bytes); }

  Simulation sim_{{.start = WallTime(seconds(1'795'233'060)) + milliseconds(900)}};
  ServerState state_{sim_.env(), {}};
  ScriptedStream* inner_ = nullptr;
  ResponsePtr body_;
  int wakes_ = 0;
};

TEST_F(FaultyBodyTest, Answer_KeepsStatusAndHeadersWithoutLength) {
  for (const FaultAction action :
       {FaultAction::kCutBody, FaultAction::kDrip, FaultAction::kGoAway, FaultAction::kSkewClock}) {
    Make({.action = action}, {});
    inner_->begun = false;
    EXPECT_FALSE(body_->ready());
    inner_->begun = true;
    EXPECT_TRUE(body_->ready());
    EXPECT_EQ(body_->status(), 207);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(body_->headers().Get("Content-Type"), "text/plain");
      EXPECT_EQ(body_->headers().size(), action == FaultAction::kSkewClock ? 2U : 1U);
    }
    inner_->wake();
    EXPECT_EQ(wakes_, 1);
  }
}

TEST_F(FaultyBodyTest, Body_IsSpoiledAfterItsFirstBytes) {
  const std::vector<std::string> ends = {"!", "$", ".", "##$", "!", "!"};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    Make({.action = kSpoiling[i], .text = "#", .after_bytes = 5, .repeat = 2},
         {{{"abc", "defg"}, State::kEnd}});
    EXPECT_EQ(Read(), "abcde+") << i;
    EXPECT_EQ(inner_->asked, std::vector<std::size_t>{5});
    EXPECT_EQ(Read(), ends[i]) << i;
    EXPECT_EQ(inner_->asked.size(), 1U) << "the rest is not read";

    Make({.action = kSpoiling[i], .text = "#", .repeat = 2}, {{{"abc"}, State::kEnd}});
    EXPECT_EQ(Read(), ends[i]) << i;
    EXPECT_TRUE(inner_->asked.empty());

    // A body of just that length is spoiled, too; a shorter one is not.
    Make({.action = kSpoiling[i], .text = "#", .after_bytes = 3, .repeat = 2},
         {{{"abc"}, State::kEnd}});
    EXPECT_EQ(Read(), "abc+") << i;
    EXPECT_EQ(Read(), ends[i]) << i;
    Make({.action = kSpoiling[i], .after_bytes = 4},
         {{{"a"}, State::kMore}, {{"b"}, State::kWait}, {{"c"}, State::kEnd}});
    EXPECT_EQ(Read(), "a+") << i;
    EXPECT_EQ(Read(2), "b.") << i;
    EXPECT_EQ(Read(), "c$") << i;
    EXPECT_EQ(inner_->asked, (std::vector<std::size_t>{4, 2, 2}));
  }
}

TEST_F(FaultyBodyTest, Read_LeavesEarlierOutputAlone) {
  Make({.action = FaultAction::kCutBody, .after_bytes = 2}, {{{"abc"}, State::kMore}});
  std::vector<BodyChunk> out = {BodyChunk::Of("earlier")};
  EXPECT_EQ(body_->Read(100, out), State::kMore);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].bytes, "earlier");
  EXPECT_EQ(out[1].bytes, "ab");
}

TEST_F(FaultyBodyTest, Cuts_ConcernTheStreamOrTheConnection) {
  const std::vector<Cut> cuts = {Cut::kStream, Cut::kStream,     Cut::kStream,
                                 Cut::kStream, Cut::kConnection, Cut::kStall};
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    Make({.action = kSpoiling[i]}, {});
    EXPECT_EQ(body_->effect().cut, cuts[i]) << i;
    EXPECT_FALSE(body_->effect().go_away);
    EXPECT_EQ(body_->effect().max_streams, 0U);
  }
}

TEST_F(FaultyBodyTest, Garbage_IsRepeatedInPieces) {
  Make({.action = FaultAction::kGarbage, .text = "ab", .repeat = 5}, {});
  EXPECT_EQ(Read(3), "abab+");
  EXPECT_EQ(Read(4), "abab+") << "a piece as long as wanted";
  EXPECT_EQ(Read(4), "ab$");
  Make({.action = FaultAction::kGarbage, .text = "ab", .repeat = 2}, {});
  EXPECT_EQ(Read(4), "abab$");
  Make({.action = FaultAction::kGarbage, .text = "", .repeat = static_cast<std::size_t>(-1)}, {});
  EXPECT_EQ(Read(), "$");
  Make({.action = FaultAction::kGarbage, .text = "ab", .repeat = 0}, {});
  std::vector<BodyChunk> out;
  EXPECT_EQ(body_->Read(100, out), State::kEnd);
  EXPECT_TRUE(out.empty());

  // Pieces have 64 KiB at most.
  const std::string text(1024, 'x');
  Make({.action = FaultAction::kGarbage, .text = text, .repeat = 65}, {});
  EXPECT_EQ(Read(1'000'000).size(), 64 * 1024 + 1U);
  EXPECT_EQ(Read(1'000'000), text + "$");
}

TEST_F(FaultyBodyTest, Drip_SendsAPieceAtEachInterval) {
  Make({.action = FaultAction::kDrip, .delay = seconds(2), .chunk_bytes = 3},
       {{{"ab", "cdef"}, State::kMore}, {{"g"}, State::kEnd}});
  for (const char* piece : {"abc.", "def.", "g."}) {
    const int before = wakes_;
    EXPECT_EQ(Read(), piece);
    EXPECT_EQ(Read(), ".");
    inner_->wake();
    sim_.RunFor(seconds(2) - nanoseconds(1));
    EXPECT_EQ(wakes_, before) << "not before its time";
    EXPECT_EQ(Read(), ".");
    sim_.RunFor(nanoseconds(1));
    EXPECT_EQ(wakes_, before + 1);
  }
  EXPECT_EQ(Read(), "$");
  EXPECT_EQ(inner_->asked, (std::vector<std::size_t>{1000, 1000}));
}

TEST_F(FaultyBodyTest, Drip_SizesOfPieces) {
  const std::vector<ScriptedStream::Step> steps = {
      {{"abcd"}, State::kMore}, {{"efgh"}, State::kMore}, {{}, State::kEnd}};
  Make({.action = FaultAction::kDrip, .chunk_bytes = 3}, steps);
  EXPECT_EQ(Read(2), "ab+") << "at most what is asked for";
  EXPECT_EQ(Read(), "cde+");
  EXPECT_EQ(Read(), "fgh+");
  EXPECT_EQ(Read(), "$");
  Make({.action = FaultAction::kDrip}, steps);
  EXPECT_EQ(Read(2), "abcdefgh+") << "all that is ready";
  EXPECT_EQ(Read(), "$");
  Make({.action = FaultAction::kDrip, .chunk_bytes = 1}, steps);
  EXPECT_EQ(Read(), "a+");
  EXPECT_EQ(inner_->asked.size(), 1U) << "one piece is enough for now";
  Make({.action = FaultAction::kDrip, .chunk_bytes = 4}, steps);
  EXPECT_EQ(Read(), "abcd+");
  EXPECT_EQ(inner_->asked.size(), 1U);
  Make({.action = FaultAction::kDrip}, {{{"a"}, State::kAbort}});
  EXPECT_EQ(Read(), "a+");
  EXPECT_EQ(Read(), "!");
}

TEST_F(FaultyBodyTest, Drip_WaitsForMore) {
  Make({.action = FaultAction::kDrip, .delay = seconds(5)},
       {{{}, State::kWait}, {{"a"}, State::kWait}, {{"b"}, State::kMore}, {{"c"}, State::kWait}});
  EXPECT_EQ(Read(), ".");
  inner_->wake();
  EXPECT_EQ(wakes_, 1) << "passed on at once while nothing is held back";
  EXPECT_EQ(Read(), "a.");
  inner_->wake();
  EXPECT_EQ(wakes_, 1);
  sim_.RunFor(seconds(5));
  EXPECT_EQ(wakes_, 2);
  EXPECT_EQ(Read(), "bc.");
  body_->SetWake(nullptr);
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Read(), ".");
  inner_->wake();
  body_.reset();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(wakes_, 2) << "no wake after the end";
}

TEST_F(FaultyBodyTest, Connection_IsToldInPassing) {
  Make({.action = FaultAction::kGoAway, .max_streams = 7}, {{{"abc"}, State::kEnd}});
  EXPECT_TRUE(body_->effect().go_away);
  EXPECT_EQ(body_->effect().max_streams, 0U);
  EXPECT_EQ(body_->effect().cut, Cut::kStream);
  EXPECT_EQ(Read(9), "abc$");
  EXPECT_EQ(inner_->asked, std::vector<std::size_t>{9});
  Make({.action = FaultAction::kStreamLimit, .max_streams = 7}, {{{"abc"}, State::kWait}});
  EXPECT_FALSE(body_->effect().go_away);
  EXPECT_EQ(body_->effect().max_streams, 7U);
  EXPECT_EQ(Read(), "abc.");
}

TEST_F(FaultyBodyTest, SkewedClock_ShowsInTheDate) {
  for (const auto& [skew, date] : std::vector<std::pair<Duration, const char*>>{
           {seconds(0), "Sat, 21 Nov 2026 03:51:00 GMT"},
           {milliseconds(100), "Sat, 21 Nov 2026 03:51:01 GMT"},
           {hours(-24), "Fri, 20 Nov 2026 03:51:00 GMT"},
           {hours(24 * 30), "Mon, 21 Dec 2026 03:51:00 GMT"},
       }) {
    Make({.action = FaultAction::kSkewClock, .skew = skew}, {{{"abc"}, State::kEnd}});
    EXPECT_EQ(body_->headers().Get("Date"), date);
    EXPECT_EQ(body_->effect().cut, Cut::kStream);
    EXPECT_FALSE(body_->effect().go_away);
    EXPECT_EQ(Read(), "abc$");
  }
}

}  // namespace
}  // namespace kinformer::apiserver
