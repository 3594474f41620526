#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/apiserver/recording.h"
#include "kinformer/base/simulation.h"

#include "apiserver/faults/testing/recording_tape.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr nanoseconds kTick{1};

class ReplayTest : public ::testing::Test {
 protected:
  void Load(const Tape& tape, double speed = 1) {
    replay_ = Replay::FromBytes(sim_.env(), tape.bytes, {.speed = speed}).OrExit();
  }
  std::unique_ptr<ResponseStream> Ask(std::string_view target, std::string_view accept = "",
                                      std::string_view method = "GET") {
    HttpRequest request{.method = std::string(method), .target = std::string(target)};
    if (!accept.empty()) request.headers.Add("Accept", std::string(accept));
    return replay_->Handle(std::move(request));
  }
  // Returns "200 body", and a mark for an answer that is open or cut.
  std::string Get(std::string_view target, std::string_view accept = "") {
    OpenReply open(sim_, Ask(target, accept));
    const Reply& reply = open.reply();
    return std::to_string(reply.status) + " " + reply.body + (reply.aborted ? "!" : "") +
           (open.ended() ? "" : "...");
  }
  // Asserts that a silent watch for this target ends after that time, and not before.
  void ExpectOpenFor(const std::string& target, nanoseconds time) {
    OpenReply open(sim_, Ask(target));
    EXPECT_EQ(open.reply().status, 200) << target;
    EXPECT_FALSE(open.ended()) << target;
    sim_.RunFor(time - kTick);
    EXPECT_EQ(open.wakes(), 0) << target;
    open.Pull();
    EXPECT_FALSE(open.ended()) << target;
    sim_.RunFor(kTick);
    EXPECT_EQ(open.wakes(), 1) << target;
    open.Pull();
    EXPECT_TRUE(open.ended()) << target;
    EXPECT_FALSE(open.reply().aborted) << target;
    EXPECT_EQ(open.reply().body, "") << target;
  }

  Simulation sim_{{.start = WallTime(seconds(5))}};
  std::unique_ptr<Replay> replay_;
};

TEST_F(ReplayTest, Answer_ArrivesAtItsPace) {
  for (const double speed : {1.0, 2.0, 0.5}) {
    Tape tape;
    tape.Request("/api/v1/pods");
    tape.Head(seconds(4), 201);
    tape.Data(seconds(8), "one");
    tape.Data(seconds(8), "two");
    tape.End(seconds(12));
    Load(tape, speed);
    const auto step = nanoseconds(static_cast<std::int64_t>(4e9 / speed));
    OpenReply open(sim_, Ask("/api/v1/pods"));
    EXPECT_EQ(open.reply().status, 0);
    sim_.RunFor(step - kTick);
    open.Pull();
    EXPECT_EQ(open.reply().status, 0) << speed;
    EXPECT_EQ(open.wakes(), 0) << speed;
    sim_.RunFor(kTick);
    EXPECT_EQ(open.wakes(), 1) << speed;
    open.Pull();
    EXPECT_EQ(open.reply().status, 201) << speed;
    EXPECT_EQ(open.reply().headers.Get("Content-Type"), "application/json");
    sim_.RunFor(step - kTick);
    open.Pull();
    EXPECT_EQ(open.reply().body, "") << speed;
    sim_.RunFor(kTick);
    EXPECT_EQ(open.wakes(), 2) << speed;
    open.Pull();
    EXPECT_EQ(open.reply().body, "onetwo") << speed;
    sim_.RunFor(step - kTick);
    open.Pull();
    EXPECT_FALSE(open.ended()) << speed;
    sim_.RunFor(kTick);
    EXPECT_EQ(open.wakes(), 3) << speed;
    open.Pull();
    EXPECT_TRUE(open.ended()) << speed;
    EXPECT_FALSE(open.reply().aborted) << speed;
  }
}

TEST_F(ReplayTest, SpeedZeroAndTinySpeeds_HaveLimits) {
  Tape tape;
  tape.Request("/api/v1/pods");
  tape.Head(seconds(5));
  tape.End(seconds(9));
  for (const double speed : {0.0, -1.0}) {
    Load(tape, speed);
    EXPECT_EQ(Get("/api/v1/pods"), "200 ") << "at once";
  }
  Load(tape, 1e-12);
  OpenReply open(sim_, Ask("/api/v1/pods"));
  constexpr nanoseconds kThirtyYears{1'000'000'000'000'000'000};
  sim_.RunFor(kThirtyYears - kTick);
  open.Pull();
  EXPECT_EQ(open.reply().status, 0);
  sim_.RunFor(kTick);
  open.Pull();
  EXPECT_TRUE(open.ended());
}

TEST_F(ReplayTest, Read_TakesWholeChunksUpToTheLimit) {
  Tape tape;
  tape.Request("/api/v1/pods");
  tape.Head(kNone);
  for (const char* data : {"abc", "def", "g"}) tape.Data(kNone, data);
  tape.End(kNone);
  Load(tape);
  const auto stream = Ask("/api/v1/pods");
  ASSERT_TRUE(stream->ready());
  std::vector<BodyChunk> out;
  EXPECT_EQ(stream->Read(3, out), ResponseStream::State::kMore);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].bytes, "abc");
  EXPECT_EQ(stream->Read(4, out), ResponseStream::State::kEnd);
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[1].bytes, "def");
  EXPECT_EQ(out[2].bytes, "g");
  replay_.reset();
  EXPECT_EQ(out[2].bytes, "g") << "a chunk keeps the recording";
}

TEST_F(ReplayTest, IncompleteAnswers_AreCut) {
  Tape tape;
  tape.Request("/api/v1/pods");
  tape.Head(kNone);
  tape.Data(kNone, "a");
  tape.End(seconds(1), "connection reset");
  tape.Request("/api/v1/nodes");
  tape.Head(kNone);
  tape.Request("/api/v1/services");
  tape.Request("/api/v1/pods?watch=1");
  tape.Head(kNone);
  tape.Request("no target");
  Load(tape, 0);
  EXPECT_EQ(Get("/api/v1/pods"), "200 a!");
  EXPECT_EQ(Get("/api/v1/nodes"), "200 !") << "a list without an end";
  EXPECT_EQ(Get("/api/v1/pods?watch=1"), "200 ...") << "a watch may go on";
  EXPECT_EQ(replay_->exchanges(), 5U);
  EXPECT_EQ(replay_->unfinished(), 3U) << "the watch does not count";
  EXPECT_EQ(replay_->unread_bytes(), 0U);
  EXPECT_EQ(replay_->served(), 3U);
  EXPECT_EQ(Get("/api/v1/services").substr(0, 4), "404 ") << "nothing came";
  EXPECT_EQ(replay_->served(), 3U);
  tape.bytes += "Qrest";
  Load(tape);
  EXPECT_EQ(replay_->unread_bytes(), 5U);
}

TEST_F(ReplayTest, Watch_EndsAfterItsTimeout) {
  Tape tape;
  tape.Request("/api/v1/pods?watch=1");
  tape.Head(kNone);
  const std::string watch = "/api/v1/pods?watch=1";
  for (const auto& [more, time] : std::vector<std::pair<std::string, nanoseconds>>{
           {"", minutes(30)},
           {"&timeoutSeconds=1", seconds(1)},
           {"&timeoutSeconds=0", minutes(30)},
           {"&timeoutSeconds=-1", minutes(30)},
           {"&timeoutSeconds=x", minutes(30)},
           {"&timeoutSeconds=86399", seconds(86'399)},
           {"&timeoutSeconds=86400", minutes(30)},
       }) {
    Load(tape);
    ExpectOpenFor(watch + more, time);
    EXPECT_EQ(replay_->served(), 1U);
    ExpectOpenFor(watch + more, time);
    EXPECT_EQ(replay_->served(), 1U) << "silence is no answer of the recording";
  }
}

TEST_F(ReplayTest, LastAnswer_IsRepeatedAndLastWatchIsSilent) {
  Tape tape;
  tape.Whole("/api/v1/pods", "first");
  tape.Whole("/api/v1/pods", "last");
  tape.Whole("/api/v1/pods?watch=1", "gone", 410);
  tape.Request("/api/v1/nodes?watch=1");
  tape.Head(seconds(3), 200, "text/plain");
  tape.Data(seconds(4), "event");
  tape.End(seconds(5));
  Load(tape);
  for (const char* body : {"200 first", "200 last", "200 last", "200 last"}) {
    EXPECT_EQ(Get("/api/v1/pods"), body);
  }
  EXPECT_EQ(replay_->served(), 4U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Get("/api/v1/pods?watch=1"), "410 gone");
  EXPECT_EQ(replay_->served(), 6U);
  OpenReply events(sim_, Ask("/api/v1/nodes?watch=1"));
  sim_.RunFor(seconds(5));
  events.Pull();
  EXPECT_EQ(events.reply().body, "event");
  OpenReply silent(sim_, Ask("/api/v1/nodes?watch=1"));
  EXPECT_EQ(silent.reply().status, 200) << "at once";
  EXPECT_EQ(silent.reply().headers.Get("Content-Type"), "text/plain");
  ExpectOpenFor("/api/v1/nodes?watch=1&timeoutSeconds=7", seconds(7));
  EXPECT_EQ(replay_->served(), 7U);
}

TEST_F(ReplayTest, Requests_AreEqualButForTimeoutsAndVersion) {
  Tape tape;
  tape.Whole("/api/v1/pods?limit=5&resourceVersion=7&timeoutSeconds=1&timeout=2s", "five");
  tape.Whole("/api/v1/pods", "all");
  tape.Whole("/api/v1/pods?xresourceVersion=3", "other");
  Load(tape);
  for (const auto& [target, answer] : std::vector<std::pair<const char*, const char*>>{
           {"/api/v1/pods?limit=5", "200 five"},
           {"/api/v1/pods?timeout=9s&limit=5&resourceVersion=8", "200 five"},
           {"/api/v1/pods?timeoutSeconds=9&timeout=1", "200 all"},
           {"/api/v1/pods?resourceVersion=0", "200 all"},
           {"/api/v1/pods?", "200 all"},
           {"/api/v1/pods", "200 all"},
           {"/api/v1/pods?xresourceVersion=3", "200 other"},
       }) {
    EXPECT_EQ(Get(target), answer) << target;
  }
  for (const char* target :
       {"/api/v1/pods?limit=6", "/api/v1/pods?limit=5&x=1", "/api/v1/pods?xresourceVersion=4",
        "/api/v1/pods?timeouts=1", "/api/v1/pod", "/api/v1/podslimit=5"}) {
    EXPECT_EQ(Get(target).substr(0, 4), "404 ") << target;
  }
}

TEST_F(ReplayTest, SameVersion_GoesFirst) {
  Tape tape;
  tape.Whole("/api/v1/pods?resourceVersion=5", "five");
  tape.Whole("/api/v1/pods?x=1&resourceVersion=5", "x five");
  tape.Whole("/api/v1/pods?resourceVersion=7", "seven");
  tape.Whole("/api/v1/pods?x=1&resourceVersion=7&timeout=3s", "x seven");
  tape.Whole("/api/v1/pods?resourceVersion=7", "seven again");
  tape.Whole("/api/v1/nodes?xresourceVersion=2&resourceVersion=1", "one");
  tape.Whole("/api/v1/nodes?xresourceVersion=2&resourceVersion=2", "two");
  Load(tape);
  EXPECT_EQ(Get("/api/v1/pods?resourceVersion=7"), "200 seven");
  EXPECT_EQ(Get("/api/v1/pods?x=1&resourceVersion=7"), "200 x seven");
  EXPECT_EQ(Get("/api/v1/pods?resourceVersion=9"), "200 five") << "the first of those left";
  EXPECT_EQ(Get("/api/v1/pods?resourceVersion=5"), "200 seven again");
  EXPECT_EQ(Get("/api/v1/nodes?xresourceVersion=2&resourceVersion=2"), "200 two");
}

TEST_F(ReplayTest, UnreadableForms_ArePassedOver) {
  constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
  Tape tape;
  tape.Whole("/api/v1/pods", "binary", 200, kProtobuf);
  tape.Whole("/api/v1/pods", "text");
  Load(tape);
  EXPECT_EQ(Get("/api/v1/pods", "application/json"), "200 text");
  EXPECT_EQ(Get("/api/v1/pods"), "200 text");
  EXPECT_EQ(Get("/api/v1/pods", kProtobuf), "200 binary");
  EXPECT_EQ(Get("/api/v1/pods", kProtobuf), "200 text") << "the last one that can be read";
}

TEST_F(ReplayTest, OtherRequests_GetErrors) {
  Tape tape;
  tape.Whole("/livez", "recorded");
  Load(tape);
  EXPECT_EQ(Get("/livez"), "200 recorded");
  for (const char* path : {"/readyz", "/healthz"}) {
    OpenReply open(sim_, Ask(path));
    EXPECT_EQ(open.reply().body, "ok");
    EXPECT_EQ(open.reply().status, 200);
    EXPECT_EQ(open.reply().headers.Get("Content-Type"), "text/plain; charset=utf-8");
  }
  Load(Tape());
  EXPECT_EQ(Get("/livez"), "200 ok");
  OpenReply none(sim_, Ask("/api/v1/pods?x=1"));
  EXPECT_EQ(none.reply().status, 404);
  EXPECT_EQ(none.reply().Json()["message"].StringOrEmpty(),
            "the recording holds no answer to GET /api/v1/pods?x=1 that this client can read");
  EXPECT_EQ(none.reply().Json()["reason"].StringOrEmpty(), "NotFound");
  for (const char* method : {"POST", "HEAD", "DELETE"}) {
    EXPECT_EQ(OpenReply(sim_, Ask("/livez", "", method)).reply().status, 405) << method;
  }
  EXPECT_EQ(replay_->served(), 0U);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
