#include "cache/check/current_question.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/check/testing/checker_fixture.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// The store has a, b and c of namespace ns at version 5; the server answers after a second, and is
// at version 9.
class CurrentQuestionTest : public ConsistencyCheckerTest {
 protected:
  CurrentQuestionTest() {
    source_.page = [this](const std::string&, const ListOptions& options) {
      CheckerPage page;
      if (error_status_ != 0) {
        page.result = Error(Reason::kInternalError, "no").WithHttpStatus(error_status_);
        return page;
      }
      page.result = ListMeta{.resourceVersion = "9"};
      if (two_pages_ && options.continue_.empty()) {
        page.result = ListMeta{.resourceVersion = "9", .continue_ = "next"};
        return page;
      }
      for (const auto& [key, object] : server_) page.items.push_back(object);
      page.unreadable = unreadable_;
      return page;
    };
  }
  void Ask() {
    const SteadyTime now = sim_.env().Now();
    CurrentQuestionOptions options{
        .version = [this] { return version_; },
        .comparable = [this] { return comparable_; },
        .answered = [this, now] { answered_after_ = sim_.env().Now() - now; },
        .failed =
            [this](const Error& error, bool for_good) {
              failures_.push_back(std::to_string(error.http_status()) +
                                  (for_good ? " for good" : ""));
            }};
    question_ = std::make_unique<CurrentQuestion>(sim_.env(), source_, store_, std::move(options));
    question_->Ask();
    sim_.RunFor(milliseconds(1400));
  }
  // The store gets an object, or loses one.
  void Commit(const std::string& name, const std::string& version) {
    Store("ns", name, version);
    question_->Committed();
  }
  void Remove(const std::string& name) {
    store_.Begin();
    store_.Erase("ns", name);
    store_.Commit();
    if (question_ != nullptr) question_->Committed();
  }
  [[nodiscard]] bool answered() const { return answered_after_.has_value(); }

  std::string version_ = "5";
  bool comparable_ = true;
  bool two_pages_ = false;
  int error_status_ = 0;
  std::optional<Duration> answered_after_;
  std::vector<std::string> failures_;
  std::unique_ptr<CurrentQuestion> question_;
};

TEST_F(CurrentQuestionTest, SameObjects_AnsweredAfterOneRoundTripThoughTheVersionIsOlder) {
  Ask();
  EXPECT_EQ(answered_after_, seconds(1));
  EXPECT_EQ(source_.asked, std::vector<std::string>{"|||500|"});
}

TEST_F(CurrentQuestionTest, StoreAtTheVersion_Answered) {
  version_ = "10";
  Remove("b");  // by an event after the list
  Ask();
  EXPECT_EQ(answered_after_, seconds(1));
}

TEST_F(CurrentQuestionTest, NewObject_AnsweredWhenTheStoreHasIt) {
  Serve("ns", "d", "7");
  Ask();
  EXPECT_FALSE(answered());
  Commit("e", "8");
  EXPECT_FALSE(answered());
  Commit("d", "6");
  EXPECT_FALSE(answered()) << "an older state of it";
  Commit("d", "7");
  EXPECT_TRUE(answered());
}

TEST_F(CurrentQuestionTest, ChangedObject_AnsweredWhenTheStoreHasItOrANewerOne) {
  Serve("ns", "a", "7");
  Ask();
  EXPECT_FALSE(answered());
  Commit("a", "12");
  EXPECT_TRUE(answered());
}

TEST_F(CurrentQuestionTest, DeletedObject_AnsweredWhenItHasLeftTheStore) {
  server_.erase({"ns", "b"});
  Ask();
  EXPECT_FALSE(answered());
  Remove("b");
  EXPECT_TRUE(answered());
}

TEST_F(CurrentQuestionTest, ObjectMadeAnew_AnsweredWhenTheStoreHasTheNewOne) {
  server_.erase({"ns", "b"});
  Ask();
  store_.Put(MakeListed("ns", "b", "another uid", "11"));
  question_->Committed();
  EXPECT_TRUE(answered());
}

TEST_F(CurrentQuestionTest, LackingObjectThatIsDeleted_AnsweredByTheVersion) {
  Serve("ns", "d", "7");
  Ask();
  version_ = "10";
  question_->Committed();
  EXPECT_TRUE(answered());
}

TEST_F(CurrentQuestionTest, NothingListedYet_NotAnswered) {
  version_.clear();
  Ask();
  EXPECT_FALSE(answered());
  version_ = "9";
  question_->Committed();
  EXPECT_TRUE(answered());
}

TEST_F(CurrentQuestionTest, TransformThatChangesVersions_OnlyTheVersionCounts) {
  comparable_ = false;
  Ask();
  EXPECT_FALSE(answered());
  version_ = "9";
  question_->Committed();
  EXPECT_TRUE(answered());
}

TEST_F(CurrentQuestionTest, UnreadableObject_IsNotMissed) {
  server_.erase({"ns", "b"});
  unreadable_ = {{"ns", "b"}};
  Ask();
  EXPECT_TRUE(answered());
}

TEST_F(CurrentQuestionTest, SeveralPages_TheEventsOfABusyCollectionComeFirst) {
  two_pages_ = true;
  Ask();
  EXPECT_FALSE(answered());
  version_ = "9";
  question_->Committed();
  EXPECT_TRUE(answered());
  sim_.RunFor(minutes(1));
  EXPECT_EQ(source_.asked.size(), 1U);
}

TEST_F(CurrentQuestionTest, SeveralPagesOfAQuietCollection_AllAreCompared) {
  two_pages_ = true;
  Ask();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(source_.asked, (std::vector<std::string>{"|||500|", "|||500|next"}));
  EXPECT_EQ(answered_after_, milliseconds(2500));
}

TEST_F(CurrentQuestionTest, FailedRequest_IsMadeAgain) {
  error_status_ = 500;
  Ask();
  EXPECT_FALSE(answered());
  error_status_ = 0;
  sim_.RunFor(seconds(2));
  EXPECT_EQ(answered_after_, seconds(3));
  EXPECT_EQ(failures_, std::vector<std::string>{"500"});
}

TEST_F(CurrentQuestionTest, ResourceThatIsBrokenForAMinute_HoldsNobodyLonger) {
  error_status_ = 503;
  Ask();
  sim_.RunFor(seconds(58));
  EXPECT_FALSE(answered());
  sim_.RunFor(seconds(62));
  EXPECT_TRUE(answered());
  EXPECT_EQ(failures_.back(), "503 for good");
}

TEST_F(CurrentQuestionTest, ServerThatAsksToWait_IsWaitedFor) {
  error_status_ = 429;
  Ask();
  sim_.RunFor(minutes(10));
  EXPECT_FALSE(answered());
  error_status_ = 0;
  sim_.RunFor(seconds(2));
  EXPECT_TRUE(answered());
}

TEST_F(CurrentQuestionTest, RefusedRequest_IsNotMadeAgain) {
  for (const int status : {400, 403, 404, 405, 422}) {
    error_status_ = status;
    answered_after_.reset();
    failures_.clear();
    Ask();
    sim_.RunFor(minutes(1));
    EXPECT_EQ(answered_after_, seconds(1));
    EXPECT_EQ(failures_, std::vector<std::string>{std::to_string(status) + " for good"});
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
