#include "apiserver/faults/faulty_watch.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "apiserver/faults/testing/scripted_stream.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ReadOnce;
using testing::ScriptedStream;
using State = ResponseStream::State;

constexpr std::int64_t kStart = 10;

std::string Frame(const std::string& type, int version, const std::string& more = "") {
  return R"({"type":")" + type +
         R"(","object":{"kind":"ConfigMap","metadata":{"resourceVersion":")" +
         std::to_string(version) + "\"" + more + "}}}\n";
}

constexpr const char* kEnd = R"(,"annotations":{"k8s.io/initial-events-end":"true"})";

std::string Bookmark(int version) {
  return R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":)"
         R"({"resourceVersion":")" +
         std::to_string(version) + "\"}}}\n";
}

// Returns each frame as "ADDED 7", with the kind, the namespace and an error's words where they
// are not the usual ones; and the state.
std::string Summary(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
    const json::Value frame = json::Parse(std::string_view(text).substr(at, end - at)).OrExit();
    const json::Value& object = frame["object"];
    out += frame["type"].StringOrEmpty();
    if (object["kind"] != json::Value("ConfigMap")) out += " " + object["kind"].StringOrEmpty();
    if (object.contains("code")) {
      out += " " + object["code"].Dump() + " " + object["reason"].StringOrEmpty() + " " +
             object["message"].StringOrEmpty();
    }
    const json::Value& metadata = object["metadata"];
    if (metadata.contains("resourceVersion")) {
      out += " " + metadata["resourceVersion"].StringOrEmpty();
    }
    if (metadata.contains("namespace")) out += " in " + metadata["namespace"].StringOrEmpty();
    if (metadata.contains("annotations")) out += " end";
    out += "; ";
    at = end + 1;
  }
  return out + text.substr(at);
}

class FaultyWatchTest : public ::testing::Test {
 protected:
  void Make(const FaultRule& rule, std::vector<ScriptedStream::Step> steps) {
    auto inner = std::make_unique<ScriptedStream>(std::move(steps));
    inner_ = inner.get();
    const ObjectEncoder encoder(state_.resources.Find("", "v1", "configmaps"), {}, {});
    watch_ = NewFaultyWatch(state_, encoder, kStart, rule, std::move(inner));
    wakes_ = 0;
    watch_->SetWake([this] { ++wakes_; });
  }
  std::string Read(std::size_t max_bytes = 100'000) {
    return Summary(ReadOnce(*watch_, max_bytes));
  }
  // Returns the outcome for a watch with all kinds of events, in one Read.
  std::string Under(const FaultRule& rule) {
    std::string text;
    text += Frame("ADDED", 9) + Frame("BOOKMARK", 10, kEnd) + Frame("MODIFIED", 11) +
            Frame("BOOKMARK", 12) + Frame("DELETED", 2, kEnd) + Frame("ERROR", 14);
    Make(rule, {{{text}, State::kWait}});
    EXPECT_EQ(watch_->status(), 207);
    return Read();
  }

  Simulation sim_;
  ServerState state_{sim_.env(), {}};
  ScriptedStream* inner_ = nullptr;
  ResponsePtr watch_;
  int wakes_ = 0;
};

TEST_F(FaultyWatchTest, Events_AreLostRepeatedOrChanged) {
  const std::string all =
      "ADDED 9; BOOKMARK 10 end; MODIFIED 11; BOOKMARK 12; DELETED 2 end; ERROR 14; .";
  using Action = FaultAction;
  for (const auto& [rule, outcome] : std::vector<std::pair<FaultRule, std::string>>{
           {{.action = Action::kDuplicateEvents},
            "ADDED 9; ADDED 9; BOOKMARK 10 end; MODIFIED 11; MODIFIED 11; BOOKMARK 12; "
            "DELETED 2 end; DELETED 2 end; ERROR 14; ."},
           {{.action = Action::kLoseDeletes},
            "ADDED 9; BOOKMARK 10 end; MODIFIED 11; BOOKMARK 12; ERROR 14; ."},
           {{.action = Action::kNoBookmarks}, "ADDED 9; MODIFIED 11; DELETED 2 end; ERROR 14; ."},
           {{.action = Action::kNoInitialEnd},
            "ADDED 9; MODIFIED 11; BOOKMARK 12; DELETED 2 end; ERROR 14; ."},
           {{.action = Action::kBookmarksOnly}, "ADDED 9; BOOKMARK 10 end; DELETED 2 end; ."},
           {{.action = Action::kForeignNamespace},
            "ADDED 9; ADDED 9 in elsewhere; BOOKMARK 10 end; MODIFIED 11; ADDED 11 in elsewhere; "
            "BOOKMARK 12; DELETED 2 end; ADDED 2 in elsewhere end; ERROR 14; ."},
           {{.action = Action::kWrongKind},
            "ADDED 9; ADDED Intruder 9; BOOKMARK 10 end; MODIFIED 11; ADDED Intruder 11; "
            "BOOKMARK 12; DELETED 2 end; ADDED Intruder 2 end; ERROR 14; ."},
           {{.action = Action::kOldBookmarks, .versions = 3},
            "ADDED 9; BOOKMARK 6; BOOKMARK 10 end; MODIFIED 11; BOOKMARK 8; BOOKMARK 12; "
            "DELETED 2 end; BOOKMARK 1; ERROR 14; ."},
           {{.action = Action::kEndWatch}, "$"},
           {{.action = Action::kEndWatch, .after_events = 2},
            "ADDED 9; BOOKMARK 10 end; MODIFIED 11; $"},
           {{.action = Action::kEndWatch, .after_events = 4}, all},
           {{.action = Action::kWatchError}, "ERROR Status 500 InternalError injected fault; $"},
           {{.action = Action::kWatchError, .status = 410, .text = "old", .after_events = 1},
            "ADDED 9; ERROR Status 410 Expired old; $"},
           {{.action = Action::kWatchError, .status = 429, .after_events = 3},
            "ADDED 9; BOOKMARK 10 end; MODIFIED 11; BOOKMARK 12; DELETED 2 end; "
            "ERROR Status 429 InternalError injected fault; $"},
           {{.action = Action::kErrorObject, .text = R"({"kind":"Odd"})", .after_events = 1},
            "ADDED 9; ERROR Odd; $"},
           {{.action = Action::kErrorObject, .text = R"({"kind":"Odd"})", .after_events = 4}, all},
       }) {
    EXPECT_EQ(Under(rule), outcome);
  }
  EXPECT_EQ(Under({.action = Action::kForeignNamespace, .text = "b"}).substr(0, 26),
            "ADDED 9; ADDED 9 in b; BOO");
  EXPECT_EQ(Under({.action = Action::kWrongKind, .text = "Pod"}).substr(0, 26),
            "ADDED 9; ADDED Pod 9; BOOK");
}

TEST_F(FaultyWatchTest, OtherActions_LeaveTheWatchAlone) {
  for (const FaultAction action :
       {FaultAction::kRespond, FaultAction::kReplayEvents, FaultAction::kOldResourceVersion,
        FaultAction::kStaleRead, FaultAction::kStaleCache, FaultAction::kDrip}) {
    Make({.action = action}, {});
    EXPECT_EQ(watch_.get(), inner_);
  }
}

TEST_F(FaultyWatchTest, EndOfTheWatch_IsPassedOnAfterItsFrames) {
  const std::string frame = Frame("ADDED", 11);
  for (const auto& [state, mark] : {std::pair(State::kEnd, "$"), std::pair(State::kAbort, "!")}) {
    Make({.action = FaultAction::kNoBookmarks}, {{{frame + frame}, state}});
    EXPECT_EQ(Read(1), "ADDED 11; +") << "more whole frames are left";
    EXPECT_EQ(Read(1), "ADDED 11; +");
    EXPECT_EQ(Read(1), mark);
    EXPECT_EQ(inner_->asked, std::vector<std::size_t>{1}) << "not read again";
  }
  Make({.action = FaultAction::kNoBookmarks},
       {{{frame.substr(0, 9)}, State::kMore}, {{frame.substr(9), "rest"}, State::kEnd}});
  EXPECT_EQ(Read(), "ADDED 11; $") << "what is no whole frame is dropped";
  Make({.action = FaultAction::kNoBookmarks},
       {{{frame + frame.substr(0, 9)}, State::kWait}, {{frame.substr(9)}, State::kWait}});
  EXPECT_EQ(Read(frame.size()), "ADDED 11; +");
  EXPECT_EQ(Read(frame.size() + 1), "ADDED 11; .");
  EXPECT_EQ(Read(), ".");
}

TEST_F(FaultyWatchTest, Wake_ComesOnceWhileTheReaderWaits) {
  Make({.action = FaultAction::kNoBookmarks},
       {{{Frame("ADDED", 11)}, State::kMore}, {{}, State::kWait}});
  inner_->wake();
  EXPECT_EQ(wakes_, 0) << "it does not wait yet";
  EXPECT_EQ(Read(1), "ADDED 11; +");
  inner_->wake();
  EXPECT_EQ(wakes_, 0);
  EXPECT_EQ(Read(), ".");
  inner_->wake();
  EXPECT_EQ(wakes_, 1);
  inner_->wake();
  EXPECT_EQ(wakes_, 1);
  EXPECT_EQ(Read(), ".");
  inner_->wakes_in_read = true;
  EXPECT_EQ(Read(), ".");
  EXPECT_EQ(wakes_, 1) << "it does not wait while it reads";
  watch_->SetWake(nullptr);
  inner_->wake();
}

TEST_F(FaultyWatchTest, TimedEnd_CountsNoEvents) {
  Make({.action = FaultAction::kEndWatch, .after = seconds(3)},
       {{{Frame("ADDED", 11) + Frame("ADDED", 12)}, State::kWait}});
  EXPECT_EQ(Read(), "ADDED 11; ADDED 12; .");
  sim_.RunFor(seconds(3) - nanoseconds(1));
  EXPECT_EQ(wakes_, 0);
  EXPECT_EQ(Read(), ".");
  sim_.RunFor(nanoseconds(1));
  EXPECT_EQ(wakes_, 1);
  EXPECT_EQ(Read(), "$");
  // Only that action has a time.
  Make({.action = FaultAction::kWatchError, .after = seconds(3), .after_events = 9}, {});
  EXPECT_EQ(Read(), ".");
  sim_.RunFor(seconds(9));
  EXPECT_EQ(Read(), ".");
}

TEST_F(FaultyWatchTest, BookmarksOnly_ComeAtTheirInterval) {
  for (const auto& [delay, period] :
       {std::pair(seconds(0), seconds(1)), std::pair(seconds(3), seconds(3))}) {
    Make({.action = FaultAction::kBookmarksOnly, .delay = delay}, {});
    EXPECT_EQ(Read(), ".");
    for (int i = 1; i <= 3; ++i) {
      sim_.RunFor(period - nanoseconds(1));
      EXPECT_EQ(wakes_, i - 1);
      EXPECT_EQ(Read(), ".");
      sim_.RunFor(nanoseconds(1));
      EXPECT_EQ(wakes_, i);
      EXPECT_EQ(ReadOnce(*watch_), Bookmark(kStart) + ".");
    }
    watch_.reset();
    sim_.RunFor(seconds(9));
    EXPECT_EQ(wakes_, 3);
  }
  Make({.action = FaultAction::kNoBookmarks, .delay = seconds(1)}, {});
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Read(), ".");
}

}  // namespace
}  // namespace kinformer::apiserver
